"""How new a source is: against what came before it, without itself, its versions and what led to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import Novelty, SourceInput

LIGHT = "Foucault measured the speed of light with a rotating mirror in Paris."
PLANTS = "Mendel crossed peas in his garden and counted the seeds of every plant."


def take(engine: MemoryEngine, text: str, name: str, **more) -> Novelty:
    given = SourceInput(text=text, filename=f"{name}.txt", source_key=name, **more)
    (result,) = engine.ingest(given).results
    return novelty(engine, str(result.source_id))


def novelty(engine: MemoryEngine, source_id: str) -> Novelty:
    engine._opened.jobs.wait(30, lambda _: None, include_idle=True)
    (found,) = engine.sources.novelty([source_id])
    return found


def test_the_first_source_is_as_new_as_can_be(engine: MemoryEngine):
    found = take(engine, LIGHT, "a")
    assert (found.median, found.highest, found.level, found.passage_count) == (1.0, 1.0, "new", 1)


def test_the_same_words_in_another_file_are_known_and_other_words_new(engine: MemoryEngine):
    take(engine, LIGHT, "a")
    again, other = take(engine, f"{LIGHT} ", "b"), take(engine, PLANTS, "c")
    assert (again.median, again.level) == (pytest.approx(0.0, abs=0.01), "known")
    assert (other.level, other.median > 0.5) == ("new", True)


def test_a_badge_stays_what_it_was_when_the_same_arrives_later(engine: MemoryEngine):
    first = take(engine, LIGHT, "a")
    take(engine, f"{LIGHT} ", "b")
    assert novelty(engine, first.source_id) == first


def test_it_is_the_same_after_a_rebuild(engine: MemoryEngine):
    take(engine, LIGHT, "a")
    second = take(engine, f"{PLANTS} {LIGHT}", "b")
    engine.reindex()
    assert novelty(engine, second.source_id) == second
    assert [one.source_id for one in engine.sources.novelty()] == [one.source_id for one in engine.sources.list()]


def test_an_earlier_version_does_not_make_a_new_one_known(engine: MemoryEngine):
    take(engine, LIGHT, "a")
    assert take(engine, f"{LIGHT} It was in 1862.", "a").median == 1.0


def test_the_bookmark_of_a_page_does_not_make_the_page_known(engine: MemoryEngine, tmp_path: Path):
    url = "https://example.org/light"
    link = f'<DT><A HREF="{url}">Light</A><DD>{LIGHT}'
    (tmp_path / "b.html").write_text(f"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>{link}</DL>")
    engine.ingest(tmp_path / "b.html")
    (result,) = engine.ingest(SourceInput(text=LIGHT, filename="p.txt", source_key=url)).results
    assert novelty(engine, str(result.source_id)).median == 1.0
    assert take(engine, f"{LIGHT} ", "other").level == "known"


def test_what_she_forgot_does_not_count(engine: MemoryEngine):
    first = take(engine, LIGHT, "a")
    engine.sources.forget(first.source_id, "wrong")
    assert engine.sources.novelty([first.source_id]) == ()
    assert take(engine, f"{LIGHT} ", "b").median == 1.0


def test_claims_are_new_repeated_or_in_dispute(engine: MemoryEngine):
    first = take(engine, "Aurora launches on 3 May 2027.", "a")
    assert (first.claim_count, first.new_claim_count, first.contradicting_count) == (1, 1, 0)
    against = take(engine, "Aurora launches on 9 June 2028. Ada Lark is the director of Aurora.", "b")
    assert (against.claim_count, against.new_claim_count, against.contradicting_count) == (2, 1, 1)
    agreeing = take(engine, "Ada Lark is the director of Aurora.", "c")
    assert (agreeing.claim_count, agreeing.new_claim_count, agreeing.contradicting_count) == (1, 0, 0)


def test_a_removed_source_is_unknown(engine: MemoryEngine):
    first = take(engine, LIGHT, "a")
    engine.sources.remove(first.source_id, "not hers")
    assert engine.sources.novelty([first.source_id]) == ()
    engine._opened.jobs.wait(30, lambda _: None, include_idle=True)
    assert engine.jobs.backlog() is not None
    assert engine._rooms.novelty.of([first.source_id]) == {}
