"""What pages are about: read from claims, summaries and sources, with the evidence that is visible now."""

from __future__ import annotations

from pytest import fixture

from tests.engine.wiki.wiki_bench import MIRROR, Bench, furnish
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.subjects import file_state
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import CollectionDetails, Draft, Kind, Summary, SummarySentence


@fixture
def bench(log, tmp_path) -> Bench:
    return furnish(log, tmp_path / "wiki")


def test_the_pages_of_a_vault(bench):
    page = bench.wiki.show("rotating-mirror")
    assert [(one.section, one.text) for one in page.sentences] == [
        ("What it is", "The rotating mirror is a spinning reflector."),
        ("Relations", "Rotating mirror is compared with wheel."),
    ]
    assert page.links == ("the-turning-mirror", "the-toothed-wheel")
    assert page.backlinks == ("the-toothed-wheel", "the-turning-mirror")
    assert bench.wiki.show("The-Turning-Mirror").kind == "source"
    assert [(one.section, one.text) for one in bench.wiki.show("the-turning-mirror").sentences] == [
        ("", "Foucault measured light with a rotating mirror."),
        ("Key claims", "The rotating mirror is a spinning reflector."),
        ("Contents", "The experiment"),
    ]
    assert [(one.section, one.text, one.cells) for one in bench.wiki.show("light").sentences] == [
        ("Sources", "Foucault measured light with a rotating mirror.", ("The turning mirror",))
    ]


def test_a_concept_of_one_statement_has_no_page_but_keeps_the_one_it_has(bench):
    both, bench.claims.all = bench.claims.all, bench.claims.all[:1]
    assert "rotating-mirror" not in [page.slug for page in bench.wiki.pages()]
    bench.claims.all = both
    bench.wiki.build()
    lifecycle.forget_source(bench.log, bench.shelves.shelf, bench.wheel_id, "wrong")
    shown = bench.wiki.show("rotating-mirror")
    assert [(one.text, one.reason) for one in shown.sentences] == [
        ("The rotating mirror is a spinning reflector.", ""),
        ("", "its evidence was forgotten"),
    ]


def test_a_summary_is_shown_only_with_visible_evidence_that_carries_it(bench):
    said = SummarySentence(text="Fizeau used a rotating mirror.", record_ids=(bench.wheel.id,))
    true = SummarySentence(text="Fizeau used a toothed wheel.", record_ids=(bench.wheel.id,))
    group = f"source:{bench.wheel_id}"
    bench.summaries.all[group] = Summary(group_id=group, title="", topic="", sentences=(said, true), model="some")
    assert [one.text for one in bench.wiki.show("the-toothed-wheel").sentences if not one.section] == [true.text]
    lifecycle.forget_record(bench.log, bench.wheel.id, "wrong")
    assert not any(page.slug == "the-toothed-wheel" and page.sentences[0].text for page in bench.wiki.pages())


def test_each_commit_changes_the_state_of_a_file(tmp_path):
    database = Database(tmp_path / "index.db", "CREATE TABLE IF NOT EXISTS numbers (value INTEGER)")
    states = []
    for number in range(3):
        with database.write() as connection:
            connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        states.append(file_state(tmp_path / "index.db", tmp_path / "nothing.db"))
    assert len(set(states)) == 3
    assert file_state(tmp_path / "index.db") == states[-1]
    database.close()


def test_a_page_keeps_its_name_when_its_source_is_renamed(bench):
    bench.wiki.build()
    source_id, record = bench.shelves.add("mirror", MIRROR + " Most.", "Another title", ("Light",))
    bench.summarise(source_id, record, "Foucault measured light with a rotating mirror.")
    assert bench.wiki.show("the-turning-mirror").title == "Another title"


def test_a_collection_lives_as_long_as_its_sources(bench):
    details = CollectionDetails(name="Light", target_source_ids=(bench.mirror_id,), removed=True)
    bench.log.append([Draft(kind=Kind.COLLECTION, source_id=bench.mirror_id, payload=details, text="Light")])
    assert "light" not in [page.slug for page in bench.wiki.pages()]
