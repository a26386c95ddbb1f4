"""Changes of status in, spells out: from which to which log position a source had a status or a record was hidden.

A spell whose ``to_seq`` is NULL goes on. ``to_seq`` is the position of the record that ended it, so the state as of a
position ``n`` is the spell with ``from_seq <= n < to_seq``.
"""

from __future__ import annotations

from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import SourceStatus


def begin_source(connection: Connection, source_id: str, status: SourceStatus, seq: int) -> None:
    """Say that a source has had this status since ``seq``; the spell before it ends there."""
    connection.execute(
        "UPDATE source_spells SET to_seq = ? WHERE source_id = ? AND to_seq IS NULL AND from_seq < ?",
        (seq, source_id, seq),
    )
    connection.execute(
        "INSERT OR REPLACE INTO source_spells (source_id, from_seq, to_seq, status) VALUES (?,?,NULL,?)",
        (source_id, seq, status.value),
    )


def hide(connection: Connection, seq: int, since: int) -> None:
    """Hide a record since a position; one that is hidden already stays as it is."""
    if connection.execute("SELECT 1 FROM hidden WHERE seq = ?", (seq,)).fetchone() is None:
        connection.execute("INSERT INTO hidden (seq) VALUES (?)", (seq,))
        connection.execute(
            "INSERT OR REPLACE INTO hidden_spells (seq, from_seq, to_seq) VALUES (?,?,NULL)", (seq, since)
        )


def show(connection: Connection, seq: int, since: int) -> None:
    """Bring a hidden record back at a position; one that is not hidden stays as it is."""
    connection.execute("DELETE FROM hidden WHERE seq = ?", (seq,))
    connection.execute("UPDATE hidden_spells SET to_seq = ? WHERE seq = ? AND to_seq IS NULL", (since, seq))
