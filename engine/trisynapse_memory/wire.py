"""The words of the private socket: calls, replies, verbs and what they return. Values only; no socket is opened.

Light on purpose: the window imports this, so nothing here may load SQLite, numpy or a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec import Struct

from trisynapse_memory import errors
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.types import (
    Alias,
    Answer,
    AnswerStep,
    Backlog,
    Change,
    Claim,
    ConsentSheet,
    DraftCheck,
    EgressRow,
    Fault,
    Feed,
    FeedPlan,
    Graph,
    IngestRun,
    KeyringState,
    KeyState,
    Link,
    LinkPlan,
    LocalModel,
    Message,
    ModelCard,
    ModelTest,
    Namespace,
    Novelty,
    PageNote,
    Place,
    Progress,
    Quad,
    QueryRun,
    Receipt,
    Record,
    RecordId,
    Replay,
    RoleChoice,
    SameText,
    SearchResult,
    ServiceState,
    SharingRule,
    Snapshot,
    Source,
    SourceCard,
    SourceExport,
    SourceInput,
    Spending,
    Summary,
    Task,
    Thread,
    Trial,
    TuningState,
    Turn,
    Validation,
    WatchedFolder,
    WikiChange,
    WikiExport,
    WikiPage,
)

VERBS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "ping": str,
        "ingest": IngestRun,
        "ingest_messages": tuple[RecordId, ...],
        "request_count": int,
        "search": SearchResult,
        "query": Answer,
        "get": Record,
        "history": tuple[Record, ...],
        "list_records": tuple[Record, ...],
        "correct": Change,
        "forget": Change,
        "reinstate": Change,
        "remove": Receipt,
        "feedback": RecordId,
        "validate": Validation,
        "reindex": dict[str, int],
        "sources.list": tuple[Source, ...],
        "sources.show": Source,
        "sources.pages": tuple[PageNote, ...],
        "sources.text": tuple[Record, ...],
        "sources.copies": tuple[SameText, ...],
        "sources.original": str,
        "sources.quads": tuple[Quad, ...],
        "sources.follow": Place,
        "sources.approve_hidden": tuple[RecordId, ...],
        "sources.forget": Change,
        "sources.reinstate": Change,
        "sources.remove": Receipt,
        "sources.card": SourceCard,
        "sources.mark_sensitive": Record,
        "sources.novelty": tuple[Novelty, ...],
        "sources.export": SourceExport,
        "claims.list": tuple[Claim, ...],
        "claims.show": Claim,
        "claims.resolve": Claim,
        "claims.unresolve": Claim,
        "graph.around": Graph,
        "graph.export": str,
        "drafts.check": DraftCheck,
        "groups.list": tuple[Summary, ...],
        "groups.show": Summary,
        "groups.summarize": Summary,
        "aliases.list": tuple[Alias, ...],
        "aliases.merge": Alias,
        "aliases.unmerge": tuple[Alias, ...],
        "snapshots.list": tuple[Snapshot, ...],
        "snapshots.get": Snapshot,
        "snapshots.entered": Snapshot | None,
        "snapshots.create": Snapshot,
        "snapshots.enter": Snapshot,
        "snapshots.leave": Snapshot | None,
        "wiki.build": tuple[WikiPage, ...],
        "wiki.pages": tuple[WikiPage, ...],
        "wiki.show": WikiPage,
        "wiki.write": WikiPage,
        "wiki.changes": tuple[WikiChange, ...],
        "wiki.accept": WikiPage,
        "wiki.reject": WikiPage,
        "wiki.keep": WikiPage,
        "wiki.refresh": None,
        "wiki.export": WikiExport,
        "links.plan": LinkPlan,
        "links.fetch": LinkPlan,
        "links.refresh": LinkPlan,
        "links.list": tuple[Link, ...],
        "links.cancel": int,
        "links.wait": tuple[Link, ...],
        "watching.list": tuple[WatchedFolder, ...],
        "watching.add": WatchedFolder,
        "watching.remove": tuple[WatchedFolder, ...],
        "watching.sync": tuple[IngestRun, ...],
        "feeds.plan": FeedPlan,
        "feeds.follow": Feed,
        "feeds.list": tuple[Feed, ...],
        "feeds.refresh": tuple[Feed, ...],
        "feeds.pause": Feed,
        "feeds.resume": Feed,
        "feeds.unfollow": tuple[Feed, ...],
        "jobs.list": tuple[Task, ...],
        "jobs.pause": tuple[Task, ...],
        "jobs.resume": tuple[Task, ...],
        "jobs.cancel": tuple[Task, ...],
        "jobs.prioritise": None,
        "jobs.backlog": Backlog,
        "jobs.wait": Backlog,
        "threads.list": tuple[Thread, ...],
        "threads.get": Thread,
        "threads.create": Thread,
        "threads.rename": Thread,
        "threads.archive": Thread,
        "threads.choose_model": Thread,
        "threads.append": Turn,
        "threads.turns": tuple[Turn, ...],
        "runs.list": tuple[IngestRun, ...],
        "runs.queries": tuple[QueryRun, ...],
        "runs.show": IngestRun | QueryRun,
        "runs.replay": Replay,
        "runs.retry": IngestRun,
        "runs.read_again": IngestRun,
        "runs.cancel": None,
        "runs.resume": tuple[IngestRun, ...],
        "curation.highlight": Record,
        "curation.unhighlight": Record,
        "curation.highlights": tuple[Record, ...],
        "curation.tag": Record,
        "curation.untag": Record,
        "curation.collect": Record,
        "curation.uncollect": Record,
        "curation.retitle": Record,
        "models.services": tuple[ServiceState, ...],
        "models.add_service": ServiceState,
        "models.remove_service": None,
        "models.cards": tuple[ModelCard, ...],
        "models.roles": tuple[RoleChoice, ...],
        "models.choose": RoleChoice,
        "models.clear": RoleChoice,
        "models.test": ModelTest,
        "models.local": tuple[LocalModel, ...],
        "models.download": LocalModel,
        "models.cancel_download": None,
        "models.add_file": LocalModel,
        "models.remove_file": None,
        "keys.state": KeyringState,
        "keys.list": tuple[KeyState, ...],
        "keys.set": KeyState,
        "keys.remove": KeyState,
        "tuning.show": TuningState,
        "tuning.switch": TuningState,
        "tuning.note": bool,
        "tuning.clear": int,
        "tuning.learn": Trial,
        "tuning.apply": TuningState,
        "tuning.revert": TuningState,
        "privacy.sheet": ConsentSheet,
        "privacy.allow": ServiceState,
        "privacy.disallow": ServiceState,
        "privacy.rules": tuple[SharingRule, ...],
        "privacy.set_rule": tuple[SharingRule, ...],
        "privacy.requests": tuple[EgressRow, ...],
        "privacy.offline": bool,
        "privacy.set_offline": bool,
        "privacy.spending": Spending,
        "privacy.set_budget": Spending,
    }
)
"""Verb -> what it returns. A test holds this table against the signatures of the façade and its doors."""

_READING: Final = frozenset(
    """ping request_count search query get history list_records validate sources.list sources.show sources.pages
    sources.text sources.original sources.quads sources.card sources.export claims.list claims.show graph.around
    graph.export drafts.check links.plan links.list links.wait groups.list sources.follow watching.list feeds.plan
    feeds.list sources.novelty sources.copies
    groups.show aliases.list snapshots.list snapshots.get snapshots.entered wiki.pages wiki.show
    wiki.changes wiki.export jobs.list jobs.backlog jobs.wait jobs.prioritise jobs.pause jobs.resume jobs.cancel
    threads.list threads.get threads.turns runs.list runs.queries runs.show runs.replay runs.cancel curation.highlights
    models.services models.cards models.roles models.test models.local models.cancel_download keys.state keys.list
    tuning.show tuning.note privacy.sheet privacy.rules privacy.requests privacy.offline privacy.spending""".split()
)
CHANGING: Final = frozenset(VERBS) - _READING
"""Verbs after which every client is told that something changed."""


STEPS: Final[Mapping[str, Any]] = MappingProxyType({"query": AnswerStep})
"""Verb -> what is told while it works, where that is no ``Progress``."""

Input = SourceInput | str
"""What ``ingest`` takes over the wire: a full input, a path or a URL."""

NARROWED: Final[Mapping[tuple[str, str], Any]] = MappingProxyType(
    {("ingest_messages", "messages"): tuple[Message, ...]}
)
"""Arguments that a caller in Python may give in more ways than JSON can tell apart: (verb, argument) -> type."""


class Call(Struct, frozen=True, kw_only=True):
    """One request. ``offline`` forbids the network for this request alone; ``namespace`` is whose memory it sees."""

    id: int
    verb: str
    args: dict[str, Any] = {}
    offline: bool = False
    namespace: Namespace | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """One answer to a call, or, with id 0, a notice. ``kind`` is result, error, progress or notice."""

    id: int
    kind: str
    body: msgspec.Raw


_read_call = msgspec.json.Decoder(Call).decode
_read_reply = msgspec.json.Decoder(Reply).decode


def read_call(frame: bytes) -> Call:
    """Read a call from one frame."""
    return _read_call(frame)


def read_reply(frame: bytes) -> Reply:
    """Read a reply from one frame; its body stays undecoded."""
    return _read_reply(frame)


def read_result(verb: str, body: msgspec.Raw) -> Any:
    """Read what a verb returned, from the body of its reply."""
    if verb != "runs.show":
        return msgspec.json.decode(body, type=VERBS[verb])
    run = msgspec.json.decode(body, type=dict[str, Any])  # the two kinds of run carry no tag; their ids tell
    return msgspec.convert(run, QueryRun if "query_id" in run else IngestRun, strict=False)


def read_step(verb: str, body: msgspec.Raw) -> Any:
    """Read what is told of a verb while it works: an ``AnswerStep`` of a question, else a ``Progress``."""
    return msgspec.json.decode(body, type=STEPS.get(verb, Progress))


def write(message: Call | Reply) -> bytes:
    """Return a message as one frame."""
    return msgspec.json.encode(message)


def reply(call_id: int, kind: str, body: object) -> bytes:
    """Return a reply as one frame."""
    return msgspec.json.encode(Reply(id=call_id, kind=kind, body=msgspec.Raw(msgspec.json.encode(body))))


def error_of(fault: Fault) -> TrisynapseError:
    """Return the error a fault stands for, in its own class, so that a client catches what the engine raised."""
    return _CLASSES.get(fault.code, TrisynapseError)(fault.message, fault.hint)


_CLASSES: Final = {
    found.code: found
    for found in vars(errors).values()
    if isinstance(found, type) and issubclass(found, TrisynapseError)
}
