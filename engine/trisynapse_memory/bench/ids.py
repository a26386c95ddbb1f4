"""Nothing in, one store of drawn device reports out, asked for by their ids: the right report has to come first.

Its reports are those of the suite ``scale``, a thousand of them, but with the vectors that the embedder gives them:
every id has neighbours that differ in one digit, which to an embedder are nearly the same text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.bench.drawing import VERSION, Writer
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Store, Talk
from trisynapse_memory.types import Message

REPORT_COUNT: Final = 1_000
TALK_REPORTS: Final = 100  # reports of one conversation


def read(_: Path) -> Iterator[Store]:
    """Draw the reports, and the questions that name one."""
    writer = Writer()
    messages = [Message(id=str(number), role="user", content=writer.text(number)) for number in range(REPORT_COUNT)]
    talks = tuple(
        Talk(group_id=f"reports-{start}", messages=tuple(messages[start : start + TALK_REPORTS]))
        for start in range(0, REPORT_COUNT, TALK_REPORTS)
    )
    asked = [one for one in writer.questions(REPORT_COUNT) if one.record is not None]
    questions = tuple(Asked(text=one.text, category="exact id", gold={str(one.record): 1.0}) for one in asked)
    yield Store(corpus="ids", name="drawn", talks=talks, questions=questions)


SUITE: Final = EvidenceSuite(
    name="ids",
    files=lambda _: [],
    read=read,
    measures=("recall@1", "recall@5", "recall@10", "mrr"),
    drawing=f"{VERSION}, {REPORT_COUNT} reports",
)
