"""The record graph: what leads where, and that hiding, showing, removing and order leave no mark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_cases import Entry, Ledger, fact, raw, retitle, source
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Index
from trisynapse_memory.indexing.graph_edges import mention_weight
from trisynapse_memory.indexing.graph_ranks import activation
from trisynapse_memory.indexing.indexes.graph import GraphIndex
from trisynapse_memory.types import Edge, Namespace, Record, Scope, SourceId

ANYONE = Scope()
ADA = Namespace(user_id="ada")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[GraphIndex]:
    opened = GraphIndex(tmp_path / "index.db", Config())
    yield opened
    opened.close()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def feed(index: GraphIndex, ledger: Ledger, *records: Record) -> None:
    for record in records:
        ledger.add(record)
    ledger.tell(index)


def out(index: GraphIndex, seq: int, kind: str, scope: Scope = ANYONE) -> list[tuple[str, float]]:
    edges = index.neighbours([seq], scope, limit=1000)
    return [(edge.target, round(edge.weight, 4)) for edge in edges if edge.kind == kind]


def test_it_is_an_index_of_all_facts(index: GraphIndex):
    assert isinstance(index, Index)
    assert (index.name, index.takes_all_facts, index.applied_seq()) == ("graph", True, 0)


def test_a_record_leads_to_the_next_and_the_previous_of_its_group_and_namespace(index: GraphIndex, ledger: Ledger):
    feed(
        index,
        ledger,
        raw(1, "one", group_id="chat"),
        raw(2, "elsewhere", group_id="other"),
        raw(3, "two", group_id="chat"),
        raw(4, "hers", group_id="chat", namespace=ADA),
        raw(5, "three", group_id="chat"),
        raw(6, "no group"),
    )
    assert out(index, 3, "followed_by") == [("record:5", 1.0), ("record:1", 0.8)]
    assert out(index, 4, "followed_by") == out(index, 6, "followed_by") == []


def test_chunks_of_a_source_follow_each_other_and_what_else_was_put_into_their_group(index: GraphIndex, ledger: Ledger):
    paper, other = SourceId("paper"), SourceId("other")
    feed(
        index,
        ledger,
        raw(1, "one", source_id=paper),
        raw(2, "two", source_id=other, group_id=paper),
        raw(3, "of the paper, but not of its group", source_id=paper, group_id="aside"),
        raw(4, "three", source_id=paper),
    )
    assert out(index, 1, "followed_by") == [("record:2", 1.0)]
    assert out(index, 2, "followed_by") == [("record:4", 1.0), ("record:1", 0.8)]
    assert out(index, 4, "followed_by") == [("record:2", 0.8)]
    assert out(index, 3, "followed_by") == []


def test_hiding_relinks_the_neighbours_and_showing_takes_it_back(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, *(raw(seq, "text", group_id="chat") for seq in (1, 2, 3)))
    before = index.neighbours([1, 2, 3], ANYONE)
    ledger.hidden = {2}
    ledger.tell(index, [2])
    assert out(index, 1, "followed_by") == [("record:3", 1.0)]
    assert out(index, 3, "followed_by") == [("record:1", 0.8)]
    assert index.neighbours([2], ANYONE) == ()
    ledger.hidden = set()
    ledger.tell(index, [2])
    assert index.neighbours([1, 2, 3], ANYONE) == before


def test_facts_about_one_entity_meet_under_any_spelling(index: GraphIndex, ledger: Ledger):
    feed(
        index,
        ledger,
        fact(1, ("LoRA", "uses", "Low-Rank Adaptation")),
        fact(2, ("low rank adaptation", "is_a", "method")),
        fact(3, ("It", "uses", "our method")),
        fact(4, ("user", "prefers", "tea")),
        fact(5, ("user", "prefers", "coffee")),
        fact(6, ("Low-Rank Adaptation", "uses", "LoRA"), namespace=ADA),
    )
    assert out(index, 1, "about_same_entity") == [("record:2", 0.92)]
    assert [out(index, seq, "about_same_entity") for seq in (3, 4, 5, 6)] == [[], [], [], []]
    (edge,) = [one for one in index.neighbours([1], ANYONE) if one.kind == "about_same_entity"]
    assert (edge.label, edge.record_ids) == ("low rank adaptation", ("r1", "r2"))


def test_a_popular_entity_ties_a_record_to_six_before_and_six_after(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, *(fact(seq, ("BERT", "uses", f"thing {seq}x")) for seq in range(1, 31)))
    assert [target for target, _ in out(index, 15, "about_same_entity")] == [
        f"record:{seq}" for seq in [*range(9, 15), *range(16, 22)]
    ]
    ledger.hidden = {14, 16}
    ledger.tell(index, [14, 16])
    assert [target for target, _ in out(index, 15, "about_same_entity")] == [
        f"record:{seq}" for seq in [8, 9, 10, 11, 12, 13, 17, 18, 19, 20, 21, 22]
    ]


def test_a_value_is_nothing_two_facts_are_about(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, fact(1, ("BERT", "has_result", "ninety")), fact(2, ("GPT", "has_result", "ninety")))
    assert out(index, 1, "about_same_entity") == []


def test_a_fact_and_its_evidence_lead_to_each_other(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, raw(1, "BERT uses Adam."), fact(2, ("BERT", "uses", "Adam"), [1]))
    assert out(index, 2, "evidence") == [("record:1", 1.0)]
    assert out(index, 1, "evidence") == [("record:2", 0.8)]
    ledger.hidden = {2}
    ledger.tell(index, [2])
    assert out(index, 1, "evidence") == []


def test_names_in_a_text_are_found_newest_first_and_written_as_they_stand(index: GraphIndex, ledger: Ledger):
    feed(
        index,
        ledger,
        raw(1, "We tune LoRA here."),
        raw(2, "Nobody is named."),
        raw(3, "LoRA was released by Microsoft Research."),
    )
    assert index.mentions(["LoRA", "lora", "Nobody Else"], ANYONE, 10) == {
        "LoRA": (3, 1),
        "lora": (3, 1),
        "Nobody Else": (),
    }
    assert index.mentions(["LoRA"], ANYONE, 1) == {"LoRA": (3,)}
    edges = [edge for edge in index.neighbours([3], ANYONE) if edge.kind == "mention"]
    assert [(edge.target, edge.label) for edge in edges] == [
        ("entity:microsoft research", "Microsoft Research"),
        ("entity:lora", "LoRA"),
    ]
    assert [edge.weight for edge in edges] == [0.8, mention_weight(2)]


def test_what_a_fact_is_about_counts_as_named_by_its_evidence(index: GraphIndex, ledger: Ledger):
    feed(
        index, ledger, raw(1, "they measured the speed of light"), fact(2, ("speed of light", "is_a", "constant"), [1])
    )
    assert index.mentions(["the Speed of Light"], ANYONE, 9) == {"the Speed of Light": (1,)}
    for hidden in ({2}, {1}, {1, 2}):
        ledger.hidden = hidden
        ledger.tell(index, [1, 2])
        assert index.mentions(["speed of light"], ANYONE, 9) == {"speed of light": ()}
    ledger.hidden = set()
    ledger.tell(index, [1, 2])
    assert index.mentions(["speed of light"], ANYONE, 9) == {"speed of light": (1,)}


def test_mention_weight_falls_with_popularity():
    assert [round(mention_weight(count), 4) for count in (0, 1, 10, 1000)] == [0.8, 0.8, 0.2422, 0.1012]


def test_an_entry_leads_to_the_source_whose_title_it_holds(index: GraphIndex, ledger: Ledger):
    title = "LoRA: Low-Rank Adaptation of Large Language Models"
    feed(
        index,
        ledger,
        source(1, "paper", title),
        raw(2, "text of it", source_id=SourceId("paper")),
        source(3, "citing", "Another One Entirely"),
        raw(
            4,
            "[7] E. Hu et al. LoRA: Low-rank adap-\ntation of large language models. 2021.",
            source_id=SourceId("citing"),
        ),
        fact(
            5,
            ("Another One Entirely", "cites", "Hu et al. 2021"),
            [4],
            text="[7] E. Hu et al. LoRA: Low-rank adap-\ntation of large language models. 2021.",
            source_id=SourceId("citing"),
        ),
    )
    assert out(index, 4, "citation") == out(index, 5, "citation") == [("source:paper", 0.8)]
    assert out(index, 2, "citation") == []
    ledger.hidden = {2}
    ledger.tell(index, [2])
    assert out(index, 4, "citation") == []
    ledger.hidden = set()
    ledger.add(retitle(6, "paper", "Something Else Now Entirely"))
    ledger.tell(index, [2])
    assert out(index, 4, "citation") == []


def test_a_title_that_comes_later_or_is_too_short_is_met_alike(index: GraphIndex, ledger: Ledger):
    entry = "Vaswani et al. Attention Is All You Need. 2017. See also the introduction."
    feed(
        index,
        ledger,
        raw(1, entry, source_id=SourceId("citing")),
        fact(2, ("x", "cites", "Vaswani et al. 2017"), [1], text=entry, source_id=SourceId("citing")),
        source(3, "attention", "Attention is all you need"),
        raw(4, "text", source_id=SourceId("attention")),
        source(5, "short", "Introduction"),
        raw(6, "text", source_id=SourceId("short")),
        source(7, "empty words", "Is all you"),
        raw(8, "text", source_id=SourceId("empty words")),
    )
    assert out(index, 2, "citation") == [("source:attention", 0.8)]


def test_a_pronoun_is_two_hops_from_the_name_it_stands_for(index: GraphIndex, ledger: Ledger):
    feed(
        index,
        ledger,
        raw(1, "LoRA adapts the attention weights of a Transformer.", group_id="paper"),
        raw(2, "It freezes all the others.", group_id="paper"),
    )
    (first,) = index.mentions(["LoRA"], ANYONE, 5)["LoRA"]
    assert [edge.target for edge in index.neighbours([first], ANYONE)] == [
        "record:2",
        "entity:lora",
        "entity:transformer",
    ]


def test_scope_hides_both_ends(index: GraphIndex, ledger: Ledger):
    feed(
        index,
        ledger,
        raw(1, "LoRA one", group_id="g", source_id=SourceId("a")),
        raw(2, "LoRA two", group_id="g", source_id=SourceId("b")),
        raw(3, "LoRA three", group_id="g", source_id=SourceId("a"), namespace=ADA),
    )
    only_a = Scope(source_ids=(SourceId("a"),))
    assert index.neighbours([2], only_a) == ()
    assert out(index, 1, "followed_by", only_a) == []
    assert index.mentions(["LoRA"], only_a, 9) == {"LoRA": (3, 1)}
    assert index.mentions(["LoRA"], Scope(as_of_seq=1), 9) == {"LoRA": (1,)}
    assert out(index, 1, "followed_by", Scope(as_of_seq=1)) == []
    assert index.mentions(["LoRA"], Scope(namespace=ADA), 9) == {"LoRA": (3,)}
    assert index.neighbours([1], Scope(namespace=ADA)) == ()


def test_limit_keeps_the_strongest_of_each_record(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, *(fact(seq, ("BERT", "uses", "Adam")) for seq in range(1, 20)))
    edges = index.neighbours([3, 9], ANYONE, limit=4)
    assert [edge.source for edge in edges] == ["record:3"] * 4 + ["record:9"] * 4
    assert index.neighbours([3], ANYONE, limit=0) == ()


def test_activation_halves_a_window_and_sleeps_after_ten_below_epsilon():
    assert [activation(windows) for windows in (0, 1, 7)] == [1.0, 0.5, 0.5**7]
    assert activation(15) == 0.5**15  # windows 7 to 15 are nine below 0.01
    assert activation(16) == 0.0


def test_an_entity_that_is_named_again_is_awake(index: GraphIndex, ledger: Ledger):
    feed(index, ledger, raw(1, "LoRA is named."))
    assert index.activity(["lora", "unknown"]) == {"lora": 1.0, "unknown": 0.0}
    index.apply([], {}, 16_500)
    assert index.activity(["lora"]) == {"lora": 0.0}
    index.apply([Entry(raw(16_501, "LoRA is named again."))], {}, 16_501)
    assert index.activity(["lora"]) == {"lora": 1.0}
    index.apply([], {16_501: False}, 16_502)
    assert index.activity(["lora"]) == {"lora": 0.0}


def test_removed_records_leave_no_byte(index: GraphIndex, ledger: Ledger, tmp_path: Path):
    feed(
        index,
        ledger,
        source(1, "src_canary_source", "A Canary Title Xq7Title"),
        raw(2, "We saw CanaryXq7 in the Xq7Garden.", source_id=SourceId("src_canary_source")),
        fact(3, ("CanaryXq7", "cites", "Xq7Entry of the canary"), [2], source_id=SourceId("src_canary_source")),
        raw(4, "Others stay with BERT."),
    )
    index.drop([1, 2, 3])
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*")).lower()
    assert [word for word in (b"xq7", b"canary") if word in stored] == []
    assert b"bert" in stored
    assert index.mentions(["BERT"], ANYONE, 5) == {"BERT": (4,)}
    index.drop([])


# ------------------------------------------------------------ rebuild = incremental

NAMES = ("LoRA", "BERT", "Adam", "Low-Rank Adaptation", "Priya Raman")
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("raw"), st.integers(0, 2), st.integers(0, 4)),
        st.tuples(st.just("fact"), st.integers(0, 4), st.integers(0, 4)),
        st.tuples(st.just("cite"), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("title"), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("flip"), st.integers(0, 30), st.integers(0, 2)),
        st.tuples(st.just("drop"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("tell"), st.just(0), st.just(0)),
    ),
    max_size=40,
)
TITLES = ("Attention Is All You Need", "Deep Residual Learning for Images", "Adam")


def _act(ledger: Ledger, deed: str, first: int, second: int) -> int | None:
    """Append what a deed says; return the position it hid or showed, if any."""
    seq, citable = ledger.head + 1, [one.seq for one in ledger.records if one.kind in ("raw_source", "fact")]
    namespace = ADA if second == 2 else Namespace()
    if deed == "raw":
        text = f"Here {NAMES[second]} meets {NAMES[first]} again."
        ledger.add(raw(seq, text, source_id=SourceId(f"s{first}"), group_id=f"g{first}", namespace=namespace))
    elif deed == "fact":
        ledger.add(fact(seq, (NAMES[first], "uses", NAMES[second]), citable[-2:], namespace=namespace))
    elif deed == "cite":
        ledger.add(fact(seq, (NAMES[first], "cites", TITLES[second]), citable[-1:], source_id=SourceId("s9")))
    elif deed == "title":
        ledger.add(source(seq, f"s{first}", TITLES[second]))
    elif deed == "flip" and citable:
        chosen = citable[first % len(citable)]
        ledger.hidden ^= {chosen}
        return chosen
    return None


def _picture(index: GraphIndex, ledger: Ledger) -> Sequence[object]:
    seqs = range(1, ledger.head + 1)
    readers = (ANYONE, Scope(namespace=ADA), Scope(source_ids=(SourceId("s0"), SourceId("s1"))), Scope(as_of_seq=7))
    edges: list[tuple[Edge, ...]] = [index.neighbours(seqs, scope, limit=100) for scope in readers]
    return (edges, [index.mentions(NAMES, scope, 20) for scope in readers], index.activity(["lora", "adam"]))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DEEDS)
def test_a_rebuild_gives_the_same_graph(deeds: list[tuple[str, int, int]]):
    with TemporaryDirectory() as folder:
        index = GraphIndex(Path(folder) / "one.db", Config())
        again = GraphIndex(Path(folder) / "two.db", Config())
        ledger, flips = Ledger(), list[int]()
        for deed, first, second in deeds:
            changed = _act(ledger, deed, first, second)
            flips += [] if changed is None else [changed]
            if deed == "drop" and ledger.head:
                gone = first % ledger.head + 1
                ledger.tell(index, flips)
                facts = [one.seq for one in ledger.records if f"r{gone}" in one.evidence_ids]
                ledger.removed |= {gone, *facts}
                index.drop([gone, *facts])
                flips = []
            elif deed == "tell":
                ledger.tell(index, flips)
                flips = []
        ledger.tell(index, flips)
        ledger.tell(again)
        assert _picture(index, ledger) == _picture(again, ledger)
        index.wipe()
        assert index.applied_seq() == 0
        ledger.tell(index)
        assert _picture(index, ledger) == _picture(again, ledger)
        index.close()
        again.close()
