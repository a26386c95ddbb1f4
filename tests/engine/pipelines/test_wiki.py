"""The wiki door over a real log: adopt once, propose, decide, write files, export; reads write nothing."""

from __future__ import annotations

from msgspec import structs
from pytest import fixture, raises

from tests.engine.wiki.wiki_bench import Bench, editions, furnish
from trisynapse_memory.errors import InvalidInputError, UnknownBranchError
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.types import SourceInput


@fixture
def bench(log, tmp_path) -> Bench:
    return furnish(log, tmp_path / "wiki")


def test_pages_can_be_read_before_they_are_built_and_reading_writes_nothing(bench):
    head = bench.log.head()
    assert [(page.slug, page.kind) for page in bench.wiki.pages()] == [
        ("rotating-mirror", "concept"),
        ("the-toothed-wheel", "source"),
        ("the-turning-mirror", "source"),
        ("light", "collection"),
    ]
    assert bench.wiki.changes() == ()
    bench.wiki.show("rotating-mirror")
    assert bench.log.head() == head
    assert not bench.folder.exists()
    assert bench.settled == 0


def test_the_first_build_adopts_and_the_next_appends_nothing(bench):
    pages = bench.wiki.build()
    assert [one.slug for one in editions(bench.log)] == [page.slug for page in pages]
    assert all(page.last_changed == "first built" and page.updated_at for page in pages)
    head = bench.log.head()
    assert bench.wiki.build() == pages
    assert bench.log.head() == head
    assert bench.settled == 1


def test_a_new_sentence_waits_until_she_takes_it(bench):
    bench.wiki.build()
    words = "Foucault measured light with a rotating mirror."
    bench.say("c_use", "uses", ("rotating mirror", bench.mirror, words), subject="Foucault")
    (change,) = [one for one in bench.wiki.changes() if one.slug == "rotating-mirror"]
    assert (change.before, change.after, change.reason) == (
        "",
        "Foucault uses rotating mirror.",
        "new in The turning mirror",
    )
    proposed = bench.wiki.show("rotating-mirror").sentences[-1]
    assert (proposed.text, proposed.proposal, proposed.stale) == ("", change.after, True)
    page = bench.wiki.accept("rotating-mirror", change.key)
    assert page.sentences[-1].text == change.after
    assert page.last_changed == "new in The turning mirror"
    assert bench.wiki.changes() == ()


def test_a_refused_sentence_does_not_come_back(bench):
    bench.wiki.build()
    words = "Foucault measured light with a rotating mirror."
    bench.say("c_use", "uses", ("rotating mirror", bench.mirror, words), subject="Foucault")
    bench.wiki.reject("rotating-mirror")
    assert bench.wiki.changes() == ()
    assert bench.wiki.build() == bench.wiki.pages()
    assert "Foucault uses rotating mirror." not in bench.texts("rotating-mirror")


def test_a_dispute_is_proposed_and_then_shown(bench):
    bench.wiki.build()
    _other_id, other = bench.shelves.add("note", "The rotating mirror is a fixed prism.", "A note")
    bench.say(
        "c_is",
        "is_a",
        ("spinning reflector", bench.mirror, "The rotating mirror is a spinning reflector."),
        ("fixed prism", other, "The rotating mirror is a fixed prism."),
    )
    changes = [one for one in bench.wiki.changes() if one.slug == "rotating-mirror"]
    assert {one.after for one in changes} == {
        "The rotating mirror is a spinning reflector.",
        "The rotating mirror is a fixed prism.",
    }
    page = bench.wiki.accept("rotating-mirror")
    assert [one.text for one in page.sentences if one.section == "Contested"] == [
        "The rotating mirror is a fixed prism.",
        "The rotating mirror is a spinning reflector.",
    ]
    assert {one.status for one in page.sentences} == {"contested", "active"}


def test_a_kept_sentence_stays_without_its_claim(bench):
    bench.wiki.build()
    bench.claims.all = [one for one in bench.claims.all if one.claim_id != "c_is"]
    (change,) = [one for one in bench.wiki.changes() if one.slug == "rotating-mirror"]
    page = bench.wiki.keep("rotating-mirror", change.key)
    assert (page.sentences[0].text, page.sentences[0].status) == (change.before, "kept")
    assert [one.slug for one in bench.wiki.changes()] == ["the-turning-mirror"]


def test_a_decision_writes_the_file_of_its_page(bench):
    bench.wiki.build()
    other = (bench.folder / "the-toothed-wheel.md").stat().st_mtime_ns
    words = "Foucault measured light with a rotating mirror."
    bench.say("c_use", "uses", ("rotating mirror", bench.mirror, words), subject="Foucault")
    bench.wiki.accept("rotating-mirror")
    assert "Foucault uses rotating mirror." in (bench.folder / "rotating-mirror.md").read_text()
    assert "[[the-turning-mirror|The turning mirror]]" in (bench.folder / "rotating-mirror.md").read_text()
    assert (bench.folder / "the-toothed-wheel.md").stat().st_mtime_ns == other


def test_files_of_the_vault_follow_and_her_edit_is_set_aside(bench):
    bench.wiki.build()
    path = bench.folder / "rotating-mirror.md"
    assert "- The rotating mirror is a spinning reflector.[^1]" in path.read_text()
    path.write_text("My own words.")
    bench.wiki.build()
    assert (bench.folder / "rotating-mirror.edited.md").read_text() == "My own words."
    assert "spinning reflector" in path.read_text()


def test_an_export_opens_elsewhere_and_leaves_her_files_alone(bench, tmp_path):
    bench.wiki.build()
    folder = tmp_path / "notes"
    (folder / "Sources").mkdir(parents=True)
    (folder / "Sources" / "the-toothed-wheel.md").write_text("Mine.")
    found = bench.wiki.export(str(folder))
    assert (found.pages, found.files, found.untouched, found.left_out) == (4, 4, ("Sources/the-toothed-wheel.md",), 0)
    assert (folder / "Sources" / "the-toothed-wheel.md").read_text() == "Mine."
    text = (folder / "Concepts" / "rotating-mirror.md").read_text()
    assert "[^1]: Writer 1936, The turning mirror, p. 1 (" in text
    assert bench.wiki.export(str(folder), slugs=["light"]).pages == 1


def test_what_is_sensitive_stays_at_home_unless_it_is_named(bench, tmp_path):
    bench.wiki.build()
    Sensitivity(bench.log).mark([bench.mirror_id])
    found = bench.wiki.export(str(tmp_path / "out"))
    assert (found.pages, found.left_out) == (2, 1)
    everything = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.md"))
    assert "spinning" not in everything
    assert "turning mirror" not in everything
    named = bench.wiki.export(str(tmp_path / "all"), include=[bench.mirror_id])
    assert (named.pages, named.left_out) == (4, 0)
    assert "spinning" in (tmp_path / "all/Concepts/rotating-mirror.md").read_text()


def test_what_does_not_exist_is_named(bench, tmp_path):
    with raises(InvalidInputError, match="no wiki page 'nothing'"):
        bench.wiki.show("nothing")
    with raises(InvalidInputError, match="has not been built yet"):
        bench.wiki.accept("rotating-mirror")
    bench.wiki.build()
    with raises(InvalidInputError, match="has no change 'k'"):
        bench.wiki.accept("rotating-mirror", "k")
    with raises(UnknownBranchError):
        bench.wiki.export(str(tmp_path), "parchment")
    with raises(InvalidInputError, match="no wiki page 'nothing'"):
        bench.wiki.export(str(tmp_path), slugs=["nothing"])


def test_nothing_is_decided_inside_a_snapshot(bench):
    bench.scope = structs.replace(bench.scope, as_of_seq=bench.log.head())
    with raises(InvalidInputError, match="shown as it was"):
        bench.wiki.build()
    assert editions(bench.log) == []
    assert not bench.folder.exists()


def test_through_the_front_door_a_correction_a_dispute_and_a_decision_reach_the_pages(engine):
    engine.ingest(
        SourceInput(text="Priya Raman is the tech lead of Project Atlas. Project Atlas launches on 14 October 2026."),
        SourceInput(text="BERT was pretrained with Adam.", title="The paper", source_key="paper"),
    )
    engine.wiki.build()
    (launch,) = [claim for claim in engine.claims() if claim.relation == "launch_date"]
    fact_id = launch.sides[0].supports[0].fact_id
    engine.correct(fact_id, "Project Atlas launches on 21 October 2026.", "moved by a week")
    engine.jobs.wait()  # nothing of a source is proposed while its facts or summary are being made anew
    atlas = engine.wiki.accept("project-atlas")
    assert [(one.section, one.text) for one in atlas.sentences] == [
        ("Relations", "Tech lead of Project Atlas is Priya Raman."),
        ("Timeline", "Project Atlas launches on 21 October 2026."),
        ("Superseded", "Project Atlas launches on 14 October 2026."),
    ]
    assert atlas.sentences[2].cells[2] == "corrected: moved by a week"
    engine.ingest(SourceInput(text="BERT was pretrained with AdamW.", title="The code", source_key="code"))
    assert "now contested" in {one.reason for one in engine.wiki.changes() if one.slug == "the-paper"}
    engine.wiki.build()
    sides = [one.text for one in engine.wiki.show("bert").sentences if one.section == "Contested"]
    assert sides == ["BERT was pretrained with Adam.", "BERT was pretrained with AdamW."]
    (dispute,) = [claim for claim in engine.claims() if claim.relation == "pretrained_with"]
    engine.claims.resolve(dispute.claim_id, "AdamW", "the code is what ran")
    bert = engine.wiki.accept("bert")
    assert [one.text for one in bert.sentences if one.section == "Relations"] == ["BERT was pretrained with AdamW."]
    assert bert.sentences[-1].status == "resolved"
    (code,) = [source for source in engine.sources.list() if source.title == "The code"]
    engine.sources.remove(code.source_id, "not ours")
    assert "AdamW" not in str(engine.wiki.pages())
