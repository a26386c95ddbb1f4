"""A store and an empty vault in, the records the engine made of it with their vectors and keys out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trisynapse_memory.bench.baselines import Baselines
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.metrics import distinct
from trisynapse_memory.bench.peer_runs import Units
from trisynapse_memory.bench.stores import Asked, Passage, Store, Talk
from trisynapse_memory.bench.workplace import Workplace
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.types import Record, SourceInput, indexed_text


@dataclass(frozen=True, slots=True)
class Stand:
    """One way to give a store to the baselines and to peers: the key of each row, the rows, the methods over them."""

    suffix: str
    keys: Sequence[str]
    baselines: Baselines
    units: Units

    def rank(self, question: str, vector: FloatArray, watch: Stopwatch | None) -> dict[str, list[str]]:
        """Return each method's ranking of keys; a key stands where its best row stands."""
        found = self.baselines.rank(question, vector, watch)
        return {f"{name}{self.suffix}": self.ranking_of(rows) for name, rows in found.items()}

    def ranking_of(self, rows: Iterable[int]) -> list[str]:
        """Return the keys of a ranking of rows."""
        return distinct(self.keys[row] for row in rows)

    def depth(self, whole: int, cut: int) -> int:
        """Return how many rows to ask for: ``whole`` where each is one text, ``cut`` where some are parts of one."""
        return whole if len(set(self.keys)) == len(self.keys) else cut


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
    units = units_of(shelf.records, shelf.matrix, kind="turn" if store.talks else "passage")
    stands = [Stand("", shelf.keys, Baselines(units.texts, shelf.matrix), units)]
    if shelf.is_cut:
        note("whole passages for the baselines")
        kept = [one for one in store.passages if one.key not in shelf.same]
        whole, keys = [f"{one.title}\n{one.text}".strip() for one in kept], [one.key for one in kept]
        units = Units(whole, [one.title for one in kept], keys, place.embeddings.rows(whole))
        stands.append(Stand("-whole", keys, Baselines(whole, units.matrix), units))
    return stands


def units_of(records: Sequence[Record], matrix: FloatArray, *, kind: str) -> Units:
    """Return records as another program is given them: the texts that the engine indexed, in the same order."""
    return Units(
        texts=[indexed_text(record.text, record.fields) for record in records],
        titles=[record.fields.get("title", "") for record in records],
        groups=[record.group_id or str(record.source_id) for record in records],
        matrix=matrix,
        kind=kind,
    )


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
