"""The routes from what was found to what is linked with it: each alone, over readers that hold what a test gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.retrieval.planner import plan_question
from trisynapse_memory.retrieval.routes.activation import ActivationRoute
from trisynapse_memory.retrieval.routes.claims import ClaimRoute
from trisynapse_memory.retrieval.routes.graph import GraphRoute
from trisynapse_memory.retrieval.routes.modality import ModalityRoute
from trisynapse_memory.retrieval.routes.summaries import SummaryRoute
from trisynapse_memory.retrieval.routes.temporal import TemporalRoute, gap_days
from trisynapse_memory.types import (
    Candidate,
    FactDetails,
    Kind,
    Modality,
    Period,
    Record,
    RecordId,
    Scope,
    Statement,
    Tie,
)

CONFIG = Config()
SCOPE = Scope()
TODAY = date(2024, 6, 1)


def plan(question: str):
    return plan_question(question, CONFIG, today=TODAY)


def seeds(*pairs: tuple[int, float]) -> list[Candidate]:
    return [Candidate(seq, score) for seq, score in pairs]


def scores(found: Sequence[Candidate]) -> dict[int, float]:
    return {one.seq: pytest.approx(one.score) for one in found}


@dataclass
class Network:
    """Ties that are given, and what was asked for."""

    ties_out: tuple[Tie, ...] = ()
    importance: dict[int, float] = field(default_factory=dict)
    asked: list[list[int]] = field(default_factory=list)

    def ties(self, nodes, scope):
        self.asked.append(list(nodes))
        return tuple(tie for tie in self.ties_out if tie.source in set(nodes))

    def importance_at(self, entities):
        return {one: self.importance[one] for one in entities if one in self.importance}


@dataclass
class Shelf:
    """Records that are given; what was read."""

    records: tuple[Record, ...] = ()
    read: list[int] = field(default_factory=list)

    def by_seqs(self, seqs):
        self.read += seqs
        held = {record.seq: record for record in self.records}
        return tuple(held[seq] for seq in seqs if seq in held)


def record(seq: int, text: str = "words", day: str = "", **fields) -> Record:
    return Record(
        id=RecordId(f"r{seq}"), seq=seq, device_id="d", device_seq=seq, written_at=datetime(2024, 1, 1, tzinfo=UTC),
        content_hash="", chain_hash="", text=text, **{"kind": Kind.RAW_SOURCE} | fields,
        observed_at=datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None,
    )  # fmt: skip


# ------------------------------------------------------------ graph


def test_a_walk_multiplies_weights_and_keeps_the_best_path():
    network = Network((Tie(1, 2, 0.5), Tie(2, 3, 0.5), Tie(1, 3, 0.1), Tie(3, 4, 1.0), Tie(4, 5, 1.0)))
    found = GraphRoute(network, CONFIG).candidates(plan("x"), SCOPE, seeds((1, 0.8)))
    assert scores(found) == {2: 0.4, 3: 0.2, 4: 0.2, 5: 0.08}  # the best path to 5 has four steps, one too many


def test_a_walk_proposes_neither_its_starts_nor_entities():
    network = Network((Tie(1, -7, 0.5), Tie(-7, 2, 0.8), Tie(-7, 3, 0.8), Tie(1, 3, 0.9)))
    found = GraphRoute(network, CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0), (3, 0.5)))
    assert scores(found) == {2: 0.4}


def test_a_walk_begins_at_the_best_and_goes_on_from_the_strongest():
    config = Config(graph_seed_count=1, graph_hops=1, graph_frontier_count=1)
    network = Network((Tie(1, 2, 0.9), Tie(1, 3, 0.8), Tie(2, 4, 1.0), Tie(3, 5, 1.0), Tie(9, 6, 1.0)))
    found = GraphRoute(network, config).candidates(plan("x"), SCOPE, seeds((1, 1.0), (9, 0.9)))
    assert [one.seq for one in found] == [2, 4, 3]
    assert network.asked == [[1], [2]]


def test_a_walk_gives_up_paths_that_can_lead_to_nothing_it_proposes():
    network = Network((Tie(1, 2, 0.9), Tie(1, 3, 0.5), Tie(2, 4, 0.6), Tie(3, 5, 1.0)))
    config = Config(follow_limit=1)
    found = GraphRoute(network, config).candidates(plan("x"), SCOPE, seeds((1, 1.0)))
    assert [one.seq for one in found] == [2]
    assert network.asked == [[1]]  # whatever 2 and 3 lead to is no stronger than 2
    whole = GraphRoute(network, CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0)))
    assert [one.seq for one in whole] == [2, 4, 3, 5]


def test_a_walk_from_nothing_asks_nothing():
    network = Network()
    assert GraphRoute(network, CONFIG).candidates(plan("x"), SCOPE, []) == ()
    assert network.asked == []


# ------------------------------------------------------------ activation


def test_activation_reaches_over_an_entity_what_no_word_leads_to():
    network = Network((Tie(1, -7, 0.8), Tie(-7, 2, 0.8), Tie(-7, 1, 0.8)))
    found = ActivationRoute(network, CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0)))
    assert {one.seq for one in found} == {1, 2}
    assert all(0 < one.score < 1 for one in found)


def test_importance_is_a_prior_of_what_is_active_only():
    ties = (Tie(1, 2, 1.0), Tie(1, 3, 1.0), Tie(2, -5, 0.8), Tie(3, -6, 0.8), Tie(-6, 3, 0.8), Tie(-5, 2, 0.8))
    plain = scores(ActivationRoute(Network(ties), CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0))))
    raised = ActivationRoute(Network(ties, {6: 1.0, 9: 1.0}), CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0)))
    assert {one.seq for one in raised} == set(plain)
    gained = {one.seq: one.score - plain[one.seq].expected for one in raised}
    assert gained == {2: pytest.approx(0), 3: pytest.approx(CONFIG.activation_prior)}


def test_each_node_is_asked_for_its_ties_once():
    network = Network((Tie(1, 2, 1.0), Tie(2, 1, 1.0), Tie(2, 3, 1.0)))
    ActivationRoute(network, CONFIG).candidates(plan("x"), SCOPE, seeds((1, 1.0)))
    asked = [node for nodes in network.asked for node in nodes]
    assert len(asked) == len(set(asked))


# ------------------------------------------------------------ claims


@dataclass
class Facts:
    """Statements that are given, by the key they are about."""

    about: dict[str, tuple[Statement, ...]]
    asked: list[str] = field(default_factory=list)

    def statements_about(self, keys, scope):
        self.asked = list(keys)
        return tuple(one for key in keys for one in self.about.get(key, ()))


def test_facts_about_a_named_thing_lead_to_their_evidence_by_shared_words():
    facts = Facts(
        {
            "bert": (
                Statement(11, "BERT uses dropout of 0.1 in all layers.", (1,)),
                Statement(12, "BERT is_a language model", (2, 3)),
                Statement(13, "BERT outputs dropout masks", (1,)),
            )
        }
    )
    found = ClaimRoute(facts, CONFIG).candidates(plan("Which dropout does BERT use in its layers?"), SCOPE, [])
    assert [one.seq for one in found] == [1]
    assert 0.5 < found[0].score <= 1.0


def test_names_of_several_words_are_looked_up_as_one():
    facts = Facts({})
    ClaimRoute(facts, CONFIG).candidates(plan("Where was Ada Lovelace born?"), SCOPE, [])
    assert "ada lovelace" in facts.asked
    assert all(len(key.split()) <= 4 for key in facts.asked)


# ------------------------------------------------------------ summaries


@dataclass
class Digest:
    """Groups that are found, and where they lead."""

    found: tuple[tuple[str, float], ...] = ()
    led: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def search(self, terms, scope, limit):
        return self.found

    def leads(self, group_ids, seqs, scope):
        return {group: self.led[group] for group in group_ids if group in self.led}


def test_a_fitting_summary_lifts_the_candidates_of_its_group_and_brings_its_own_in():
    digest = Digest((("chat:a", 8.0), ("chat:b", 4.0)), {"chat:a": (1, 7), "chat:b": (2, 7)})
    shelf = Shelf((record(7),))
    found = SummaryRoute(digest, shelf, CONFIG).candidates(plan("trip"), SCOPE, seeds((1, 0.9), (2, 0.8), (3, 0.7)))
    assert scores(found) == {1: 1.0, 7: 1.0, 2: 0.5}
    assert shelf.read == [7]  # the candidates are not read again


def test_a_fact_that_a_summary_cites_is_no_evidence():
    details = FactDetails(pattern="plain", extractor="pattern", extractor_version=1)
    shelf = Shelf((record(8, kind=Kind.FACT, payload=details),))
    found = SummaryRoute(Digest((("s", 1.0),), {"s": (8,)}), shelf, CONFIG).candidates(plan("trip"), SCOPE, [])
    assert found == ()


def test_without_a_summary_there_is_nothing():
    assert SummaryRoute(Digest(), Shelf(), CONFIG).candidates(plan("trip"), SCOPE, seeds((1, 0.9))) == ()


# ------------------------------------------------------------ temporal


def near(question: str, *records: Record) -> dict[int, float]:
    route = TemporalRoute(Shelf(records), CONFIG)
    return scores(route.candidates(plan(question), SCOPE, seeds(*((one.seq, 0.5) for one in records))))


def test_nearness_halves_with_every_half_life_from_the_named_period():
    found = near(
        "What happened in May 2023?",
        record(1, day="2023-05-20"),
        record(2, day="2023-06-30"),  # 30 days after its last
        record(3, day="2023-03-02"),  # 60 days before its first
        record(4, day="2020-01-01"),
        record(5),
    )
    assert found == {1: 1.0, 2: 0.5, 3: 0.25}


def test_a_day_that_the_words_name_counts_as_well():
    found = near("What happened in May 2023?", record(1, "We met on 7 May 2023.", day="2024-01-01"))
    assert found == {1: 1.0}


def test_a_question_without_a_time_reads_nothing():
    shelf = Shelf((record(1, day="2023-05-20"),))
    assert TemporalRoute(shelf, CONFIG).candidates(plan("When did it happen?"), SCOPE, seeds((1, 0.9))) == ()
    assert shelf.read == []


def test_a_period_may_be_open_at_either_side():
    day = date(2023, 5, 8)
    assert gap_days(Period(None, date(2023, 5, 1)), day, day) == 7
    assert gap_days(Period(date(2023, 5, 10), None), day, day) == 2
    assert gap_days(Period(None, None), day, day) == 0
    assert gap_days(Period(day, day), date(2023, 5, 1), date(2023, 6, 1)) == 0


# ------------------------------------------------------------ modality


def test_the_kind_of_record_that_a_question_names_is_favoured():
    shelf = Shelf((record(1), record(2, modality=Modality.TABLE), record(3, modality=Modality.CODE)))
    route = ModalityRoute(shelf)
    given = seeds((1, 0.9), (2, 0.8), (3, 0.1))
    assert scores(route.candidates(plan("In which table is the recall?"), SCOPE, given)) == {2: 1.0}
    assert route.candidates(plan("What is the recall?"), SCOPE, given) == ()
    assert route.candidates(plan("In which table?"), SCOPE, given[1:2]) == ()  # all are: it tells nothing
