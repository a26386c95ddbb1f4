"""The tables of ``log.db`` as SQL, and the history of their format; ``docs/data.md`` describes every column.

Format history
    1  first version: ``records`` (truth), ``sources``, ``hidden`` (derived from the records, rebuilt by ``reindex``).
"""

from __future__ import annotations

FORMAT_VERSION = 1

SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS records (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    device_id     TEXT NOT NULL,
    device_seq    INTEGER NOT NULL,
    written_at    TEXT NOT NULL,
    kind          TEXT NOT NULL,
    content_hash  TEXT NOT NULL,
    chain_hash    TEXT NOT NULL,
    salt          BLOB,
    content       TEXT,
    source_id     TEXT,
    group_id      TEXT,
    external_key  TEXT,
    namespace_key TEXT NOT NULL,
    UNIQUE (device_id, device_seq)
);
CREATE UNIQUE INDEX IF NOT EXISTS records_external ON records (external_key) WHERE external_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS records_source ON records (source_id, kind, seq) WHERE source_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS records_group ON records (group_id, seq) WHERE group_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS records_kind ON records (kind, seq);

CREATE TABLE IF NOT EXISTS sources (
    source_id     TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    source_key    TEXT NOT NULL,
    namespace_key TEXT NOT NULL,
    content_hash  TEXT NOT NULL,
    status        TEXT NOT NULL,
    replaces      TEXT,
    record_count  INTEGER NOT NULL DEFAULT 0,
    page_count    INTEGER NOT NULL DEFAULT 0,
    verdicts      TEXT NOT NULL DEFAULT '{}',
    title         TEXT NOT NULL DEFAULT '',
    collections   TEXT NOT NULL DEFAULT '[]',
    tags          TEXT NOT NULL DEFAULT '[]'
);
CREATE INDEX IF NOT EXISTS sources_key ON sources (namespace_key, source_key, seq);
CREATE INDEX IF NOT EXISTS sources_hash ON sources (content_hash);
CREATE INDEX IF NOT EXISTS sources_status ON sources (status, seq);

CREATE TABLE IF NOT EXISTS hidden (
    seq INTEGER PRIMARY KEY
);
"""

DERIVED_TABLES = ("sources", "hidden")
