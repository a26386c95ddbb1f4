"""A connection to ``index.db`` in, the rows of the record graph changed. No text but names and titles is kept.

records   1 - n mentions   who names (role 0) or is about (role 1) which entity; ``by`` is the record that says so
records   1 - n links      a fact and the evidence it rests on
records   1 - n similar    from a record to at most five earlier ones (``graph_similarity``)
sources   1 - n titles     every title a source was given; the latest counts (``graph_titles``: how texts write it)

What a record is linked to is worked out when it is read (``graph_edges``), from rows that depend on nothing but the
records and their visibility: hiding, showing and their order leave no mark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from trisynapse_memory.indexing import graph_similarity, graph_titles
from trisynapse_memory.indexing.graph_names import Forms, named_entities, subject_entities
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import Kind, MetadataDetails, Namespace, Record, SourceDetails, is_searchable

NAMED: Final = 0
ABOUT: Final = 1
TITLE_LEAD_WORDS: Final = 3  # words of a title by which a reference list finds it; a shorter title is no proof
ENTRY_WORDS: Final = 120  # words kept of one reference entry

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS graph_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS graph_namespaces (id INTEGER PRIMARY KEY, keys TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS graph_records (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, is_fact INTEGER NOT NULL, is_searchable INTEGER NOT NULL,
    namespace INTEGER NOT NULL, group_id TEXT NOT NULL, source_id TEXT NOT NULL, visible INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS graph_records_in_source ON graph_records (source_id, namespace, is_fact, visible, seq);
CREATE INDEX IF NOT EXISTS graph_records_in_group ON graph_records (group_id, namespace, is_fact, visible, seq)
    WHERE group_id <> source_id;
CREATE TABLE IF NOT EXISTS graph_entities (
    entity INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, mention_count INTEGER NOT NULL DEFAULT 0,
    importance REAL NOT NULL DEFAULT 0, model TEXT NOT NULL DEFAULT '', vector BLOB
) STRICT;
CREATE INDEX IF NOT EXISTS graph_entities_weight ON graph_entities (importance DESC, key) WHERE importance > 0;
CREATE INDEX IF NOT EXISTS graph_entities_model ON graph_entities (model) WHERE model <> '';
CREATE TABLE IF NOT EXISTS graph_mentions (
    entity INTEGER NOT NULL, role INTEGER NOT NULL, namespace INTEGER NOT NULL, visible INTEGER NOT NULL,
    seq INTEGER NOT NULL, by INTEGER NOT NULL, form TEXT NOT NULL,
    PRIMARY KEY (entity, role, namespace, visible, seq, by)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_mentions_seq ON graph_mentions (seq);
CREATE INDEX IF NOT EXISTS graph_mentions_told ON graph_mentions (by) WHERE by <> seq;
CREATE TABLE IF NOT EXISTS graph_links (fact INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (fact, seq))
    STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_links_seq ON graph_links (seq, fact);
CREATE TABLE IF NOT EXISTS graph_entries (seq INTEGER PRIMARY KEY, words TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS graph_titles (
    source_id TEXT NOT NULL, seq INTEGER NOT NULL, lead TEXT NOT NULL, words TEXT NOT NULL, PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_titles_lead ON graph_titles (lead);
CREATE INDEX IF NOT EXISTS graph_titles_seq ON graph_titles (seq);
CREATE TABLE IF NOT EXISTS graph_twins (
    first INTEGER NOT NULL, second INTEGER NOT NULL, cosine REAL NOT NULL, PRIMARY KEY (first, second)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS graph_twins_second ON graph_twins (second);
CREATE TABLE IF NOT EXISTS graph_disputes (claim_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
-- Of former versions: they were rewritten with every mention, or held what another index tells.
DROP INDEX IF EXISTS graph_entities_rank;
DROP INDEX IF EXISTS graph_mentions_by;
DROP INDEX IF EXISTS graph_records_order;
DROP INDEX IF EXISTS graph_records_source;
CREATE TRIGGER IF NOT EXISTS graph_count_new AFTER INSERT ON graph_mentions WHEN new.visible AND new.role = 0 BEGIN
    UPDATE graph_entities SET mention_count = mention_count + 1 WHERE entity = new.entity;
END;
CREATE TRIGGER IF NOT EXISTS graph_count_gone AFTER DELETE ON graph_mentions WHEN old.visible AND old.role = 0 BEGIN
    UPDATE graph_entities SET mention_count = mention_count - 1 WHERE entity = old.entity;
END;
CREATE TRIGGER IF NOT EXISTS graph_count_seen AFTER UPDATE OF visible ON graph_mentions
    WHEN new.visible <> old.visible AND new.role = 0 BEGIN
    UPDATE graph_entities SET mention_count = mention_count + new.visible - old.visible WHERE entity = new.entity;
END;
"""
_TABLES: Final = (
    "graph_namespaces graph_records graph_entities graph_mentions graph_links graph_entries graph_titles"
    " graph_title_forms graph_twins"
    " graph_state".split()
)
"""All that is made from the log; ``graph_disputes`` is what she has seen, and a rebuild leaves it."""

_TOUCHED: Final = "seq {0} OR (by {0} AND by <> seq)"
"""Mentions in a record, or because of it; most are both, and the index of ``by`` holds the others only."""


# ---------------------------------------------------------------- taking in


def add_record(connection: Connection, record: Record, *, visible: bool) -> bool:
    """Store one record with all that it names; tell whether it was new. The evidence of a fact must be there."""
    if connection.execute("SELECT 1 FROM graph_records WHERE seq = ?", (record.seq,)).fetchone() is not None:
        return False
    namespace = _namespace_number(connection, record.namespace)
    searchable = is_searchable(record)
    connection.execute(
        "INSERT INTO graph_records VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            record.seq,
            record.id,
            record.kind is Kind.FACT,
            searchable,
            namespace,
            record.group_id or "",
            record.source_id or "",
            visible,
        ),
    )
    _add_mentions(connection, record.seq, named_entities(record), NAMED)
    about = subject_entities(record)
    _add_mentions(connection, record.seq, about, ABOUT)
    if record.kind is Kind.FACT:
        _add_evidence(connection, record, about)
    if searchable and visible:
        graph_similarity.enqueue(connection, [record.seq])
    return True


def _add_mentions(connection: Connection, seq: int, forms: Forms, role: int, by: int | None = None) -> None:
    """Let a record name these entities because ``by`` (itself by default) says so; seen while both are."""
    if not forms:
        return
    connection.executemany("INSERT OR IGNORE INTO graph_entities (key) VALUES (?)", [(key,) for key in forms])
    connection.executemany(
        "INSERT OR IGNORE INTO graph_mentions"
        " SELECT e.entity, ?3, r.namespace, r.visible AND b.visible, r.seq, b.seq, ?2"
        " FROM graph_entities e, graph_records r, graph_records b WHERE e.key = ?1 AND r.seq = ?4 AND b.seq = ?5",
        [(key, "" if form == key else form, role, seq, seq if by is None else by) for key, form in forms.items()],
    )


def _add_evidence(connection: Connection, record: Record, about: Forms) -> None:
    for evidence_id in record.evidence_ids:
        row = connection.execute("SELECT seq FROM graph_records WHERE id = ?", (evidence_id,)).fetchone()
        if row is None:
            continue  # a page or a record that was removed for good
        connection.execute("INSERT OR IGNORE INTO graph_links VALUES (?, ?)", (record.seq, row[0]))
        _add_mentions(connection, row[0], about, NAMED, by=record.seq)
    if record.relation == "cites":
        words = title_words(f"{record.text} {record.object or ''}")[:ENTRY_WORDS]
        connection.execute("INSERT OR REPLACE INTO graph_entries VALUES (?, ?)", (record.seq, " ".join(words)))


def add_title(connection: Connection, record: Record) -> None:
    """Keep the title that a source record or a later edit gives a source; other records are passed over."""
    match record.payload:
        case SourceDetails() as details:
            source_id, title = record.source_id or "", details.title
        case MetadataDetails(name="title") as details:
            source_id, title = details.target_source_id, details.value
        case _:
            return
    words = title_words(title)
    lead = " ".join(words[:TITLE_LEAD_WORDS]) if len(words) >= TITLE_LEAD_WORDS else ""
    connection.execute(
        "INSERT OR REPLACE INTO graph_titles VALUES (?, ?, ?, ?)", (source_id, record.seq, lead, " ".join(words))
    )
    graph_titles.add_forms(connection, source_id, record.seq, title)


def title_words(title: str) -> list[str]:
    """Return a title's words as reference lists may write them: no case, no punctuation, no broken lines."""
    return "".join(letter if letter.isalnum() else " " for letter in title.replace("-\n", "").casefold()).split()


def is_telling(words: Sequence[str]) -> bool:
    """Tell whether a title proves something by standing in an entry: long enough, and not of function words only."""
    return len(words) >= TITLE_LEAD_WORDS and sum(word not in FUNCTION_WORDS for word in words) >= 2


# ---------------------------------------------------------------- showing, dropping


def show_records(connection: Connection, visibility: Mapping[int, bool]) -> bool:
    """Hide records, or show them again; tell whether anything changed. Unknown ones are passed over."""
    changed = [(seq, visible) for seq, visible in visibility.items() if _differs(connection, seq, visible)]
    for seq, visible in changed:
        connection.execute("UPDATE graph_records SET visible = ? WHERE seq = ?", (visible, seq))
    for seq, _ in changed:
        connection.execute(
            "UPDATE graph_mentions SET visible ="
            " (SELECT visible FROM graph_records r WHERE r.seq = graph_mentions.seq)"
            " AND (SELECT visible FROM graph_records r WHERE r.seq = graph_mentions.by)"
            f" WHERE {_TOUCHED.format('= ?1')}",
            (seq,),
        )
    graph_similarity.unlink(connection, [seq for seq, visible in changed if not visible])
    graph_similarity.enqueue(connection, [seq for seq, visible in changed if visible], again=True)
    return bool(changed)


def _differs(connection: Connection, seq: int, visible: bool) -> bool:
    row = connection.execute("SELECT visible FROM graph_records WHERE seq = ?", (seq,)).fetchone()
    return row is not None and bool(row[0]) != visible


def erase_records(connection: Connection, seqs: Sequence[int]) -> None:
    """Forget records and every entity, namespace and title that nothing else holds."""
    wanted = json.dumps(list(seqs))
    graph_similarity.unlink(connection, seqs)
    inside = "IN (SELECT value FROM json_each(?1))"
    touched = _TOUCHED.format(inside)
    named = f"SELECT DISTINCT entity FROM graph_mentions WHERE {touched}"
    entities = json.dumps([entity for (entity,) in connection.execute(named, (wanted,)).fetchall()])
    for condition in (
        f"graph_mentions WHERE {touched}",
        f"graph_links WHERE fact {inside} OR seq {inside}",
        f"graph_entries WHERE seq {inside}",
        f"graph_titles WHERE seq {inside}",
        f"graph_title_forms WHERE seq {inside}",
        f"graph_unlinked WHERE seq {inside}",
        f"graph_records WHERE seq {inside}",
    ):
        connection.execute(f"DELETE FROM {condition}", (wanted,))
    gone = f"entity {inside} AND NOT EXISTS (SELECT 1 FROM graph_mentions m WHERE m.entity = graph_entities.entity)"
    unnamed = f"SELECT entity FROM graph_entities WHERE {gone}"
    dead = json.dumps([entity for (entity,) in connection.execute(unnamed, (entities,)).fetchall()])
    connection.execute(f"DELETE FROM graph_entities WHERE entity {inside}", (dead,))
    connection.execute(f"DELETE FROM graph_twins WHERE first {inside} OR second {inside}", (dead,))
    connection.execute("DELETE FROM graph_namespaces WHERE id NOT IN (SELECT namespace FROM graph_records)")


def wipe(connection: Connection) -> None:
    """Forget everything that is made from the log."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")
    graph_similarity.wipe(connection)


# ---------------------------------------------------------------- state


def state_of(connection: Connection, name: str) -> str:
    """Read one word of the graph's state; empty when it was never set."""
    row = connection.execute("SELECT value FROM graph_state WHERE name = ?", (name,)).fetchone()
    return "" if row is None else str(row[0])


def set_state(connection: Connection, name: str, value: str) -> None:
    """Write one word of the graph's state."""
    connection.execute("INSERT OR REPLACE INTO graph_state VALUES (?, ?)", (name, value))


def note_change(connection: Connection) -> None:
    """Count one change of what is linked, so that importance is worked out anew."""
    set_state(connection, "revision", str(int(state_of(connection, "revision") or 0) + 1))


def namespaces(connection: Connection) -> dict[int, Namespace]:
    """Return every namespace that any record is in, by number."""
    rows = connection.execute("SELECT id, keys FROM graph_namespaces").fetchall()
    return {int(number): _namespace_of(keys) for number, keys in rows}


def _namespace_number(connection: Connection, namespace: Namespace) -> int:
    keys = json.dumps([namespace.user_id, namespace.agent_id, namespace.project_id, namespace.session_id])
    connection.execute("INSERT OR IGNORE INTO graph_namespaces (keys) VALUES (?)", (keys,))
    return int(connection.execute("SELECT id FROM graph_namespaces WHERE keys = ?", (keys,)).get)


def _namespace_of(keys: str) -> Namespace:
    user_id, agent_id, project_id, session_id = json.loads(keys)
    return Namespace(user_id=user_id, agent_id=agent_id, project_id=project_id, session_id=session_id)
