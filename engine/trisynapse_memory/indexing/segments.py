"""Postings in, SQLite rows out, and back: segments that are written once and merged in small steps; nothing is scored.

Each commit writes one segment, whose leaves stand together in term order: a record costs a few pages, not one page per
term. A question looks its terms up in every segment, so segments of about one size are merged eightfold, and their
number stays near the logarithm of the vault. A merge moves terms from its sources to its target in term order, a
bounded number per step; between two steps each posting is in exactly one segment, so questions need not know of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from trisynapse_memory.indexing.postings import (
    Flags,
    Leaf,
    Postings,
    join_postings,
    leaves_holding,
    marked_among,
    pack_postings,
    pick_postings,
    split_postings,
    unpack_leaves,
)
from trisynapse_memory.sqlite import Connection, SqlValue

SCHEMA = """
CREATE TABLE IF NOT EXISTS lexical_segments (
    id INTEGER PRIMARY KEY,
    tier INTEGER NOT NULL,           -- size class; -1 while it grows as the target of a merge
    posting_count INTEGER NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    target INTEGER                   -- the segment its rows are moving to
) STRICT;
CREATE TABLE IF NOT EXISTS lexical_leaves (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    first_term TEXT NOT NULL,
    posting_count INTEGER NOT NULL,
    terms BLOB NOT NULL,
    counts BLOB NOT NULL,
    seqs BLOB NOT NULL,
    frequencies BLOB NOT NULL,
    positions BLOB NOT NULL          -- last, so that a question without a phrase never reads its pages
) STRICT;
CREATE UNIQUE INDEX IF NOT EXISTS lexical_leaves_by_term ON lexical_leaves (segment, first_term);
"""

FAN_IN = 8  # segments; 4 halves the look-ups of a question and costs half as much again in merging.
_SMALLEST_TIER_POSTINGS = 64
STEP_POSTINGS = 32_768  # postings moved per step; near 20 ms.
HIGHEST_TIER = 16  # Beyond any vault: 64 * 8**15 postings.
_GROWING = -1
_SCAN_LEAVES = 500  # leaves read at once when erasing; near 0.5 MB.


@dataclass(frozen=True, slots=True)
class _Merge:
    target: int
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _StoredLeaf:
    id: int
    first_term: str
    packed: Leaf


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The first leaves of a segment; ``border`` is the first term of the leaf behind them, None where there is none."""

    segment: int
    leaves: list[_StoredLeaf]
    border: str | None


def write_segment(connection: Connection, postings: Postings) -> int:
    """Store postings as a new segment and return how many there were."""
    posting_count = int(postings.seqs.size)
    if not posting_count:
        return 0
    first, last = int(postings.seqs.min()), int(postings.seqs.max())
    segment = _new_segment(connection, tier_of(posting_count), posting_count, first, last)
    _insert_leaves(connection, segment, postings)
    return posting_count


def read_postings(connection: Connection, keys: Sequence[str], *, positions: bool = False) -> Postings:
    """Read the postings of some distinct terms; a term that no segment holds is left out.

    Returns:
        Terms in code point order. The seqs of a term come segment by segment: in no order that a caller may rely on.
    """
    places = "positions" if positions else "x''"
    asked = ",".join(["(?)"] * len(keys))
    if not keys:
        return pick_postings([])
    rows = connection.execute(
        f"""
        SELECT asked.term, terms, counts, seqs, frequencies, {places}
        FROM lexical_segments AS segment
        CROSS JOIN (SELECT column1 AS term FROM (VALUES {asked})) AS asked
        CROSS JOIN lexical_leaves AS leaf ON leaf.id = (
            SELECT id FROM lexical_leaves AS earlier
            WHERE earlier.segment = segment.id AND earlier.first_term <= asked.term
            ORDER BY earlier.first_term DESC LIMIT 1
        )
        """,
        tuple(keys),
    ).fetchall()
    rows.sort(key=itemgetter(0))
    return pick_postings([(row[0], Leaf(*row[1:])) for row in rows])


def tier_of(posting_count: int) -> int:
    """Return the size class of a segment: 0 below 64 postings, and one more for each eightfold."""
    # Three bits of size per tier: eight segments of one tier make one of the next, or of the one after.
    return ((posting_count // _SMALLEST_TIER_POSTINGS).bit_length() + 2) // 3


def merge_segments(connection: Connection, budget_postings: int, largest_tier: int = HIGHEST_TIER) -> int:
    """Merge up to about so many postings, the smallest segments first, and return how many were moved.

    The work is the same for the same history: it depends on counts, never on the clock.

    Args:
        connection: inside a write transaction.
        budget_postings: how many to move; the last step may exceed it by one term.
        largest_tier: leave larger segments alone; ``tier_of`` what was written, and some, keeps small commits quick.
    """
    moved = 0
    while moved < budget_postings:
        work = _next_merge(connection, largest_tier)
        if work is None:
            break
        moved += _move_terms(connection, work, min(STEP_POSTINGS, budget_postings - moved))
    return moved


def segment_count(connection: Connection) -> int:
    """Return how many segments a question has to look into."""
    return int(connection.execute("SELECT count(*) FROM lexical_segments").get)


def erase_postings(connection: Connection, dead: Flags) -> None:
    """Remove the postings of all marked seqs, and with them each term that nothing else holds.

    There is no list of the terms of a record (it would double the index), so this reads the seqs of every segment
    that may hold one: near 0.5 s per 100,000 records.
    """
    seqs = np.flatnonzero(dead)
    if not seqs.size:
        return
    segments = connection.execute(
        "SELECT id FROM lexical_segments WHERE first_seq <= ? AND last_seq >= ?", (int(seqs[-1]), int(seqs[0]))
    ).fetchall()
    for (segment,) in segments:
        leaf_ids = _leaves_of(connection, segment)
        for start in range(0, len(leaf_ids), _SCAN_LEAVES):
            _erase_from(connection, segment, leaf_ids[start : start + _SCAN_LEAVES], dead)


def wipe_segments(connection: Connection) -> None:
    """Remove all postings."""
    connection.execute("DELETE FROM lexical_leaves; DELETE FROM lexical_segments;")


def _new_segment(connection: Connection, tier: int, posting_count: int, first: int, last: int) -> int:
    connection.execute(
        "INSERT INTO lexical_segments (tier, posting_count, first_seq, last_seq) VALUES (?, ?, ?, ?)",
        (tier, posting_count, first, last),
    )
    return connection.last_insert_rowid()


def _insert_leaves(connection: Connection, segment: int, postings: Postings) -> None:
    counts = postings.counts
    ends = np.cumsum(counts)
    rows: list[tuple[SqlValue, ...]] = []
    first = 0
    for leaf in pack_postings(postings):
        last = first + leaf.terms.count(b"\0") - 1
        posting_count = int(ends[last - 1] - ends[first] + counts[first])
        rows.append(
            (
                segment,
                postings.terms[first],
                posting_count,
                leaf.terms,
                leaf.counts,
                leaf.seqs,
                leaf.frequencies,
                leaf.positions,
            )
        )
        first = last
    connection.executemany(
        "INSERT INTO lexical_leaves (segment, first_term, posting_count, terms, counts, seqs, frequencies, positions)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _next_merge(connection: Connection, largest_tier: int) -> _Merge | None:
    _start_merges(connection, largest_tier)
    row = connection.execute(
        "SELECT target FROM lexical_segments WHERE target IS NOT NULL AND tier <= ? ORDER BY tier, id LIMIT 1",
        (largest_tier,),
    ).fetchone()
    if row is None:
        return None
    sources = connection.execute("SELECT id FROM lexical_segments WHERE target = ? ORDER BY id", row).fetchall()
    return _Merge(row[0], tuple(source for (source,) in sources))


def _start_merges(connection: Connection, largest_tier: int) -> None:
    """Give a target to the oldest segments of each tier that is full and not being merged already."""
    ripe = connection.execute(
        """
        SELECT tier FROM lexical_segments WHERE tier BETWEEN 0 AND ? GROUP BY tier
        HAVING count(*) >= ? AND count(target) = 0
        """,
        (largest_tier, FAN_IN),
    ).fetchall()
    for (tier,) in ripe:
        sources = connection.execute(
            "SELECT id, first_seq, last_seq FROM lexical_segments WHERE tier = ? ORDER BY id LIMIT ?", (tier, FAN_IN)
        ).fetchall()
        first, last = min(row[1] for row in sources), max(row[2] for row in sources)
        target = _new_segment(connection, _GROWING, 0, first, last)
        connection.executemany(
            "UPDATE lexical_segments SET target = ? WHERE id = ?", [(target, row[0]) for row in sources]
        )


def _move_terms(connection: Connection, work: _Merge, budget_postings: int) -> int:
    """Move the postings of the next terms; a merge whose sources are empty then ends."""
    share = max(budget_postings // len(work.sources), 1)
    stretches = [_first_leaves(connection, source, share) for source in work.sources]
    borders = [stretch.border for stretch in stretches if stretch.border is not None]
    border = min(borders) if borders else None
    moving: list[Postings] = []
    for stretch in stretches:
        touched = [leaf for leaf in stretch.leaves if border is None or leaf.first_term < border]
        if touched:
            moving.append(_take_terms(connection, stretch.segment, touched, border))
    moved = sum(int(postings.seqs.size) for postings in moving)
    if moving:
        _insert_leaves(connection, work.target, join_postings(moving))
        connection.execute(
            "UPDATE lexical_segments SET posting_count = posting_count + ? WHERE id = ?", (moved, work.target)
        )
    if border is None:
        _finish_merge(connection, work)
    return moved


def _first_leaves(connection: Connection, segment: int, posting_count: int) -> _Stretch:
    """Read the first leaves of a segment, up to so many postings and at least one leaf."""
    cursor = connection.execute(
        "SELECT id, first_term, posting_count, terms, counts, seqs, frequencies, positions FROM lexical_leaves"
        " WHERE segment = ? ORDER BY first_term",
        (segment,),
    )
    leaves: list[_StoredLeaf] = []
    read_count = 0
    for row in cursor:
        if read_count >= posting_count:
            return _Stretch(segment, leaves, row[1])
        leaves.append(_StoredLeaf(row[0], row[1], Leaf(*row[3:])))
        read_count += row[2]
    return _Stretch(segment, leaves, None)


def _take_terms(connection: Connection, segment: int, leaves: Sequence[_StoredLeaf], border: str | None) -> Postings:
    """Take the terms before the border out of a segment; a leaf that lies across it is cut."""
    connection.executemany("DELETE FROM lexical_leaves WHERE id = ?", [(leaf.id,) for leaf in leaves])
    postings = unpack_leaves([leaf.packed for leaf in leaves])
    if border is None or postings.terms[-1] < border:
        return postings
    moving, staying = split_postings(postings, border)
    _insert_leaves(connection, segment, staying)
    return moving


def _finish_merge(connection: Connection, work: _Merge) -> None:
    connection.executemany("DELETE FROM lexical_segments WHERE id = ?", [(source,) for source in work.sources])
    row = connection.execute("SELECT posting_count FROM lexical_segments WHERE id = ?", (work.target,)).fetchall()[0]
    connection.execute("UPDATE lexical_segments SET tier = ? WHERE id = ?", (tier_of(row[0]), work.target))


def _leaves_of(connection: Connection, segment: int) -> list[int]:
    rows = connection.execute("SELECT id FROM lexical_leaves WHERE segment = ? ORDER BY first_term", (segment,))
    return [leaf_id for (leaf_id,) in rows]


def _erase_from(connection: Connection, segment: int, leaf_ids: Sequence[int], dead: Flags) -> None:
    """Write those of the leaves again that hold a posting of a marked seq."""
    rows = [_leaf_fields(connection, leaf_id, "counts, seqs") for leaf_id in leaf_ids]
    hit = leaves_holding([(row[0], row[1]) for row in rows], dead)
    erased = 0
    # Neighbours go together, which is five times as fast; across an untouched leaf terms would lose their order.
    for first, last in _runs(hit.tolist()):
        ids = leaf_ids[first : last + 1]
        columns = "terms, counts, seqs, frequencies, positions"
        postings = unpack_leaves([Leaf(*_leaf_fields(connection, leaf_id, columns)) for leaf_id in ids])
        left = postings.keeping(~marked_among(dead, postings.seqs))
        connection.executemany("DELETE FROM lexical_leaves WHERE id = ?", [(leaf_id,) for leaf_id in ids])
        _insert_leaves(connection, segment, left)
        erased += int(postings.seqs.size - left.seqs.size)
    connection.execute("UPDATE lexical_segments SET posting_count = posting_count - ? WHERE id = ?", (erased, segment))


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last number of each run of ascending neighbours."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _leaf_fields(connection: Connection, leaf_id: int, columns: str) -> tuple[bytes, ...]:
    return connection.execute(f"SELECT {columns} FROM lexical_leaves WHERE id = ?", (leaf_id,)).fetchall()[0]
