"""The word index against a plain one that holds everything in dictionaries."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexical_cases import ANYONE, READERS, SOURCES, WORDS, WRITERS, Entry, PlainIndex, entry
from trisynapse_memory.config import Config
from trisynapse_memory.indexing import postings as postings_module
from trisynapse_memory.indexing import segments
from trisynapse_memory.indexing.indexes import lexical
from trisynapse_memory.indexing.indexes.lexical import LexicalIndex
from trisynapse_memory.indexing.storage import IndexDatabase
from trisynapse_memory.scoring.bm25 import idf
from trisynapse_memory.types import Candidate, Namespace, QueryTerm, Scope, SourceId


@pytest.fixture
def index(tmp_path: Path) -> Iterator[LexicalIndex]:
    opened = LexicalIndex(tmp_path / "index.db", Config())
    yield opened
    opened.close()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merge two segments at a time, a few postings per step, leaves of few terms: every border is met."""
    monkeypatch.setattr(segments, "FAN_IN", 2)
    monkeypatch.setattr(segments, "STEP_POSTINGS", 5)
    monkeypatch.setattr(postings_module, "LEAF_WEIGHT", 20)
    monkeypatch.setattr(lexical, "MERGE_LEAST_POSTINGS", 9)
    monkeypatch.setattr(lexical, "MERGE_SHARE", 1)
    monkeypatch.setattr(lexical, "SEGMENT_RECORDS", 3)


words = st.lists(st.sampled_from(WORDS), max_size=12)
entries = st.tuples(words, st.sampled_from(WRITERS), st.sampled_from(SOURCES), st.booleans())
steps = st.one_of(
    st.tuples(st.just("apply"), st.lists(entries, max_size=5), st.dictionaries(st.integers(1, 40), st.booleans())),
    st.tuples(st.just("drop"), st.lists(st.integers(1, 40), max_size=3), st.just({})),
)
scopes = st.builds(
    Scope,
    namespace=st.sampled_from(READERS),
    source_ids=st.one_of(st.none(), st.lists(st.sampled_from(SOURCES[1:]), max_size=2).map(tuple)),
    as_of_seq=st.one_of(st.none(), st.integers(0, 40)),
)
questions = st.lists(
    st.builds(QueryTerm, st.sampled_from((*WORDS, "absent")), st.sampled_from((0.4, 1.0))),
    unique_by=lambda term: term.key,
    max_size=5,
)


def played(history: Sequence[tuple[str, list[object], dict[int, bool]]], index: LexicalIndex) -> PlainIndex:
    plain = PlainIndex()
    seq = 0
    for verb, given_values, visibility in history:
        if verb == "drop":
            index.drop(given_values)  # type: ignore[arg-type]
            plain.drop(given_values)  # type: ignore[arg-type]
            continue
        new: list[Entry] = []
        for listed, namespace, source_id, visible in given_values:  # type: ignore[misc]
            seq += 1
            new.append(entry(seq, listed, namespace, source_id, visible))
        older = {known: shown for known, shown in visibility.items() if known <= seq}
        index.apply(new, older, seq)
        plain.apply(new, older)
    return plain


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    history=st.lists(steps, max_size=12),
    scope=scopes,
    terms=questions,
    quoted=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
)
def test_every_answer_equals_that_of_a_plain_index(
    small_steps: None,
    history: list[tuple[str, list[object], dict[int, bool]]],
    scope: Scope,
    terms: list[QueryTerm],
    quoted: list[str],
) -> None:
    with TemporaryDirectory() as folder:
        index = LexicalIndex(Path(folder) / "index.db", Config())
        plain = played(history, index)
        found = index.search(terms, scope, 100)
        expected = plain.search(terms, scope)
        assert {one.seq: one.score for one in found} == pytest.approx(expected, rel=1e-12)
        assert [(-one.score, one.seq) for one in found] == sorted((-one.score, one.seq) for one in found)
        assert index.search(terms, scope, 2) == found[:2]
        assert {one.seq: one.score for one in index.phrase(quoted, scope, 100)} == plain.phrase(quoted, scope)
        in_scope = plain.in_scope(scope)
        assert index.record_count(scope) == len(in_scope)
        holding = {word: [seq for seq, one in in_scope.items() if word in one.keys] for word in WORDS}
        assert index.frequencies(WORDS, scope) == {word: len(seqs) for word, seqs in holding.items()}
        assert index.holders("cat", scope, 3) == tuple(holding["cat"][:3])
        matches = index.matching([["dog", "~run"], quoted], scope)
        held = {
            seq: plain.entries[seq].record.source_id or f"no source {seq}"
            for seq in {*holding["dog"], *holding["~run"]} & {seq for word in quoted for seq in holding[word]}
        }
        assert (matches.record_count, matches.source_count) == (len(held), len(set(held.values())))
        assert sorted(held[seq] for seq in matches.best) == sorted(set(held.values()))
        assert index.merge(10_000)
        assert index.search(terms, scope, 100) == found
        index.close()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(listed=st.lists(words, min_size=1, max_size=25), cuts=st.lists(st.integers(0, 25), max_size=6), terms=questions)
def test_scores_are_the_same_to_the_last_bit_however_the_records_arrived(
    small_steps: None, listed: list[list[str]], cuts: list[int], terms: list[QueryTerm]
) -> None:
    new = [entry(seq, text) for seq, text in enumerate(listed, start=1)]
    borders = sorted({0, len(new), *(cut for cut in cuts if cut < len(new))})
    with TemporaryDirectory() as folder:
        at_once = LexicalIndex(Path(folder) / "once.db", Config())
        at_once.apply(new, {}, len(new))
        in_parts = LexicalIndex(Path(folder) / "parts.db", Config())
        for start, end in pairwise(borders):
            in_parts.apply(new[start:end], {}, end)
        assert at_once.search(terms, ANYONE, 10) == in_parts.search(tuple(reversed(terms)), ANYONE, 10)
        at_once.close()
        in_parts.close()


def test_a_rare_identifier_beats_common_words(index: LexicalIndex) -> None:
    index.apply([entry(seq, "the calibration code of the device") for seq in range(1, 50)], {}, 49)
    index.apply([entry(50, "device kx-00120 has calibration code 77")], {}, 50)
    terms = [QueryTerm(word) for word in ("calibration", "code", "of", "device", "kx-00120")]
    assert index.search(terms, ANYONE, 5)[0].seq == 50


def test_a_narrow_scope_is_served_although_a_crowded_one_holds_better_matches(index: LexicalIndex) -> None:
    crowd = [entry(seq, "cat cat cat", Namespace(user_id="crowd")) for seq in range(1, 600)]
    index.apply([*crowd, entry(600, "one cat among many words", Namespace(user_id="ada"), SOURCES[1])], {}, 600)
    alone = index.search([QueryTerm("cat")], Scope(namespace=Namespace(user_id="ada")), 5)
    by_source = index.search([QueryTerm("cat")], Scope(source_ids=(SourceId("paper"),)), 5)
    assert [one.seq for one in alone] == [one.seq for one in by_source] == [600]
    # Statistics of the scope: one record, of five words.
    assert alone[0].score == pytest.approx(idf(1, 1))


def test_an_empty_tuple_of_sources_holds_nothing(index: LexicalIndex) -> None:
    index.apply([entry(1, "cat", source_id=SourceId("paper"))], {}, 1)
    nothing = Scope(source_ids=())
    assert index.search([QueryTerm("cat")], nothing, 5) == ()
    assert index.record_count(nothing) == 0


def test_ties_at_the_cut_fall_in_log_order(index: LexicalIndex) -> None:
    index.apply([entry(seq, "cat dog") for seq in range(1, 40)], {}, 39)
    assert [one.seq for one in index.search([QueryTerm("cat")], ANYONE, 3)] == [1, 2, 3]


def test_a_term_given_twice_counts_once_with_its_larger_weight(index: LexicalIndex) -> None:
    index.apply([entry(1, "cat"), entry(2, "dog")], {}, 2)
    once = index.search([QueryTerm("cat")], ANYONE, 5)
    assert index.search([QueryTerm("cat", 0.4), QueryTerm("cat"), QueryTerm("cat", 0.2)], ANYONE, 5) == once


def test_questions_without_terms_or_room_find_nothing(index: LexicalIndex) -> None:
    index.apply([entry(1, "cat")], {}, 1)
    assert index.search([], ANYONE, 5) == ()
    assert index.search([QueryTerm("cat")], ANYONE, 0) == ()
    assert index.phrase([], ANYONE, 5) == ()
    assert index.frequencies([], ANYONE) == {}
    assert index.holders("cat", ANYONE, 0) == ()


def test_an_empty_index_answers(index: LexicalIndex) -> None:
    assert index.search([QueryTerm("cat")], Scope(as_of_seq=7), 5) == ()
    assert index.frequencies(["cat"], ANYONE) == {"cat": 0}
    assert index.record_count(ANYONE) == 0


def test_of_each_source_the_record_with_most_of_the_subject_comes_first(index: LexicalIndex) -> None:
    paper, thesis = SourceId("paper"), SourceId("thesis")
    rows = [
        entry(1, "cat sat here with the others", source_id=paper),
        entry(2, "cat cat cat", source_id=paper),
        entry(3, "dog", source_id=thesis),
        entry(4, "cat there", source_id=thesis),
        entry(5, "cat alone"),
        entry(6, "cat too"),
    ]
    index.apply(rows, {}, 6)
    matches = index.matching([["cat"]], ANYONE)
    assert (matches.record_count, matches.source_count) == (5, 4)
    assert matches.best[0] == 2
    assert set(matches.best) == {2, 4, 5, 6}
    assert index.matching([], ANYONE).best == index.matching([["cat"], ["bird"]], ANYONE).best == ()


def test_a_phrase_keeps_its_order_and_counts_its_occurrences(index: LexicalIndex) -> None:
    index.apply([entry(1, "new york new york"), entry(2, "york new"), entry(3, "new old york")], {}, 3)
    assert index.phrase(["new", "york"], ANYONE, 5) == (Candidate(1, 2.0, "phrase"),)
    assert [one.seq for one in index.phrase(["york", "new"], ANYONE, 5)] == [1, 2]
    assert index.phrase(["new", "absent"], ANYONE, 5) == ()


def test_applying_a_record_again_changes_nothing_but_its_visibility(index: LexicalIndex) -> None:
    index.apply([entry(1, "cat")], {}, 1)
    before = index.search([QueryTerm("cat")], ANYONE, 5)
    index.apply([entry(1, "cat")], {}, 1)
    assert index.search([QueryTerm("cat")], ANYONE, 5) == before
    index.apply([entry(1, "cat", visible=False)], {}, 1)
    assert index.record_count(ANYONE) == 0


def test_visibility_of_an_unknown_record_is_passed_over(index: LexicalIndex) -> None:
    index.apply([entry(1, "cat")], {2: True, 9000: True}, 9000)
    assert index.record_count(ANYONE) == 1


def test_records_far_apart_in_the_log_are_found(index: LexicalIndex) -> None:
    index.apply([entry(3, "cat"), entry(40_000, "cat")], {}, 40_000)
    assert index.holders("cat", ANYONE, 5) == (3, 40_000)


def test_the_number_of_segments_stays_near_the_logarithm(index: LexicalIndex, tmp_path: Path) -> None:
    for seq in range(1, 300):
        index.apply([entry(seq, f"cat number {seq} of many and many more")], {}, seq)
    database = IndexDatabase(tmp_path / "index.db")
    with database.read() as connection:
        assert segments.segment_count(connection) <= 3 * segments.FAN_IN
    database.close()


def test_a_merge_that_was_not_finished_goes_on_after_opening_again(tmp_path: Path, small_steps: None) -> None:
    index = LexicalIndex(tmp_path / "index.db", Config())
    for seq in range(1, 30):
        index.apply([entry(seq, f"cat number {seq} of many")], {}, seq)
    before = index.search([QueryTerm("cat"), QueryTerm("7")], ANYONE, 50)
    assert not index.merge(0)
    index.close()
    again = LexicalIndex(tmp_path / "index.db", Config())
    assert again.search([QueryTerm("cat"), QueryTerm("7")], ANYONE, 50) == before
    assert again.merge(10_000)
    assert again.search([QueryTerm("cat"), QueryTerm("7")], ANYONE, 50) == before
    again.close()


def test_dropped_words_leave_no_byte_in_the_file_or_its_log(index: LexicalIndex, tmp_path: Path) -> None:
    # Enough records that leaves were split, moved and merged, for each of these copies cells between pages.
    for start in range(1, 1500, 50):
        index.apply(
            [
                entry(seq, f"common words secret{seq:05d}x and filler{seq % 97} {seq * 7919}")
                for seq in range(start, start + 50)
            ],
            {},
            start + 49,
        )
    dropped = range(1, 1500, 3)
    index.drop(list(dropped))
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret00002x" in stored
    assert [seq for seq in dropped if f"secret{seq:05d}x".encode() in stored] == []


def test_dropping_the_last_record_of_a_source_forgets_its_name(index: LexicalIndex, tmp_path: Path) -> None:
    namespace = Namespace(user_id="someone-private")
    index.apply([entry(1, "cat", namespace, SourceId("source-of-one")), entry(2, "cat", source_id=SOURCES[1])], {}, 2)
    index.drop([1])
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"source-of-one" not in stored
    assert b"someone-private" not in stored
    assert index.holders("cat", Scope(source_ids=(SourceId("paper"),)), 5) == (2,)


def test_another_connection_sees_what_was_committed(index: LexicalIndex, tmp_path: Path) -> None:
    reader = LexicalIndex(tmp_path / "index.db", Config())
    assert reader.record_count(ANYONE) == 0
    index.apply([entry(1, "cat")], {}, 1)
    assert reader.holders("cat", ANYONE, 5) == (1,)
    index.wipe()
    index.apply([entry(1, "dog"), entry(2, "cat")], {}, 2)
    assert reader.holders("cat", ANYONE, 5) == (2,)
    reader.close()


def test_readers_and_a_writer_meet_without_an_error(index: LexicalIndex) -> None:
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                count = len(index.search([QueryTerm("cat")], ANYONE, 1000))
                assert count <= index.record_count(ANYONE)
        except BaseException as error:  # a thread must report, whatever it was
            failures.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for seq in range(1, 120):
        index.apply([entry(seq, "cat dog")], {}, seq)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.record_count(ANYONE) == 119


def test_who_of_some_records_holds_a_term_and_how_rare_it_is_in_scope(index: LexicalIndex) -> None:
    hers = Namespace(user_id="ada")
    index.apply([entry(1, "cat dog"), entry(2, "cat", hers), entry(3, "cat", visible=False), entry(4, "dog")], {}, 4)
    found = index.holders_among(["cat", "dog", "emu"], [4, 1, 3, 99], ANYONE)
    assert found.record_count == 3
    assert found.frequencies == {"cat": 2, "dog": 2, "emu": 0}
    assert found.holders == {"cat": frozenset({1}), "dog": frozenset({1, 4}), "emu": frozenset()}
    narrow = index.holders_among(["cat"], [1, 2], Scope(namespace=hers))
    assert (narrow.record_count, narrow.frequencies, narrow.holders) == (1, {"cat": 1}, {"cat": frozenset({2})})
