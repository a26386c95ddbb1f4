"""Postings packed, unpacked, picked, divided and joined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.indexing import postings as module
from trisynapse_memory.indexing.postings import (
    Leaf,
    Postings,
    collect_postings,
    decode_integers,
    encode_integers,
    join_postings,
    leaves_holding,
    pack_postings,
    pick_postings,
    split_postings,
    unpack_leaves,
)
from trisynapse_memory.types import Terms

WORDS = ("a", "ab", "b", "c++", "naïve", "素粒", "~run", "zz")
Held = dict[str, dict[int, tuple[int, ...]]]


def held_by(postings: Postings) -> Held:
    held: Held = {}
    start = 0
    for term, place in postings.slices():
        for seq, frequency in zip(postings.seqs[place].tolist(), postings.frequencies[place].tolist(), strict=True):
            held.setdefault(term, {})[seq] = tuple(postings.positions[start : start + frequency].tolist())
            start += frequency
    assert start == postings.positions.size
    return held


texts = st.lists(st.sampled_from(WORDS), max_size=40)
corpora = st.dictionaries(st.integers(0, 70_000), texts, max_size=25)


def terms_of(words: list[str]) -> Terms:
    places: dict[str, list[int]] = {}
    for position, word in enumerate(words):
        # Far positions and single ones: both widths of a packed integer.
        places.setdefault(word, []).append(position * position * 7)
    return Terms(tuple(places), tuple(map(tuple, places.values())), len(words))


def expected(corpus: dict[int, list[str]]) -> Held:
    held: Held = {}
    for seq, words in corpus.items():
        terms = terms_of(words)
        for key, positions in zip(terms.keys, terms.positions, strict=True):
            held.setdefault(key, {})[seq] = positions
    return held


def collected(corpus: dict[int, list[str]]) -> Postings:
    return collect_postings([(seq, terms_of(words)) for seq, words in corpus.items()])


@given(st.lists(st.one_of(st.integers(0, 300), st.integers(0, 2**35 - 1)), max_size=60))
def test_integers_come_back_as_they_were_packed(values: list[int]) -> None:
    packed, ends = encode_integers(np.array(values, np.int64))
    assert decode_integers(packed).tolist() == values
    assert [decode_integers(packed[:end]).size for end in ends.tolist()] == list(range(1, len(values) + 1))


def test_small_integers_take_one_byte() -> None:
    assert len(encode_integers(np.arange(128))[0]) == 128
    assert len(encode_integers(np.array([128]))[0]) == 2


@given(corpora)
def test_records_turn_into_postings_with_terms_and_seqs_in_order(corpus: dict[int, list[str]]) -> None:
    postings = collected(corpus)
    assert held_by(postings) == expected(corpus)
    assert list(postings.terms) == sorted(postings.terms)
    for _, place in postings.slices():
        assert np.all(np.diff(postings.seqs[place]) > 0)


def test_a_key_without_positions_is_no_posting() -> None:
    assert held_by(collect_postings([(3, Terms(("a", "b"), ((), (4,)), 1))])) == {"b": {3: (4,)}}


@pytest.mark.parametrize("leaf_weight", [1, 30, 512])
@given(corpus=corpora)
def test_packed_postings_come_back_whatever_the_size_of_a_leaf(leaf_weight: int, corpus: dict[int, list[str]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAF_WEIGHT", leaf_weight)
        leaves = pack_postings(collected(corpus))
    assert held_by(unpack_leaves(leaves)) == expected(corpus)
    first_terms = [leaf.names()[0] for leaf in leaves]
    assert first_terms == sorted(first_terms)


@given(corpora, st.sampled_from(WORDS))
def test_one_term_is_picked_out_of_its_leaf_with_or_without_positions(corpus: dict[int, list[str]], term: str) -> None:
    leaves = pack_postings(collected(corpus))
    picked = held_by(pick_postings([(term, leaf) for leaf in leaves]))
    assert picked == {key: value for key, value in expected(corpus).items() if key == term}
    bare = [(term, Leaf(leaf.terms, leaf.counts, leaf.seqs, leaf.frequencies, b"")) for leaf in leaves]
    without = pick_postings(bare)
    assert set(without.seqs.tolist()) == set(expected(corpus).get(term, {}))
    assert without.positions.size == 0


def test_a_term_that_is_part_of_another_is_not_found_in_its_place() -> None:
    (leaf,) = pack_postings(collected({1: ["ab", "zz"]}))
    assert [leaf.place_of(term) for term in ("a", "b", "ab", "z", "zz")] == [-1, -1, 0, -1, 1]


@given(corpora, st.lists(st.integers(0, 2), min_size=25, max_size=25))
def test_joining_parts_equals_collecting_everything_at_once(corpus: dict[int, list[str]], choices: list[int]) -> None:
    parts: list[dict[int, list[str]]] = [{}, {}, {}]
    for choice, (seq, words) in zip(choices, corpus.items(), strict=False):
        parts[choice][seq] = words
    joined = join_postings([collected(part) for part in parts])
    assert held_by(joined) == expected(corpus)
    assert [tuple(vars_of(leaf)) for leaf in pack_postings(joined)] == [
        tuple(vars_of(leaf)) for leaf in pack_postings(collected(corpus))
    ]


def vars_of(leaf: Leaf) -> tuple[bytes, ...]:
    return (leaf.terms, leaf.counts, leaf.seqs, leaf.frequencies, leaf.positions)


@given(corpora, st.sampled_from(WORDS))
def test_a_border_divides_terms_and_loses_none(corpus: dict[int, list[str]], border: str) -> None:
    below, rest = split_postings(collected(corpus), border)
    assert all(term < border for term in below.terms)
    assert all(term >= border for term in rest.terms)
    assert held_by(below) | held_by(rest) == expected(corpus)


@given(corpora, st.sets(st.integers(0, 70_000)))
def test_leaves_that_hold_a_marked_record_are_found(corpus: dict[int, list[str]], marked: set[int]) -> None:
    dead = np.zeros(50_000, np.bool_)  # Shorter than the seqs: those beyond are not marked.
    dead[[seq for seq in [*marked, *list(corpus)[:2]] if seq < dead.size]] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAF_WEIGHT", 10)
        leaves = pack_postings(collected(corpus))
    if not leaves:
        return
    hit = leaves_holding([(leaf.counts, leaf.seqs) for leaf in leaves], dead).tolist()
    seqs = [set(unpack_leaves([leaf]).seqs.tolist()) for leaf in leaves]
    assert hit == [index for index, found in enumerate(seqs) if any(seq < dead.size and dead[seq] for seq in found)]
