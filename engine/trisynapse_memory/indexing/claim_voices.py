"""What the log says of a source's whole text in, whose voice its facts are out: copies of one text are one voice.

A source speaks for itself until another one is known to say the same letters (``log/same_texts.py``). Of both the voice
is then made of those letters, so that which of them came first, or is forgotten, makes no difference.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.indexing.claim_facts import number_of
from trisynapse_memory.log.same_texts import told_text
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Record

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS claims_voices (
    source_id TEXT NOT NULL,
    seq INTEGER NOT NULL,           -- of the record that says what its text is; the latest counts
    voice INTEGER NOT NULL,         -- negative, made of the hash of its letters; 0: it speaks for itself
    PRIMARY KEY (source_id, seq)
) STRICT, WITHOUT ROWID;
"""

VOICE_OF: Final = "coalesce((SELECT voice FROM claims_voices v WHERE v.source_id = {} ORDER BY v.seq DESC LIMIT 1), 0)"
"""SQL: the voice of a source."""


def note_text(connection: Connection, record: Record) -> None:
    """Take note of what a record says of the whole text of a source; any other is passed over."""
    source_id, text_hash = told_text(record)
    # Numbers of sources and groups are positive, so that no voice is ever one of them.
    voice = -1 - number_of(text_hash) if text_hash else 0
    if source_id and voice != voice_of(connection, source_id):
        connection.execute("INSERT OR IGNORE INTO claims_voices VALUES (?, ?, ?)", (source_id, record.seq, voice))


def voice_of(connection: Connection, source_id: str) -> int:
    """Return the voice of a source; 0 where it speaks for itself."""
    return int(connection.execute(f"SELECT {VOICE_OF.format('?')}", (source_id,)).get)
