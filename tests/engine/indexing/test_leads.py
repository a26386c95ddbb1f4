"""What routes read of the projections by key: ties of the graph, statements of facts, leads of summaries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_cases import Ledger, fact, raw, source
from trisynapse_memory.config import Config
from trisynapse_memory.indexing.graph_edges import ABSTRACTION_WEIGHT, mention_weight
from trisynapse_memory.indexing.graph_ties import HUB_MENTIONS
from trisynapse_memory.indexing.indexes.claims import ClaimIndex
from trisynapse_memory.indexing.indexes.graph import GraphIndex
from trisynapse_memory.indexing.indexes.summaries import SummaryIndex
from trisynapse_memory.pipelines.consolidation import Consolidation
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.types import Namespace, Record, Scope, SourceId

ANYONE = Scope()
ADA = Namespace(user_id="ada")
PAPER, OTHER = SourceId("paper"), SourceId("other")


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[GraphIndex]:
    opened = GraphIndex(tmp_path / "graph.db", Config())
    yield opened
    opened.close()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def feed(index: GraphIndex | ClaimIndex, ledger: Ledger, *records: Record) -> None:
    for record in records:
        ledger.add(record)
    ledger.tell(index)


def ties(graph: GraphIndex, *nodes: int, scope: Scope = ANYONE) -> dict[tuple[int, int], float]:
    return {(tie.source, tie.target): pytest.approx(tie.weight) for tie in graph.ties(nodes, scope)}


def about(subject: str, seq: int, *evidence: int, **fields) -> Record:
    return fact(seq, (subject, "uses", f"thing {seq}x"), evidence, **fields)


# ------------------------------------------------------------ ties


def test_records_are_tied_to_who_follows_and_to_what_they_name(graph: GraphIndex, ledger: Ledger):
    feed(
        graph,
        ledger,
        raw(1, "one", group_id="chat"),
        raw(2, "two", group_id="chat"),
        raw(3, "elsewhere", group_id="other"),
        about("Quokka Net", 4, 1),
        about("Quokka Net", 5, 3),
    )
    found = graph.ties([1, 2], ANYONE)
    (entity,) = {tie.target for tie in found if tie.target < 0}
    assert ties(graph, 1, 2) == {(1, 2): 1.0, (2, 1): 0.8, (1, entity): pytest.approx(mention_weight(2))}
    assert ties(graph, entity) == {(entity, 1): ABSTRACTION_WEIGHT, (entity, 3): ABSTRACTION_WEIGHT}


def test_facts_are_no_end_of_a_tie(graph: GraphIndex, ledger: Ledger):
    feed(graph, ledger, raw(1, "one"), about("Quokka Net", 2, 1), about("Quokka Net", 3, 1))
    nodes = {tie.target for tie in graph.ties([1], ANYONE)}
    assert {tie.target for tie in graph.ties([*nodes], ANYONE)} == {1}


def test_what_everybody_names_ties_nothing(graph: GraphIndex, ledger: Ledger):
    count = HUB_MENTIONS + 1
    feed(
        graph,
        ledger,
        *(raw(seq, "text") for seq in range(1, count + 1)),
        *(about("Quokka Net", count + seq, seq) for seq in range(1, count + 1)),
    )
    assert graph.ties([1, 2], ANYONE) == ()


def test_no_tie_leads_to_what_is_hidden_or_out_of_scope(graph: GraphIndex, ledger: Ledger):
    feed(
        graph,
        ledger,
        raw(1, "one", group_id="chat", source_id=PAPER),
        raw(2, "two", group_id="chat", source_id=OTHER),
        raw(3, "hers", group_id="chat", namespace=ADA),
        raw(4, "three", group_id="chat", source_id=PAPER),
        *(about("Quokka Net", seq, one) for seq, one in ((5, 1), (6, 2), (7, 4))),
        about("Quokka Net", 8, 3, namespace=ADA),
    )
    entity = min(tie.target for tie in graph.ties([1], ANYONE))
    assert set(ties(graph, entity)) == {(entity, 1), (entity, 2), (entity, 3), (entity, 4)}
    assert set(ties(graph, entity, scope=Scope(namespace=ADA))) == {(entity, 3)}
    assert set(ties(graph, entity, scope=Scope(source_ids=(PAPER,)))) == {(entity, 1), (entity, 4)}
    assert set(ties(graph, entity, scope=Scope(as_of_seq=2))) == {(entity, 1), (entity, 2)}
    ledger.hidden = {4}
    ledger.tell(graph, [4])
    assert set(ties(graph, entity)) == {(entity, 1), (entity, 2), (entity, 3)}
    assert ties(graph, 4, 99) == {}


def test_ties_are_the_same_however_the_records_came(graph: GraphIndex, tmp_path: Path):
    records = [
        *(raw(seq, f"text {seq}", group_id="chat") for seq in range(1, 9)),
        *(about("Quokka Net", 8 + seq, seq) for seq in range(1, 9)),
    ]
    whole, single = Ledger(), Ledger()
    feed(graph, whole, *records)
    other = GraphIndex(tmp_path / "other.db", Config())
    for record in records:
        feed(other, single, record)
    single.hidden = {3}
    single.tell(other, [3])
    single.hidden = set()
    single.tell(other, [3])
    entity = min(tie.target for tie in graph.ties([1], ANYONE))
    nodes = [*range(1, 9), entity]
    assert sorted(graph.ties(nodes, ANYONE)) == sorted(other.ties(nodes, ANYONE)) != []
    other.close()


def test_importance_is_what_idle_work_has_found(graph: GraphIndex, ledger: Ledger):
    feed(
        graph,
        ledger,
        *(raw(seq, "text") for seq in (1, 2, 3)),
        *(about("Quokka Net", seq, seq - 3) for seq in (4, 5, 6)),
        about("Wombat Net", 7, 1),
    )
    entities = sorted({-tie.target for tie in graph.ties([1, 2, 3], ANYONE) if tie.target < 0})
    assert graph.importance_at(entities) == {}
    idle = Consolidation(graph.upkeep)
    while idle.step():
        pass
    found = graph.importance_at([*entities, 999])
    assert set(found) == set(entities)
    assert all(0 < value <= 1 for value in found.values())


# ------------------------------------------------------------ statements


@pytest.fixture
def claims(tmp_path: Path) -> Iterator[ClaimIndex]:
    opened = ClaimIndex(tmp_path / "claims.db", Config())
    yield opened
    opened.close()


def stated(claims: ClaimIndex, *keys: str, scope: Scope = ANYONE) -> dict[int, tuple[int, ...]]:
    return {one.seq: one.evidence for one in claims.statements_about(keys, scope)}


def test_facts_are_found_by_subject_and_object_with_their_evidence(claims: ClaimIndex, ledger: Ledger):
    feed(
        claims,
        ledger,
        raw(1, "Quokka Net uses Adam.", source_id=PAPER),
        raw(2, "Wombat Net uses Quokka Net.", source_id=OTHER),
        fact(3, ("Quokka Net", "uses", "Adam"), [1], source_id=PAPER, text="Quokka Net uses Adam."),
        fact(4, ("Wombat Net", "uses", "Quokka Net"), [2, 1], source_id=OTHER),
    )
    assert stated(claims, "quokka net") == {3: (1,), 4: (2, 1)}
    assert stated(claims, "adam", "nobody") == {3: (1,)}
    (one,) = claims.statements_about(["adam"], ANYONE)
    assert one.text == "Quokka Net uses Adam Quokka Net uses Adam."
    assert stated(claims, "quokka net", scope=Scope(source_ids=(PAPER,))) == {3: (1,)}
    assert stated(claims, "quokka net", scope=Scope(as_of_seq=3)) == {3: (1,)}
    assert stated(claims, "quokka net", scope=Scope(namespace=ADA)) == {}


def test_a_hidden_fact_states_nothing(claims: ClaimIndex, ledger: Ledger):
    feed(claims, ledger, raw(1, "text", source_id=PAPER), about("Quokka Net", 2, 1, source_id=PAPER))
    ledger.hidden = {2}
    ledger.tell(claims, [2])
    assert stated(claims, "quokka net") == {}


# ------------------------------------------------------------ leads of summaries


def test_a_summary_leads_to_what_it_cites_and_to_members_that_are_asked_for(tmp_path: Path, ledger: Ledger):
    index = SummaryIndex(tmp_path / "index.db", Config())
    job = Digests(index.upkeep, ledger)
    ledger.add(source(1, PAPER, "Tuning"))
    texts = (
        "LoRA freezes the pretrained weights and trains two small matrices in every layer.",
        "Yes.",
        "Foucault measured the speed of light with a rotating mirror in his laboratory.",
    )
    for seq, text in enumerate(texts, start=2):
        ledger.add(raw(seq, text, source_id=PAPER))
    ledger.add(raw(5, "Elsewhere.", source_id=OTHER))
    ledger.tell(index)
    while job.step():
        pass
    group = f"source:{PAPER}"
    assert index.leads([group], [], ANYONE) == {group: (2, 4)}
    assert index.leads([group], [3, 5, 99], ANYONE) == {group: (2, 3, 4)}
    assert index.leads([group], [3], Scope(source_ids=(OTHER,))) == {}
    assert index.leads([], [3], ANYONE) == {}
    ledger.hidden = {2, 3}
    ledger.tell(index, [2, 3])
    assert index.leads([group], [3], ANYONE) == {group: (4,)}
    index.close()
