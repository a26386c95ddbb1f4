"""A prompt in, one model's reply out, piece by piece; how the words of a service look is the business of its wire."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Struct, structs

from trisynapse_memory.contracts import Incoming, OnText
from trisynapse_memory.errors import ProviderCutError, ProviderError
from trisynapse_memory.providers.wires.exchange import MAX_BODY_BYTES, Call, Exchange, bad_reply
from trisynapse_memory.providers.wires.faults import Asked, Fault, error_for
from trisynapse_memory.providers.wires.prices import Known, added
from trisynapse_memory.providers.wires.streaming import ServerEvent, read_events
from trisynapse_memory.text.windows import estimate_tokens
from trisynapse_memory.types import Completion, Finish, ModelService, Prompt, Usage

REMOTE_WINDOW: Final = 16_384
"""For a model of a vendor whose window nobody names; smaller ones have not been offered for years."""
LOCAL_WINDOW: Final = 4_096
"""For a server of hers that does not name it: Ollama's own default, beyond which it cuts the prompt silently."""
THINKING_TOKENS: Final = 4_096
"""Added to the reply's limit for models that think before they write, since their thoughts count against it."""

Heard = TypeVar("Heard", ServerEvent, bytes)

SCHEMA_REQUEST: Final = "Reply with one JSON value that fits this JSON Schema, and with nothing else:\n"


class Manner(Struct, frozen=True):
    """How one model wants to be asked.

    ``form`` is the way to ask for a schema, of those its wire knows; ``without`` are the fields it refuses; ``thinks``
    tells that it thinks before it writes, so that the limit of its reply needs room.
    """

    form: int = 0
    without: frozenset[str] = frozenset()
    thinks: bool = False


class Piece(Struct, frozen=True):
    """What one event, or a whole body, says: some text, and whatever else the service tells with it.

    Token counts of 0 mean that nothing was said of them. ``is_end`` tells that nothing follows.
    """

    text: str = ""
    finish: Finish | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    model: str = ""
    fault: Fault | None = None
    is_end: bool = False


class Wire(Protocol):
    """The language of one kind of service.

    ``optional`` are fields of a request that a model may refuse and that can be left out. ``form_count`` tells how many
    ways there are to ask for a schema: way 0 is the best, the last one writes it into the prompt and needs nothing.
    """

    optional: tuple[str, ...]
    form_count: int

    def call(self, model: str, prompt: Prompt, manner: Manner) -> Call:
        """Write a prompt as a call that asks for a stream."""
        ...

    def piece(self, event: ServerEvent) -> Piece:
        """Read one event of a stream.

        Raises:
            msgspec.MsgspecError: it is not what this kind of service sends.
        """
        ...

    def whole(self, body: bytes) -> Piece:
        """Read a reply that came in one, from a server that does not stream.

        Raises:
            msgspec.MsgspecError: it is not what this kind of service sends.
        """
        ...


class RemoteCompleter:
    """A model of a service, as the rest of the engine asks it.

    Args:
        exchange: asks the service.
        wire: its language.
        model: its name there.
        known: what is known of its window and its price.
        manners: how the models of this service want to be asked, learned from what they refused; shared and kept by the
            provider, so that a refusal is met once.
    """

    def __init__(self, exchange: Exchange, wire: Wire, model: str, known: Known, manners: dict[str, Manner]) -> None:
        service = exchange.service
        self.provider = service.name
        self.model = model
        self.is_remote = service.is_remote
        self.max_tokens = known.context_tokens or (REMOTE_WINDOW if service.is_remote else LOCAL_WINDOW)
        self._exchange = exchange
        self._wire = wire
        self._known = known
        self._manners = manners

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        """Ask the model; see ``contracts.Completer``. A reply that was refused in mid-sentence keeps what came before.

        Where the service does not say what was used (a stopped reply, some servers), tokens are estimated, rather too
        many than too few.

        Raises:
            ProviderError: the model could not be asked, refused, or did not answer to the end.
        """
        done = self._ask(prompt, on_text, stop)
        if done.finish is not Finish.LENGTH or done.text or self._manner.thinks:
            return done
        # All of its limit went into thoughts that are not told.
        self._manners[self.model] = structs.replace(self._manner, thinks=True)
        again = self._ask(prompt, on_text, stop)
        return structs.replace(again, usage=added(done.usage, again.usage))

    @property
    def _manner(self) -> Manner:
        return self._manners.get(self.model, Manner())

    def _ask(self, prompt: Prompt, on_text: OnText | None, stop: Event | None) -> Completion:
        stop = stop or Event()
        was_sent = not stop.is_set()
        reply = _Reply(self._exchange.service, self._wire, self.model, self._manner, prompt, on_text, stop)
        whole = self._exchange.ask(self._wire.call(self.model, prompt, reply.manner), reply, stop)
        if reply.was_accepted:
            self._manners[self.model] = reply.manner
        finish = (reply.finish or Finish.STOP) if whole else Finish.CANCELLED
        usage = self._usage(reply, prompt, was_sent)
        return Completion(text=reply.text, finish=finish, usage=usage, model=reply.model)

    def _usage(self, reply: _Reply, prompt: Prompt, was_sent: bool) -> Usage:
        asked, written = reply.input_tokens, reply.output_tokens
        if was_sent:
            asked = asked or sum(estimate_tokens((prompt.instructions, prompt.text)))
            written = written or (estimate_tokens((reply.text,))[0] if reply.text else 0)
        cost = reply.cost_usd if reply.cost_usd is not None else self._known.cost(asked, written)
        return Usage(
            input_tokens=asked,
            output_tokens=written,
            cost_usd=cost if self.is_remote else 0.0,
            first_token_ms=reply.first_token_ms,
            total_ms=reply.elapsed_ms(),
        )


class _Reply:
    """One reply while it comes."""

    def __init__(
        self,
        service: ModelService,
        wire: Wire,
        asked_model: str,
        manner: Manner,
        prompt: Prompt,
        on_text: OnText | None,
        stop: Event,
    ) -> None:
        self.manner = manner
        self.finish: Finish | None = None
        self.input_tokens = self.output_tokens = 0
        self.cost_usd: float | None = None
        self.model = ""
        self.first_token_ms = 0.0
        self.was_accepted = False
        self._service = service
        self._wire = wire
        self._asked_model = asked_model
        self._prompt = prompt
        self._on_text = on_text
        self._stop = stop
        self._parts: list[str] = []
        self._is_whole = False
        self._began = time.perf_counter()

    @property
    def text(self) -> str:
        """What has come so far."""
        return "".join(self._parts)

    @property
    def may_repeat(self) -> bool:
        """Whether nobody has been told anything yet."""
        return not self._parts

    def elapsed_ms(self) -> float:
        """Milliseconds since the prompt was handed over."""
        return (time.perf_counter() - self._began) * 1000

    def read(self, incoming: Incoming) -> Fault | None:
        """Take the reply in, streamed or in one."""
        self.was_accepted = True
        self.finish = None  # of a try before this one
        if "event-stream" not in incoming.headers.get("content-type", ""):
            return self._take(self._understood(self._wire.whole, incoming.read(MAX_BODY_BYTES)))
        for event in read_events(incoming.parts()):
            if self._stop.is_set():
                return None
            if fault := self._take(self._understood(self._wire.piece, event)):
                return fault
            if self._is_whole:
                return None
        if self.finish is None:
            raise ProviderCutError("Its reply has no end.", hint="Ask again in a moment.")
        return None

    def change(self, call: Call, fault: Fault) -> Call | None:
        """Leave out what the model refuses, or ask for the schema in the next best form."""
        manner = self._next_manner(fault)
        if manner is None:
            return None
        self.manner = manner
        return self._wire.call(self._asked_model, self._prompt, manner)

    def _next_manner(self, fault: Fault) -> Manner | None:
        # Only a complaint without a better explanation (too long, no such model, refused) is one about form.
        if type(error_for(fault, Asked(self._service, self._asked_model))) is not ProviderError:
            return None
        for field in self._wire.optional:
            if field not in self.manner.without and fault.names(field):
                # Those who refuse a temperature are those who think before they write.
                thinks = self.manner.thinks or field == "temperature"
                return structs.replace(self.manner, without=self.manner.without | {field}, thinks=thinks)
        if self._prompt.schema is not None and self.manner.form < self._wire.form_count - 1:
            return structs.replace(self.manner, form=self.manner.form + 1)
        return None

    def _understood(self, read: Callable[[Heard], Piece], heard: Heard) -> Piece:
        try:
            return read(heard)
        except msgspec.MsgspecError:
            raise bad_reply(self._service, self._asked_model) from None

    def _take(self, piece: Piece) -> Fault | None:
        self.input_tokens = piece.input_tokens or self.input_tokens
        self.output_tokens = piece.output_tokens or self.output_tokens
        self.cost_usd = self.cost_usd if piece.cost_usd is None else piece.cost_usd
        self.model = piece.model or self.model
        if self.finish is not Finish.REFUSED:  # OpenAI says "stop" after a refusal
            self.finish = piece.finish or self.finish
        self._is_whole = piece.is_end
        if piece.text:
            self.first_token_ms = self.first_token_ms or self.elapsed_ms()
            self._parts.append(piece.text)
            if self._on_text is not None:
                self._on_text(piece.text)
        return piece.fault
