"""A conversation is remembered message by message, once each, with who said it and when."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.messages import take_messages
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Message, MessageDetails, Namespace, QueryTerm, RecordId, Scope

HERE = Namespace()


@pytest.fixture
def remember(rooms: Rooms) -> Callable[..., tuple[RecordId, ...]]:
    return lambda *messages, group="chat", title="Chat": take_messages(rooms, HERE, group, title, messages)


def said(content: str, **fields) -> Message:
    return Message(role=fields.pop("role", "user"), content=content, **fields)


def test_a_message_is_a_record_with_speaker_place_and_time(remember, rooms: Rooms):
    one, two = remember(
        said("I saw a mirror.", id="a", speaker="Ada", observed_at="2023-05-08T13:56:00"),
        said("Where?", id="b", role="assistant"),
    )
    record = rooms.log.get(one)
    assert record.text == "Ada: I saw a mirror."
    assert record.observed_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert (record.locator.kind, record.locator.index, record.locator.speaker) == ("turn", 0, "Ada")
    assert record.payload == MessageDetails(message_id="a", role="user", sent_at=record.observed_at)
    assert rooms.log.get(two).text == "assistant: Where?"
    assert len(rooms.lexical.search([QueryTerm("mirror")], Scope(), 10)) == 1


def test_a_conversation_is_listed_as_one_source_that_has_arrived(remember, rooms: Rooms):
    remember(said("x", id="1"), said("y", id="2"), title="A talk")
    (source,) = rooms.shelf.list(HERE)
    assert (source.kind, source.title, source.status.value, source.record_count) == ("chat", "A talk", "active", 2)
    assert check_log(rooms.log, rooms.blobs)[0] == []


def test_messages_with_ids_are_written_once_however_often_they_come(remember, rooms: Rooms):
    first = remember(said("x", id="1"), said("y", id="2"))
    head = rooms.log.head()
    assert remember(said("x", id="1"), said("y", id="2")) == first
    assert rooms.log.head() == head
    assert remember(said("y", id="2"), said("z", id="3"))[0] == first[1]
    assert rooms.log.head() == head + 1


def test_messages_without_ids_go_on_where_the_conversation_ended(remember, rooms: Rooms):
    remember(said("one"), said("two"))
    (third,) = remember(said("three"))
    assert rooms.log.get(third).locator.index == 2


def test_groups_do_not_mix(remember, rooms: Rooms):
    (one,) = remember(said("x", id="1"), group="a")
    (other,) = remember(said("x", id="1"), group="b")
    assert one != other
    assert len(rooms.shelf.list(HERE)) == 2


@pytest.mark.parametrize(
    ("bad", "word"),
    [(said(" "), "empty"), (said("x", observed_at="yesterday"), "yesterday")],
    ids=["empty", "no date"],
)
def test_a_bad_message_is_named_and_leaves_nothing_of_the_batch(remember, rooms: Rooms, bad: Message, word: str):
    with pytest.raises(InvalidInputError, match=word):
        remember(said("good"), bad)
    assert rooms.log.head() == 0
    assert rooms.shelf.list(HERE) == ()


def test_a_conversation_needs_a_name(remember, rooms: Rooms):
    with pytest.raises(InvalidInputError, match="group id"):
        remember(said("x"), group=" ")
    assert rooms.log.head() == 0
