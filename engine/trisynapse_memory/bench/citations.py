"""Answers and labelled pairs in, how many citations hold and how many false ones are caught out.

Every sentence of every answer is judged anew against the text of the record it cites, as the log has it; what the
answer says of itself is not believed; a row of a table counts with the headers of its columns. The rules are those the
engine has (``text.verdicts``), so this finds a citation of the wrong record and words that were changed on the way, not
a rule that is too lax. The rules themselves are judged by sets of our own: sentences that change one thing (to be
caught), faithful paraphrases and literal quotations (to be accepted); with a parser, as answers that a model wrote are
read, and by words alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from trisynapse_memory.bench.answers import answerable_stores, cites_gold, digest_of_answers
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, peak_rss_mb
from trisynapse_memory.bench.metrics import means
from trisynapse_memory.bench.probes import read_rows
from trisynapse_memory.bench.probing import Reply, ask_all
from trisynapse_memory.bench.report import CategoryRow, Report
from trisynapse_memory.contracts import SentenceParser
from trisynapse_memory.registry import Registry
from trisynapse_memory.text.table_rows import header_names, judge_in_table
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import AnswerSentence, CitationVerdict

LABELLED: Final = (
    ("mutations", "caught", "class"),
    ("mutations_more", "caught", "class"),
    ("mutations_hard", "caught", "class"),
    ("paraphrases", "accepted", "part"),
    ("paraphrases_more", "accepted", "form"),
    ("paraphrases_hard", "accepted", "part"),
    ("verbatim", "accepted", "kind"),
    ("verbatim_more", "accepted", "kind"),
)
"""Set, what is counted, and the field that names a row's kind."""
PARSER: Final = "english"

Rows = dict[str, list[dict[str, float]]]


def run(data: Path, labels: Path, limit: int | None, note: Note) -> Report:
    """Measure both; ``limit`` asks so many questions of each set and leaves the labelled pairs whole."""
    watch = Stopwatch()
    figures: Rows = {}
    for store in answerable_stores(data, labels, limit):
        for reply in ask_all(store, watch, note):
            figures.setdefault(reply.probe.group, []).extend(judged_anew(reply))
    rows = [
        CategoryRow(corpus=group, category="all", count=_answers(found), metrics=means(found))
        for group, found in figures.items()
    ]
    pairs = list(_pair_rows(labels))
    return Report(
        suite="citations",
        corpus_sha256=digest_of_answers(data),
        metrics=means(row for found in figures.values() for row in found)
        | {
            f"{row.corpus}_{name}": value
            for row in pairs
            if row.category == "all"
            for name, value in row.metrics.items()
        },
        by_category=(*rows, *pairs),
        latency_ms=watch.latency_ms(),
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def judged_anew(reply: Reply) -> Iterator[dict[str, float]]:
    """Yield a row for each citation (``precision``), for each sentence, and for the answer (``cites_gold``)."""
    if reply.answer.abstain:
        return
    cited = {citation.n: str(citation.record_id) for citation in reply.answer.citations}
    for sentence in reply.answer.sentences:
        verdicts = [_verdict(reply, sentence, cited[n]) for n in sentence.citations if n in cited]
        yield from ({"precision": float(one.passes)} for one in verdicts)
        yield {
            "sentences_with_a_passing_verdict": float(any(one.passes for one in verdicts)),
            "verbatim": float(CitationVerdict.VERBATIM in verdicts),
        }
    yield {"cites_gold": float(cites_gold(reply))}


def _answers(rows: Sequence[Mapping[str, float]]) -> int:
    return sum("cites_gold" in row for row in rows)


def _verdict(reply: Reply, sentence: AnswerSentence, record_id: str) -> CitationVerdict:
    record = reply.place.engine.get(record_id)
    verdict = judge(sentence.text, record.text)
    if verdict.passes:
        return verdict
    return judge_in_table(sentence.text, record.text, header_names(record.fields.get("headers", "")))


def _pair_rows(labels: Path) -> Iterator[CategoryRow]:
    registry = Registry()
    parser: SentenceParser | None = (
        registry.load("parser", PARSER)() if registry.is_available("parser", PARSER) else None
    )
    for name, measure, kind in LABELLED:
        rows = read_rows(labels, name)
        if not rows:
            continue
        found = [(str(row[kind]), _pair_figures(row, measure, parser)) for row in rows]
        yield _pair_row(name, "all", [figures for _, figures in found])
        for value in dict.fromkeys(kind for kind, _ in found):
            yield _pair_row(name, value, [figures for kind, figures in found if kind == value])


def _pair_figures(row: Mapping[str, Any], measure: str, parser: SentenceParser | None) -> dict[str, float]:
    sentence, span, wanted = str(row["sentence"]), str(row["span"]), measure == "accepted"
    return {
        measure: float(judge(sentence, span, (), parser).passes is wanted),
        f"{measure}_by_words": float(judge(sentence, span).passes is wanted),
    }


def _pair_row(name: str, category: str, figures: Sequence[Mapping[str, float]]) -> CategoryRow:
    return CategoryRow(corpus=name, category=category, count=len(figures), metrics=means(figures))
