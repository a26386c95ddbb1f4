"""A vault in, questions made of it with what they must find out: titles, sentences as they stand, identifiers.

They need no judgement of hers, are the same on every run of the same vault, and say what no weight may lose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.text.exact_terms import identifiers
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Kind, Modality, Namespace, Record, Scope

TITLES, SENTENCES, IDENTIFIERS = 40, 60, 20
"""Probes of each kind at most; 120 rankings of 20 ms twice are 5 s of an idle machine."""
LOOKED_AT: Final = 400  # records, evenly over the log, of which probes are made
WORDS_FEWEST, WORDS_MOST = 6, 30  # of a sentence; fewer say too little, more are a paragraph
DEPTHS: Final = {"identifier": 1, "title": 10, "sentence": 3}
"""How far down a probe may stand and count as found: hits shown at once, by what the words deserve."""
_PUNCTUATION: Final = ".,;:!?()[]{}<>\"'“”‘’"

PickedT = TypeVar("PickedT")


class Probe(NamedTuple):
    """A question made of the vault, and the log positions of which one must stand among the first ``depth``."""

    kind: str
    name: str
    question: str
    wanted: frozenset[int]
    depth: int


def probes_of(rooms: Rooms) -> tuple[Probe, ...]:
    """Return the guard set of a vault; empty for an empty one."""
    records = _records(rooms)
    return (
        *islice(_identifiers(rooms, records), IDENTIFIERS),
        *_titles(rooms),
        *spread([probe for one in records if (probe := _sentence(one)) is not None], SENTENCES),
    )


def spread(found: Sequence[PickedT], count: int) -> list[PickedT]:
    """Return at most ``count`` of some values, evenly over all of them, in their order."""
    if len(found) <= count:
        return list(found)
    return [found[number * len(found) // count] for number in range(count)]


def _records(rooms: Rooms) -> list[Record]:
    """Visible evidence, evenly over the log."""
    head = rooms.log.head()
    read = rooms.log.by_seqs(spread(range(1, head + 1), LOOKED_AT))
    visible = rooms.log.visible([record.seq for record in read])
    return [record for record in read if record.kind is Kind.RAW_SOURCE and record.seq in visible]


def _identifiers(rooms: Rooms, records: Sequence[Record]) -> Iterator[Probe]:
    limit, seen = rooms.config.rare_term_max_records, set[str]()
    for record in records:
        for word in dict.fromkeys(one.strip(_PUNCTUATION) for one in record.text.split()):
            keys = identifiers(word)
            if len(keys) == 1 and keys[0] not in seen:
                seen.add(keys[0])
                holders = rooms.lexical.holders(keys[0], Scope(), limit + 1)
                if 0 < len(holders) <= limit:
                    yield _probe("identifier", record, word, frozenset(holders))


def _titles(rooms: Rooms) -> Iterator[Probe]:
    """The titles that one document alone bears; a chat is called by its group or its file, and not asked for so."""
    sources = rooms.shelf.list(Namespace(project_id=None))
    shared = Counter(source.title.casefold() for source in sources)
    named = [source for source in sources if source.title.strip() and shared[source.title.casefold()] == 1]
    for source in spread(named, TITLES):
        held = rooms.log.of_source(source.source_id, Kind.RAW_SOURCE)
        if held and held[0].modality is not Modality.CONVERSATION:
            yield Probe("title", str(held[0].id), source.title, frozenset(one.seq for one in held), DEPTHS["title"])


def _sentence(record: Record) -> Probe | None:
    """The longest sentence of a record that is neither a heading nor a paragraph."""
    said = (record.text[start:end] for start, end in sentence_spans(record.text))
    fitting = [one for one in said if WORDS_FEWEST <= len(one.split()) <= WORDS_MOST]
    return _probe("sentence", record, max(fitting, key=len), frozenset({record.seq})) if fitting else None


def _probe(kind: str, record: Record, question: str, wanted: frozenset[int]) -> Probe:
    return Probe(kind, str(record.id), question, wanted, DEPTHS[kind])
