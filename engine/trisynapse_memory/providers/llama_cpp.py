"""Prompts in, replies out, by a model file on this machine; nothing of it leaves. The model itself runs in a child.

A model is one GGUF file. Its header is read before anything loads it; how long its window is follows from the file,
from a cap and from the memory there is. Roles that chose the same file share one child.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Final

from msgspec import Struct

from trisynapse_memory.contracts import Door, Embedder, FindKey, OnText
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError, ModelTooLargeError, ProviderError
from trisynapse_memory.providers.files.model_files import READY, ModelFiles
from trisynapse_memory.providers.gguf import (
    CONTEXT_CAP_TOKENS,
    CONTEXT_FLOOR_TOKENS,
    ModelHeader,
    fitting_context,
    memory_bytes,
    read_header,
)
from trisynapse_memory.providers.llama.messages import AskRequest
from trisynapse_memory.providers.llama.process import ModelProcess, Plan
from trisynapse_memory.providers.machine import Machine, read_machine
from trisynapse_memory.types import WRITING_ROLES, Completion, ModelCard, ModelService, Prompt, Role, Usage

IDLE_S: Final = 300.0
"""How long a model nobody asks stays in memory; loading it again takes 0.2 s to a few seconds."""

RESERVE_BYTES: Final = 256 * 1024 * 1024
"""Memory that a model leaves to the engine and the window."""

_URGENT: Final = (Role.ANSWER, Role.REWRITING)
"""Somebody looks at the window and waits for these; the other roles work in the background."""


class LlamaCpp:
    """The models of this machine.

    Keep one for as long as models are used: it holds the children. ``close`` ends them.

    Args:
        service: its name stands in what the models wrote.
        door: only for the list of model files, which can be fetched through it; nothing is here.
        find_key: not used, there is no key.
        idle_s: seconds until a model that nobody asks is unloaded; 0 for never.
        machine: looks at this machine.
        low_priority: let everything else on this machine go first. Not by default: she waits for an answer, and a child
            that stepped back took minutes to its first word beside two busy processes; it leaves a core free as it is.
    """

    name = "llama_cpp"

    def __init__(
        self,
        service: ModelService,
        door: Door,
        find_key: FindKey,
        *,
        idle_s: float = IDLE_S,
        machine: Callable[[], Machine] = read_machine,
        low_priority: bool = False,
    ) -> None:
        self._service = service
        self._files = ModelFiles(door)
        self._idle_s = idle_s
        self._machine = machine
        self._low_priority = low_priority
        self._changing = threading.Lock()
        self._loaded: dict[Path, _Known] = {}

    def cards(self) -> tuple[ModelCard, ...]:
        """Return the model files that are on this machine and can be used."""
        return tuple(
            ModelCard(
                service=self._service.name,
                name=model.name,
                label=model.label,
                context_tokens=model.context_tokens,
                roles=WRITING_ROLES,
                input_price_usd=0.0,
                output_price_usd=0.0,
            )
            for model in self._files.local()
            if model.state == READY
        )

    def completer(self, model: str) -> LlamaCompleter:
        """Return a model that answers prompts; its file is looked at, and loaded by the first prompt.

        Args:
            model: the path of a GGUF file, or the name of one of ``cards``.

        Raises:
            BranchUnavailableError: llama-cpp-python is not installed.
            ModelFileError: the file is missing, cut short, or of another kind.
            ModelTooLargeError: it needs more memory than this machine has.
        """
        if find_spec("llama_cpp") is None:
            raise BranchUnavailableError(
                "Models on this machine need the package 'llama-cpp-python'.",
                hint="Install it: pip install 'trisynapse-desktop[local-llm]'.",
            )
        path = Path(model).expanduser()
        path = path if path.is_absolute() else self._files.path_of(model)
        known = self._known(path)
        return LlamaCompleter(self._service.name, path.stem, known.process)

    def embedder(self, model: str, dimension: int) -> Embedder:
        """Refuse: the files here are models that write.

        Raises:
            ProviderError: always.
        """
        raise ProviderError(f"'{model}' of {self._service.label} embeds nothing.", hint="Choose another embedder.")

    def close(self) -> None:
        """End every child; a request on its way fails."""
        with self._changing:
            known, self._loaded = tuple(self._loaded.values()), {}
        for one in known:
            one.process.close()

    def _known(self, path: Path) -> _Known:
        with self._changing:
            stamp = _stamp(path)
            known = self._loaded.get(path)
            if known is not None and known.stamp == stamp:
                return known
            header = read_header(path)
            machine = self._machine()
            # All memory of the machine but the reserve: what is free now may be less than when it is loaded.
            window = fitting_context(header, machine.total_bytes - RESERVE_BYTES)
            if not window:
                raise _too_large(path, header, machine.total_bytes)
            plan = Plan(
                path=path,
                context_tokens=self._fitting_now(header, machine, window),
                thread_count=machine.thread_count,
                features=machine.features,
                idle_s=self._idle_s,
                low_priority=self._low_priority,
            )
            made = _Known(stamp, ModelProcess(plan, partial(self._admit, path, header, plan.context_tokens)))
            if known is not None:
                known.process.close()
            self._loaded[path] = made
            return made

    def _fitting_now(self, header: ModelHeader, machine: Machine, window: int) -> int:
        """Take a shorter window where memory is short now, but none too short to be of use."""
        return fitting_context(header, machine.available_bytes - RESERVE_BYTES, window) or min(
            window, CONTEXT_FLOOR_TOKENS
        )

    def _admit(self, path: Path, header: ModelHeader, window: int) -> None:
        """Let a model be loaded only where memory is there for it; models that nobody asks make room first."""
        needed = memory_bytes(header, window)
        with self._changing:
            others = [known.process for other, known in self._loaded.items() if other != path]
        available = self._machine().available_bytes - RESERVE_BYTES
        while available < needed and others:
            if others.pop().unload():
                available = self._machine().available_bytes - RESERVE_BYTES
        if available < needed:
            raise _too_large(path, header, available)


class LlamaCompleter:
    """One local model for the roles of writing. ``max_tokens`` is its window, the prompt and the reply together."""

    is_remote = False

    def __init__(self, provider: str, model: str, process: ModelProcess) -> None:
        self.provider = provider
        self.model = model
        self.max_tokens = process.plan.context_tokens
        self._process = process

    @property
    def process_id(self) -> int | None:
        """Of the child that holds the model now; None where it is not loaded."""
        return self._process.process_id

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        """Return the reply to a prompt; see ``contracts.Completer``.

        It is made of the likeliest words, nothing is drawn; yet what the window still holds changes the order of sums,
        and a near tie may go the other way. Questions go before work in the background that waits for the same model.

        Raises:
            ModelDiedError: the child crashed or was killed; the next prompt starts a new one.
            ModelFileError: the file cannot be loaded.
            ModelTooLargeError: there is not enough memory now.
            PromptTooLongError: the prompt leaves no room for a reply.
            ProviderError: the prompt holds pictures, or its schema cannot be held.
        """
        if prompt.images:
            raise ProviderError(f"The local model '{self.model}' reads no pictures.", hint="Choose a vision model.")
        request = AskRequest(
            number=0,
            text=prompt.text,
            instructions=prompt.instructions,
            schema=prompt.schema,
            max_output_tokens=prompt.max_output_tokens,
            choices=prompt.choices,
        )
        outcome = self._process.ask(request, prompt.role in _URGENT, on_text, stop)
        usage = Usage(
            input_tokens=outcome.done.input_tokens,
            output_tokens=outcome.done.output_tokens,
            cost_usd=0.0,
            first_token_ms=outcome.first_ms,
            total_ms=outcome.total_ms,
        )
        done = outcome.done
        return Completion(text=outcome.text, finish=done.finish, usage=usage, model=self.model, odds=done.odds)

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return how many tokens each text costs this model, without the frame of a prompt.

        Raises:
            ModelDiedError, ModelFileError, ModelTooLargeError: as ``complete``.
        """
        return self._process.count(tuple(texts))


class _Known(Struct, frozen=True):
    """A file as it was when it was looked at, and the child for it."""

    stamp: tuple[int, int]
    process: ModelProcess


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise ModelFileError(
            f"The model file '{path.name}' cannot be read ({error.strerror}).", hint="Choose it again, or another one."
        ) from error
    return found.st_mtime_ns, found.st_size


def _too_large(path: Path, header: ModelHeader, there_bytes: int) -> ModelTooLargeError:
    needed = memory_bytes(header, min(header.context_tokens or CONTEXT_CAP_TOKENS, CONTEXT_FLOOR_TOKENS))
    sizes = f"needs {needed / 2**30:.1f} GiB of memory, and {max(0, there_bytes) / 2**30:.1f} GiB are there"
    return ModelTooLargeError(
        f"The model '{path.name}' {sizes}.",
        hint="Choose a smaller model, or close other programs.",
    )
