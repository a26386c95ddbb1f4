"""One suite for every service of the table that is asked over HTTP, each against a loopback server of its language.

The real door is used, so that what its ledger says can be compared with what the server saw.
"""

from __future__ import annotations

import threading
import traceback
from email.utils import format_datetime

import pytest

from tests.contracts.service_setting import KEY, PROMPT, REGISTRY, REPLY, Setting, heard, refused
from tests.model_servers import ModelServer, Trouble
from tests.model_wires import ANTHROPIC, GEMINI, MODEL, bad_key_body
from trisynapse_memory.contracts import Completer, Provider
from trisynapse_memory.errors import (
    BadReplyError,
    KeyNeededError,
    ModelMissingError,
    OfflineError,
    ProviderAuthError,
    ProviderCutError,
    ProviderError,
    ProviderFailedError,
    ProviderRefusedError,
    ProviderUnreachableError,
    RateLimitedError,
)
from trisynapse_memory.providers.services import SERVICES
from trisynapse_memory.providers.wires import retries
from trisynapse_memory.types import Finish, Prompt, PromptImage

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def test_every_service_has_a_branch_that_speaks_its_language() -> None:
    assert {service.wire for service in SERVICES} <= set(REGISTRY.names("provider"))


def test_a_provider_is_built_without_asking_anybody(setting: Setting) -> None:
    assert isinstance(setting.provider, Provider)
    assert isinstance(setting.completer(), Completer)
    assert setting.server.requests == []


# ---------------------------------------------------------------- a reply


def test_a_reply_comes_piece_by_piece_and_the_pieces_are_the_reply(setting: Setting) -> None:
    done, pieces = heard(setting)
    assert done.text == "".join(pieces) == REPLY
    assert len(pieces) > 3
    assert (done.finish, done.model) == (Finish.STOP, MODEL)


def test_usage_is_what_the_service_says_and_times_are_measured(setting: Setting) -> None:
    usage = heard(setting)[0].usage
    assert (usage.input_tokens, usage.output_tokens) == (11, 7)
    assert 0 < usage.first_token_ms <= usage.total_ms


def test_what_a_server_of_her_own_does_costs_nothing_and_an_unknown_price_is_no_price(setting: Setting) -> None:
    cost = heard(setting)[0].usage.cost_usd
    assert cost is None if setting.service.is_remote else cost == 0.0


def test_a_server_that_answers_in_one_although_a_stream_was_wanted_is_understood(setting: Setting) -> None:
    setting.fails(Trouble("whole"))
    done, pieces = heard(setting)
    assert (done.text, pieces) == (REPLY, [REPLY])


def test_a_reply_that_ends_at_its_limit_says_so(setting: Setting) -> None:
    setting.fails(Trouble("length"))
    assert heard(setting)[0].finish is Finish.LENGTH


def test_a_model_that_refuses_in_its_reply_is_no_error_but_a_refused_reply(setting: Setting) -> None:
    setting.fails(Trouble("refusal"))
    done, pieces = heard(setting)
    assert (done.finish, done.text, pieces) == (Finish.REFUSED, "", [])


def test_instructions_evidence_and_pictures_reach_the_model_apart(setting: Setting) -> None:
    picture = PromptImage(media_type="image/png", content=b"\x89PNG picture")
    setting.completer().complete(Prompt(text="What is this?", instructions="Be brief.", images=(picture,)))
    sent = setting.server.requests[0].raw
    assert b"What is this?" in sent
    assert b"Be brief." in sent
    assert b"iVBORyBwaWN0dXJl" in sent


# ---------------------------------------------------------------- the schema


def test_a_schema_is_sent_and_its_reply_is_json(setting: Setting) -> None:
    setting.server.reply = '{"n": 3}'
    done, pieces = heard(setting, Prompt(text="Count.", schema=SCHEMA))
    assert done.text == "".join(pieces) == '{"n": 3}'
    assert b"additionalProperties" in setting.server.requests[0].raw


def test_a_model_that_knows_no_schema_is_told_it_in_words_and_not_asked_twice_for_more(setting: Setting) -> None:
    setting.server.reply = '{"n": 3}'
    complaint = Trouble("raw", status=400, body=b'{"error": {"message": "This type is unavailable now"}}')
    setting.fails(*[complaint] * (2 if setting.service.wire == ANTHROPIC else 3))
    prompt = Prompt(text="Count.", instructions="Be exact.", schema=SCHEMA)
    assert heard(setting, prompt)[0].text == '{"n": 3}'
    tries = len(setting.server.requests)
    assert b"and with nothing else" in setting.server.requests[-1].raw
    assert heard(setting, prompt)[0].text == '{"n": 3}'
    assert len(setting.server.requests) == tries + 1


def test_a_temperature_that_is_refused_is_left_out_from_then_on(setting: Setting) -> None:
    setting.fails(Trouble("unsupported", field="temperature"))
    assert heard(setting)[0].text == REPLY
    assert b'"temperature"' in setting.server.requests[0].raw
    assert b'"temperature"' not in setting.server.requests[1].raw
    heard(setting)
    assert len(setting.server.requests) == 3
    assert b'"temperature"' not in setting.server.requests[2].raw


# ---------------------------------------------------------------- errors


ERRORS = [
    (Trouble("status", status=401), ProviderAuthError, "does not accept the key (401"),
    (
        Trouble("status", status=403),
        ProviderAuthError,
        "does not allow this key what was asked for 'test-model-1' (403",
    ),
    (Trouble("missing"), ModelMissingError, "has no model 'test-model-1' (404"),
    (Trouble("status", status=429, headers={"Retry-After": "61"}), RateLimitedError, "takes no more requests"),
    (Trouble("status", status=402), RateLimitedError, "has no credit left (402"),
    (Trouble("blocked"), ProviderRefusedError, "refused the request for 'test-model-1'"),
    (Trouble("invalid"), BadReplyError, "sent for 'test-model-1' is no answer of its kind"),
    (Trouble("shape"), BadReplyError, "sent for 'test-model-1' is no answer of its kind"),
    (Trouble("status", status=400), ProviderError, "did not take the request for 'test-model-1' (400"),
    (Trouble("status", status=301), ProviderError, "answers with a redirect (301)"),
]


@pytest.mark.parametrize(("trouble", "kind", "words"), ERRORS, ids=[f"{one.kind}-{one.status}" for one, _, _ in ERRORS])
def test_an_error_names_the_service_and_what_to_do(
    setting: Setting, trouble: Trouble, kind: type[ProviderError], words: str
) -> None:
    if trouble.kind == "blocked" and setting.service.wire == GEMINI:
        pytest.skip("Gemini says it in its reply")
    setting.fails(trouble)
    error = refused(setting, kind)
    assert type(error) is kind
    assert words in error.problem
    assert setting.service.label in error.problem
    assert error.hint
    assert len(setting.server.requests) == 1


def test_a_service_that_keeps_failing_is_asked_four_times(setting: Setting) -> None:
    setting.fails(*[Trouble("status", status=500)] * 4)
    error = refused(setting, ProviderFailedError)
    assert f"{setting.service.label} failed on its side for 'test-model-1' (500" in error.problem
    assert len(setting.server.requests) == 4


def test_the_pause_that_is_asked_for_is_told_where_it_is_too_long_to_wait(setting: Setting) -> None:
    setting.fails(Trouble("status", status=429, headers={"Retry-After": "61"}))
    assert "Wait about 61 seconds" in refused(setting, RateLimitedError).hint


def test_nothing_is_sent_without_a_key_where_one_is_needed(setting: Setting) -> None:
    setting.key = None
    if not setting.service.needs_key:
        assert heard(setting)[0].text == REPLY
        assert "authorization" not in setting.server.requests[0].headers
        return
    error = refused(setting, KeyNeededError)
    assert f"keys set {setting.service.name}" in error.hint
    assert setting.server.requests == []
    assert setting.egress.ledger() == ()


def test_a_key_is_asked_for_each_time_so_that_a_new_one_works_at_once(setting: Setting) -> None:
    completer = setting.completer()
    completer.complete(PROMPT)
    setting.key = "sk-another-key"
    completer.complete(PROMPT)
    assert b"sk-another-key" in setting.server.requests[1].raw
    assert KEY.encode() not in setting.server.requests[1].raw


def test_a_key_with_letters_that_no_key_has_is_not_sent_and_not_quoted(setting: Setting) -> None:
    setting.key = "sk-“geheim”-1"
    with pytest.raises(ProviderAuthError) as caught:
        heard(setting)
    assert "geheim" not in "".join(traceback.format_exception(caught.value))
    assert setting.server.requests == []


def test_nothing_is_sent_offline(setting: Setting) -> None:
    setting.egress.offline = True
    refused(setting, OfflineError)
    assert setting.server.requests == []


def test_a_server_that_does_not_run_is_not_asked_again_and_again(setting: Setting) -> None:
    completer = setting.completer()
    setting.server.__exit__()
    with pytest.raises(ProviderUnreachableError, match=f"{setting.service.label} gave no whole answer for"):
        completer.complete(PROMPT)
    assert len(setting.egress.ledger()) == 1
    setting.server = ModelServer()
    setting.server.__enter__()
    setting.server.__exit__()


# ---------------------------------------------------------------- trying again


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble("status", status=429, headers={"Retry-After": "0"}),
        Trouble("status", status=429, headers={"retry-after": format_datetime(retries.datetime.now(retries.UTC))}),
        Trouble("status", status=500),
        Trouble("status", status=503),
        Trouble("status", status=529),
        Trouble("reset"),
        Trouble("overloaded"),
        Trouble("cut"),
    ],
    ids=lambda one: f"{one.kind}-{one.status}",
)
def test_what_passes_is_tried_again_while_nothing_has_been_told(setting: Setting, trouble: Trouble) -> None:
    setting.fails(trouble)
    done, pieces = heard(setting)
    assert done.text == "".join(pieces) == REPLY
    assert len(setting.server.requests) == 2


@pytest.mark.parametrize("kind", ["cut", "overloaded"])
def test_nothing_is_tried_again_once_words_have_been_told(setting: Setting, kind: str) -> None:
    setting.fails(Trouble(kind, after=2))
    pieces: list[str] = []
    with pytest.raises(ProviderCutError if kind == "cut" else ProviderFailedError) as caught:
        setting.completer().complete(PROMPT, pieces.append)
    assert setting.service.label in caught.value.problem
    assert MODEL in caught.value.problem
    assert len(pieces) == 2
    assert len(setting.server.requests) == 1


# ---------------------------------------------------------------- stopping


@pytest.mark.parametrize("after", [-1, 0, 2])
def test_a_reply_that_is_stopped_keeps_what_has_come(setting: Setting, after: int) -> None:
    """The server stays silent for half a minute; only the stop can end this."""
    setting.fails(Trouble("silent", after=after))
    stop = threading.Event()
    pieces: list[str] = []

    def stop_in_time() -> None:
        while len(setting.server.requests) < 1 or len(pieces) < max(after, 0):
            stop.wait(0.005)
        stop.set()

    thread = threading.Thread(target=stop_in_time)
    thread.start()
    done = setting.completer().complete(PROMPT, pieces.append, stop)
    thread.join()
    assert done.finish is Finish.CANCELLED
    assert done.text == "".join(pieces)
    assert len(pieces) == max(after, 0)
    assert done.usage.input_tokens > 0, "the prompt has been sent, and may have to be paid"
    assert setting.server.left.wait(5)


def test_a_slow_stream_can_be_stopped_between_its_words(setting: Setting) -> None:
    setting.fails(Trouble("slow", pause_s=0.02, after=-1))
    stop = threading.Event()
    pieces: list[str] = []

    def hear(piece: str) -> None:
        pieces.append(piece)
        stop.set()

    done = setting.completer().complete(PROMPT, hear, stop)
    assert (done.finish, len(pieces)) == (Finish.CANCELLED, 1)


@pytest.mark.timeout(30)
def test_a_stop_ends_the_wait_for_the_next_try(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "LONGEST_PAUSE_S", 600.0)
    setting.fails(Trouble("status", status=429, headers={"Retry-After": "300"}))
    stop = threading.Event()
    threading.Timer(0.1, stop.set).start()
    done = setting.completer().complete(PROMPT, None, stop)
    assert done.finish is Finish.CANCELLED
    assert len(setting.server.requests) == 1


def test_a_stopped_reply_still_counts_against_the_budget(setting: Setting) -> None:
    setting.fails(Trouble("silent", after=2))
    stop = threading.Event()
    pieces: list[str] = []

    def hear(piece: str) -> None:
        pieces.append(piece)
        if len(pieces) == 2:
            stop.set()

    usage = setting.completer().complete(PROMPT, hear, stop).usage
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


# ---------------------------------------------------------------- the ledger


def test_the_ledger_has_every_byte_that_the_server_saw_and_whose_words_they_were(setting: Setting) -> None:
    setting.fails(Trouble("status", status=503), Trouble("unsupported", field="temperature"))
    heard(setting)
    setting.provider.cards()
    rows = setting.egress.ledger()
    assert [row.sent_bytes for row in rows] == [seen.size for seen in setting.server.requests]
    assert [row.status for row in rows] == [503, 400, 200, 200]
    assert [row.purpose for row in rows] == ["answer"] * 3 + ["model list"]
    assert {row.service for row in rows} == {setting.service.name}
    assert all(row.source_ids == PROMPT.source_ids for row in rows[:3])
    assert rows[3].source_ids == ()
    assert KEY not in repr(rows)


def test_a_key_that_gemini_calls_invalid_with_another_status_is_an_invalid_key() -> None:
    with ModelServer() as server:
        setting = Setting(server, server.service("gemini"))
        setting.fails(Trouble("raw", status=400, body=bad_key_body()))
        refused(setting, ProviderAuthError)
