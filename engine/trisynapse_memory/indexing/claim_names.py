"""What facts and she say about names in, the tables of merged names kept up to date out.

What a name stands for is read in ``claim_merges``; here it is only known which names to look at again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from trisynapse_memory.indexing.claim_facts import ALIAS_RELATION, StoredFact
from trisynapse_memory.indexing.claim_merges import MergeReader
from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.entities import entity_key, full_name, is_generic, stands_for, titled_surname
from trisynapse_memory.types import AliasDetails, Record


class Touched(NamedTuple):
    """Names whose entity may have changed; ``namespace`` and ``group`` bound the facts to look at, None for all."""

    keys: frozenset[str]
    namespace: int | None
    group: str | None


class ClaimNames:
    """Keeps the names of one transaction.

    Args:
        connection: inside a write transaction.
        merges: reads the same connection; told to look again whenever something changes here.
    """

    def __init__(self, connection: Connection, merges: MergeReader) -> None:
        self._connection = connection
        self._merges = merges
        self._touched: list[Touched] = []

    def count(self, fact: StoredFact, namespace: int, sign: int) -> None:
        """Take note of what a visible fact says about names (``sign`` 1), or no longer says (-1)."""
        if fact.relation == ALIAS_RELATION and not fact.negated and not fact.hedged:
            self._count_short(fact, namespace, sign)
        if fact.group_id:
            for name in (fact.subject, fact.object):
                self._count_person(name, namespace, fact.group_id, sign)

    def take_alias(self, record: Record, details: AliasDetails) -> None:
        """Take note of her merge, or of her word that one was wrong."""
        if details.removed:
            self._touch(self._merges.keys_behind(details.alias_id))
            self._connection.execute(
                "INSERT OR IGNORE INTO claims_unmerged VALUES (?, ?)", (details.alias_id, record.seq)
            )
        else:
            names = tuple(dict.fromkeys(name for name in (details.canonical, *details.names) if entity_key(name)))
            keys = frozenset(entity_key(name) for name in names)
            self._connection.execute(
                "INSERT OR IGNORE INTO claims_aliases VALUES (?, ?, ?, ?, ?)",
                (record.id, record.seq, namespace_key(record.namespace), names[0] if names else "", json.dumps(names)),
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO claims_alias_keys VALUES (?, ?)", [(key, record.id) for key in sorted(keys)]
            )
            self._touch(keys)
        self._merges.forget()

    def drop(self, seqs: Iterable[int]) -> None:
        """Erase her merges and unmerges at these log positions."""
        listed = json.dumps(list(seqs))
        inside = "seq IN (SELECT value FROM json_each(?))"
        gone = self._connection.execute(f"SELECT alias_id FROM claims_aliases WHERE {inside}", (listed,)).fetchall()
        back = self._connection.execute(f"SELECT alias_id FROM claims_unmerged WHERE {inside}", (listed,)).fetchall()
        for (alias_id,) in (*gone, *back):
            self._touch(self._merges.keys_behind(alias_id))
        for (alias_id,) in gone:
            self._connection.execute("DELETE FROM claims_alias_keys WHERE alias_id = ?", (alias_id,))
        self._connection.execute(f"DELETE FROM claims_aliases WHERE {inside}", (listed,))
        self._connection.execute(f"DELETE FROM claims_unmerged WHERE {inside}", (listed,))
        self._merges.forget()

    def touched(self) -> list[Touched]:
        """Return the names whose entity may have changed since the last call, each with all it is connected to."""
        found, self._touched = self._touched, []
        return [Touched(self._closure(one), one.namespace, one.group) for one in found]

    def _count_short(self, fact: StoredFact, namespace: int, sign: int) -> None:
        short, long = sorted((fact.subject.strip(), fact.object.strip()), key=len)
        short_key, long_key = entity_key(short), entity_key(long)
        if not stands_for(short, long) or is_generic(long) or not short_key or short_key == long_key:
            return
        before = self._merges.longs(namespace, short_key)
        changed = self._shift(
            "claims_shorts", "short, namespace, long, grp", (short_key, namespace, long_key, fact.group_id), sign
        )
        after = self._merges.longs(namespace, short_key)
        if before != after:
            self._touch(frozenset({short_key, long_key}), namespace)
        elif changed and len(after) > 1:
            self._touch(frozenset({short_key, long_key}), namespace, fact.group_id)

    def _count_person(self, name: str, namespace: int, group: str, sign: int) -> None:
        surname = titled_surname(name)
        full = ""
        if not surname:
            full, surname = full_name(name)
        if not surname:
            return
        before = self._standing(namespace, group, surname)
        self._shift("claims_people", "surname, namespace, grp, full", (surname, namespace, group, full), sign)
        after = self._standing(namespace, group, surname)
        if before != after:
            self._touch(frozenset({surname, before[0] or surname, after[0] or surname}), namespace, group)

    def _standing(self, namespace: int, group: str, surname: str) -> tuple[str, bool]:
        return self._merges.full_of(namespace, group, surname), self._merges.is_titled(namespace, group, surname)

    def _shift(self, table: str, columns: str, key: tuple[int | str, ...], sign: int) -> bool:
        """Count one up or down; tell whether a row came or went."""
        where = " AND ".join(f"{column} = ?" for column in columns.split(", "))
        found = self._connection.execute(f"SELECT facts FROM {table} WHERE {where}", key).fetchone()
        count = (int(found[0]) if found else 0) + sign
        if count <= 0:
            self._connection.execute(f"DELETE FROM {table} WHERE {where}", key)
        elif found:
            self._connection.execute(f"UPDATE {table} SET facts = ? WHERE {where}", (count, *key))
            return False
        else:
            self._connection.execute(f"INSERT INTO {table} ({columns}, facts) VALUES (?, ?, ?, ?, 1)", key)
        self._merges.forget()
        return True

    def _closure(self, touched: Touched) -> frozenset[str]:
        seen = set(touched.keys)
        waiting = list(touched.keys)
        while waiting:
            fresh = self._merges.connected(waiting.pop(), touched.namespace, touched.group) - seen
            seen |= fresh
            waiting += fresh
        return frozenset(seen)

    def _touch(self, keys: frozenset[str], namespace: int | None = None, group: str | None = None) -> None:
        self._touched.append(Touched(keys, namespace, group))
