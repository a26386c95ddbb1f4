"""The table of verbs is the façade's own, messages survive a frame, and errors keep their class."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from operator import attrgetter
from typing import get_type_hints

import msgspec
import pytest

from trisynapse_memory import errors, wire
from trisynapse_memory.errors import TrisynapseError, UnknownRecordError
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.curation import Curation
from trisynapse_memory.log.snapshots import Snapshots
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.activity import Activity
from trisynapse_memory.pipelines.aliases import Aliases
from trisynapse_memory.pipelines.asking.drafts import Drafts
from trisynapse_memory.pipelines.claims import Claims
from trisynapse_memory.pipelines.feeds import Feeds
from trisynapse_memory.pipelines.graphs import Graphs
from trisynapse_memory.pipelines.groups import Groups
from trisynapse_memory.pipelines.keys import Keys
from trisynapse_memory.pipelines.library import Library
from trisynapse_memory.pipelines.links import Links
from trisynapse_memory.pipelines.models import Models
from trisynapse_memory.pipelines.privacy import Privacy
from trisynapse_memory.pipelines.runs import Runs
from trisynapse_memory.pipelines.tuning.door import Tuning
from trisynapse_memory.pipelines.watching import Watching
from trisynapse_memory.pipelines.wiki import Wiki
from trisynapse_memory.types import Answer, Backlog, Fault, IngestRun, Namespace, QueryRun, SourceInput

DOORS = {
    "sources": Library,
    "runs": Runs,
    "jobs": Activity,
    "claims": Claims,
    "graph": Graphs,
    "drafts": Drafts,
    "groups": Groups,
    "aliases": Aliases,
    "wiki": Wiki,
    "snapshots": Snapshots,
    "threads": Conversations,
    "curation": Curation,
    "models": Models,
    "keys": Keys,
    "privacy": Privacy,
    "tuning": Tuning,
    "links": Links,
    "watching": Watching,
    "feeds": Feeds,
}
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LOCAL = {
    "open",
    "close",
    "view",
    "publish",
    "vault_id",
    "jobs.listen",
    "watching.start",
    "watching.close",
    "feeds.listen",
    "privacy.follow_offline",
    "privacy.follow_requests",
}
"""What belongs to the process that opened the vault."""

CLASSES = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, TrisynapseError)]


class Whole:
    """The façade with its doors, as classes: signatures can be read without a vault."""

    def __init__(self) -> None:
        for name in vars(MemoryEngine):
            if not name.startswith("_") and name not in LOCAL:
                setattr(self, name, getattr(MemoryEngine, name))
        for door, found in DOORS.items():
            setattr(self, door, found)


def verbs_of_the_facade() -> set[str]:
    own = {name for name in vars(MemoryEngine) if not name.startswith("_")} - LOCAL
    doors = {f"{door}.{name}" for door, found in DOORS.items() for name in vars(found) if not name.startswith("_")}
    return own | doors - LOCAL


def test_the_table_names_every_verb_of_the_facade_and_its_doors_and_no_other():
    assert set(wire.VERBS) - {"ping"} == verbs_of_the_facade()


@pytest.mark.parametrize("verb", sorted(set(wire.VERBS) - {"ping"}))
def test_a_verb_returns_what_the_table_says(verb: str):
    method = attrgetter(verb)(Whole())
    returned = get_type_hints(method)["return"]
    assert returned == (type(None) if wire.VERBS[verb] is None else wire.VERBS[verb])


@pytest.mark.parametrize("verb", sorted(set(wire.VERBS) - {"ping"}))
def test_every_argument_of_a_verb_can_be_read_from_json(verb: str):
    method = attrgetter(verb)(Whole())
    hints = get_type_hints(method)
    for name, parameter in inspect.signature(method).parameters.items():
        if name not in ("self", "progress") and parameter.kind is not parameter.VAR_POSITIONAL:
            msgspec.json.Decoder(wire.NARROWED.get((verb, name), hints[name]))


@pytest.mark.parametrize("verb", sorted(set(wire.VERBS) - {"runs.show"}))
def test_every_result_can_be_read_from_json(verb: str):
    msgspec.json.Decoder(wire.VERBS[verb])


@pytest.mark.parametrize(
    "run",
    [
        IngestRun(run_id="run_1", status="completed", created_at=MOMENT, backlog=Backlog(vectors=2)),
        QueryRun(query_id="q_1", mode="query", question="?", status="completed", created_at=MOMENT, duration_ms=1.5),
    ],
    ids=["ingest", "query"],
)
def test_both_kinds_of_run_come_back_as_what_they_are(run: IngestRun | QueryRun):
    assert wire.read_result("runs.show", wire.read_reply(wire.reply(1, "result", run)).body) == run


def test_a_verb_that_changes_the_vault_is_told_to_everybody():
    reading = {
        "ping", "search", "query", "get", "history", "list_records", "request_count", "validate", "list", "show",
        "pages", "text", "original", "quads", "card", "turns", "queries", "highlights", "around", "export", "entered",
        "changes", "backlog", "wait", "services", "cards", "roles", "test", "local", "state", "sheet", "rules",
        "requests", "offline", "spending", "plan", "novelty", "copies", "check", "replay",
    }  # fmt: skip
    working = {
        "sources.follow",
        "jobs.pause",
        "jobs.resume",
        "jobs.cancel",
        "jobs.prioritise",
        "runs.cancel",
        "models.cancel_download",
        "tuning.note",
    }
    changing = {verb for verb in wire.VERBS if verb.split(".")[-1] not in reading} - working
    assert changing == set(wire.CHANGING)


def test_a_call_survives_its_frame():
    call = wire.Call(
        id=3, verb="query", args={"question": "é", "top_k": 4}, offline=True, namespace=Namespace(user_id="u")
    )
    assert wire.read_call(wire.write(call)) == call


def test_an_input_with_bytes_and_a_password_survives_the_way():
    given = SourceInput(content=b"\x00\xff", filename="a.pdf", password="pw", tags=("a",))
    frame = wire.write(wire.Call(id=1, verb="ingest", args=msgspec.to_builtins({"inputs": [given]})))
    (read,) = msgspec.convert(wire.read_call(frame).args["inputs"], list[wire.Input])
    assert read == given


def test_a_reply_survives_its_frame_with_its_body_unread():
    answer = Answer(query_id="q", question="?", answer="", abstain=True)
    reply = wire.read_reply(wire.reply(7, "result", answer))
    assert (reply.id, reply.kind) == (7, "result")
    assert msgspec.json.decode(reply.body, type=Answer) == answer


def test_nothing_is_a_body_too():
    assert bytes(wire.read_reply(wire.reply(1, "result", None)).body) == b"null"


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_an_error_keeps_its_class_problem_and_hint(found: type[TrisynapseError]):
    again = wire.error_of(Fault.of(found("problem", hint="hint")))
    assert (type(again), again.problem, again.hint) == (found, "problem", "hint")


def test_an_error_of_a_newer_engine_is_still_an_error_of_ours():
    fault = msgspec.structs.replace(Fault.of(UnknownRecordError("p")), code="moon.gone")
    assert type(wire.error_of(fault)) is TrisynapseError


def test_a_result_of_a_newer_engine_with_more_fields_can_be_read():
    body = msgspec.json.decode(msgspec.json.encode(IngestRun(run_id="r", status="completed")))
    assert msgspec.convert({**body, "new": 1}, IngestRun).run_id == "r"
