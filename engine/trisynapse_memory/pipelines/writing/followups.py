"""A thread and its next question in, that question as it can be looked up alone out. Her own words stay what is shown.

A model is asked where one is chosen for it, for a moment only: she waits for evidence. What it says is used where it
keeps her words and adds none; else the words of the last question are carried over without it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

import msgspec

from trisynapse_memory.answering.rewriting import Exchange, accept, carry_over, follows_up, write_brief
from trisynapse_memory.contracts import Completer
from trisynapse_memory.errors import TrisynapseError, UnknownRecordError
from trisynapse_memory.log.conversation import Conversations
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.pipelines.writing.deadlines import soonest
from trisynapse_memory.pipelines.writing.model_answers import NO_MODEL, Models, Wishes
from trisynapse_memory.text.replies import read_object
from trisynapse_memory.types import Answer, Record, Role, SourceId, Turn

MODEL_S: Final = 3.0  # for the model; then the question is looked up without it
TURNS_READ: Final = 6  # messages: three questions with their answers


class FollowUps:
    """Makes follow-up questions stand alone.

    Args:
        log: holds the threads.
        models: who may write and what may be shown; None for no model.
    """

    def __init__(self, log: MemoryLog, models: Models | None) -> None:
        self._log = log
        self._threads = Conversations(log)
        self._models = models

    def rephrase(self, question: str, wishes: Wishes, stop: threading.Event) -> str:
        """Return the question to look up where hers needs the thread to be understood, else an empty text.

        Raises:
            UnknownRecordError: no thread has that id.
        """
        if wishes.thread_id is None or not follows_up(question):
            return ""
        turns = self._threads.turns(wishes.thread_id)
        if turns and turns[-1].role == "user" and turns[-1].text.strip() == question.strip():
            turns = turns[:-1]  # the message that asks this very question
        rewriter, writer = (self._completer(role, wishes) for role in (Role.REWRITING, Role.ANSWER))
        # What is looked up is also what the model that answers is asked, so it sees every word of it.
        readers = [one for one in (rewriter, writer) if one is not None]
        exchanges = self._exchanges(turns[-TURNS_READ:], readers, wishes)
        if not exchanges:
            return ""
        return _by_model(rewriter, question, exchanges, stop) or carry_over(question, exchanges)

    def _completer(self, role: Role, wishes: Wishes) -> Completer | None:
        if self._models is None or wishes.model == NO_MODEL:
            return None
        try:
            chosen = wishes.model if role is Role.ANSWER else None
            return self._models.writers.completer_for(role, chosen).completer
        except TrisynapseError:  # the question is looked up all the same
            return None

    def _exchanges(self, turns: Sequence[Turn], readers: Sequence[Completer], wishes: Wishes) -> tuple[Exchange, ...]:
        """The questions of a thread with their answers; of an answer only what each of these models may be shown."""
        found: list[Exchange] = []
        for turn in turns:
            if turn.role == "user":
                found.append(Exchange(turn.text))
            elif found and (answer := _answer_of(turn)) is not None:
                asked = answer.asked_as or found[-1].question
                found[-1] = Exchange(asked, *self._said(answer, readers, wishes))
        return tuple(found)

    def _said(self, answer: Answer, readers: Sequence[Completer], wishes: Wishes) -> tuple[str, tuple[SourceId, ...]]:
        """The sentences of an answer that rest only on records that still may be seen, and shown."""
        records = {one.n: self._record(one.record_id) for one in answer.citations}
        seqs = [record.seq for record in records.values() if record is not None]
        allowed = self._log.visible(seqs)
        for reader in readers:
            if self._models is not None:
                allowed &= set(self._models.shares.split(sorted(allowed), reader, wishes.share).shown)
        kept = {n: record for n, record in records.items() if record is not None and record.seq in allowed}
        sentences = [one for one in answer.sentences if one.citations and all(n in kept for n in one.citations)]
        sources = dict.fromkeys(kept[n].source_id for one in sentences for n in one.citations)
        return " ".join(one.text for one in sentences), tuple(one for one in sources if one is not None)

    def _record(self, record_id: str) -> Record | None:
        try:
            return self._log.get(record_id)
        except UnknownRecordError:
            return None


def _by_model(completer: Completer | None, question: str, exchanges: Sequence[Exchange], stop: threading.Event) -> str:
    """The model's wording where it may be used, else an empty text."""
    if completer is None:
        return ""
    try:
        reply = completer.complete(write_brief(question, exchanges), None, soonest(stop, MODEL_S))
    except TrisynapseError:
        return ""
    return accept(read_object(reply.text), question, exchanges)


def _answer_of(turn: Turn) -> Answer | None:
    """The answer a turn kept; None where it kept none, or one of another version of this program."""
    try:
        return msgspec.json.decode(turn.answer, type=Answer) if turn.answer else None
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
