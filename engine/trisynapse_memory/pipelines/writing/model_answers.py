"""Grounded hits and a model in, the sentences of it that stand out, each told as soon as it does. Nothing is retrieved.

Whatever goes wrong with a model (none chosen, offline, crashed, stopped, no sentence that stands) costs its sentences
and nothing else: the answer in the words of the sources is there before a model is asked.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple, Protocol

from msgspec import Struct, structs

from trisynapse_memory.answering.citations import Locate
from trisynapse_memory.answering.drafting import ROWS, Brief, Drafting, write_brief
from trisynapse_memory.answering.inquiry import Inquiry
from trisynapse_memory.answering.synthesizer import Composition
from trisynapse_memory.contracts import Completer, SentenceParser
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.pipelines.staffing.sharing import Split
from trisynapse_memory.text.replies import RowReader, read_reply
from trisynapse_memory.types import Answer, AnswerStage, AnswerStep, Completion, Finish, Hit, Prompt, Role, Usage

NO_MODEL: Final = "none"
EARLY_STOPS: Final = 64  # remembered of questions that are stopped before they are heard of

NOTHING_FOUND: Final = "The model found no answer in the passages."
NOTHING_STOOD: Final = "No sentence the model wrote could be checked against the passages."
HIDDEN_MEANWHILE: Final = "What the model cited was hidden or corrected while it wrote."
UNREADABLE: Final = "The model's reply was not in the form that was asked for."
NOTHING_TO_SEND: Final = "None of the passages found may be sent to the model."
DECLINED: Final = "The model declined to answer."
STOPPED: Final = "You stopped the model."
RAMBLED: Final = "The model wrote until its limit and finished no sentence."
CUT_SHORT: Final = "The model wrote until its limit and was cut off."

Told = Callable[[AnswerStep], None]


class Offer(NamedTuple):
    """The model for a role, or in one sentence why there is none; both empty where none is chosen."""

    completer: Completer | None
    note: str = ""


class Writers(Protocol):
    """Who may write. It is asked anew for each question: her choice changes while a vault is open."""

    def completer_for(self, role: Role, model: str | None = None) -> Offer:
        """Return the model that fills a role, or with ``model`` ("service/model") that one for this once."""
        ...


class Shares(Protocol):
    """What may be shown to whom (``pipelines/staffing/sharing.py``)."""

    def split(self, seqs: Sequence[int], completer: Completer, once: Collection[str] = ()) -> Split:
        """Tell which of these records a model may be shown; ``once`` names collections shared for this question."""
        ...


class Wishes(Struct, frozen=True, kw_only=True):
    """What she wants of one answer.

    ``model`` is None for the role's choice, ``none`` for no model, else "service/model". ``share`` names collections
    with the rule ``ask`` that she shares this once. ``ask_id`` stops it; ``thread_id`` is the chat it follows up.
    """

    model: str | None = None
    share: tuple[str, ...] = ()
    ask_id: str = ""
    thread_id: str | None = None


NO_WISHES: Final = Wishes()


class Asked(Struct, frozen=True):
    """A question that can be answered: its hits, best first, and the answer in the words of the sources."""

    inquiry: Inquiry
    hits: tuple[Hit, ...]
    quoted: Composition


class Written(Struct, frozen=True, kw_only=True):
    """What came of a model: its sentences that stand (None for none), its name, and why it is not all or nothing."""

    composition: Composition | None = None
    model: str = ""
    note: str = ""
    usage: Usage | None = None
    withheld: int = 0
    not_sent: int = 0
    asks: tuple[str, ...] = ()

    @property
    def summary(self) -> dict[str, str]:
        """What the run of the question says of it."""
        return {"model": self.model, "note": self.note, "withheld": str(self.withheld)}


class Models(NamedTuple):
    """What models may do for an answer: who may write, and what they may be shown."""

    writers: Writers
    shares: Shares


class Stops:
    """The questions that are being answered, by the id under which they can be stopped; safe under threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: dict[str, threading.Event] = {}
        self._early: deque[str] = deque(maxlen=EARLY_STOPS)

    @contextmanager
    def open(self, ask_id: str) -> Generator[threading.Event]:
        """Let a question be stopped while it is answered; one without an id cannot be."""
        event = threading.Event()
        with self._lock:
            if ask_id in self._early:
                self._early.remove(ask_id)
                event.set()
            elif ask_id:
                self._events[ask_id] = event
        try:
            yield event
        finally:
            with self._lock:
                self._events.pop(ask_id, None)

    def cancel(self, ask_id: str) -> None:
        """Stop the model of one question; a question that is over stays as it is, one that is on its way is awaited."""
        with self._lock:
            if ask_id in self._events:
                self._events[ask_id].set()
            elif ask_id:
                self._early.append(ask_id)


class ModelAnswers:
    """Lets a model write answers from hits.

    Args:
        writers: gives the model.
        shares: says what it may be shown.
        locate: the way from offsets to a place.
        excerpt_max_chars: longest excerpt of a citation.
        parser: reads the grammar of what a model wrote; None where there is none.
    """

    def __init__(
        self,
        writers: Writers,
        shares: Shares,
        locate: Locate,
        excerpt_max_chars: int,
        parser: SentenceParser | None = None,
    ) -> None:
        self._writers = writers
        self._shares = shares
        self._locate = locate
        self._limit = excerpt_max_chars
        self._parser = parser
        self._is_warm = False

    def write(self, asked: Asked, wishes: Wishes, told: Told, stop: threading.Event) -> Written:
        """Ask the model, and return what of its reply stands. It never raises what a model or a provider does.

        Args:
            asked: the question with its evidence; whether to answer it at all has been decided.
            wishes: which model, and what may be shared this once.
            told: hears ``writing`` once, and ``sentence`` for each sentence as soon as it stands.
            stop: ends the model within 200 ms; what stands by then stays.
        """
        if wishes.model == NO_MODEL:
            return Written()
        try:
            offer = self._writers.completer_for(Role.ANSWER, wishes.model)
        except TrisynapseError as error:
            return Written(note=error.problem)
        if offer.completer is None:
            return Written(note=offer.note)
        written = Written(model=f"{offer.completer.provider}/{offer.completer.model}")
        split = self._shares.split([hit.record.seq for hit in asked.hits], offer.completer, wishes.share)
        written = structs.replace(written, not_sent=len(split.held), asks=split.asks)
        shown = set(split.shown)
        hits = [hit for hit in _most_useful_first(asked) if hit.record.seq in shown]
        if not hits:
            return structs.replace(written, note=NOTHING_TO_SEND)
        try:
            brief = write_brief(asked.inquiry, hits, offer.completer)
        except TrisynapseError as error:
            return structs.replace(written, note=error.problem)
        told(AnswerStep(ask_id=wishes.ask_id, stage=AnswerStage.WRITING, model=written.model))
        self._warm_parser()
        drafting = Drafting(asked.inquiry, brief.hits, self._locate, self._limit, self._parser)
        turn = _Turn(offer.completer, drafting, told, wishes.ask_id, stop)
        note = turn.run(brief)
        made = drafting.composition(asked.quoted.gate)
        return structs.replace(
            written, composition=made if made.sentences else None, note=note, usage=turn.usage, withheld=made.withheld
        )

    def _warm_parser(self) -> None:
        """Load the parser while the model thinks; what fails then is told by the first sentence that needs it."""
        if self._parser is not None and not self._is_warm:
            self._is_warm = True
            threading.Thread(target=_parse_one, args=(self._parser,), name="warm-parser", daemon=True).start()


def _parse_one(parser: SentenceParser) -> None:
    with suppress(TrisynapseError):
        parser.parse("It is read.")


class _Turn:
    """One question to one model: at most two requests, whose rows are judged as they come."""

    def __init__(
        self, completer: Completer, drafting: Drafting, told: Told, ask_id: str, stop: threading.Event
    ) -> None:
        self._completer = completer
        self._drafting = drafting
        self._told = told
        self._ask_id = ask_id
        self._stop = stop
        self._lock = threading.Lock()
        self._rows: list[dict[str, object]] = []
        self._stood = 0
        self._is_over = False
        self.usage: Usage | None = None

    def run(self, brief: Brief) -> str:
        """Ask, and once more where the reply is no JSON; return why nothing or not all came, or an empty text."""
        try:
            return self._ask(brief)
        except TrisynapseError as error:
            return error.problem
        finally:
            with self._lock:
                self._is_over = True

    def _ask(self, brief: Brief) -> str:
        prompt = brief.prompt
        for _ in range(2):
            completion = self._complete(prompt)
            reply = read_reply(completion.text, ROWS)
            self._take([row for row in reply.rows if row not in self._rows])
            if completion.finish is Finish.CANCELLED or self._stop.is_set():
                return STOPPED
            if completion.finish is Finish.REFUSED:
                return DECLINED
            if self._rows or not reply.fault or completion.finish is Finish.LENGTH:
                return self._note(completion.finish)
            prompt = brief.again(reply.fault)
        return UNREADABLE

    def _note(self, finish: Finish) -> str:
        if not self._rows:
            return RAMBLED if finish is Finish.LENGTH else NOTHING_FOUND
        if not self._stood:
            return NOTHING_STOOD
        return CUT_SHORT if finish is Finish.LENGTH else ""

    def _complete(self, prompt: Prompt) -> Completion:
        reader = RowReader(ROWS)
        completion = self._completer.complete(prompt, lambda piece: self._take(reader.feed(piece)), self._stop)
        self.usage = _sum(self.usage, completion.usage)
        return completion

    def _take(self, rows: Sequence[dict[str, object]]) -> None:
        """Judge rows, from whichever thread they come, and tell what stands."""
        with self._lock:
            for row in () if self._is_over else rows:  # a piece may come late, after a stop
                self._rows.append(row)
                for said in self._drafting.take(row):
                    self._stood += 1
                    self._told(
                        AnswerStep(
                            ask_id=self._ask_id,
                            stage=AnswerStage.SENTENCE,
                            sentence=said.sentence,
                            citations=said.citations,
                        )
                    )


def _most_useful_first(asked: Asked) -> list[Hit]:
    """What the answer without a model cites, then the rest as it was ranked."""
    cited = {citation.record_id: place for place, citation in enumerate(asked.quoted.citations)}
    return sorted(asked.hits, key=lambda hit: cited.get(hit.record.id, len(cited)))


def signed(answer: Answer, written: Written) -> Answer:
    """Return an answer with the model that wrote it, or why none did."""
    is_written = written.composition is not None
    return structs.replace(
        answer,
        model=written.model if is_written else None,
        usage=written.usage,
        note=written.note,
        withheld=answer.withheld + (0 if is_written else written.withheld),
        not_sent=written.not_sent,
        asks=written.asks,
    )


def _sum(one: Usage | None, other: Usage) -> Usage:
    if one is None:
        return other
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=sum(costs) if costs else None,
        first_token_ms=one.first_token_ms,
        total_ms=one.total_ms + other.total_ms,
    )
