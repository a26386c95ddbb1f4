"""Index terms of records in, packed postings out, and back; arrays only, no file is touched here.

A posting says that a term occurs in a record (``seq``), how often, and at which word positions. Terms are packed some
dozens to a leaf: their names, how many postings each has, the gaps between the seqs of each term, the frequencies, and
the gaps between the positions of each posting. Every number is a variable-length integer of 7 bits per byte, low bits
first; most take one byte. All loops run in numpy over many leaves at once: one row per term was tried, and built three
times as slowly, for two thirds of the rows of a small segment hold a single posting.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.types import Terms

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

SEPARATOR = "\0"  # Around each term of a leaf; the tokenizer never emits it.
SEQ_BITS = 35  # 34 billion records; five bytes of a packed integer.
LEAF_WEIGHT = 512  # Postings of a leaf, where a term weighs as much as TERM_WEIGHT postings more: near 1 KiB.
TERM_WEIGHT = 8


@dataclass(frozen=True, slots=True)
class Leaf:
    """The packed postings of neighbouring terms; ``positions`` is empty where it was not read."""

    terms: bytes
    counts: bytes
    seqs: bytes
    frequencies: bytes
    positions: bytes

    def names(self) -> list[str]:
        """Return the terms in order."""
        return self.terms.decode().split(SEPARATOR)[1:-1]

    def place_of(self, term: str) -> int:
        """Return which of the leaf's terms this is, or -1; without taking the names apart."""
        found = self.terms.find(f"{SEPARATOR}{term}{SEPARATOR}".encode())
        return self.terms.count(b"\0", 0, found) if found >= 0 else -1


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of many terms, one term after another.

    ``counts[i]`` postings belong to ``terms[i]``; ``seqs`` and ``frequencies`` hold one number per posting, and
    ``positions`` holds ``frequencies[j]`` numbers for posting ``j``, or nothing where positions were not read.
    """

    terms: Sequence[str]
    counts: Integers
    seqs: Integers
    frequencies: Integers
    positions: Integers

    def ranks(self) -> Integers:
        """Return for each posting which of ``terms`` it belongs to."""
        return np.repeat(np.arange(len(self.terms)), self.counts)

    def slices(self) -> Iterator[tuple[str, slice]]:
        """Yield each term with the place of its postings in ``seqs`` and ``frequencies``."""
        ends = np.cumsum(self.counts).tolist()
        start = 0
        for term, end in zip(self.terms, ends, strict=True):
            yield term, slice(start, end)
            start = end

    def keeping(self, kept: Flags) -> Postings:
        """Return only the postings that are marked, and only the terms that still have one."""
        counts = np.bincount(self.ranks()[kept], minlength=len(self.terms))
        terms = [term for term, left in zip(self.terms, counts.tolist(), strict=True) if left]
        positions = self.positions[np.repeat(kept, self.frequencies)]
        return Postings(terms, counts[counts > 0], self.seqs[kept], self.frequencies[kept], positions)


def collect_postings(documents: Sequence[tuple[int, Terms]]) -> Postings:
    """Turn records into postings: from "which terms has this record" to "which records have this term".

    Args:
        documents: seq and index terms of each record; a term occurs once per record, with its positions ascending.

    Returns:
        Postings with terms in code point order and seqs in log order. Empty for no records.
    """
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    found, frequencies, positions, sizes = array("q"), array("q"), array("q"), array("q")
    for _, terms in documents:
        found.extend(map(numbers.__getitem__, terms.keys))
        frequencies.extend(map(len, terms.positions))
        positions.extend(chain.from_iterable(terms.positions))
        sizes.append(len(terms.keys))
    ordered = sorted(numbers)
    ranks = np.empty(len(ordered), np.int64)
    ranks[[numbers[term] for term in ordered]] = np.arange(len(ordered))
    seqs = np.repeat(np.array([seq for seq, _ in documents], np.int64), _integers(sizes))
    postings = _grouped(ordered, ranks[_integers(found)], seqs, _integers(frequencies), _integers(positions))
    empty = postings.frequencies == 0
    return postings.keeping(~empty) if bool(empty.any()) else postings


def _grouped(
    terms: Sequence[str], ranks: Integers, seqs: Integers, frequencies: Integers, positions: Integers
) -> Postings:
    order = np.argsort((ranks << SEQ_BITS) | seqs, kind="stable")
    starts = (np.cumsum(frequencies) - frequencies)[order]
    frequencies = frequencies[order]
    return Postings(
        terms,
        np.bincount(ranks, minlength=len(terms)),
        seqs[order],
        frequencies,
        positions[_run_members(starts, frequencies)],
    )


def join_postings(parts: Sequence[Postings]) -> Postings:
    """Bring postings of several segments together, with terms in code point order and seqs in log order."""
    # Not a set: the terms of each part are in order, and sorting runs of ordered terms takes half the time.
    names = sorted(dict.fromkeys(chain.from_iterable(part.terms for part in parts)))
    numbers = {term: number for number, term in enumerate(names)}
    ranks = [np.repeat(np.array([numbers[term] for term in part.terms], np.int64), part.counts) for part in parts]
    return _grouped(
        names,
        np.concatenate(ranks),
        np.concatenate([part.seqs for part in parts]),
        np.concatenate([part.frequencies for part in parts]),
        np.concatenate([part.positions for part in parts]),
    )


def split_postings(postings: Postings, border: str) -> tuple[Postings, Postings]:
    """Divide postings, whose terms are in order, into those of the terms before a border and those from it on."""
    term = bisect_left(postings.terms, border)
    posting = int(postings.counts[:term].sum())
    position = int(postings.frequencies[:posting].sum())
    below = Postings(
        postings.terms[:term],
        postings.counts[:term],
        postings.seqs[:posting],
        postings.frequencies[:posting],
        postings.positions[:position],
    )
    rest = Postings(
        postings.terms[term:],
        postings.counts[term:],
        postings.seqs[posting:],
        postings.frequencies[posting:],
        postings.positions[position:],
    )
    return below, rest


def pack_postings(postings: Postings) -> list[Leaf]:
    """Pack postings whose seqs are in log order within each term; cut into leaves by weight, in term order."""
    if not postings.seqs.size:
        return []
    seqs, seq_ends = encode_integers(_gaps(postings.seqs, postings.counts))
    frequencies, frequency_ends = encode_integers(postings.frequencies)
    positions, position_ends = encode_integers(_gaps(postings.positions, postings.frequencies))
    counts, count_ends = encode_integers(postings.counts)
    last = _leaf_ends(postings.counts)
    last_posting = np.cumsum(postings.counts)[last - 1]
    last_position = np.cumsum(postings.frequencies)[last_posting - 1]
    cuts = last.tolist()
    names = [
        f"{SEPARATOR}{SEPARATOR.join(postings.terms[start:end])}{SEPARATOR}".encode()
        for start, end in zip([0, *cuts], cuts, strict=False)
    ]
    parts = (
        _pieces(counts, count_ends, last),
        _pieces(seqs, seq_ends, last_posting),
        _pieces(frequencies, frequency_ends, last_posting),
        _pieces(positions, position_ends, last_position),
    )
    return [Leaf(*fields) for fields in zip(names, *parts, strict=True)]


def unpack_leaves(leaves: Sequence[Leaf]) -> Postings:
    """Read all postings of some leaves; a term stands once for each leaf that holds it."""
    names = [name for leaf in leaves for name in leaf.names()]
    counts = decode_integers(b"".join([leaf.counts for leaf in leaves]))
    seqs = _running_sums(decode_integers(b"".join([leaf.seqs for leaf in leaves])), counts)
    frequencies = decode_integers(b"".join([leaf.frequencies for leaf in leaves]))
    positions = _running_sums(decode_integers(b"".join([leaf.positions for leaf in leaves])), frequencies)
    return Postings(names, counts, seqs, frequencies, positions)


def leaves_holding(leaves: Sequence[tuple[bytes, bytes]], dead: Flags) -> Integers:
    """Return which leaves, given by their counts and seqs, hold a posting of a marked seq."""
    packed = b"".join([counts for counts, _ in leaves])
    counts = decode_integers(packed)
    marked = marked_among(dead, _running_sums(decode_integers(b"".join([seqs for _, seqs in leaves])), counts))
    last_octet = np.cumsum([len(counts) for counts, _ in leaves]) - 1
    last_term = np.cumsum(np.frombuffer(packed, np.uint8) < 128)[last_octet] - 1
    hits = np.cumsum(marked)[np.cumsum(counts)[last_term] - 1]
    return np.flatnonzero(np.diff(hits, prepend=0))


def marked_among(marks: Flags, seqs: Integers) -> Flags:
    """Tell for each seq whether it is marked; seqs beyond the marks are not."""
    return np.append(marks, False)[np.minimum(seqs, marks.size)]


def pick_postings(found: Sequence[tuple[str, Leaf]]) -> Postings:
    """Read the postings of single terms out of their leaves.

    Args:
        found: a term and a leaf that may hold it, equal terms together.

    Returns:
        Each term once, with the postings of its leaves one after another, as given. Terms no leaf holds are left out.
        Positions are empty where the leaves were read without them.
    """
    places = [(term, leaf, leaf.place_of(term)) for term, leaf in found]
    held = [(term, leaf, place) for term, leaf, place in places if place >= 0]
    sizes = np.array([leaf.terms.count(b"\0") - 1 for _, leaf, _ in held], np.int64)
    every = decode_integers(b"".join([leaf.counts for _, leaf, _ in held]))
    picked = _run_starts(sizes) + np.array([place for _, _, place in held], np.int64)
    counts = every[picked]
    chosen = _run_members(_run_starts(every)[picked], counts)
    seqs = _running_sums(decode_integers(b"".join([leaf.seqs for _, leaf, _ in held])), every)
    frequencies = decode_integers(b"".join([leaf.frequencies for _, leaf, _ in held]))
    gaps = decode_integers(b"".join([leaf.positions for _, leaf, _ in held]))
    if gaps.size:
        members = _run_members(_run_starts(frequencies)[chosen], frequencies[chosen])
        gaps = _running_sums(gaps, frequencies)[members]
    terms = list(dict.fromkeys(term for term, _, _ in held))
    starts = [index for index, row in enumerate(held) if index == 0 or row[0] != held[index - 1][0]]
    merged = np.add.reduceat(counts, starts) if starts else counts
    return Postings(terms, merged, seqs[chosen], frequencies[chosen], gaps)


def encode_integers(values: Integers) -> tuple[bytes, Integers]:
    """Pack integers in [0, 2**35); also return after which byte each of them ends."""
    if not values.size:
        return b"", np.zeros(0, np.int64)
    largest = int(values.max())
    if largest < 128:
        return values.astype(np.uint8).tobytes(), np.arange(1, values.size + 1)
    widths = np.ones(values.size, np.int64)
    longest = (largest.bit_length() + 6) // 7
    for index in range(1, longest):
        widths += values >= 1 << (7 * index)
    ends = np.cumsum(widths)
    starts = ends - widths
    packed = np.empty(int(ends[-1]), np.uint8)
    packed[starts] = (values & 127) | ((widths > 1) << 7)
    for index in range(1, longest):
        longer = np.flatnonzero(widths > index)
        more = (widths[longer] > index + 1) << 7
        packed[starts[longer] + index] = ((values[longer] >> (7 * index)) & 127) | more
    return packed.tobytes(), ends


def decode_integers(packed: bytes) -> Integers:
    """Read integers that ``encode_integers`` packed."""
    octets = np.frombuffer(packed, np.uint8)
    final = octets < 128
    if bool(final.all()):
        return octets.astype(np.int64)
    ends = np.flatnonzero(final)
    values = octets[ends].astype(np.int64)
    widths = np.diff(ends, prepend=-1)
    # From the highest group down, and only where there is one: most integers have a single byte.
    longer = np.flatnonzero(widths > 1)
    last, sizes = ends[longer], widths[longer]
    several = values[longer]
    for index in range(1, int(sizes.max())):
        reach = sizes > index
        several[reach] = (several[reach] << 7) | (octets[last[reach] - index] & 127)
    values[longer] = several
    return values


def _integers(numbers: array[int]) -> Integers:
    return np.frombuffer(numbers, np.int64) if numbers else np.zeros(0, np.int64)


def _pieces(packed: bytes, value_ends: Integers, last: Integers) -> list[bytes]:
    """Cut packed integers after the ``last[i]``-th value of each run."""
    ends = np.concatenate(([0], value_ends))[last].tolist()
    return [packed[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _leaf_ends(counts: Integers) -> Integers:
    """Return after which term each leaf ends."""
    weights = counts + TERM_WEIGHT
    leaf = (np.cumsum(weights) - weights) // LEAF_WEIGHT
    return np.append(np.flatnonzero(np.diff(leaf)) + 1, counts.size)


def _run_starts(lengths: Integers) -> Integers:
    return np.cumsum(lengths) - lengths


def _run_members(starts: Integers, lengths: Integers) -> Integers:
    """Return the indexes ``start .. start + length - 1`` of each run, one run after another."""
    shifts = np.repeat(starts - _run_starts(lengths), lengths)
    return shifts + np.arange(shifts.size)


def _gaps(values: Integers, lengths: Integers) -> Integers:
    """Return each value less the one before it in its run; the first of a run as it is."""
    gaps = np.diff(values, prepend=0)
    starts = _run_starts(lengths)
    gaps[starts] = values[starts]
    return gaps


def _running_sums(gaps: Integers, lengths: Integers) -> Integers:
    """Undo ``_gaps``."""
    if not gaps.size:
        return gaps
    sums = np.cumsum(gaps)
    starts = _run_starts(lengths)
    return sums - np.repeat(sums[starts] - gaps[starts], lengths)
