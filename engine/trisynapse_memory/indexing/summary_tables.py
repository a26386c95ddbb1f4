"""A connection to ``index.db`` in, the rows of the group summaries changed. No text but titles and summaries is kept.

records  1 - n  members      a record and the groups it belongs to: its source, its chat, the concept it is about
groups   1 - 1  body         what was made of a group's visible members; ``touched`` > ``built`` means it waits
groups   1 - n  cited        the records whose words its sentences are
collections     which sources belong to one; its members are theirs

A group lives in one namespace, so that nobody reads a summary of what she may not see.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.types import (
    CollectionDetails,
    CorrectionDetails,
    FactDetails,
    Kind,
    MetadataDetails,
    Modality,
    Namespace,
    Record,
    SourceDetails,
    SummaryDetails,
    is_searchable,
)

EVIDENCE: Final = 0
SHOWN: Final = 1
CONCEPT_LEAST: Final = 3  # shown facts that make a concept worth a summary

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS summaries_namespaces (id INTEGER PRIMARY KEY, keys TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS summaries_records (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, source_id TEXT NOT NULL, namespace INTEGER NOT NULL,
    visible INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS summaries_records_source ON summaries_records (source_id, namespace);
CREATE UNIQUE INDEX IF NOT EXISTS summaries_records_id ON summaries_records (id);
CREATE TABLE IF NOT EXISTS summaries_struck (
    seq INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, by INTEGER NOT NULL,
    PRIMARY KEY (seq, start, "end", by)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS summaries_struck_by ON summaries_struck (by);
CREATE TABLE IF NOT EXISTS summaries_groups (
    no INTEGER PRIMARY KEY, group_id TEXT NOT NULL, namespace INTEGER NOT NULL, touched INTEGER NOT NULL DEFAULT 0,
    built INTEGER NOT NULL DEFAULT 0, hash TEXT NOT NULL DEFAULT '', record_count INTEGER NOT NULL DEFAULT 0,
    newest_seq INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0, body BLOB, model TEXT NOT NULL DEFAULT '',
    vector BLOB, UNIQUE (group_id, namespace)
) STRICT;
CREATE INDEX IF NOT EXISTS summaries_groups_waiting ON summaries_groups (no) WHERE touched > built;
CREATE INDEX IF NOT EXISTS summaries_groups_newest ON summaries_groups (newest_seq DESC, group_id)
    WHERE body IS NOT NULL;
CREATE INDEX IF NOT EXISTS summaries_groups_model ON summaries_groups (model, touched, built) WHERE body IS NOT NULL;
CREATE TABLE IF NOT EXISTS summaries_members (
    no INTEGER NOT NULL, visible INTEGER NOT NULL, role INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (no, visible, role, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS summaries_members_seq ON summaries_members (seq);
CREATE TABLE IF NOT EXISTS summaries_cited (seq INTEGER NOT NULL, no INTEGER NOT NULL, PRIMARY KEY (seq, no))
    STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS summaries_cited_no ON summaries_cited (no);
CREATE TABLE IF NOT EXISTS summaries_titles (
    source_id TEXT NOT NULL, seq INTEGER NOT NULL, title TEXT NOT NULL, PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS summaries_collections (
    source_id TEXT NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (source_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS summaries_collections_name ON summaries_collections (name, source_id);
CREATE TABLE IF NOT EXISTS summaries_written (
    seq INTEGER PRIMARY KEY, no INTEGER NOT NULL, hash TEXT NOT NULL, details BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS summaries_written_no ON summaries_written (no, hash, seq);
CREATE TABLE IF NOT EXISTS summaries_postings (
    term TEXT NOT NULL, no INTEGER NOT NULL, frequency INTEGER NOT NULL, PRIMARY KEY (term, no)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS summaries_postings_no ON summaries_postings (no);
"""
_TABLES: Final = tuple(
    f"summaries_{name}"
    for name in "namespaces records groups members cited struck titles collections written postings".split()
)


# ---------------------------------------------------------------- taking in


def add_record(connection: Connection, record: Record, *, visible: bool) -> set[int]:
    """Store what groups a record belongs to; return the groups it touches. Facts that are not shown belong to none."""
    shown = is_shown(record)
    if not (is_searchable(record) or shown):
        return set()
    if connection.execute("SELECT 1 FROM summaries_records WHERE seq = ?", (record.seq,)).fetchone() is not None:
        return show_records(connection, {record.seq: visible})
    namespace = _namespace_number(connection, record.namespace)
    connection.execute(
        "INSERT INTO summaries_records VALUES (?, ?, ?, ?, ?)",
        (record.seq, record.id, record.source_id or "", namespace, visible),
    )
    for name in _groups_of(record, shown=shown):
        no = group_number(connection, name, namespace)
        role = SHOWN if record.kind is Kind.FACT and shown else EVIDENCE
        connection.execute("INSERT INTO summaries_members VALUES (?, ?, ?, ?)", (no, visible, role, record.seq))
    if isinstance(record.payload, CorrectionDetails):
        _add_struck(connection, record.seq, record.payload)
    return touched_by(connection, record.seq) if visible else set()


def _add_struck(connection: Connection, by: int, details: CorrectionDetails) -> None:
    """Note what a correction strikes out: such words are shown in no summary while the correction stands."""
    ids = details.struck_record_ids or (details.target_record_id,) * len(details.struck)
    connection.executemany(
        "INSERT OR IGNORE INTO summaries_struck SELECT seq, ?2, ?3, ?4 FROM summaries_records WHERE id = ?1",
        [(record_id, *span, by) for record_id, span in zip(ids, details.struck, strict=False)],
    )


def is_shown(record: Record) -> bool:
    """Tell whether a fact may be shown: she said it herself, or its pattern is measured and good enough."""
    match record.payload:
        case CorrectionDetails():
            return True
        case FactDetails() as details:
            return not details.hedged and worth_of(details.pattern).shown
        case _:
            return False


def _groups_of(record: Record, *, shown: bool) -> Iterable[str]:
    if record.modality is Modality.CONVERSATION and record.group_id:
        yield f"chat:{record.group_id}"
    elif record.source_id:
        yield f"source:{record.source_id}"
    if shown and record.subject and not is_generic(record.subject):
        yield f"concept:{entity_key(record.subject)}"


def add_event(connection: Connection, event: Record) -> set[int]:
    """Take in a title, a change of a collection or a summary that a model wrote; return the groups it touches."""
    match event.payload:
        case SourceDetails() as details:
            source_id = str(event.source_id or "")
            _add_title(connection, source_id, event.seq, details.title)
            for name in details.collections:
                _add_to_collection(connection, source_id, name, event.seq)
            return set()  # its records are not there yet
        case MetadataDetails(name="title") as details:
            _add_title(connection, details.target_source_id, event.seq, details.value)
            return _touched_by_source(connection, details.target_source_id)
        case CollectionDetails() as details:
            return _change_collection(connection, event.seq, details)
        case SummaryDetails() as details:
            return {_add_written(connection, event, details)}
        case _:
            return set()


def _add_title(connection: Connection, source_id: str, seq: int, title: str) -> None:
    connection.execute("INSERT OR REPLACE INTO summaries_titles VALUES (?, ?, ?)", (source_id, seq, title))


def _add_to_collection(connection: Connection, source_id: str, name: str, seq: int) -> None:
    connection.execute("INSERT OR REPLACE INTO summaries_collections VALUES (?, ?, ?)", (source_id, name, seq))


def _change_collection(connection: Connection, seq: int, details: CollectionDetails) -> set[int]:
    touched: set[int] = set()
    for source_id in details.target_source_ids:
        if details.removed:
            connection.execute(
                "DELETE FROM summaries_collections WHERE source_id = ? AND name = ?", (source_id, details.name)
            )
        else:
            _add_to_collection(connection, source_id, details.name, seq)
        for namespace in _namespaces_of_source(connection, source_id):
            touched.add(group_number(connection, f"collection:{details.name}", namespace))
    return touched


def _add_written(connection: Connection, event: Record, details: SummaryDetails) -> int:
    no = group_number(connection, details.group_id, _namespace_number(connection, event.namespace))
    connection.execute(
        "INSERT OR REPLACE INTO summaries_written VALUES (?, ?, ?, ?)",
        (event.seq, no, details.evidence_hash, msgspec.json.encode(details)),
    )
    return no


# ---------------------------------------------------------------- what waits


def touched_by(connection: Connection, seq: int) -> set[int]:
    """Return the groups that a record's coming, going or hiding may change."""
    rows = connection.execute(
        "SELECT no FROM summaries_members WHERE seq = ?1 UNION SELECT no FROM summaries_cited WHERE seq = ?1", (seq,)
    )
    found = {int(no) for (no,) in rows}
    row = connection.execute("SELECT source_id, namespace FROM summaries_records WHERE seq = ?", (seq,)).fetchone()
    return found | (_collections_of(connection, row[0], [row[1]]) if row is not None and row[0] else set())


def _touched_by_source(connection: Connection, source_id: str) -> set[int]:
    namespaces = _namespaces_of_source(connection, source_id)
    rows = connection.execute("SELECT no FROM summaries_groups WHERE group_id = ?", (f"source:{source_id}",))
    return {int(no) for (no,) in rows} | _collections_of(connection, source_id, namespaces)


def _collections_of(connection: Connection, source_id: str, namespaces: Sequence[int]) -> set[int]:
    names = connection.execute("SELECT name FROM summaries_collections WHERE source_id = ?", (source_id,)).fetchall()
    return {group_number(connection, f"collection:{name}", namespace) for (name,) in names for namespace in namespaces}


def _namespaces_of_source(connection: Connection, source_id: str) -> list[int]:
    rows = connection.execute("SELECT DISTINCT namespace FROM summaries_records WHERE source_id = ?", (source_id,))
    return [int(number) for (number,) in rows]


def mark(connection: Connection, touched: Iterable[int]) -> None:
    """Let these groups wait for a new summary; a concept only once it has enough facts, or had a summary."""
    connection.executemany(
        "UPDATE summaries_groups SET touched = touched + 1 WHERE no = ?1 AND (group_id NOT LIKE 'concept:%'"
        " OR body IS NOT NULL OR touched > built OR (SELECT count(*) FROM (SELECT 1 FROM summaries_members m"
        " WHERE m.no = ?1 AND m.visible = 1 AND m.role = 1 LIMIT ?2)) >= ?2)",
        [(no, CONCEPT_LEAST) for no in sorted(touched)],
    )


# ---------------------------------------------------------------- showing, dropping


def show_records(connection: Connection, visibility: Mapping[int, bool]) -> set[int]:
    """Hide records, or show them again; return the groups that this touches. Unknown ones are passed over."""
    touched: set[int] = set()
    for seq, visible in visibility.items():
        connection.execute("UPDATE summaries_records SET visible = ?2 WHERE seq = ?1 AND visible <> ?2", (seq, visible))
        if connection.changes():
            connection.execute("UPDATE summaries_members SET visible = ?2 WHERE seq = ?1", (seq, visible))
            touched |= touched_by(connection, seq)
    return touched


def erase_records(connection: Connection, seqs: Sequence[int]) -> None:
    """Forget records, titles and written summaries, and at once every summary that may hold words of them."""
    touched: set[int] = set()
    ids: list[str] = []
    for seq in seqs:
        touched |= touched_by(connection, seq)
        row = connection.execute("SELECT id FROM summaries_records WHERE seq = ?", (seq,)).fetchone()
        ids += [] if row is None else [str(row[0])]
        rows = connection.execute("SELECT no FROM summaries_written WHERE seq = ?", (seq,))
        touched |= {int(no) for (no,) in rows}
    for no in touched:
        clear_body(connection, no)
        for record_id in ids:
            connection.execute(
                "DELETE FROM summaries_written WHERE no = ? AND instr(CAST(details AS TEXT), ?) > 0", (no, record_id)
            )
    wanted = json.dumps(list(seqs))
    for table in ("records", "members", "cited", "struck", "titles", "collections", "written"):
        connection.execute(f"DELETE FROM summaries_{table} WHERE seq IN (SELECT value FROM json_each(?))", (wanted,))
    connection.execute("DELETE FROM summaries_struck WHERE by IN (SELECT value FROM json_each(?))", (wanted,))
    mark(connection, touched)
    _sweep(connection, touched)


def clear_body(connection: Connection, no: int) -> None:
    """Take away what was made of a group; its place in the queue stays."""
    connection.execute(
        "UPDATE summaries_groups SET body = NULL, vector = NULL, model = '', hash = '', record_count = 0, length = 0"
        " WHERE no = ?",
        (no,),
    )
    connection.execute("DELETE FROM summaries_postings WHERE no = ?", (no,))
    connection.execute("DELETE FROM summaries_cited WHERE no = ?", (no,))


def _sweep(connection: Connection, numbers: Iterable[int]) -> None:
    """Delete groups without any member left, and namespaces without any record."""
    for no in numbers:
        connection.execute(
            "DELETE FROM summaries_groups WHERE no = ?1 AND group_id NOT LIKE 'collection:%'"
            " AND NOT EXISTS (SELECT 1 FROM summaries_members m WHERE m.no = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM summaries_written w WHERE w.no = ?1)",
            (no,),
        )
    connection.execute("DELETE FROM summaries_groups WHERE namespace NOT IN (SELECT namespace FROM summaries_records)")
    connection.execute("DELETE FROM summaries_written WHERE no NOT IN (SELECT no FROM summaries_groups)")
    connection.execute("DELETE FROM summaries_namespaces WHERE id NOT IN (SELECT namespace FROM summaries_records)")


def wipe(connection: Connection) -> None:
    """Forget everything."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")


# ---------------------------------------------------------------- names and numbers


def group_number(connection: Connection, group_id: str, namespace: int) -> int:
    """Return the number of a group in a namespace, giving it one when it is new."""
    values = (group_id, namespace)
    connection.execute("INSERT OR IGNORE INTO summaries_groups (group_id, namespace) VALUES (?, ?)", values)
    sql = "SELECT no FROM summaries_groups WHERE group_id = ? AND namespace = ?"
    return int(connection.execute(sql, values).get)


def namespaces(connection: Connection) -> dict[int, Namespace]:
    """Return every namespace any record is in, by number."""
    rows = connection.execute("SELECT id, keys FROM summaries_namespaces").fetchall()
    return {int(number): Namespace(**dict(zip(_KEYS, json.loads(keys), strict=True))) for number, keys in rows}


_KEYS: Final = ("user_id", "agent_id", "project_id", "session_id")


def _namespace_number(connection: Connection, namespace: Namespace) -> int:
    keys = json.dumps([getattr(namespace, key) for key in _KEYS])
    connection.execute("INSERT OR IGNORE INTO summaries_namespaces (keys) VALUES (?)", (keys,))
    return int(connection.execute("SELECT id FROM summaries_namespaces WHERE keys = ?", (keys,)).get)
