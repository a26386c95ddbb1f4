"""Log positions and a model in, what the model may be shown out. Everything stays for a model in this machine.

A remote model is shown nothing that is marked sensitive, nothing of a collection whose rule is ``never``, and nothing
of one whose rule is ``ask`` unless she names it for this once. What was made of several records (a fact, a summary)
is held back when one of them is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec

from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import seqs_of_ids
from trisynapse_memory.types import CorrectionDetails, Kind, Record, Sharing

SENSITIVE: Final = "sensitive"
_STRICTEST: Final = (Sharing.NEVER, Sharing.ASK, Sharing.ALLOW)

# A record, then what it rests on: the spans of a fact.
_BASES_SQL: Final = """
    SELECT value, value FROM json_each(:seqs)
    UNION SELECT e.seq, e.base_seq FROM evidence e WHERE e.seq IN (SELECT value FROM json_each(:seqs))
"""
_SOURCES_SQL: Final = """
    SELECT r.seq, s.collections FROM records r JOIN sources s ON s.source_id = r.source_id
    WHERE r.seq IN (SELECT value FROM json_each(?))
"""


class Leaving(Protocol):
    """What is asked of a model here."""

    @property
    def is_remote(self) -> bool:
        """Whether what it is shown leaves this machine."""
        ...


class Held(NamedTuple):
    """One record that is not shown: why (sensitive, never or ask), and which collections say so."""

    seq: int
    reason: str
    collections: tuple[str, ...] = ()


class Split(NamedTuple):
    """Which records a model may be shown, in the order they were given, and which are held back."""

    shown: tuple[int, ...]
    held: tuple[Held, ...]

    @property
    def asks(self) -> tuple[str, ...]:
        """The collections that could be shared by asking her, each once."""
        return tuple(dict.fromkeys(name for one in self.held if one.reason == Sharing.ASK for name in one.collections))


class Sharer:
    """Says what may be shown to whom.

    Args:
        log: the records, their sources, and what is marked sensitive.
        rules: the rule of each collection as it is now; the empty name is that of sources in none that has one.
        revision: grows whenever a rule changes.
    """

    def __init__(
        self, log: MemoryLog, rules: Callable[[], Mapping[str, Sharing]], revision: Callable[[], int] = lambda: 0
    ) -> None:
        self._log = log
        self._sensitivity = Sensitivity(log)
        self._rules = rules
        self._revision = revision

    def split(self, seqs: Sequence[int], completer: Leaving, once: Collection[str] = ()) -> Split:
        """Tell which of these records a model may be shown.

        Args:
            seqs: log positions.
            completer: who would see them.
            once: collections whose rule is ``ask`` that she shares for this one question; the empty name stands for
                sources in none.
        """
        if not completer.is_remote or not seqs:
            return Split(tuple(seqs), ())
        bases = self._bases(seqs)
        every = sorted({base for found in bases.values() for base in found} | set(seqs))
        sensitive = self._sensitivity.sensitive_seqs(every)
        collections = self._collections(every)
        held: dict[int, Held] = {}
        for seq in seqs:
            reason = self._reason(seq, bases[seq], sensitive, collections, once)
            if reason is not None:
                held[seq] = reason
        return Split(tuple(seq for seq in seqs if seq not in held), tuple(held.values()))

    def withheld(self, completer: Leaving) -> Callable[[Sequence[int]], set[int]]:
        """Return a function that names those of the given records that a model must not be shown."""
        return lambda seqs: {one.seq for one in self.split(seqs, completer).held}

    def forbidden_sources(self, source_ids: Iterable[str]) -> set[str]:
        """Return those of the given sources no word of which may leave: marked sensitive, or under ``never``."""
        wanted = list(dict.fromkeys(source_ids))
        sql = "SELECT source_id, collections FROM sources WHERE source_id IN (SELECT value FROM json_each(?))"
        with self._log.database.read() as connection:
            rows = connection.execute(sql, (_json(wanted),)).fetchall()
        lists = {str(source_id): msgspec.json.decode(names, type=tuple[str, ...]) for source_id, names in rows}
        never = {key for key, names in lists.items() if self._rule(names)[0] is Sharing.NEVER}
        return never | self.sensitive_sources(lists)

    def sensitive_sources(self, source_ids: Iterable[str]) -> set[str]:
        """Return those of the given sources that are marked sensitive, by any version of theirs."""
        sql = (
            "SELECT s.source_id FROM sources s JOIN sensitive_sources m USING (namespace_key, source_key)"
            " WHERE s.source_id IN (SELECT value FROM json_each(?))"
        )
        with self._log.database.read() as connection:
            return {str(source_id) for (source_id,) in connection.execute(sql, (_json(list(source_ids)),))}

    def stamp(self) -> tuple[int, int, int]:
        """Return a value that changes whenever what may be shown may have changed: a mark, a collection, a rule."""
        sql = "SELECT count(*) FROM records WHERE kind = ?"
        with self._log.database.read() as connection:
            marks = int(connection.execute(sql, (Kind.SENSITIVITY.value,)).get)
            moves = int(connection.execute(sql, (Kind.COLLECTION.value,)).get)
        return marks, moves, self._revision()

    def _bases(self, seqs: Iterable[int]) -> dict[int, set[int]]:
        """What each record rests on, itself included, two steps down: a summary of facts rests on their passages."""
        bases = self._resting(list(seqs))
        below = self._resting(sorted({base for found in bases.values() for base in found} - bases.keys()))
        return {seq: found | {low for base in found for low in below.get(base, ())} for seq, found in bases.items()}

    def _resting(self, seqs: Sequence[int]) -> dict[int, set[int]]:
        bases: defaultdict[int, set[int]] = defaultdict(set)
        with self._log.database.read() as connection:
            for seq, base in connection.execute(_BASES_SQL, {"seqs": _json(seqs)}):
                bases[int(seq)].add(int(base))
            # A summary names its evidence, and a correction what it corrects, in its content only.
            named = {record.seq: _named(record) for record in self._log.by_seqs(seqs)}
            known = seqs_of_ids(connection, [key for ids in named.values() for key in ids])
        for seq, ids in named.items():
            bases[seq].update(known[key] for key in ids if key in known)
        return bases

    def _collections(self, seqs: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The collections of each record that has a source."""
        with self._log.database.read() as connection:
            rows = connection.execute(_SOURCES_SQL, (_json(seqs),)).fetchall()
        return {int(seq): msgspec.json.decode(names, type=tuple[str, ...]) for seq, names in rows}

    def _reason(
        self,
        seq: int,
        bases: Iterable[int],
        sensitive: Collection[int],
        collections: Mapping[int, tuple[str, ...]],
        once: Collection[str],
    ) -> Held | None:
        """Why a record is held back, the strictest reason first; None where it may be shown."""
        found = [self._rule(names) for names in [collections[base] for base in bases if base in collections] or [()]]
        never = [name for rule, names in found if rule is Sharing.NEVER for name in names]
        asking = [name for rule, names in found if rule is Sharing.ASK for name in names if name not in once]
        if any(base in sensitive for base in bases):
            return Held(seq, SENSITIVE)
        if never:
            return Held(seq, Sharing.NEVER, tuple(dict.fromkeys(never)))
        return Held(seq, Sharing.ASK, tuple(dict.fromkeys(asking))) if asking else None

    def _rule(self, names: Collection[str]) -> tuple[Sharing, tuple[str, ...]]:
        """The strictest rule of some collections, and which of them have it; without one, the rule of the rest."""
        rules = self._rules()
        own = {name: rules[name] for name in names if name in rules} or {"": rules.get("", Sharing.ALLOW)}
        strictest = next(rule for rule in _STRICTEST if rule in own.values())
        return strictest, tuple(name for name, rule in own.items() if rule is strictest)


def _named(record: Record) -> tuple[str, ...]:
    target = (record.payload.target_record_id,) if isinstance(record.payload, CorrectionDetails) else ()
    return (*record.evidence_ids, *target)


def _json(values: Iterable[int] | Iterable[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
