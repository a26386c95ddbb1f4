"""Calls through the door: signed, tried again where that helps, and never with a key where it must not be."""

from __future__ import annotations

import threading

import pytest

from tests.engine.providers.canned_door import Canned, CannedDoor, key_of, said, table_service
from trisynapse_memory.errors import ProviderCutError, ProviderError, ProviderTimedOutError, RateLimitedError
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.providers.wires.exchange import MAX_CHANGES, Call, Exchange, WholeBody
from trisynapse_memory.providers.wires.faults import Fault
from trisynapse_memory.types import SourceId

CALL = Call(path="/chat", purpose="answer", body={"a": 1}, model="m", source_ids=(SourceId("src_a"),))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_PAUSE_S", 0.0)


def exchange(door: CannedDoor, name: str = "openai") -> Exchange:
    return Exchange(table_service(name), door, key_of, ("authorization", "Bearer "), {"x-version": "1"})


class Changing(WholeBody):
    """Drops something from the call at each complaint, for ever."""

    def change(self, call: Call, fault: Fault) -> Call | None:
        return call


def test_a_call_is_signed_and_says_what_it_is_for() -> None:
    door = CannedDoor(said({"ok": True}))
    reader = WholeBody()
    assert exchange(door).ask(CALL, reader)
    sent = door.sent[0]
    assert reader.body == b'{"ok": true}'
    assert (sent.url, sent.method, sent.body) == ("https://api.openai.com/v1/chat", "POST", b'{"a":1}')
    assert sent.headers == {
        "x-version": "1",
        "authorization": "Bearer key-of-openai",
        "content-type": "application/json",
    }
    assert (sent.service, sent.purpose, sent.source_ids) == ("openai", "answer", ("src_a",))


def test_only_an_address_that_is_no_vendors_may_be_local_and_may_be_silent_for_long() -> None:
    door = CannedDoor(said({}))
    exchange(door, "openai").get("/models", "model list")
    exchange(door, "ollama").get("/models", "model list")
    assert [one.is_typed_address for one in door.sent] == [False, True]
    assert door.sent[0].timeout_s < door.sent[1].timeout_s
    assert [one.method for one in door.sent] == ["GET", "GET"]
    assert "content-type" not in door.sent[0].headers


def test_an_empty_account_is_not_asked_again() -> None:
    door = CannedDoor(said({"error": {"code": "insufficient_quota"}}, 429))
    with pytest.raises(RateLimitedError, match="no credit left"):
        exchange(door).ask(CALL, WholeBody())
    assert len(door.sent) == 1


def test_a_connection_that_breaks_is_tried_again_and_silence_is_not() -> None:
    door = CannedDoor(Canned((b"{",), fault=ProviderCutError("cut")), said({}))
    exchange(door).ask(CALL, WholeBody())
    assert len(door.sent) == 2
    door = CannedDoor(Canned((b"{",), fault=ProviderTimedOutError("silent")))
    with pytest.raises(ProviderTimedOutError):
        exchange(door).ask(CALL, WholeBody())
    assert len(door.sent) == 1


def test_an_error_whose_body_breaks_off_still_has_its_status() -> None:
    door = CannedDoor(Canned((b'{"err',), 401, fault=ProviderCutError("cut")))
    with pytest.raises(ProviderError, match="401"):
        exchange(door).ask(CALL, WholeBody())


def test_a_call_is_not_changed_for_ever() -> None:
    door = CannedDoor(said({"error": "no"}, 400))
    with pytest.raises(ProviderError, match="did not take"):
        exchange(door).ask(CALL, Changing())
    assert len(door.sent) == MAX_CHANGES + 1


def test_nothing_is_asked_once_the_stop_is_set() -> None:
    door = CannedDoor(said({}))
    stop = threading.Event()
    stop.set()
    assert exchange(door).ask(CALL, WholeBody(), stop) is False
    assert door.sent == []


def test_an_error_after_the_stop_is_no_error() -> None:
    stop = threading.Event()

    class Stopping(WholeBody):
        def read(self, incoming: object) -> Fault | None:
            stop.set()
            raise ProviderTimedOutError("the door closed")

    assert exchange(CannedDoor(said({}))).ask(CALL, Stopping(), stop) is False
