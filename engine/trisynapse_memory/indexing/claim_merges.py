"""The tables of merged names in, the entity a name stands for out. Nothing is written here.

Three things merge names: a fact that says what a short form stands for, a titled surname in a group where one full name
fits it, and her own word. Nothing is merged for good: the entity of a name is looked up from what holds now, so undoing
a merge brings back exactly what was there before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.log.rows import namespace_of
from trisynapse_memory.sqlite import Connection, SqlValue
from trisynapse_memory.text.entities import entity_key

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS claims_shorts (
    namespace INTEGER NOT NULL,
    short TEXT NOT NULL,
    long TEXT NOT NULL,
    grp TEXT NOT NULL,
    facts INTEGER NOT NULL,
    PRIMARY KEY (short, namespace, long, grp)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_shorts_long ON claims_shorts (long, namespace, short);
CREATE TABLE IF NOT EXISTS claims_people (
    namespace INTEGER NOT NULL,
    grp TEXT NOT NULL,
    surname TEXT NOT NULL,
    full TEXT NOT NULL,             -- empty: the surname with a title
    facts INTEGER NOT NULL,
    PRIMARY KEY (surname, namespace, grp, full)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_people_full ON claims_people (full, namespace, grp);
CREATE TABLE IF NOT EXISTS claims_aliases (
    alias_id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    canonical TEXT NOT NULL,
    names TEXT NOT NULL             -- JSON
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_alias_keys (
    key TEXT NOT NULL,
    alias_id TEXT NOT NULL,
    PRIMARY KEY (key, alias_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims_unmerged (
    alias_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (alias_id, seq)
) STRICT, WITHOUT ROWID;
"""

LONGS_LIMIT: Final = 8  # long forms of one short form that are looked at; more are as ambiguous


class Merge(NamedTuple):
    """Two names that evidence merges; ``group`` is empty where it holds in the whole namespace."""

    alias_id: str
    namespace: int
    short: str
    long: str
    group: str
    is_person: bool = False


class SaidAlias(NamedTuple):
    """Names that she merged herself; ``namespace`` as the log writes it."""

    alias_id: str
    seq: int
    namespace: str
    canonical: str
    names: tuple[str, ...]


class MergeReader:
    """Looks up what names stand for on one connection; ``forget`` when the tables have changed."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._entities: dict[tuple[str, int, str], str] = {}
        self._namespaces: dict[int, str] = {}
        self._unmerged: frozenset[str] | None = None

    def forget(self) -> None:
        """Look everything up again."""
        self._entities.clear()
        self._unmerged = None

    def entity(self, key: str, namespace: int, group: str) -> str:
        """Return the key of the entity a name stands for in a group of a namespace; itself where nothing merges."""
        place = (key, namespace, group)
        if place not in self._entities:
            self._entities[place] = self._canonical(key, namespace, group)
        return self._entities[place]

    def merges(self) -> list[Merge]:
        """Return every merge that evidence supports now, in a fixed order."""
        found: list[Merge] = []
        rows = self._connection.execute("SELECT DISTINCT namespace, short FROM claims_shorts ORDER BY 1, 2").fetchall()
        for namespace, short in rows:
            longs = self.longs(namespace, short)
            if len(longs) == 1:
                found.append(self._short_merge(namespace, short, longs[0], ""))
            else:
                found += self._local_merges(namespace, short)
        people = self._connection.execute(
            "SELECT namespace, grp, surname FROM claims_people WHERE full = '' ORDER BY namespace, grp, surname"
        ).fetchall()
        for namespace, group, surname in people:
            full = self.full_of(namespace, group, surname)
            if full:
                edge = self._edge_id(namespace, surname, full, group)
                found.append(Merge(edge, namespace, surname, full, group, is_person=True))
        return found

    def said(self) -> list[SaidAlias]:
        """Return her merges that still hold, oldest first."""
        rows = self._connection.execute(
            "SELECT alias_id, seq, namespace, canonical, names FROM claims_aliases ORDER BY seq"
        ).fetchall()
        return [alias for row in rows if (alias := _said(row)).alias_id not in self._blocked()]

    def keys_behind(self, alias_id: str) -> frozenset[str]:
        """Return the keys of the names that a merge of this id joins or would join, hers or found."""
        row = self._connection.execute(
            "SELECT alias_id, seq, namespace, canonical, names FROM claims_aliases WHERE alias_id = ?", (alias_id,)
        ).fetchone()
        if row is not None:
            return frozenset(entity_key(name) for name in _said(row).names)
        shorts = self._connection.execute("SELECT DISTINCT namespace, short, long, '' FROM claims_shorts").fetchall()
        people = self._connection.execute(
            "SELECT namespace, surname, full, grp FROM claims_people WHERE full != ''"
        ).fetchall()
        for namespace, short, long, group in (*shorts, *people):
            if self._edge_id(namespace, short, long, group) == alias_id:
                return frozenset({short, long})
        return frozenset()

    def long_of(self, namespace: int, short: str, group: str) -> str:
        """The one long form of a short form: of the whole namespace, or, where there are several, of the group."""
        longs = self.longs(namespace, short)
        if len(longs) > 1:
            longs = self.longs(namespace, short, group) if group else []
        return longs[0] if len(longs) == 1 else ""

    def longs(self, namespace: int, short: str, group: str | None = None) -> list[str]:
        """Return the long forms of a short form that she has not told apart from it: a few, in a fixed order."""
        found: list[str] = []
        for long in self._steps("long", "short", namespace, short):
            if len(found) == LONGS_LIMIT:
                break
            if self._is_blocked(namespace, short, long):
                continue
            if group is None or self._has_short(namespace, short, long, group):
                found.append(long)
        return found

    def full_of(self, namespace: int, group: str, surname: str) -> str:
        """The full name behind a surname: where it stands there with a title, and one full name fits it."""
        rows = self._connection.execute(
            "SELECT full FROM claims_people WHERE namespace = ? AND grp = ? AND surname = ? ORDER BY full LIMIT 3",
            (namespace, group, surname),
        ).fetchall()
        names = [str(full) for (full,) in rows]
        if len(names) != 2 or names[0] or self._is_blocked(namespace, surname, names[1], group):
            return ""
        return names[1]

    def is_titled(self, namespace: int, group: str, key: str) -> bool:
        """Tell whether a name is a surname that stands with a title in a group."""
        row = self._connection.execute(
            "SELECT 1 FROM claims_people WHERE surname = ? AND namespace = ? AND grp = ? AND full = ''",
            (key, namespace, group),
        ).fetchone()
        return row is not None

    def connected(self, key: str, namespace: int | None, group: str | None) -> set[str]:
        """Return all names that are, were or might be merged with this one directly; None is any namespace or group."""
        found = {entity_key(name) for alias in self._aliases_with(key) for name in alias.names}
        if namespace is None:
            found |= self._column("SELECT DISTINCT long FROM claims_shorts WHERE short = ?", key)
            found |= self._column("SELECT DISTINCT short FROM claims_shorts WHERE long = ?", key)
        else:
            found |= set(self._steps("long", "short", namespace, key)) | set(
                self._steps("short", "long", namespace, key)
            )
        here = "" if namespace is None or group is None else " AND namespace = ? AND grp = ?"
        place = () if namespace is None or group is None else (namespace, group)
        found |= self._column(f"SELECT DISTINCT full FROM claims_people WHERE surname = ?{here}", key, *place)
        if key:
            found |= self._column(f"SELECT DISTINCT surname FROM claims_people WHERE full = ?{here}", key, *place)
        return found - {""}

    def _canonical(self, key: str, namespace: int, group: str) -> str:
        """Her own name for it counts, the latest first; else the fullest name, for that is what the others shorten."""
        aliases: dict[str, SaidAlias] = {}
        seen = {key}
        waiting = [key]
        while waiting:
            for other in self._neighbours(waiting.pop(), namespace, group, aliases):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        if aliases:
            return entity_key(max(aliases.values(), key=lambda one: one.seq).canonical)
        if len(seen) == 1 and self.is_titled(namespace, group, key):
            return f"{key}@{hashlib.sha256(group.encode()).hexdigest()[:8]}"  # each group has its own Mr. Holmes
        return max(seen, key=lambda name: (len(name), name))

    def _neighbours(self, key: str, namespace: int, group: str, aliases: dict[str, SaidAlias]) -> set[str]:
        found: set[str] = set()
        for alias in self._aliases_with(key):
            if alias.alias_id not in self._blocked() and self._reaches(alias.namespace, namespace):
                aliases[alias.alias_id] = alias
                found |= {entity_key(name) for name in alias.names}
        long = self.long_of(namespace, key, group)
        found |= {long} if long else set()
        found |= {
            short
            for short in self._steps("short", "long", namespace, key)
            if self.long_of(namespace, short, group) == key
        }
        if group:
            full = self.full_of(namespace, group, key)
            found |= {full} if full else set()
            found |= {
                surname for surname in self._surnames_of(namespace, group, key)
                if self.full_of(namespace, group, surname) == key
            }  # fmt: skip
        return found

    def _aliases_with(self, key: str) -> list[SaidAlias]:
        rows = self._connection.execute(
            "SELECT a.alias_id, a.seq, a.namespace, a.canonical, a.names FROM claims_alias_keys k"
            " JOIN claims_aliases a ON a.alias_id = k.alias_id WHERE k.key = ?",
            (key,),
        ).fetchall()
        return [_said(row) for row in rows]

    def _reaches(self, writer: str, namespace: int) -> bool:
        """Whether a merge said in one namespace holds for the facts of another: they must lie inside it."""
        return namespace_of(writer).sees(namespace_of(self._keys_of(namespace)))

    def _has_short(self, namespace: int, short: str, long: str, group: str) -> bool:
        key = (namespace, short, long, group)
        where = "namespace = ? AND short = ? AND long = ? AND grp = ?"
        return self._connection.execute(f"SELECT 1 FROM claims_shorts WHERE {where}", key).fetchone() is not None

    def _steps(self, wanted: str, given: str, namespace: int, key: str) -> Iterator[str]:
        """Yield the distinct forms beside one form, stepping over the groups that share them."""
        last: str | None = ""
        query = f"SELECT min({wanted}) FROM claims_shorts WHERE {given} = ? AND namespace = ? AND {wanted} > ?"
        while (last := self._connection.execute(query, (key, namespace, last)).get) is not None:
            yield last

    def _surnames_of(self, namespace: int, group: str, full: str) -> list[str]:
        rows = self._connection.execute(
            "SELECT surname FROM claims_people WHERE namespace = ? AND grp = ? AND full = ?", (namespace, group, full)
        ).fetchall()
        return [str(surname) for (surname,) in rows]

    def _local_merges(self, namespace: int, short: str) -> list[Merge]:
        rows = self._connection.execute(
            "SELECT DISTINCT grp FROM claims_shorts WHERE namespace = ? AND short = ? AND grp != '' ORDER BY grp",
            (namespace, short),
        ).fetchall()
        longs = [(str(group), self.longs(namespace, short, group)) for (group,) in rows]
        return [self._short_merge(namespace, short, here[0], group) for group, here in longs if len(here) == 1]

    def _short_merge(self, namespace: int, short: str, long: str, group: str) -> Merge:
        return Merge(self._edge_id(namespace, short, long), namespace, short, long, group)

    def _column(self, query: str, *key: SqlValue) -> set[str]:
        return {str(value) for (value,) in self._connection.execute(query, key).fetchall()}

    def _blocked(self) -> frozenset[str]:
        if self._unmerged is None:
            rows = self._connection.execute("SELECT DISTINCT alias_id FROM claims_unmerged").fetchall()
            self._unmerged = frozenset(str(alias_id) for (alias_id,) in rows)
        return self._unmerged

    def _is_blocked(self, namespace: int, short: str, long: str, group: str = "") -> bool:
        return bool(self._blocked()) and self._edge_id(namespace, short, long, group) in self._blocked()

    def _keys_of(self, namespace: int) -> str:
        if namespace not in self._namespaces:
            keys = self._connection.execute("SELECT keys FROM claims_namespaces WHERE id = ?", (namespace,)).get
            self._namespaces[namespace] = str(keys)
        return self._namespaces[namespace]

    def _edge_id(self, namespace: int, short: str, long: str, group: str = "") -> str:
        text = "\x1f".join((self._keys_of(namespace), short, long, group))
        return "alias_" + hashlib.sha256(text.encode()).hexdigest()[:16]


def _said(row: tuple[object, ...]) -> SaidAlias:
    alias_id, seq, namespace, canonical, names = row
    return SaidAlias(str(alias_id), int(str(seq)), str(namespace), str(canonical), tuple(json.loads(str(names))))
