"""A tiny store in, a report out: whole passages, slices, ablations and intervals, through the real engine."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.bench.fake_peers import BAD, GOOD, install
from trisynapse_memory.bench.evidence import ENGINE, Judged, Tally
from trisynapse_memory.bench.evidence_report import FAR, measure, report_of
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.report import table
from trisynapse_memory.bench.shelves import shelve, stands_of
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Order, Passage, Store
from trisynapse_memory.bench.workplace import workplace

PASSAGES = (
    Passage(key="light", title="Light", text="Foucault measured the speed of light with a rotating mirror."),
    Passage(key="birds", title="Birds", text="Penguins swim under ice and eat krill."),
    Passage(
        key="long", title="Rivers", text="\n\n".join(f"River {n} flows to the sea past town {n}." for n in range(90))
    ),
)
QUESTIONS = (
    Asked(text="Who measured the speed of light?", category="people", gold={"light": 1.0}),
    Asked(text="What do penguins eat under ice?", category="animals", gold={"birds": 1.0}, malformed=1),
    Asked(text="What has no gold?", category="animals", gold={}),
)
STORE = Store(corpus="tiny", name="one", questions=QUESTIONS, passages=PASSAGES)


def quiet(_):
    return None


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "tiny").mkdir()
    path = tmp_path / "tiny" / "any.txt"
    path.write_text("x")
    return EvidenceSuite(name="tiny", files=lambda _: [path], read=lambda _: [STORE])


def test_a_text_that_the_engine_cuts_keeps_one_place_and_the_baselines_see_it_whole_too(in_process):
    with workplace(quiet) as place:
        shelf = shelve(place, STORE, Stopwatch())
        assert shelf.is_cut
        assert set(shelf.keys) == {"light", "birds", "long"}
        assert shelf.lost == ()
        assert shelf.matrix.shape[0] == len(shelf.records) == len(shelf.keys)
        stands = stands_of(shelf, STORE, place, quiet)
        vector = place.opened.rooms.embedder.embed(["river town"])[0]
        found = [stand.rank("river town", vector, None) for stand in stands]
        for stand in stands:
            stand.baselines.close()
    assert found[0]["fts5"][0] == found[1]["fts5-whole"][0] == "long"
    assert len(found[0]["dense"]) == len(set(found[0]["dense"])) == 3


def test_a_text_that_is_there_twice_is_one_source_and_gold_by_either_name(in_process):
    twin = Passage(key="twin", title="Light", text=PASSAGES[0].text)
    store = Store(corpus="tiny", name="twins", questions=(), passages=(*PASSAGES[:2], twin))
    with workplace(quiet) as place:
        shelf = shelve(place, store, Stopwatch())
    assert dict(shelf.same) == {"twin": "light"}
    assert (set(shelf.keys), shelf.lost) == ({"light", "birds"}, ())
    asked = Asked(text="-", category="-", gold={"twin": 2.0, "light": 1.0, "birds": 1.0})
    assert shelf.gold_of(asked) == {"light": 2.0, "birds": 1.0}


def test_the_engine_and_every_baseline_are_judged_by_the_same_questions(suite, tmp_path, in_process):
    report = measure(suite, tmp_path, Order(), quiet)
    assert report.metrics["recall@2"] == 1.0
    assert {name.removesuffix("-whole") for name in report.baselines} == {"fts5", "dense", "rrf", "convex"}
    rows = {(row.corpus, row.category): row.count for row in report.by_category}
    assert rows == {("tiny", "all"): 2, ("tiny", "animals"): 1, ("tiny", "people"): 1}
    assert {(skip.what, skip.count) for skip in report.skipped} == {("evidence id", 1), ("question", 1)}
    whole, parts = ("", ""), {("tiny", "animals"), ("tiny", "people")}
    assert {(row.corpus, row.category) for row in report.differences} == {whole, *parts}


def test_peers_are_asked_the_same_and_one_that_is_missing_is_told(suite, tmp_path, in_process, monkeypatch):
    monkeypatch.chdir(tmp_path)
    install(tmp_path, "tantivy", GOOD)
    install(tmp_path, "txtai", BAD["dies"])
    report = measure(suite, tmp_path, Order(peers=("tantivy", "lancedb", "txtai")), quiet)
    assert set(report.baselines) - {"fts5", "dense", "rrf", "convex"} >= {"tantivy", "tantivy-whole"}
    assert not {name for name in report.baselines if name.startswith(("lancedb", "txtai"))}
    row = report.baselines["tantivy"]
    assert row.about["method"] == "words in common"
    assert row.metrics["recall@2"] == 1.0
    assert {one.baseline for one in row.differences} == {"tantivy"}
    assert row.ingest["records"] > len(PASSAGES)
    assert set(row.latency_ms) == {"p50", "p95", "cpu_p50", "cpu_p95"}
    assert report.baselines["tantivy-whole"].about == {}
    told = {skip.what: skip.reason for skip in report.skipped}
    assert told["peer lancedb"].startswith("It is not installed.")
    assert told["peer txtai"] == "It ended with status 3. no disk"
    assert "tantivy" in report.by_category[0].baselines
    lines = table(report)
    assert "engine - tantivy [95 %]" in "\n".join(lines)
    assert any(line.startswith("tantivy  version") and "licence MIT" in line for line in lines)


def test_peers_see_the_texts_titles_and_groups_of_the_records(in_process):
    with workplace(quiet) as place:
        shelf = shelve(place, STORE, Stopwatch())
        stands = stands_of(shelf, STORE, place, quiet)
        for stand in stands:
            stand.baselines.close()
    parts, whole = (stand.units for stand in stands)
    first = shelf.keys.index("light")
    assert (parts.titles[first], parts.kind) == ("Light", "passage")
    assert PASSAGES[0].text in parts.texts[first]
    assert parts.groups[first] == shelf.records[first].source_id
    assert len(set(parts.groups)) == len(PASSAGES)
    assert list(whole.groups) == [one.key for one in PASSAGES]
    assert parts.matrix.shape[0] == len(parts.texts)
    assert [stand.depth(20, 60) for stand in stands] == [60, 20]


def test_parts_are_switched_off_over_the_same_vault(suite, tmp_path, in_process, monkeypatch):
    from trisynapse_memory.bench import evidence

    taken = []
    original = evidence.shelve
    monkeypatch.setattr(evidence, "shelve", lambda *args: taken.append(1) or original(*args))
    report = measure(suite, tmp_path, Order(ablate=("exact-terms", "rrf-fusion")), quiet)
    assert taken == [1]
    assert set(report.ablations) == {"exact-terms", "rrf-fusion"}
    row = report.ablations["exact-terms"]
    assert row.changes == {"rare_term_bonus": "0.0"}
    assert set(row.metrics) == set(report.metrics)
    assert {one.baseline for one in row.differences} == {"exact-terms"}
    assert "exact-terms" not in report.baselines


def test_a_vault_that_is_opened_again_obeys_the_other_settings(in_process):
    from trisynapse_memory.bench.ablations import settings_without

    with workplace(quiet) as place:
        shelve(place, STORE, Stopwatch())
        before = place.engine.search("speed of light").hits[0]
        with place.under(settings_without("dense-only")) as other:
            after = other.engine.search("speed of light").hits[0]
        assert before.record.id == after.record.id
        assert "semantic" in after.parts  # the vectors were kept
        assert other.opened.rooms.config.lexical_weight == 0.0


def test_what_waits_in_the_background_is_done_first_where_asked_for(suite, tmp_path, in_process, monkeypatch):
    from trisynapse_memory.bench import evidence

    said = "The curator is the head of Foucault Museum. BERT was pretrained with Adam."
    store = Store(
        corpus="tiny",
        name="two",
        questions=QUESTIONS[:1],
        passages=(*PASSAGES[:1], Passage(key="f", title="F", text=said)),
    )
    settled = EvidenceSuite(name="tiny", files=suite.files, read=lambda _: [store])
    seen = {}

    def look(place, *_):
        seen["backlog"], seen["claims"] = place.engine.jobs.backlog().facts, len(place.engine.claims.list())
        return [[] for _ in store.questions]

    monkeypatch.setattr(evidence, "_ask_engine", look)
    measure(settled, tmp_path, Order(), quiet)
    assert seen == {"backlog": 2, "claims": 0}
    measure(settled, tmp_path, Order(settle=True), quiet)
    assert seen["backlog"] == 0
    assert seen["claims"] >= 1


def judged(cosine, ours, theirs):
    figures = {ENGINE: {"recall@10": ours}, "fts5": {"recall@10": theirs}}
    return Judged(corpus="tiny", category="kind", cosine=cosine, figures=figures)


def test_questions_far_from_their_evidence_are_a_slice_with_the_share_of_recall_that_is_lost(suite):
    tally = Tally(judged=[judged(0.9, 1.0, 1.0), judged(0.3, 1.0, 0.5), judged(0.29, 0.9, 0.0)])
    report = report_of(suite, tally, (), "digest")
    far = next(row for row in report.by_category if row.category == FAR)
    assert far.count == 1
    assert far.metrics["relative_drop@10"] == pytest.approx(0.1)
    assert far.baselines["fts5"]["relative_drop@10"] == 1.0


def test_a_slice_is_left_out_where_every_question_is_near(suite):
    report = report_of(suite, Tally(judged=[judged(0.9, 1.0, 1.0)]), (), "digest")
    assert [row.category for row in report.by_category] == ["kind"]


def test_nearness_is_that_of_the_nearest_gold_record(in_process):
    from trisynapse_memory.bench.evidence import _nearness
    from trisynapse_memory.bench.shelves import Shelf

    matrix = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    shelf = Shelf((), ("a", "b", "b"), matrix)
    assert _nearness(shelf, {"b"}, np.array([1.0, 0.0], dtype=np.float32)) == pytest.approx(0.6)
