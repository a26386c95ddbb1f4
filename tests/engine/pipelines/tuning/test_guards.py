"""The guard set is made of the vault alone: the same on every run, evenly over it, and with what must be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trisynapse_memory.log.lifecycle import forget_source
from trisynapse_memory.pipelines.messages import message_of, take_messages
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.tuning.guards import Probe, probes_of, spread
from trisynapse_memory.types import Kind, Namespace, SourceInput

SAID = "The calibration code of the northern device is KX-00120, and it was never changed."


def _kinds(probes: tuple[Probe, ...], kind: str) -> list[Probe]:
    return [one for one in probes if one.kind == kind]


def test_an_empty_vault_has_none(rooms: Rooms):
    assert probes_of(rooms) == ()


def test_titles_sentences_and_identifiers_lead_to_the_records_that_hold_them(rooms: Rooms, take: Callable[..., Any]):
    take(SourceInput(text=SAID, title="Devices of the north"), SourceInput(text="Short.", title="A note"))
    probes = probes_of(rooms)
    (record,) = (one for one in rooms.log.of_kind(Kind.RAW_SOURCE) if one.text == SAID)
    assert [(one.question, one.wanted, one.depth) for one in _kinds(probes, "identifier")] == [
        ("KX-00120", frozenset({record.seq}), 1)
    ]
    assert [(one.question, one.wanted) for one in _kinds(probes, "sentence")] == [(SAID, frozenset({record.seq}))]
    assert {one.question for one in _kinds(probes, "title")} == {"Devices of the north", "A note"}
    assert probes_of(rooms) == probes


def test_a_title_that_two_sources_bear_and_the_name_of_a_chat_are_left_out(rooms: Rooms, take: Callable[..., Any]):
    take(SourceInput(text="One text of it.", title="Report"), SourceInput(text="Another text.", title="report"))
    take_messages(rooms, Namespace(), "g", "Chat 7", [message_of("Ann: I went to the lake with my brother on Sunday.")])
    assert _kinds(probes_of(rooms), "title") == []


def test_what_is_hidden_is_no_probe(rooms: Rooms, take: Callable[..., Any]):
    take(SourceInput(text=SAID, title="Devices"))
    source = rooms.shelf.list(Namespace(project_id=None))[0]
    forget_source(rooms.log, rooms.shelf, source.source_id, "not mine")
    rooms.projector.catch_up()
    assert probes_of(rooms) == ()


@pytest.mark.parametrize("count", [1, 3, 60, 1000])
def test_spread_takes_evenly_and_at_most_so_many(count: int):
    found = spread(range(240), count)
    assert len(found) == min(count, 240)
    assert found == sorted(set(found))
    if count == 60:
        assert found == list(range(0, 240, 4))
