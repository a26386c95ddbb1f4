"""A vault and its questions with known answers in, how often the answers are right out. Nothing is tuned here.

Run it from the root of the project, on a vault that has taken in and embedded the papers::

    PYTHONPATH=engine python packaging/scripts/evaluate_answers.py --vault VAULT --questions QUESTIONS

One row per kind of evidence: how many of the answer's parts the shown sentences hold, how often a cited page is one of
the evidence, how often it was refused, sentences per answer, and processor time. Questions whose answer is in no text
("Figure", "Chart") are counted too, since a user asks them. ``--scoped`` asks each question in its own document, as
most of them say "this paper". QUESTIONS: ``../shared/data/papers/questions.json``, on which the choice of sentences was
looked at, or ``tests/corpora/paper_questions.json``, which is kept for the end.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Answer

TEXT = "Pure-text (Plain-text)"
NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


@dataclass(frozen=True, slots=True)
class Question:
    """One question with what is known of its answer; no ``parts`` where no source answers it."""

    document: str
    text: str
    parts: tuple[str, ...]
    pages: frozenset[int]
    evidence: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question; ``held`` in [0, 1]."""

    question: Question
    answer: Answer
    held: float
    on_page: bool
    cpu_ms: float


def read_questions(path: Path) -> list[Question]:
    """Read MMLongBench-Doc questions, or those of ``tests/corpora/paper_questions.json``."""
    stored = json.loads(path.read_text("utf-8"))
    return [_long_bench(row) for row in stored] if isinstance(stored, list) else _own(stored)


def _long_bench(row: dict[str, str]) -> Question:
    answer = row["answer"].strip()
    parts = ast.literal_eval(answer) if row["answer_format"] == "List" and answer.startswith("[") else [answer]
    sources = ast.literal_eval(row["evidence_sources"])
    unanswerable = row["answer_format"] == "None"
    evidence = (
        "none" if unanswerable else "text" if sources == [TEXT] else "text and more" if TEXT in sources else "other"
    )
    pages = frozenset(ast.literal_eval(row["evidence_pages"]))
    return Question(
        row["doc_id"], row["question"].strip(), () if unanswerable else tuple(map(str, parts)), pages, evidence
    )


def _own(stored: dict[str, list[dict[str, object]]]) -> list[Question]:
    questions: list[Question] = []
    for row in stored["answerable"]:
        pages = frozenset([int(str(row["page"])), *(int(page) for page in row.get("also_on_pages") or ())])  # type: ignore[attr-defined]
        questions.append(Question(str(row["pdf"]), str(row["question"]), (str(row["answer"]),), pages, "text"))
    for row in stored["unanswerable"]:
        kind = str(row.get("kind", "none"))
        questions.append(Question(str(row.get("pdf", "")), str(row["question"]), (), frozenset(), f"none: {kind}"))
    return questions


def share_held(parts: Sequence[str], answer: str) -> float:
    """How many parts of the expected answer the shown one holds; a number as a number, also where it is a word."""
    if not parts:
        return 0.0
    plain = _plain(answer)
    return sum(_holds(plain, _plain(part)) for part in parts) / len(parts)


def _holds(answer: str, part: str) -> bool:
    if re.fullmatch(r"\d+(?:\.\d+)?", part):
        return re.search(rf"(?<![\d.,]){re.escape(part)}(?![\d]|[.,]\d)", answer) is not None
    return part in answer


def _plain(text: str) -> str:
    lower = re.sub(r"(?<=\d),(?=\d{3})", "", text.casefold())
    for value, word in enumerate(NUMBER_WORDS):
        lower = re.sub(rf"\b{word}\b", str(value), lower)
    return " ".join(re.sub(r"[^\w.%$@]+", " ", lower).replace(". ", " ").strip(" .").split())


def ask(engine: MemoryEngine, questions: Sequence[Question], scoped: bool) -> list[Outcome]:
    """Put every question to the vault, in its own document if ``scoped``."""
    engine.query("warm up")
    ids = {Path(source.source_key).name: source.source_id for source in engine.sources.list()} if scoped else {}
    outcomes: list[Outcome] = []
    for question in questions:
        chosen = [ids[question.document]] if question.document in ids else None
        started = time.process_time()
        answer = engine.query(question.text, source_ids=chosen)
        cpu_ms = 1000 * (time.process_time() - started)
        places = {
            (Path(citation.source_key).name, citation.locator.page) for citation in answer.citations if citation.locator
        }
        on_page = any((question.document, page) in places for page in question.pages)
        outcomes.append(Outcome(question, answer, share_held(question.parts, answer.answer), on_page, cpu_ms))
    return outcomes


def report(outcomes: Sequence[Outcome]) -> None:
    """Print one row per kind of evidence."""
    print("| evidence | questions | parts held | all held | page cited | refused | sentences | cpu ms median / worst |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in [*sorted({outcome.question.evidence for outcome in outcomes}), "all"]:
        rows = [outcome for outcome in outcomes if kind in ("all", outcome.question.evidence)]
        count = len(rows)
        lengths = [len(row.answer.sentences) for row in rows if not row.answer.abstain]
        cpu = [row.cpu_ms for row in rows]
        cells = (
            f"{sum(row.held for row in rows) / count:.1%}",
            f"{sum(row.held == 1 for row in rows)}",
            f"{sum(row.on_page for row in rows)}",
            f"{sum(row.answer.abstain for row in rows)}",
            f"{sum(lengths) / max(1, len(lengths)):.2f}",
            f"{median(cpu):.0f} / {max(cpu):.0f}",
        )
        print(f"| {kind} | {count} | {' | '.join(cells)} |")


def show(outcomes: Sequence[Outcome]) -> None:
    """Print each question with what was answered."""
    for row in outcomes:
        asked = row.question
        print(f"\n[{asked.evidence}] {asked.document} p.{sorted(asked.pages)}: {asked.text}")
        print(f"  WANT {' / '.join(asked.parts)}")
        mark = "refused" if row.answer.abstain else f"{row.held:.2f}{' on page' if row.on_page else ''}"
        print(f"  {mark}: {row.answer.reason or row.answer.answer}")


def main() -> None:
    """Ask and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vault", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--scoped", action="store_true")
    parser.add_argument("--evidence", help="only questions of this kind of evidence")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    questions = read_questions(options.questions)
    if options.evidence:
        questions = [question for question in questions if question.evidence.startswith(options.evidence)]
    with MemoryEngine.open(options.vault) as engine:
        outcomes = ask(engine, questions, options.scoped)
    if options.show:
        show(outcomes)
    report(outcomes)


if __name__ == "__main__":
    main()
