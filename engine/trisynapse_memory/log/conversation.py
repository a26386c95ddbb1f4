"""Threads and turns in, conversation records out, and back: what was asked and answered is kept for ever."""

from __future__ import annotations

from uuid import uuid4

from msgspec.structs import replace

from trisynapse_memory.errors import InvalidInputError, UnknownRecordError
from trisynapse_memory.log.rows import format_time
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Actor, Draft, Kind, Record, Thread, ThreadDetails, Turn, TurnDetails

ROLES = ("user", "assistant")
NO_MODEL = "none"


class Conversations:
    """The kept chat threads of one log. A thread's latest ``thread`` record says its title and scope."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log

    def list(self) -> tuple[Thread, ...]:
        """Return the threads that are not archived, the one last written to first."""
        latest: dict[str, ThreadDetails] = {}
        for record in self._log.of_kind(Kind.THREAD):
            if isinstance(record.payload, ThreadDetails):
                latest[record.payload.thread_id] = record.payload
        threads = [self._thread(details) for details in latest.values() if not details.archived]
        return tuple(sorted(threads, key=lambda thread: (thread.updated_at, thread.thread_id), reverse=True))

    def get(self, thread_id: str) -> Thread:
        """Return one thread, archived or not.

        Raises:
            UnknownRecordError: no thread has that id.
        """
        return self._thread(self._details(thread_id))

    def create(self, title: str, scope_source_ids: tuple[str, ...] = ()) -> Thread:
        """Begin a thread, limited to these sources or to none in particular."""
        details = ThreadDetails(thread_id=f"t_{uuid4().hex[:20]}", title=title, scope_source_ids=scope_source_ids)
        return self._write(details)

    def rename(self, thread_id: str, title: str) -> Thread:
        """Give a thread another title."""
        return self._write(replace(self._details(thread_id), title=title))

    def archive(self, thread_id: str) -> Thread:
        """Take a thread from the list; it stays in the log."""
        return self._write(replace(self._details(thread_id), archived=True))

    def choose_model(self, thread_id: str, model: str) -> Thread:
        """Say who writes the answers of a thread: ``service/model``, ``none``, or empty for what the settings say."""
        if model and model != NO_MODEL and "/" not in model:
            raise InvalidInputError(f"'{model}' names no model.", hint="Give it as SERVICE/MODEL, or 'none'.")
        return self._write(replace(self._details(thread_id), model=model))

    def append(self, thread_id: str, role: str, text: str, query_id: str | None = None, answer: str = "") -> Turn:
        """Keep one message of a thread; ``answer`` is the JSON of the answer shown, if it was one."""
        if role not in ROLES:
            raise InvalidInputError(f"'{role}' is no role of a turn.", hint=f"Known: {', '.join(ROLES)}.")
        self._details(thread_id)
        details = TurnDetails(thread_id=thread_id, role=role, query_id=query_id, answer=answer)
        actor = Actor(type="user" if role == "user" else "engine")
        (record,) = self._log.append(
            [Draft(kind=Kind.TURN, text=text, group_id=thread_id, payload=details, actor=actor)]
        )
        return _turn(record, details)

    def turns(self, thread_id: str) -> tuple[Turn, ...]:
        """Return a thread's messages, oldest first."""
        self._details(thread_id)
        records = self._log.of_group(thread_id, Kind.TURN)
        return tuple(_turn(record, record.payload) for record in records if isinstance(record.payload, TurnDetails))

    def _details(self, thread_id: str) -> ThreadDetails:
        for record in reversed(self._log.of_group(thread_id, Kind.THREAD)):
            if isinstance(record.payload, ThreadDetails):
                return record.payload
        raise UnknownRecordError(f"There is no thread '{thread_id}'.", hint="`threads list` shows all of them.")

    def _write(self, details: ThreadDetails) -> Thread:
        draft = Draft(
            kind=Kind.THREAD,
            text=details.title,
            group_id=details.thread_id,
            payload=details,
            actor=Actor(type="user"),
        )
        self._log.append([draft])
        return self._thread(details)

    def _thread(self, details: ThreadDetails) -> Thread:
        records = self._log.of_group(details.thread_id, Kind.THREAD, Kind.TURN)
        return Thread(
            thread_id=details.thread_id,
            title=details.title,
            scope_source_ids=details.scope_source_ids,
            turn_count=sum(isinstance(record.payload, TurnDetails) for record in records),
            updated_at=format_time(records[-1].written_at),
            archived=details.archived,
            model=details.model,
        )


def _turn(record: Record, details: TurnDetails) -> Turn:
    return Turn(
        record_id=record.id,
        thread_id=details.thread_id,
        role=details.role,
        text=record.text,
        query_id=details.query_id,
        answer=details.answer,
        written_at=format_time(record.written_at),
    )
