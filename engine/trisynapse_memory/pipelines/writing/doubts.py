"""A doubtful question with its best passages and a model in, what the model makes of it out. Nothing is decided here.

Only a model in this machine is asked, and only where it may write her answers: a remote one would cost money and send
passages for questions that may well be refused. Whatever goes wrong, the decision that was made without it stands.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from math import exp
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.answering.doubt import read_doubt, write_doubt
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.pipelines.writing.deadlines import soonest
from trisynapse_memory.pipelines.writing.model_answers import NO_MODEL, Asked, Models, Wishes
from trisynapse_memory.types import Completion, Finish, Hit, Role

DOUBT_S: Final = 12.0  # for the model to load and to read a page; then the question is decided without it
TOO_SLOW: Final = "The model did not reply in time."
NEITHER: Final = "The model said neither yes nor no."


class Heard(Struct, frozen=True, kw_only=True):
    """What a model says of the evidence: log-odds that it answers (None: nothing), its name, and why it said nothing.

    All empty where none was asked.
    """

    odds: float | None = None
    model: str = ""
    note: str = ""

    def told_by(self, composition: Composition) -> Composition:
        """Return a composition whose gate tells how likely the model says yes (``model_yes``, in [0, 1])."""
        yes = 1.0 / (1.0 + exp(-max(-60.0, min(60.0, self.odds or 0.0))))
        return structs.replace(composition, gate=composition.gate | {"model_yes": yes})

    @property
    def summary(self) -> dict[str, str]:
        """What the run of the question says of it."""
        return {"model": self.model, "note": self.note, "log_odds": "" if self.odds is None else f"{self.odds:.3f}"}


def best_first(asked: Asked) -> list[Hit]:
    """Return the hits that are cited, or shown as the nearest, in that order."""
    quoted = asked.quoted
    ids = dict.fromkeys(one.record_id for one in (*quoted.citations, *quoted.nearest))
    hits = {hit.record.id: hit for hit in asked.hits}
    return [hits[one] for one in ids if one in hits]


class Doubts:
    """Asks her local model whether passages answer a question.

    Args:
        models: who may write and what may be shown.
    """

    def __init__(self, models: Models) -> None:
        self._models = models

    def ask(self, inquiry: Inquiry, hits: Sequence[Hit], wishes: Wishes, stop: threading.Event) -> Heard:
        """Return what the model says within ``DOUBT_S``; it never raises what a model does.

        Args:
            inquiry: the question.
            hits: the passages, best first.
            wishes: which model she wants for this answer; ``none`` asks nobody.
            stop: ends the model; the decision without it stands.
        """
        if wishes.model == NO_MODEL or not hits:
            return Heard()
        try:
            completer = self._models.writers.completer_for(Role.ANSWER, wishes.model).completer
            if completer is None or completer.is_remote:
                return Heard()
            shown = set(self._models.shares.split([hit.record.seq for hit in hits], completer, wishes.share).shown)
            seen = [hit for hit in hits if hit.record.seq in shown]
            if not seen:
                return Heard()
            reply = completer.complete(write_doubt(inquiry, seen), None, soonest(stop, DOUBT_S))
        except TrisynapseError as error:
            return Heard(note=error.problem)
        return _heard(f"{completer.provider}/{completer.model}", reply)


def _heard(model: str, reply: Completion) -> Heard:
    if reply.finish is Finish.CANCELLED:
        return Heard(model=model, note=TOO_SLOW)
    odds = read_doubt(reply)
    return Heard(odds=odds, model=model, note="" if odds is not None else NEITHER)
