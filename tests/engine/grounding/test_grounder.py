"""Only what the log holds and shows becomes a hit; what says the same twice is shown once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.grounding.grounder import Grounder
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.types import Draft, Hit, Kind

PLAN = plan_question("mirror", Config())


@pytest.fixture
def grounder(log: MemoryLog) -> Grounder:
    return Grounder(log, Shelf(log), Places(log), Config(excerpt_max_chars=60))


def write(log: MemoryLog, *texts: str, **fields) -> None:
    log.append([Draft(kind=Kind.RAW_SOURCE, text=text, **fields) for text in texts])


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.record.text for hit in hits]


def ranked(*seqs: int) -> list[tuple[int, float, dict[str, float]]]:
    return [(seq, 1.0 / rank, {"lexical": 2.0}) for rank, seq in enumerate(seqs, start=1)]


def test_hits_keep_the_order_scores_and_parts_of_the_ranking(log: MemoryLog, grounder: Grounder):
    write(log, "a", "b", "c")
    hits = grounder.ground(PLAN, ranked(3, 1, 2), 2)
    assert texts(hits) == ["c", "a"]
    assert [hit.score for hit in hits] == [1.0, 0.5]
    assert hits[0].parts == {"lexical": 2.0}


def test_what_the_log_hides_or_does_not_hold_is_dropped_and_the_next_one_moves_up(log: MemoryLog, grounder: Grounder):
    write(log, "a", "b", "c")
    lifecycle.forget_record(log, log.by_seqs([1])[0].id, "no")
    assert texts(grounder.ground(PLAN, ranked(1, 99, 2, 3), 2)) == ["b", "c"]


def test_the_same_words_are_shown_once_whatever_their_case_and_spacing(log: MemoryLog, grounder: Grounder):
    write(log, "The mirror  turned.", "the MIRROR turned.", "The mirror stood.")
    assert texts(grounder.ground(PLAN, ranked(2, 1, 3), 9)) == ["the MIRROR turned.", "The mirror stood."]


def test_the_excerpt_is_the_passage_with_the_words_and_never_too_long(log: MemoryLog, grounder: Grounder):
    write(log, "Nothing is said here at all. " * 6 + "A mirror turned. " + "Nothing is said here at all. " * 6)
    (hit,) = grounder.ground(PLAN, ranked(1), 1)
    assert "A mirror turned." in hit.excerpt
    assert len(hit.excerpt) <= 60
    assert hit.excerpt in hit.record.text


def test_a_record_without_a_source_is_called_by_its_own_title(log: MemoryLog, grounder: Grounder):
    write(log, "a", fields={"title": "Mine"})
    (hit,) = grounder.ground(PLAN, ranked(1), 1)
    assert (hit.title, hit.source_key, hit.kind) == ("Mine", "", "raw_source")


def test_hits_nobody_looks_at_keep_their_whole_text(log: MemoryLog, grounder: Grounder):
    write(log, "Nothing is said here at all. " * 6)
    (hit,) = grounder.ground(PLAN, ranked(1), 1, shown=False)
    assert hit.excerpt == hit.record.text
    assert hit.locator == hit.record.locator


def test_nothing_ranked_gives_no_hit(grounder: Grounder):
    assert grounder.ground(PLAN, [], 5) == ()


def test_the_record_beside_a_hit_is_looked_for_as_far_as_the_settings_allow(log: MemoryLog, grounder: Grounder):
    write(log, "first", "second", "third")
    hit = grounder.ground(PLAN, ranked(2), 1)[0]
    after = grounder.beside(hit, 1, 1)
    assert after is not None
    assert after.record.text == "third"
    assert grounder.beside(hit, 1, 0) is None
