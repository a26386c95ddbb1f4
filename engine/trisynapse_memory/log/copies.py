"""One record in, the other records of its source that hold some of the same characters out; nothing is appended here.

Chunks of one page overlap by a sentence, so the same words stand in two records; what happens to one copy must happen
to the other.
"""

from __future__ import annotations

from typing import NamedTuple

from trisynapse_memory.log.store import MemoryLog, chunk_keys
from trisynapse_memory.types import Kind, Record


class Copy(NamedTuple):
    """A record that shares page text with another; ``shift`` added to an offset of that one gives the offset here."""

    record: Record
    shift: int


def neighbours_of(log: MemoryLog, record: Record) -> tuple[Copy, ...]:
    """Return the records of the same page whose stretch of it overlaps that of ``record``, in log order.

    Empty for a record that is no stretch of a page (a message, a fact, a bookmark).
    """
    place = record.locator
    if record.kind is not Kind.RAW_SOURCE or record.source_id is None or place is None:
        return ()
    if place.start is None or place.end is None:
        return ()
    found: list[Copy] = []
    for other in _chunks_of(log, record.source_id, place.page or 1):
        there = other.locator
        if other.id == record.id or there is None or there.start is None or there.end is None:
            continue
        if there.start < place.end and place.start < there.end:
            found.append(Copy(other, place.start - there.start))
    return tuple(found)


def _chunks_of(log: MemoryLog, source_id: str, page: int) -> tuple[Record, ...]:
    sql = "SELECT seq FROM records WHERE external_key >= ? AND external_key < ? AND content IS NOT NULL"
    with log.database.read() as connection:
        seqs = sorted(int(row[0]) for row in connection.execute(sql, chunk_keys(source_id, page)))
    return log.by_seqs(seqs)


def stretch_in(copy: Copy, start: int, end: int) -> tuple[int, int] | None:
    """Return where ``[start, end)`` of the first record lies in its copy, cut at its ends, or None if nowhere."""
    first, last = max(0, start + copy.shift), min(len(copy.record.text), end + copy.shift)
    return (first, last) if first < last else None
