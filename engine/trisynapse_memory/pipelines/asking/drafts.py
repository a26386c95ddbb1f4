"""A draft in, each of its sentences with what the vault says of it out. Nothing is written, not even a query run.

Every sentence is looked up as a question is, and held against the best passages: those that say it, and those that say
it otherwise. No model is asked; what no passage is found to say is unknown, not wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.answering.contradiction import find_contradiction
from trisynapse_memory.answering.sentences import one_line
from trisynapse_memory.answering.support import Backing, find_backings
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import SentenceParser
from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import (
    Citation,
    CitationVerdict,
    Coverage,
    DraftCheck,
    DraftSentence,
    DraftVerdict,
    Hit,
)

DRAFT_MAX_CHARS: Final = 200_000  # some 60 pages; longer ones are checked in parts
PASSAGES: Final = 12  # held against one sentence; a search shows as many
SENTENCE_MAX_CHARS: Final = 2000  # of what is looked up; a longer "sentence" is a table or a list without stops
_OPENS: Final = r"[ \t]*(?:#|[-*+>] |\d+[.)] )"  # a line of its own in Markdown
_PARAGRAPH: Final = re.compile(rf"^{_OPENS}[^\n]*|[^\n]+(?:\n(?!{_OPENS}|\n)[^\n]+)*", re.MULTILINE)
_HEADING: Final = re.compile(r"^\s*(?:#{1,6}\s|[-=*_]{3,}\s*$)")
_MARKUP: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|^\s*>\s?|(?:\*\*|__|`)")
_COURTESY: Final = re.compile(
    r"^(?:thank(?:s| you)|dear|best regards|kind regards|sincerely|hello|hi)\b", re.IGNORECASE
)
_LEAST_WORDS: Final = 3  # fewer say nothing that can be looked up
_WORD: Final = re.compile(r"\w+")


class _Citations:
    """Numbers citations as they are first needed; the same place keeps its number."""

    def __init__(self, places: Places, excerpt_chars: int) -> None:
        self.made: list[Citation] = []
        self._places = places
        self._excerpt_chars = excerpt_chars
        self._numbers: dict[tuple[int, int, int], int] = {}

    def number(self, backing: Backing, verdict: CitationVerdict | None = None) -> int:
        record = backing.hit.record
        key = (record.seq, backing.start, backing.end)
        if key not in self._numbers:
            self._numbers[key] = len(self.made) + 1
            self.made.append(self._cite(backing, verdict or backing.verdict))
        return self._numbers[key]

    def _cite(self, backing: Backing, verdict: CitationVerdict) -> Citation:
        hit = backing.hit
        return Citation(
            n=len(self.made) + 1,
            record_id=hit.record.id,
            source_id=hit.record.source_id,
            source_key=hit.source_key,
            title=hit.title,
            locator=self._places.locate(hit.record, backing.start, backing.end),
            excerpt=one_line(hit.record.text[backing.start : backing.end])[: self._excerpt_chars],
            verdict=verdict,
            observed_at=hit.record.observed_at,
        )


class Drafts:
    """The noun door ``engine.drafts``."""

    def __init__(self, query: Query, reading: Reading, config: Config, parser: SentenceParser | None = None) -> None:
        self._query = query
        self._reading = reading
        self._config = config
        self._parser = parser

    def check(self, text: str, *, source_ids: Sequence[str] | None = None, collection: str | None = None) -> DraftCheck:
        """Hold each sentence of a draft against the vault.

        Args:
            text: plain text or Markdown, at most 200,000 characters.
            source_ids: only against these sources; None for all.
            collection: only against the sources of this collection.

        Raises:
            InvalidInputError: the draft is empty or too long.
            UnknownSourceError: no source has one of the ids.
        """
        if not text.strip():
            raise InvalidInputError("The draft is empty.", hint="Give a text, a file, or `-` for standard input.")
        if len(text) > DRAFT_MAX_CHARS:
            raise InvalidInputError(
                f"The draft has {len(text):,} characters; the limit is {DRAFT_MAX_CHARS:,}.",
                hint="Check it in parts.",
            )
        scope = self._reading.scope(source_ids=source_ids, collection=collection)
        citations = _Citations(self._query.places, self._config.excerpt_max_chars)
        coverage = Coverage()
        sentences: list[DraftSentence] = []
        for start, end in _sentences(text):
            words = _MARKUP.sub("", text[start:end]).strip()
            sentence = DraftSentence(text=words, start=start, end=end, verdict=DraftVerdict.NO_CLAIM)
            if _claims(text[start:end], words):
                hits, coverage = self._query.evidence(words[:SENTENCE_MAX_CHARS], scope, PASSAGES)
                sentence = _judged(sentence, hits, citations, self._parser)
            sentences.append(sentence)
        used = len({citation.record_id for citation in citations.made})
        return DraftCheck(
            sentences=tuple(sentences),
            citations=tuple(citations.made),
            coverage=structs.replace(coverage, used=used),
        )


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Sentences of each line: a heading and a list item end with their line, whatever stands at their end."""
    for paragraph in _PARAGRAPH.finditer(text):
        for start, end in sentence_spans(paragraph[0]):
            yield paragraph.start() + start, paragraph.start() + end


def _claims(written: str, words: str) -> bool:
    if _HEADING.match(written) or _COURTESY.match(words) or words.rstrip("\"'”’)").endswith("?"):
        return False
    return len(_WORD.findall(words)) >= _LEAST_WORDS


def _judged(
    sentence: DraftSentence, hits: Sequence[Hit], citations: _Citations, parser: SentenceParser | None
) -> DraftSentence:
    said = [citations.number(backing) for backing in find_backings(sentence.text, hits, (), parser)]
    otherwise = find_contradiction(sentence.text, hits)
    against = (citations.number(otherwise.backing, CitationVerdict.VERBATIM),) if otherwise else ()
    verdict = DraftVerdict.SUPPORTED if said else DraftVerdict.CONTRADICTED if otherwise else DraftVerdict.UNKNOWN
    return structs.replace(
        sentence,
        verdict=verdict,
        citations=tuple(said),
        against=against,
        differs=otherwise.differs if otherwise else "",
    )
