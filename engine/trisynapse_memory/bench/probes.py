"""Corpora and our own labels in, questions to be answered or refused out, with what a right answer holds.

``labels`` is the folder of our own sets (``tests/corpora``): ``paper_answers`` and ``false_premises`` are questions
over the PDFs of the papers corpus, which stay where they lie.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

from trisynapse_memory.bench import beam, locomo, xquad
from trisynapse_memory.bench.corpora import PageQuestion, explained, files_in, read_dialogues, read_page_questions
from trisynapse_memory.bench.stores import Store

PAPER_KINDS: Final[Mapping[str, str]] = {"Pure-text (Plain-text)": "text", "Table": "table"}
"""Of MMLongBench-Doc's names; a question that needs anything else (chart, figure, layout) is of the kind "picture"."""

Gold = tuple[tuple[str, ...], ...]
"""Everything a right answer must hold; each with its wordings, of which one is enough."""


class Probe(Struct, frozen=True, kw_only=True):
    """One question.

    ``group`` is the set it is counted in, ``kind`` its part of that set. It is asked of the sources in ``within`` (all
    where None), but for the one named ``without``. ``pages`` are the gold pages, where the set names them, ``key`` the
    gold source.
    """

    text: str
    group: str
    answerable: bool = True
    kind: str = ""
    within: tuple[str, ...] | None = None
    without: str = ""
    gold: Gold = ()
    key: str = ""
    pages: tuple[int, ...] = ()


class ProbeStore(Struct, frozen=True, kw_only=True):
    """One vault: what goes in (a store's passages and talks, or PDFs), and what it is asked."""

    store: Store
    probes: tuple[Probe, ...]
    pdfs: tuple[Path, ...] = ()


def removed_paragraphs(data: Path, limit: int | None) -> Iterator[ProbeStore]:
    """English XQuAD, each question twice: with its paragraph, and with all others only.

    The corpus holds near neighbours of each paragraph (the same article), so what is left looks relevant.
    """
    reading = xquad.read_language(xquad.files(data)[0])
    store = Store(corpus="xquad", name="removed", questions=(), passages=reading.passages)
    group = "xquad-removed"
    kept = reading.questions[:limit]
    there = [Probe(text=one.text, group=group, gold=(one.answers,), key=one.key) for one in kept]
    gone = [Probe(text=one.text, group=group, answerable=False, without=one.key) for one in kept]
    yield ProbeStore(store=store, probes=(*there, *gone))


def swapped_speakers(data: Path, limit: int | None) -> Iterator[ProbeStore]:
    """LoCoMo: categories 1 to 4 with evidence can be answered, category 5 asks the wrong speaker."""
    for path in locomo.files(data):
        for dialogue in read_dialogues(path):
            asked = [one for one in dialogue.questions if one.gold][:limit]
            there = [Probe(text=one.text, group="locomo-5", kind=one.category) for one in asked]
            gone = [
                Probe(text=text, group="locomo-5", kind="adversarial", answerable=False)
                for text in dialogue.adversarial[:limit]
            ]
            talks = tuple(locomo.talk_of(dialogue, session) for session in dialogue.sessions)
            store = Store(corpus=path.stem, name=dialogue.name, questions=(), talks=talks)
            yield ProbeStore(store=store, probes=(*there, *gone))


def unanswered_chats(data: Path, limit: int | None) -> Iterator[ProbeStore]:
    """BEAM: the ability "abstention" against the nine others."""
    for folder in dict.fromkeys(path.parent for path in beam.files(data)):
        chat = beam.read_chat(folder, unanswerable=True)
        there = [one for one in chat.questions if one.category != beam.ABSTENTION and one.gold][:limit]
        gone = [one for one in chat.questions if one.category == beam.ABSTENTION][:limit]
        probes = tuple(
            Probe(text=one.text, group="beam", kind=one.category, answerable=one.category != beam.ABSTENTION)
            for one in (*there, *gone)
        )
        yield ProbeStore(store=chat, probes=probes)


def paper_probes(data: Path, labels: Path, limit: int | None) -> ProbeStore:
    """The questions of MMLongBench-Doc and our own over the same PDFs, each asked of its own PDF.

    ``limit`` keeps so many of each group that can be answered, and as many that cannot.
    """
    folder = data / "papers"
    pdfs = {path.name: path for path in files_in(folder / "pdfs", "*.pdf")}
    questions = [one for path in files_in(folder, "*.json") for one in read_page_questions(path)]
    public = [_public_probe(one) for one in questions]
    own = [*_own_answers(labels), *_own_premises(labels)]
    known = [one for one in (*public, *own) if one.key in pdfs]
    kept = [one for group in _groups(known) for one in group[:limit]]
    wanted = {one.key for one in kept}
    return ProbeStore(
        store=Store(corpus="papers", name="papers", questions=()),
        probes=tuple(kept),
        pdfs=tuple(path for name, path in pdfs.items() if name in wanted),
    )


def read_rows(labels: Path, name: str) -> list[Mapping[str, Any]]:
    """Read the rows of one set of our own: ``NAME.json``, or every file of the folder ``NAME``; none where it is not.

    Raises:
        InvalidInputError: a file is not in the form of our sets.
    """
    paths = [path for path in (labels / f"{name}.json",) if path.is_file()] or sorted((labels / name).glob("*.json"))
    rows: list[Mapping[str, Any]] = []
    for path in paths:
        with explained(path, "set of labelled rows"):
            rows.extend(json.loads(path.read_text(encoding="utf-8"))["rows"])
    return rows


def _groups(probes: Sequence[Probe]) -> Iterator[list[Probe]]:
    for group, answerable in dict.fromkeys((one.group, one.answerable) for one in probes):
        yield [one for one in probes if (one.group, one.answerable) == (group, answerable)]


def _public_probe(row: PageQuestion) -> Probe:
    kinds = {PAPER_KINDS.get(name, "picture") for name in row.sources}
    return Probe(
        text=row.text,
        group="papers",
        kind="picture" if "picture" in kinds else "table" if "table" in kinds else "text" if kinds else "",
        answerable=row.answerable,
        within=(row.document,),
        key=row.document,
        pages=row.pages,
        gold=tuple((item,) for item in _items(row)),
    )


def _items(row: PageQuestion) -> list[str]:
    """A list counts with each of its items; an empty one, or a row without an answer, has nothing to hold."""
    if not row.answerable:
        return []
    if row.form != "List":
        return [row.answer]
    try:
        found: Any = ast.literal_eval(row.answer)
    except (ValueError, SyntaxError):
        return [row.answer]
    return [str(item) for item in cast("list[Any]", found)] if isinstance(found, list) else [row.answer]


def _own_answers(labels: Path) -> Iterator[Probe]:
    for row in read_rows(labels, "paper_answers"):
        yield Probe(
            text=str(row["question"]),
            group="own-papers",
            kind=str(row["evidence"]),
            within=(str(row["document"]),),
            key=str(row["document"]),
            pages=tuple(int(page) for page in row["pages"]),
            gold=((str(row["answer"]), *map(str, row.get("accept", ()))),),
        )


def _own_premises(labels: Path) -> Iterator[Probe]:
    for row in read_rows(labels, "false_premises"):
        yield Probe(
            text=str(row["question"]),
            group="own-papers",
            kind=str(row["type"]),
            answerable=False,
            within=(str(row["document"]),),
            key=str(row["document"]),
        )
