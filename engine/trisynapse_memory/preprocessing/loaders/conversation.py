"""One conversation in the shape of ``chats/turns.py`` in, its turns with speaker and time out; nothing is guessed.

Every turn is a section of its own, so that no passage mixes two speakers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.chats.turns import MARK, Conversation, Turn, decode
from trisynapse_memory.preprocessing.cutting import cut_pages
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Heading, Listing, Locator, Modality, Page, PageVerdict, Section

_JOINT: Final = "\n\n"


class ConversationLoader:
    """Reads conversations that the loader ``chats`` took out of an export."""

    name = "conversation"
    version = 1
    modality = Modality.CONVERSATION.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1 for its own mark, else 0."""
        return 1.0 if head.startswith(b"{") and MARK.encode() in head[:80] else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> ConversationDocument:
        """Open a conversation; it has no password.

        Raises:
            SourceDamagedError: it is none.
            SourceEmptyError, SourceMissingError, SourceDeniedError, SourceError: there is nothing to read.
        """
        name = filename or path.name
        found = decode(read_original(path, name, again="Export the chats again."))
        if found is None:
            raise SourceDamagedError(f"'{name}' is no conversation.", hint="Export the chats again.")
        return ConversationDocument(found)


class ConversationDocument:
    """A conversation that is open."""

    def __init__(self, conversation: Conversation) -> None:
        self._pages = cut_pages(*_written(conversation.turns))
        moments = [turn.observed_at for turn in conversation.turns if turn.observed_at is not None]
        self.heading = Heading(
            page_count=len(self._pages),
            title=conversation.title,
            authors=tuple(dict.fromkeys(turn.speaker for turn in conversation.turns if turn.role == "person")),
            published=min(moments).date().isoformat() if moments else "",
            media_type="application/json",
            method="conversation",
            identifiers={"url": conversation.url} if conversation.url else {},
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones."""
        for number, (text, sections) in enumerate(self._pages, start=1):
            if number >= start:
                verdict = PageVerdict.OK if text.strip() else PageVerdict.EMPTY
                yield Page(number=number, text=text, verdict=verdict, method="conversation"), sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a conversation holds no other sources."""
        yield from ()

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def _written(turns: tuple[Turn, ...]) -> tuple[str, list[Section]]:
    """The whole text, every turn behind the name of who speaks, and where each lies."""
    parts: list[str] = []
    sections: list[Section] = []
    length = 0
    for index, turn in enumerate(turns):
        text = f"{turn.speaker}: {turn.text.strip()}"
        locator = Locator(kind="turn", index=index, speaker=turn.speaker, observed_at=turn.observed_at)
        sections.append(
            Section(
                start=length,
                end=length + len(text),
                modality=Modality.CONVERSATION,
                fields={"role": turn.role} if turn.role != "person" else {},
                locator=locator,
                observed_at=turn.observed_at,
            )
        )
        parts.append(text)
        length += len(text) + len(_JOINT)
    return _JOINT.join(parts), sections
