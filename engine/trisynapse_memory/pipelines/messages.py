"""Messages of a conversation in, records in the log out. No page and no file stands behind a chat turn."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.admission import source_id_of
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import (
    Actor,
    CompletionDetails,
    Draft,
    Kind,
    Locator,
    Message,
    MessageDetails,
    Modality,
    Namespace,
    RecordId,
    SourceDetails,
    SourceId,
)


def take_messages(
    rooms: Rooms, namespace: Namespace, group_id: str, title: str, messages: Sequence[Message]
) -> tuple[RecordId, ...]:
    """Append the messages of one conversation in order, once each, and make their words searchable.

    A message with an id that is given again is not written twice; messages without ids continue the conversation.

    Raises:
        InvalidInputError: a message has no content, or a date that is not ISO 8601.
    """
    with rooms.log.transaction():  # a message that is refused leaves no empty conversation behind
        source_id = _begin(rooms, namespace, group_id, title)
        held = rooms.log.count_of_source(source_id, Kind.RAW_SOURCE)
        drafts = [
            _draft(namespace, group_id, source_id, message, index)
            for index, message in enumerate(messages, start=_start(messages, held))
        ]
        records = rooms.log.append(drafts)
    rooms.projector.catch_up()
    return tuple(record.id for record in records)


def _start(messages: Sequence[Message], held: int) -> int:
    # Messages with ids are known by them, so an import can be repeated; without ids they continue the conversation.
    return 0 if all(message.id for message in messages) else held


def _begin(rooms: Rooms, namespace: Namespace, group_id: str, title: str) -> SourceId:
    """Make the conversation a source of its own, so that it is listed, scoped and forgotten like any other."""
    if not group_id.strip():
        raise InvalidInputError("A conversation needs a group id.", hint="Give it a short stable name.")
    key = f"chat:{group_id}"
    digest = hashlib.sha256(key.encode()).hexdigest()
    source_id = source_id_of(namespace, key, digest)
    details = SourceDetails(source_key=key, kind="chat", title=title or group_id, version=1, content_hash=digest)
    rooms.log.append(
        [
            Draft(
                kind=Kind.SOURCE,
                text=details.title,
                namespace=namespace,
                source_id=source_id,
                payload=details,
                external_key=f"source:{source_id}",
            ),
            Draft(
                kind=Kind.COMPLETION,
                text=f"{details.title} has arrived.",
                namespace=namespace,
                source_id=source_id,
                payload=CompletionDetails(target_source_id=source_id, verdicts={}),
                external_key=f"source:{source_id}:done",
            ),
        ]
    )
    return source_id


def _draft(namespace: Namespace, group_id: str, source_id: SourceId, message: Message, index: int) -> Draft:
    if not message.content.strip():
        raise InvalidInputError(f"Message {message.id or index} of '{group_id}' is empty.", hint="Leave it out.")
    speaker = message.speaker or message.role
    moment = _moment(message, group_id, index)
    text = f"{speaker}: {message.content}"
    return Draft(
        kind=Kind.RAW_SOURCE,
        text=text,
        namespace=namespace,
        actor=Actor(type="external"),
        observed_at=moment,
        group_id=group_id,
        source_id=source_id,
        locator=Locator(kind="turn", index=index, speaker=speaker, observed_at=moment, start=0, end=len(text)),
        modality=Modality.CONVERSATION,
        payload=MessageDetails(message_id=message.id or "", role=message.role, sent_at=moment),
        external_key=f"message:{source_id}:{message.id or index}",
    )


def _moment(message: Message, group_id: str, index: int) -> datetime | None:
    if message.observed_at is None:
        return None
    try:
        moment = datetime.fromisoformat(message.observed_at)
    except ValueError as error:
        raise InvalidInputError(
            f"'{message.observed_at}' (message {message.id or index} of '{group_id}') is no ISO 8601 date.",
            hint="Write it as 2023-05-08T13:56:00.",
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # as every other way in does


def message_of(message: Mapping[str, str] | str) -> Message:
    """Return a message that came as a mapping or as bare words.

    Raises:
        InvalidInputError: it has no content.
    """
    if isinstance(message, str):
        return Message(role="user", content=message)
    try:
        return Message(
            role=message.get("role", "user"),
            content=message["content"],
            id=message.get("id"),
            speaker=message.get("speaker"),
            observed_at=message.get("observed_at"),
        )
    except KeyError as error:
        raise InvalidInputError("A message needs 'content'.", hint="And usually 'role'.") from error
