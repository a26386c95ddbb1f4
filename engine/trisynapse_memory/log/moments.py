"""Positions and dates in, what the log said at an earlier end of itself out. Nothing is appended or scanned."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from trisynapse_memory.log.rows import format_time
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.visibility import visible_seqs_as_of


def visible_as_of(log: MemoryLog, seqs: Sequence[int], as_of_seq: int) -> set[int]:
    """Return those of the given records that answers saw when ``as_of_seq`` was the newest position.

    Source states, hidden records and corrections count as they stood then; what was physically removed since is gone.
    The cost follows the candidates, not the log.
    """
    with log.database.read() as connection:
        return visible_seqs_as_of(connection, seqs, as_of_seq)


def seq_at(log: MemoryLog, moment: datetime) -> int:
    """Return the newest position that was written at or before a moment; 0 when the log was still empty.

    Halves the log, which is in the order of writing; where a clock was set back, any of the records of the repeated
    stretch may be taken for the newest.
    """
    wanted = format_time(moment)
    with log.database.read() as connection:
        low, high = 0, int(connection.execute("SELECT coalesce(max(seq), 0) FROM records").get)
        while low < high:
            middle = (low + high + 1) // 2
            written = connection.execute("SELECT written_at FROM records WHERE seq <= ? ORDER BY seq DESC", (middle,))
            row = written.fetchone()
            if row is not None and str(row[0]) <= wanted:
                low = middle
            else:
                high = middle - 1
    return low
