"""Accepted pages beside fresh ones, over a real log: new versions, forgotten sources, sources still being read."""

from __future__ import annotations

from pytest import fixture

from tests.engine.wiki.wiki_bench import MIRROR, Bench, furnish
from trisynapse_memory.log import lifecycle
from trisynapse_memory.types import Namespace, Scope


@fixture
def bench(log, tmp_path) -> Bench:
    return furnish(log, tmp_path / "wiki")


def test_a_new_version_makes_one_sentence_stale(bench):
    bench.wiki.build()
    changed = MIRROR.replace("light with", "the speed of light with")
    source_id, record = bench.shelves.add("mirror", changed, "The turning mirror", ("Light",))
    bench.say("c_is", "is_a", ("spinning reflector", record, "The rotating mirror is a spinning reflector."))
    bench.summarise(source_id, record, "Foucault measured the speed of light with a rotating mirror.")
    found = [(one.slug, one.before, one.after, one.reason) for one in bench.wiki.changes()]
    words = (
        "Foucault measured light with a rotating mirror.",
        "Foucault measured the speed of light with a rotating mirror.",
    )
    assert found == [
        ("the-turning-mirror", *words, "its source has a new version"),
        ("light", *words, "its source has a new version"),
    ]
    page = bench.wiki.accept("the-turning-mirror")
    assert page.sentences[0].text == words[1]
    assert page.sentences[0].record_ids == (record.id,)
    assert page.source_ids == (source_id,)


def test_while_a_new_version_is_read_nothing_is_stale(bench):
    bench.wiki.build()
    before = bench.texts("the-turning-mirror")
    bench.shelves.add("mirror", f"{MIRROR} More.", "The turning mirror", ("Light",))
    bench.pending = True
    assert bench.wiki.changes() == ()
    shown = bench.wiki.show("the-turning-mirror").sentences
    assert [one.text for one in shown] == before
    assert {one.reason for one in shown} == {"its source is still being read"}
    bench.pending = False
    assert {one.reason for one in bench.wiki.changes()} == {"its source has a new version"}


def test_while_a_source_is_read_again_nothing_is_stale(bench):
    bench.wiki.build()
    summary, bench.summaries.all = bench.summaries.all, {}
    bench.pending = True
    assert bench.wiki.changes() == ()
    assert bench.texts("the-turning-mirror")[0] == "Foucault measured light with a rotating mirror."
    bench.pending = False
    assert {one.reason for one in bench.wiki.changes()} == {"no longer supported as it stands"}
    bench.summaries.all = summary
    assert bench.wiki.changes() == ()


def test_forgotten_words_are_nowhere_and_come_back_with_their_source(bench):
    bench.wiki.build()
    before = bench.wiki.pages()
    lifecycle.forget_source(bench.log, bench.shelves.shelf, bench.mirror_id, "private")
    shown = bench.wiki.pages()
    assert [page.slug for page in shown] == ["rotating-mirror", "the-toothed-wheel"]
    assert "spinning" not in str(shown)
    assert "spinning" not in str(bench.wiki.changes())
    bench.wiki.refresh()
    assert sorted(path.name for path in bench.folder.glob("*.md")) == ["rotating-mirror.md", "the-toothed-wheel.md"]
    assert all(b"spinning" not in path.read_bytes() for path in bench.folder.rglob("*") if path.is_file())
    lifecycle.reinstate_source(bench.log, bench.shelves.shelf, bench.mirror_id, "not private")
    assert bench.wiki.pages() == before


def test_what_was_read_is_remembered_until_something_changes(bench, monkeypatch):
    reads = []
    subjects = bench.wiki._standings._subjects
    gather = subjects.gather
    monkeypatch.setattr(subjects, "gather", lambda *given: reads.append(1) or gather(*given))
    monkeypatch.setattr(subjects, "_state", lambda: len(bench.claims.all))
    bench.wiki.pages()
    bench.wiki.show("rotating-mirror")
    assert len(reads) == 1
    bench.claims.all = bench.claims.all[:1]
    bench.wiki.pages()
    assert len(reads) == 2
    lifecycle.forget_source(bench.log, bench.shelves.shelf, bench.mirror_id, "private")
    assert "spinning" not in str(bench.wiki.pages())
    assert len(reads) == 3
    bench.scope = Scope(namespace=Namespace(project_id="other"))
    assert bench.wiki.pages() == ()


def test_another_namespace_sees_no_page(bench):
    bench.wiki.build()
    bench.scope = Scope(namespace=Namespace(project_id="other"))
    bench.claims.all = []
    assert bench.wiki.pages() == ()
