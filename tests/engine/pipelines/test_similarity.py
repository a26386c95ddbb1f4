"""Similar records are linked in log order, whatever the order in which vectors came and records were hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_cases import Ledger, raw
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.indexing.graph_vectors import StoredVectors
from trisynapse_memory.indexing.indexes.graph import GraphIndex
from trisynapse_memory.indexing.indexes.vector import VectorIndex
from trisynapse_memory.indexing.vector_switch import KnownModel, VectorModels
from trisynapse_memory.pipelines.similarity import Similarity
from trisynapse_memory.sqlite import Database
from trisynapse_memory.types import Namespace, Scope

ANYONE = Scope()
DIMENSION = 8
ROUNDING = 0.004  # of a cosine, for vectors are kept in a byte per dimension and these have two


def direction(degrees: float) -> FloatArray:
    """A unit vector in a plane: the cosine of two of them is that of the angle between."""
    row = np.zeros(DIMENSION, np.float32)
    row[:2] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return row


class Vault:
    """A graph and vectors side by side; the text of a record is its angle in degrees."""

    def __init__(self, folder: Path, model: str = "m") -> None:
        folder.mkdir(exist_ok=True)
        database = Database(folder / "vectors.db", vectors=True)
        self.vectors = VectorIndex(database, model, DIMENSION)
        VectorModels(database).adopt(KnownModel(model, DIMENSION))
        self.graph = GraphIndex(folder / "index.db", Config())
        self.job = Similarity(self.graph.upkeep, self.vectors, StoredVectors(database))

    def tell(self, ledger: Ledger, flips: list[int]) -> None:
        ledger.tell(self.vectors, flips)
        ledger.tell(self.graph, flips)

    def embed(self, ledger: Ledger, limit: int = 1000) -> None:
        waiting = self.vectors.pending(limit)
        self.vectors.put({text_hash: direction(float(ledger.records[seq - 1].text)) for seq, text_hash in waiting})

    def drain(self) -> int:
        done = 0
        while count := self.job.step():
            done += count
        return done

    def links(self, ledger: Ledger) -> list[tuple[str, str, float]]:
        edges = self.graph.neighbours(range(1, ledger.head + 1), ANYONE, limit=1000)
        return sorted((one.source, one.target, one.weight) for one in edges if one.kind == "similar_to")

    def close(self) -> None:
        self.vectors.close()
        self.graph.close()


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    opened = Vault(tmp_path / "vault")
    yield opened
    opened.close()


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def grow(vault: Vault, ledger: Ledger, *degrees: float, **fields: object) -> None:
    for angle in degrees:
        ledger.add(raw(ledger.head + 1, f"{angle}", **fields))
    vault.tell(ledger, [])


def chosen(vault: Vault, ledger: Ledger, seq: int) -> list[int]:
    """The earlier records that one is linked to."""
    found = [(target, source) for source, target, _ in vault.links(ledger) if source == f"record:{seq}"]
    return sorted(int(target.removeprefix("record:")) for target, _ in found if int(target[7:]) < seq)


def test_a_record_is_linked_to_earlier_ones_near_enough_and_they_back_to_it(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 0, 90, 50)  # cos 50 = .643, cos 40 = .766, cos 90 = 0
    assert (vault.job.pending(), vault.job.step()) == (3, 0)  # no vector yet
    vault.embed(ledger)
    assert (vault.drain(), vault.job.pending()) == (3, 0)
    ends = [(source, target) for source, target, _ in vault.links(ledger)]
    assert ends == [(f"record:{one}", f"record:{other}") for one, other in ((1, 3), (2, 3), (3, 1), (3, 2))]
    weights = [weight for _, _, weight in vault.links(ledger)]
    assert weights == pytest.approx([0.643, 0.766, 0.643, 0.766], abs=ROUNDING)


def test_five_are_chosen_and_the_edge_is_0_58(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 1, 2, 3, 4, 5, 6, 0)
    vault.embed(ledger)
    vault.drain()
    assert chosen(vault, ledger, 7) == [1, 2, 3, 4, 5]
    grow(vault, ledger, 200, 200 + 54.2, 200 - 54.9)  # cos = .585 and .575
    vault.embed(ledger)
    vault.drain()
    assert (chosen(vault, ledger, 9), chosen(vault, ledger, 10)) == ([8], [])


def test_a_crowd_of_links_into_one_record_is_cut_to_fifteen(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 0)
    # Each is near the first alone: opposite signs in a dimension of its own would need many; so step away by degrees.
    grow(vault, ledger, *(40 + step / 10 for step in range(30)))
    vault.embed(ledger)
    vault.drain()
    into_first = [one for one in vault.links(ledger) if one[0] == "record:1"]
    assert len(into_first) <= 15
    out_of_first = [one for one in vault.links(ledger) if one[1] == "record:1"]
    assert sorted((b, a, c) for a, b, c in into_first) == sorted(out_of_first)


def test_work_stops_at_the_first_record_that_waits_for_its_vector(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 0, 10, 20)
    vault.embed(ledger, limit=2)  # the newest come first
    assert (vault.job.step(), vault.job.pending()) == (0, 3)
    vault.embed(ledger)
    assert (vault.drain(), chosen(vault, ledger, 3)) == (3, [1, 2])


def test_a_text_that_cannot_be_embedded_holds_up_nobody_and_is_tried_again(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 0, 10, 20)
    first = dict(vault.vectors.pending(10))[1]
    for _ in range(3):
        vault.vectors.note_failures({first: "no"})
    vault.embed(ledger)
    assert (vault.drain(), chosen(vault, ledger, 3), vault.job.pending()) == (3, [2], 0)
    vault.vectors.retry_failures()
    vault.embed(ledger)
    vault.job = Similarity(vault.graph.upkeep, vault.vectors, vault.job._stored)  # as the next start does
    vault.drain()
    assert (chosen(vault, ledger, 2), chosen(vault, ledger, 3)) == ([1], [1, 2])


def test_a_hidden_record_makes_room_and_takes_it_again(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 1, 2, 3, 4, 5, 6, 0)
    vault.embed(ledger)
    vault.drain()
    before = vault.links(ledger)
    ledger.hidden = {2}
    vault.tell(ledger, [2])
    assert "record:2" not in {end for link in vault.links(ledger) for end in link[:2]}
    vault.drain()
    assert chosen(vault, ledger, 7) == [1, 3, 4, 5, 6]
    ledger.hidden = set()
    vault.tell(ledger, [2])
    vault.drain()
    assert vault.links(ledger) == before


def test_another_model_links_anew(tmp_path: Path, ledger: Ledger):
    vault = Vault(tmp_path / "vault")
    grow(vault, ledger, 0, 10)
    vault.embed(ledger)
    vault.drain()
    vault.close()
    vault = Vault(tmp_path / "vault", model="other")
    assert (vault.drain(), chosen(vault, ledger, 2)) == (0, [1])  # the old model still answers
    vault.vectors.put({text_hash: direction(90 * seq) for seq, text_hash in vault.vectors.pending(10)})
    assert (vault.job.step(), chosen(vault, ledger, 2)) == (2, [])
    vault.close()


def test_links_stay_inside_what_the_record_may_see(vault: Vault, ledger: Ledger):
    grow(vault, ledger, 0, namespace=Namespace(user_id="bob"))
    grow(vault, ledger, 1, namespace=Namespace(user_id="ada"))
    grow(vault, ledger, 2, namespace=Namespace(user_id="ada", session_id="s"))
    grow(vault, ledger, 3, namespace=Namespace(user_id="ada"))
    vault.embed(ledger)
    vault.drain()
    assert [chosen(vault, ledger, seq) for seq in (1, 2, 3, 4)] == [[], [], [], [2, 3]]


DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 23)),
        st.tuples(st.just("flip"), st.integers(0, 20)),
        st.tuples(st.just("embed"), st.integers(1, 4)),
        st.tuples(st.just("step"), st.just(0)),
        st.tuples(st.just("drop"), st.integers(0, 20)),
    ),
    max_size=40,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DEEDS)
def test_a_rebuild_gives_the_same_links(deeds: list[tuple[str, int]]):
    with TemporaryDirectory() as folder:
        vault, again, ledger = Vault(Path(folder) / "one"), Vault(Path(folder) / "two"), Ledger()
        for deed, number in deeds:
            if deed == "add":
                # Every angle but for a hair is its own, so that no tie at the cut hangs on the last bit.
                grow(vault, ledger, number * 15 + ledger.head / 97)
            elif deed == "embed":
                vault.embed(ledger, number)
            elif deed == "step":
                vault.job.step()
            elif ledger.head:
                seq = number % ledger.head + 1
                if deed == "flip":
                    ledger.hidden ^= {seq}
                    vault.tell(ledger, [seq])
                else:
                    ledger.removed.add(seq)
                    vault.vectors.drop([seq])
                    vault.graph.drop([seq])
        for one in (vault, again):
            one.tell(ledger, [])
            one.embed(ledger)
            one.drain()
            assert one.job.pending() == 0
        assert vault.links(ledger) == again.links(ledger)
        vault.close()
        again.close()
