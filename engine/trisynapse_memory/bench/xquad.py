"""XQuAD in several languages in, one store for each out: a paragraph is a source, a question names its own.

The paragraphs and questions are the same in every language, so the figures can be read side by side.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trisynapse_memory.bench.corpora import explained, files_in
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Passage, Store


class ReadingQuestion(Struct, frozen=True, kw_only=True):
    """A question with the paragraph it was asked about, and the answers that were given to it."""

    text: str
    key: str
    answers: tuple[str, ...]


class Reading(Struct, frozen=True, kw_only=True):
    """All paragraphs of one language with their questions."""

    language: str
    passages: tuple[Passage, ...]
    questions: tuple[ReadingQuestion, ...]


def files(data: Path) -> list[Path]:
    """Return one file a language, ``xquad.LANGUAGE.json``; English first."""
    return sorted(files_in(data / "xquad", "xquad.*.json"), key=lambda path: (path.name != "xquad.en.json", path.name))


def read(data: Path) -> Iterator[Store]:
    """Read each language as a store of its own."""
    for path in files(data):
        reading = read_language(path)
        yield Store(
            corpus="xquad",
            name=reading.language,
            passages=reading.passages,
            questions=tuple(
                Asked(text=one.text, category=reading.language, gold={one.key: 1.0}) for one in reading.questions
            ),
        )


SUITE: Final = EvidenceSuite(
    name="xquad", files=files, read=read, measures=("recall@1", "recall@5", "recall@10", "mrr")
)


def read_language(path: Path) -> Reading:
    """Read one file; a paragraph is titled by its article.

    Raises:
        InvalidInputError: it is not in the form of SQuAD.
    """
    with explained(path, "XQuAD file"):
        articles: list[Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["data"]
        passages: list[Passage] = []
        questions: list[ReadingQuestion] = []
        for number, article in enumerate(articles):
            title = str(article.get("title", "")).replace("_", " ")
            for place, paragraph in enumerate(article["paragraphs"]):
                key = f"{number}/{place}"
                passages.append(Passage(key=key, title=title, text=str(paragraph["context"])))
                questions.extend(_questions(key, paragraph["qas"]))
    return Reading(language=path.stem.split(".")[-1], passages=tuple(passages), questions=tuple(questions))


def _questions(key: str, rows: list[Mapping[str, Any]]) -> Iterator[ReadingQuestion]:
    for row in rows:
        answers = dict.fromkeys(str(one["text"]) for one in row["answers"])
        yield ReadingQuestion(text=str(row["question"]), key=key, answers=tuple(answers))
