"""The tables of ``log.db`` as SQL, and the history of their format; ``docs/data.md`` describes every column.

Format history
    1  first version: ``records`` (truth), ``sources``, ``hidden`` (derived from the records, rebuilt by ``reindex``).
    2  ``content`` may be compressed; derived tables for evidence, corrections, moments, snapshots and sensitivity.
"""

from __future__ import annotations

from typing import Final

FORMAT_VERSION: Final = 2

FOLD_VERSION: Final = "5"
"""What ``meta.fold_version`` says of derived tables that this program folded; any other value folds them anew."""

SCHEMA: Final = """
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
DROP INDEX IF EXISTS records_group; -- of former versions: it also held what records_source tells
CREATE INDEX IF NOT EXISTS records_other_group ON records (group_id, seq) WHERE group_id IS NOT source_id;
CREATE INDEX IF NOT EXISTS records_kind ON records (kind, seq);
"""

DERIVED_SCHEMA: Final = """
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
    tags          TEXT NOT NULL DEFAULT '[]',
    text_hash     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS sources_text ON sources (text_hash) WHERE text_hash != '';
CREATE INDEX IF NOT EXISTS sources_key ON sources (namespace_key, source_key, seq);
CREATE INDEX IF NOT EXISTS sources_hash ON sources (content_hash);
CREATE INDEX IF NOT EXISTS sources_status ON sources (status, seq);

CREATE TABLE IF NOT EXISTS source_names (
    name      TEXT NOT NULL,
    source_id TEXT NOT NULL,
    PRIMARY KEY (name, source_id)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS source_references (
    source_id     TEXT NOT NULL,
    reference_key TEXT NOT NULL,
    PRIMARY KEY (source_id, reference_key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS source_references_key ON source_references (reference_key);

CREATE TABLE IF NOT EXISTS namespaces (
    namespace_key TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS hidden (
    seq INTEGER PRIMARY KEY
);

CREATE TABLE IF NOT EXISTS source_spells (
    source_id TEXT NOT NULL,
    from_seq  INTEGER NOT NULL,
    to_seq    INTEGER,
    status    TEXT NOT NULL,
    PRIMARY KEY (source_id, from_seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS hidden_spells (
    seq      INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq   INTEGER,
    PRIMARY KEY (seq, from_seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS evidence (
    seq      INTEGER NOT NULL,
    base_seq INTEGER NOT NULL,
    start    INTEGER NOT NULL,
    end      INTEGER NOT NULL,
    PRIMARY KEY (seq, base_seq, start, end)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS evidence_base ON evidence (base_seq, start, end);

CREATE TABLE IF NOT EXISTS struck (
    base_seq INTEGER NOT NULL,
    start    INTEGER NOT NULL,
    end      INTEGER NOT NULL,
    by_seq   INTEGER NOT NULL,
    PRIMARY KEY (base_seq, start, end, by_seq)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS struck_by ON struck (by_seq);

CREATE TABLE IF NOT EXISTS pointers (
    base_seq INTEGER NOT NULL,
    seq      INTEGER NOT NULL,
    PRIMARY KEY (base_seq, seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS snapshots (
    seq        INTEGER PRIMARY KEY,
    label      TEXT NOT NULL,
    cutoff_seq INTEGER NOT NULL,
    entered    INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS sensitive_sources (
    namespace_key TEXT NOT NULL,
    source_key    TEXT NOT NULL,
    PRIMARY KEY (namespace_key, source_key)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS sensitive_records (
    seq INTEGER PRIMARY KEY
);
"""

DERIVED_TABLES: Final = (
    "sources",
    "source_names",
    "source_references",
    "namespaces",
    "hidden",
    "source_spells",
    "hidden_spells",
    "evidence",
    "struck",
    "pointers",
    "snapshots",
    "sensitive_sources",
    "sensitive_records",
)
