"""Prompts in, replies out, through a child process that holds one model; it is started, watched and ended here.

Whatever becomes of the child, the engine goes on: a request whose child dies fails with ``ModelDiedError``, and the
next one starts a new child. The model is unloaded when nobody has asked for a while.
"""

from __future__ import annotations

import contextlib
import itertools
import signal
import threading
import time
from collections.abc import Callable, Generator
from typing import Final

from msgspec import Struct, structs

from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ModelDiedError, ProviderError
from trisynapse_memory.providers.llama.messages import (
    AskRequest,
    CountRequest,
    CountsReply,
    DoneReply,
    FaultReply,
    PieceReply,
    StopRequest,
    error_of,
)
from trisynapse_memory.providers.llama.pipe import DeadChildError, ModelChild, Plan
from trisynapse_memory.providers.llama.turns import POLL_S, Turns
from trisynapse_memory.types import Finish

STOP_GRACE_S: Final = 0.1
"""How long a stopped request waits for the child's own end of it; the child is then left to finish alone."""

DEATHS_MAX: Final = 3
"""In a row; a model that kills three processes is not tried a fourth time."""

_ILLEGAL_INSTRUCTION: Final = (-getattr(signal, "SIGILL", 4), 0xC000001D, 0xC000001D - (1 << 32))


class Outcome(Struct, frozen=True, kw_only=True):
    """What came of a prompt, with the milliseconds to its first piece and to its end."""

    text: str
    done: DoneReply
    first_ms: float
    total_ms: float


class ModelProcess:
    """One model in one child, for one request after the other.

    Args:
        plan: what is loaded, and how.
        admit: asked before a child is started; raises where the model must not be loaded now.
    """

    def __init__(self, plan: Plan, admit: Callable[[], None]) -> None:
        self.plan = plan
        self._admit = admit
        self._turns = Turns()
        self._changing = threading.Lock()
        self._child: ModelChild | None = None
        self._busy_count = 0
        self._idle: threading.Timer | None = None
        self._numbers = itertools.count(1)
        self._death_count = 0
        self._is_refused = False
        self._is_closed = False

    @property
    def process_id(self) -> int | None:
        """The child's, None where there is none."""
        child = self._child
        return None if child is None else child.process_id

    def ask(
        self, request: AskRequest, is_urgent: bool, on_text: OnText | None, stop: threading.Event | None
    ) -> Outcome:
        """Answer a prompt; the number of the request is given here.

        Raises:
            ModelDiedError: the child died or hung, or has died too often.
            ProviderError: what the child raised, as the same class.
        """
        began = time.monotonic()
        exchange = _Exchange(began, on_text, stop)
        with self._turns.turn(is_urgent, stop) as came, self._in_use():
            if not came:
                return exchange.outcome(None)
            child = self._running_child()
            number = next(self._numbers)
            with self._watched(child):
                done = exchange.run(child, structs.replace(request, number=number))
            return exchange.outcome(done)

    def count(self, texts: tuple[str, ...]) -> tuple[int, ...]:
        """Return how many tokens each text has.

        Raises:
            ModelDiedError, ProviderError: as ``ask``.
        """
        with self._turns.turn(is_urgent=True), self._in_use():
            child = self._running_child()
            number = next(self._numbers)
            with self._watched(child):
                child.send(CountRequest(number=number, texts=texts))
                while True:
                    match child.next(None):
                        case CountsReply(number=other, counts=counts) if other == number:
                            return counts
                        case FaultReply(number=other) as fault if other in (0, number):
                            raise error_of(fault)
                        case _:
                            pass

    def unload(self) -> bool:
        """End the child unless it is at work; return whether memory was given back."""
        with self._changing:
            if self._busy_count or self._child is None:
                return False
            self._end()
            return True

    def close(self) -> None:
        """End the child now and for good; a request on its way fails."""
        with self._changing:
            self._is_closed = True
            if self._idle is not None:
                self._idle.cancel()
            self._end()

    @contextlib.contextmanager
    def _in_use(self) -> Generator[None]:
        with self._changing:
            self._busy_count += 1
            if self._idle is not None:
                self._idle.cancel()
        try:
            yield
        finally:
            with self._changing:
                self._busy_count -= 1
                if not self._busy_count and self._child is not None and self.plan.idle_s and not self._is_closed:
                    self._idle = threading.Timer(self.plan.idle_s, self.unload)
                    self._idle.daemon = True
                    self._idle.start()

    def _running_child(self) -> ModelChild:
        child = self._child
        if child is not None and child.is_alive:
            return child
        self._check_usable()
        self._admit()
        with self._changing:
            self._end()
            self._check_usable()
            self._child = child = ModelChild(self.plan)
        return child

    def _check_usable(self) -> None:
        name = self.plan.path.name
        if self._is_closed:
            raise ModelDiedError(f"The model '{name}' was closed.")
        if self._is_refused:
            raise ModelDiedError(
                f"The installed llama.cpp uses instructions that this processor does not know; '{name}' stays off.",
                hint="Build llama-cpp-python on this machine, or use a model service.",
            )
        if self._death_count >= DEATHS_MAX:
            raise ModelDiedError(
                f"The process of the model '{name}' died {self._death_count} times in a row; it stays off.",
                hint="Choose another model, or open the vault again to try once more.",
            )

    @contextlib.contextmanager
    def _watched(self, child: ModelChild) -> Generator[None]:
        """Count the deaths; end a child whose model could not be loaded."""
        try:
            yield
            self._death_count = 0
        except DeadChildError as death:
            with self._changing:
                self._end(child)
            if not self._is_closed:
                self._death_count += 1
            self._is_refused = child.exit_code in _ILLEGAL_INSTRUCTION
            if self._is_refused or self._is_closed:
                self._check_usable()
            raise ModelDiedError(
                f"The process of the model '{self.plan.path.name}' died: {death}.",
                hint="Ask again, and it is started anew. If memory was short, choose a smaller model.",
            ) from None
        except ProviderError:
            if not child.is_loaded:
                with self._changing:
                    self._end(child)
            raise

    def _end(self, which: ModelChild | None = None) -> None:
        if which is not None and which is not self._child:
            return
        child, self._child = self._child, None
        if child is not None:
            child.kill()


class _Exchange:
    """One prompt on its way: what has come of it, and when."""

    def __init__(self, began: float, on_text: OnText | None, stop: threading.Event | None) -> None:
        self._began = began
        self._on_text = on_text
        self._stop = stop
        self._pieces: list[str] = []
        self._first_at: float | None = None

    def run(self, child: ModelChild, request: AskRequest) -> DoneReply | None:
        """Ask, and take what comes; None where it was stopped and the child has not ended it in time."""
        child.send(request)
        finished = False
        try:
            done = self._follow(child, request.number)
            finished = done is not None
            return done
        finally:
            if not finished:  # stopped, or whoever looks on raised: the child must not write on for nobody
                with contextlib.suppress(DeadChildError):
                    child.send(StopRequest(number=request.number))

    def outcome(self, done: DoneReply | None) -> Outcome:
        """Return what there is now."""
        now = time.monotonic()
        return Outcome(
            text="".join(self._pieces),
            done=done or DoneReply(number=0, finish=Finish.CANCELLED, output_tokens=len(self._pieces)),
            first_ms=((self._first_at or now) - self._began) * 1000,
            total_ms=(now - self._began) * 1000,
        )

    def _follow(self, child: ModelChild, number: int) -> DoneReply | None:
        stopped_at: float | None = None
        while True:
            if stopped_at is None and self._stop is not None and self._stop.is_set():
                stopped_at = time.monotonic()
                child.send(StopRequest(number=number))
            if stopped_at is not None and time.monotonic() - stopped_at > STOP_GRACE_S:
                return None
            match child.next(None if self._stop is None else POLL_S):
                case PieceReply(number=other, text=text) if other == number:
                    self._take(text)
                case DoneReply(number=other) as done if other == number:
                    return done
                case FaultReply(number=other) as fault if other in (0, number):
                    raise error_of(fault)
                case _:
                    pass  # nothing yet, or the end of a request that was left

    def _take(self, text: str) -> None:
        if self._first_at is None:
            self._first_at = time.monotonic()
        self._pieces.append(text)
        if self._on_text is not None:
            self._on_text(text)
