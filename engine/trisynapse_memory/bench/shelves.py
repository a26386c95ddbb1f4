"""A store and an empty vault in, the records the engine made of it with their vectors and keys out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trisynapse_memory.bench.baselines import Baselines
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.metrics import distinct
from trisynapse_memory.bench.stores import Asked, Passage, Store, Talk
from trisynapse_memory.bench.workplace import Workplace
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.types import Record, SourceInput, indexed_text


@dataclass(frozen=True, slots=True)
class Stand:
    """One way to give a store to the baselines: the key of each row, and the methods over those rows."""

    suffix: str
    keys: Sequence[str]
    baselines: Baselines

    def rank(self, question: str, vector: FloatArray, watch: Stopwatch | None) -> dict[str, list[str]]:
        """Return each method's ranking of keys; a key stands where its best row stands."""
        found = self.baselines.rank(question, vector, watch)
        return {f"{name}{self.suffix}": distinct(self.keys[row] for row in rows) for name, rows in found.items()}


@dataclass(frozen=True, slots=True)
class Shelf:
    """A store as the engine holds it: its records, the key and the vector of each, and what could not be taken in.

    ``same`` names, for a text that the engine knows already under another key, that key: both are one source.
    """

    records: tuple[Record, ...]
    keys: tuple[str, ...]
    matrix: FloatArray
    lost: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_cut(self) -> bool:
        """Whether some text became several records."""
        return len(set(self.keys)) < len(self.keys)

    def gold_of(self, question: Asked) -> dict[str, float]:
        """Return the gold of a question as the vault holds it: of equal texts one, with the better grade."""
        gold: dict[str, float] = {}
        for key, grade in question.gold.items():
            held = self.same.get(key, key)
            gold[held] = max(grade, gold.get(held, 0.0))
        return gold

    def key_of(self) -> dict[str, str]:
        """Return the key of each record id."""
        return {str(record.id): key for record, key in zip(self.records, self.keys, strict=True)}


def shelve(place: Workplace, store: Store, watch: Stopwatch) -> Shelf:
    """Take a store in, and give every record its vector.

    Args:
        place: a vault that is empty.
        store: what goes in.
        watch: times the intake without the vectors.
    """
    owners: dict[str, str] = {}
    for talk in store.talks:
        owners.update(_take_talk(place, talk, watch))
    sources, same = _take_passages(place, store.passages, watch)
    owners.update(sources)
    records = tuple(record for record in place.records() if _owner(record, owners) is not None)
    keys = tuple(str(_owner(record, owners)) for record in records)
    given = [message.id for talk in store.talks for message in talk.messages] + [one.key for one in store.passages]
    held = {*keys, *same}
    lost = tuple(str(key) for key in given if key not in held)
    return Shelf(records, keys, place.embed_all(records), lost, same)


def stands_of(shelf: Shelf, store: Store, place: Workplace, note: Note) -> list[Stand]:
    """Build the baselines over the engine's records, and over whole passages too where the engine cut some.

    A passage that is cut gives its parts no chance to add up, so the better of both counts as the baseline.
    """
    texts = [indexed_text(record.text, record.fields) for record in shelf.records]
    stands = [Stand("", shelf.keys, Baselines(texts, shelf.matrix))]
    if shelf.is_cut:
        note("whole passages for the baselines")
        kept = [one for one in store.passages if one.key not in shelf.same]
        whole, keys = [f"{one.title}\n{one.text}".strip() for one in kept], [one.key for one in kept]
        stands.append(Stand("-whole", keys, Baselines(whole, place.embeddings.rows(whole))))
    return stands


def _take_talk(place: Workplace, talk: Talk, watch: Stopwatch) -> dict[str, str]:
    with watch.lap():
        ids = place.engine.ingest_messages(talk.messages, group_id=talk.group_id)
    return {str(record): str(message.id) for record, message in zip(ids, talk.messages, strict=True)}


def _take_passages(
    place: Workplace, passages: Sequence[Passage], watch: Stopwatch
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the key of each source id, and for each text that was there already the key it is known by."""
    owners: dict[str, str] = {}
    same: dict[str, str] = {}
    if not passages:
        return owners, same
    inputs = [SourceInput(text=one.text or one.title, title=one.title, source_key=one.key) for one in passages]
    with watch.lap():
        results = place.engine.ingest(*inputs, wait=False).results
    for result, one in zip(results, passages, strict=True):
        if result.source_id is not None and owners.setdefault(str(result.source_id), one.key) != one.key:
            same[one.key] = owners[str(result.source_id)]
    return owners, same


def _owner(record: Record, owners: dict[str, str]) -> str | None:
    return owners.get(str(record.id)) or owners.get(str(record.source_id))
