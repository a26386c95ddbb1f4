"""Turns of a thread in, the messages a chat shows out; asking and storing happen in ``operations.ask``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
from PySide6.QtCore import QObject, Signal

from trisynapse_memory.types import (
    Answer,
    AnswerSentence,
    AnswerStage,
    AnswerStep,
    Citation,
    Fault,
    Nearest,
    Turn,
)

MessageState = Literal["waiting", "evidence", "writing", "answered", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message on the screen: a question, or an answer in one of its states.

    While a model writes, ``answer`` holds the sentences that stand so far.
    """

    role: str
    text: str
    state: MessageState = "answered"
    answer: Answer | None = None
    evidence: tuple[Nearest, ...] = ()
    asked_as: str = ""
    fault: Fault | None = None


class Conversation(QObject):
    """The messages of one thread. Views follow the signals: ``reset``, ``appended(index)``, ``changed(index)``."""

    reset = Signal()
    appended = Signal(int)
    changed = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._messages: list[ChatMessage] = []

    def __len__(self) -> int:
        return len(self._messages)

    def __getitem__(self, index: int) -> ChatMessage:
        return self._messages[index]

    def show(self, turns: Sequence[Turn]) -> None:
        """Replace all messages by the turns of a thread."""
        self._messages = [message_of(turn) for turn in turns]
        self.reset.emit()

    def append(self, message: ChatMessage) -> int:
        """Add a message and return its index."""
        self._messages.append(message)
        self.appended.emit(len(self._messages) - 1)
        return len(self._messages) - 1

    def answer(self, index: int, answer: Answer) -> None:
        """Put the answer where a message was waiting."""
        self._change(index, replace(self[index], state="answered", answer=answer, text=answer.answer))

    def show_step(self, index: int, step: AnswerStep) -> None:
        """Show how far an answer is; what comes after the answer, or after she stopped it, changes nothing."""
        message = self[index]
        if message.state not in ("waiting", "evidence", "writing"):
            return
        if step.stage is AnswerStage.EVIDENCE:
            self._change(index, replace(message, state="evidence", evidence=step.passages, asked_as=step.asked_as))
        elif step.stage is AnswerStage.WRITING:
            self._change(index, replace(message, state="writing", answer=_draft(message, step)))
        elif step.stage is AnswerStage.SENTENCE and message.answer is not None and step.sentence is not None:
            self._change(index, replace(message, answer=_longer(message.answer, step.sentence, step.citations)))

    def fail(self, index: int, fault: Fault) -> None:
        """Say that there will be no answer, and why."""
        self._change(index, replace(self[index], state="failed", fault=fault))

    def stop(self, index: int) -> None:
        """Say that she stopped the answer."""
        self._change(index, replace(self[index], state="stopped"))

    def _change(self, index: int, message: ChatMessage) -> None:
        self._messages[index] = message
        self.changed.emit(index)


def _draft(message: ChatMessage, step: AnswerStep) -> Answer:
    """An answer without a sentence yet, by the model that writes it."""
    return Answer(query_id="", question=message.text, answer="", abstain=False, model=step.model)


def _longer(answer: Answer, sentence: AnswerSentence, citations: Sequence[Citation]) -> Answer:
    """An answer with one more sentence, and the citations that it is the first to carry."""
    return msgspec.structs.replace(
        answer,
        answer=f"{answer.answer} {sentence.text}".strip(),
        sentences=(*answer.sentences, sentence),
        citations=(*answer.citations, *citations),
    )


def message_of(turn: Turn) -> ChatMessage:
    """Show a kept turn again; an answer that can no longer be decoded falls back to its text."""
    if not turn.answer:
        return ChatMessage(turn.role, turn.text)
    try:
        answer = msgspec.json.decode(turn.answer, type=Answer)
    except msgspec.DecodeError:
        return ChatMessage(turn.role, turn.text)
    return ChatMessage(turn.role, turn.text, answer=answer)
