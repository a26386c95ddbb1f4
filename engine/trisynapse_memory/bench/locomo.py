"""Long conversations of LoCoMo in, one store each out: a turn is a record, a session a conversation group.

Turns are dated as a reader of the chat sees them. A question counts when at least one of its evidence ids names a turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.bench.corpora import Dialogue, Session, files_in, read_dialogues
from trisynapse_memory.bench.stores import Asked, EvidenceSuite, Store, Talk
from trisynapse_memory.types import Message


def files(data: Path) -> list[Path]:
    """Return the conversations."""
    return files_in(data / "locomo", "*.json")


def read(data: Path) -> Iterator[Store]:
    """Read every conversation, one after the other."""
    for path in files(data):
        for dialogue in read_dialogues(path):
            yield _store(path.stem, dialogue)


SUITE: Final = EvidenceSuite(name="locomo", files=files, read=read)


def _store(corpus: str, dialogue: Dialogue) -> Store:
    return Store(
        corpus=corpus,
        name=dialogue.name,
        talks=tuple(talk_of(dialogue, session) for session in dialogue.sessions),
        questions=tuple(
            Asked(text=one.text, category=one.category, gold=dict.fromkeys(one.gold, 1.0), malformed=one.malformed)
            for one in dialogue.questions
        ),
    )


def talk_of(dialogue: Dialogue, session: Session) -> Talk:
    """Return one session as messages, each with its date in front as the chat shows it."""
    return Talk(
        group_id=f"{dialogue.name}/{session.name}",
        messages=tuple(
            Message(
                id=turn.turn_id,
                role="user",
                speaker=turn.speaker,
                content=f"({session.date}) {turn.text}",
                observed_at=session.moment,
            )
            for turn in session.turns
        ),
    )
