"""What is compiled from records: changes today; claims, edges and summaries join with the memory issue. Values only."""

from __future__ import annotations

from msgspec import Struct

from trisynapse_memory.types.record import RecordId


class Change(Struct, frozen=True, kw_only=True):
    """What a lifecycle verb did: the record it appended and how many records it hid or brought back."""

    record_id: RecordId
    verb: str
    affected_count: int


class Finding(Struct, frozen=True, kw_only=True):
    """One fault that a check found: stable code, where, what, and the way to mend it (empty if there is none)."""

    code: str
    where: str
    message: str
    fix: str = ""


class Validation(Struct, frozen=True, kw_only=True):
    """The result of proving a vault: ``ok`` exactly when there is no finding. ``checked`` counts what was looked at."""

    ok: bool
    findings: tuple[Finding, ...] = ()
    checked: dict[str, int] = {}


class Message(Struct, frozen=True, kw_only=True):
    """One message of a conversation to be remembered."""

    role: str
    content: str
    id: str | None = None
    speaker: str | None = None
    observed_at: str | None = None


class Turn(Struct, frozen=True, kw_only=True):
    """One message of a kept chat thread, as the chat pane shows it."""

    record_id: RecordId
    thread_id: str
    role: str
    text: str
    query_id: str | None = None
    answer: str = ""
    written_at: str = ""


class Thread(Struct, frozen=True, kw_only=True):
    """A kept chat thread; ``model`` is who writes its answers, see ``ThreadDetails``."""

    thread_id: str
    title: str
    scope_source_ids: tuple[str, ...] = ()
    turn_count: int = 0
    updated_at: str = ""
    archived: bool = False
    model: str = ""


class Notice(Struct, frozen=True, kw_only=True):
    """Something changed that panes may redraw for.

    ``topic`` is sources, records, runs, threads, claims, graph, summaries, wiki, snapshots, jobs, or requests (``seq``:
    how many were sent so far).
    """

    topic: str
    seq: int = 0
    subject: str = ""
