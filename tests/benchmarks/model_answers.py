"""A model file in, what it makes of 30 questions over the sample vault and the papers out, as one JSON document.

    python tests/benchmarks/model_answers.py MODEL.gguf --papers FOLDER [--keep FOLDER] [--most N] [--seconds S]

Every question is asked end to end, with its steps told as the window hears them, and once more without the model. Each
sentence shown is judged anew against the record it cites; what the model replied is read as strict JSON.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

from trisynapse_memory.contracts import Completer, OnText
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.llama_cpp import LlamaCpp
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import Answer, AnswerStage, AnswerStep, Completion, ModelService, Prompt, Role

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "sample"
PAPER_QUESTIONS = ROOT / "tests" / "corpora" / "paper_questions.json"
PAPER_COUNT = 14
PAPERS = "papers.vault"
LOCAL = ModelService(name="local", label="This machine", wire="llama_cpp", is_remote=False)
SAMPLE_QUESTIONS = (
    ("Who first measured the speed of light with a rotating mirror?", "Foucault"),
    ("What was the best value of c around 1930?", "299,796"),
    ("What value did Michelson obtain in 1879?", "299,910"),
    ("RM-1862-0417", "RM-1862-0417"),
    ("Which year did Fizeau measure the speed of light and with what?", "1849"),
    ("How long was the evacuated tube that was used in 1935?", "one mile"),
    ("What did Foucault use to measure the speed of light?", "mirror"),
    ("How many teeth did Fizeau's wheel have?", "720"),
    ("When was the metre redefined by the speed of light?", "1983"),
    ("Which value did Essen obtain with a cavity?", "299,792"),
    ("What did Cornu obtain in 1872 between the school and Mont Valérien?", "298,500"),
    ("How far apart are the Paris Observatory and the tower of Montlhéry?", "22.9"),
    ("Who built the geodimeter?", "Bergstrand"),
    ("Which value did Froome give in 1958?", "299,792.50"),
    ("Where did Evenson measure the frequency of the methane line?", "Boulder"),
    ("In which old unit did Fizeau print his result?", "leagues"),
)


class Row(NamedTuple):
    """What came of one question; milliseconds since it was asked, -1 where it never came to that."""

    question: str
    answer: Answer
    quoted: Answer
    replies: list[str]
    evidence_ms: float
    sentence_ms: float
    total_ms: float
    expected: str


class Listening:
    """A model that keeps what it replied to questions."""

    is_remote = False

    def __init__(self, inner: Completer) -> None:
        self._inner = inner
        self.provider, self.model, self.max_tokens = inner.provider, inner.model, inner.max_tokens
        self.replies: list[str] = []

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        completion = self._inner.complete(prompt, on_text, stop)
        if prompt.role is Role.ANSWER:
            self.replies.append(completion.text)
        return completion


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--papers", type=Path, required=True, help="the folder of the PDFs that the questions name")
    parser.add_argument("--keep", type=Path, help="where the vaults lie, so that a second run need not make them")
    parser.add_argument("--most", type=int, default=99, help="questions of each vault")
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin no question after so long")
    wishes = parser.parse_args()
    provider = LlamaCpp(LOCAL, Egress(offline=True), lambda name: None, low_priority=False)
    model = Listening(provider.completer(str(wishes.model.resolve())))
    deadline = time.monotonic() + wishes.seconds
    try:
        with tempfile.TemporaryDirectory() as spare:
            folder = wishes.keep or Path(spare)
            sample = [*sorted(SAMPLE.glob("*.pdf")), SAMPLE / "history-of-the-metre.html"]
            questions = list(_paper_questions())
            papers = sorted({wishes.papers / pdf for pdf, _, _ in questions})
            rows = [
                *_ask(folder / "sample.vault", sample, SAMPLE_QUESTIONS[: wishes.most], model, deadline),
                *_ask(folder / PAPERS, papers, [q[1:] for q in questions][: wishes.most], model, deadline),
            ]
    finally:
        provider.close()
    print(json.dumps(_report(wishes.model.name, rows), indent=2, ensure_ascii=False))


def _paper_questions() -> Iterator[tuple[str, str, str]]:
    asked = json.loads(PAPER_QUESTIONS.read_text("utf-8"))["answerable"]
    return ((one["pdf"], one["question"], one["answer"]) for one in asked[:PAPER_COUNT])


def _ask(
    vault: Path, files: Sequence[Path], questions: Sequence[tuple[str, str]], model: Listening, deadline: float
) -> Iterator[Row]:
    if time.monotonic() > deadline:
        return
    with MemoryEngine.open(vault, offline=True, completer=model) as engine:
        for task in engine.jobs.list():
            # Facts are what disputes are seen by; the papers have none that a question here is about.
            if task.name.startswith("model ") or (task.name == "facts" and vault.name == PAPERS):
                engine.jobs.pause(task.name)
        engine.ingest(*map(str, files))
        engine.query("warm up", model="none")
        for question, expected in questions:
            if time.monotonic() > deadline:
                return
            row = _row(engine, model, question, expected)
            print(json.dumps(_told(row), ensure_ascii=False), file=sys.stderr, flush=True)
            yield row


def _row(engine: MemoryEngine, model: Listening, question: str, expected: str) -> Row:
    model.replies = []
    told: dict[AnswerStage, float] = {}
    started = time.perf_counter()

    def hear(step: AnswerStep) -> None:
        told.setdefault(step.stage, (time.perf_counter() - started) * 1000)

    answer = engine.query(question, progress=hear)
    total = (time.perf_counter() - started) * 1000
    quoted = engine.query(question, model="none")
    first = (told.get(AnswerStage.EVIDENCE, -1.0), told.get(AnswerStage.SENTENCE, -1.0))
    _check(engine, answer)
    return Row(question, answer, quoted, model.replies, *first, total, expected)


def _check(engine: MemoryEngine, answer: Answer) -> None:
    """Judge every sentence against every record it cites, as a reader would."""
    cited = {one.n: engine.get(one.record_id) for one in answer.citations}
    for sentence in answer.sentences:
        if not sentence.citations or not all(judge(sentence.text, cited[n].text).passes for n in sentence.citations):
            raise SystemExit(f"'{sentence.text}' was shown, and its record does not say it.")


def _report(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    asked = [row for row in rows if row.replies]
    replies = [reply for row in asked for reply in row.replies]
    written = [row for row in asked if row.answer.model]
    usages = [row.answer.usage for row in asked if row.answer.usage]
    return {
        "model": name,
        "questions": len(rows),
        "refused before a model was asked": sum(row.answer.abstain for row in rows),
        "answered by the model": len(written),
        "quoted instead, by reason": dict(Counter(row.answer.note for row in asked if not row.answer.model)),
        "replies": len(replies),
        "replies of valid structure": sum(map(_is_valid, replies)),
        "sentences shown": sum(len(row.answer.sentences) for row in rows),
        "sentences withheld": sum(row.answer.withheld for row in asked),
        "expected words in the answer": sum(_holds(row.answer, row.expected) for row in rows),
        "expected words in the quoted answer": sum(_holds(row.quoted, row.expected) for row in rows),
        "evidence ms, median": _median([row.evidence_ms for row in rows]),
        "first sentence ms, median": _median([row.sentence_ms for row in written]),
        "total ms, median": _median([row.total_ms for row in asked]),
        "first token ms, median": _median([one.first_token_ms for one in usages]),
        "input tokens, median": _median([one.input_tokens for one in usages]),
        "output tokens, median": _median([one.output_tokens for one in usages]),
        "rows": [_told(row) for row in rows],
    }


def _is_valid(reply: str) -> bool:
    """Whether a reply is the JSON that was asked for, as it came; one that was cut off is not."""
    try:
        sentences = json.loads(reply)["sentences"]
        return all(isinstance(one["text"], str) and one["passages"] for one in sentences)
    except (ValueError, KeyError, TypeError):
        return False


def _holds(answer: Answer, expected: str) -> bool:
    return expected.lower() in " ".join(one.text for one in answer.sentences).lower()


def _median(values: Sequence[float]) -> float:
    return round(statistics.median(values), 1) if values else -1.0


def _told(row: Row) -> dict[str, Any]:
    return {
        "question": row.question,
        "model": row.answer.model,
        "note": row.answer.note,
        "withheld": row.answer.withheld,
        "answer": [one.text for one in row.answer.sentences],
        "quoted": [one.text for one in row.quoted.sentences],
        "replies": row.replies,
        "ms": [round(row.evidence_ms), round(row.sentence_ms), round(row.total_ms)],
    }


if __name__ == "__main__":
    main()
