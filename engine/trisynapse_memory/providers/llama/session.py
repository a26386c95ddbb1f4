"""Prompts in, pieces of a reply out, by llama.cpp in this very process. Only ``child`` may be that process.

What was read stays in the window (the key-value cache): the next prompt is read from its first new token on. Prompts
of one question start alike (instructions, passages), so a second question over the same passages costs its own words.
"""

from __future__ import annotations

import codecs
import ctypes
import re
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np
from msgspec import structs

from trisynapse_memory.errors import (
    ModelFileError,
    ModelTooLargeError,
    PromptTooLongError,
    ProviderError,
)
from trisynapse_memory.providers.gguf import BATCH_TOKENS
from trisynapse_memory.providers.llama.messages import AskRequest, DoneReply, LoadRequest
from trisynapse_memory.providers.llama.sampling import Chooser
from trisynapse_memory.providers.llama.templates import (
    CHATML,
    CHATML_WORDS,
    Frame,
    RenderMessages,
    Slot,
    frame_of,
    renderer_of,
)
from trisynapse_memory.providers.machine import FEATURES
from trisynapse_memory.types import Finish

MIN_REPLY_TOKENS: Final = 16
"""A prompt that leaves less room than this is refused: what would come is no answer."""

_PIECE_MAX_BYTES: Final = 1024  # the longest words of a vocabulary are runs of 128 spaces
_FLAG = re.compile(r"(\w+) = 1")
_LOG_LINES: Final = 8
_ERROR_LEVELS: Final = (3, 4)  # warnings and errors, ggml_log_level of ggml.h

OnPiece = Callable[[str], None]
IsStopped = Callable[[], bool]


class LlamaSession:
    """One loaded model.

    Args:
        request: the file, the window and the threads.

    Raises:
        ProviderError: llama-cpp-python is missing, or was built for another processor.
        ModelFileError: llama.cpp cannot load the file, or it has no chat template.
    """

    def __init__(self, request: LoadRequest) -> None:
        self._library = _load_library(request.features)
        self._said: deque[str] = deque(maxlen=_LOG_LINES)
        self._listener = self._listen()
        self._model = self._load(request)
        self._vocabulary: Any = self._library.llama_model_get_vocab(self._model.model)
        self._word_count = int(self._model.n_vocab())
        self._keeps_prefix = not (
            self._library.llama_model_is_recurrent(self._model.model)
            or self._library.llama_model_is_hybrid(self._model.model)
        )
        self._buffer: Any = ctypes.create_string_buffer(_PIECE_MAX_BYTES)
        render = self._renderer()
        self._frames = {wanted: frame_of(render, has_instructions=wanted) for wanted in (False, True)}

    def count(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Return how many tokens each text has, without any frame."""
        return tuple(len(self._tokens(text, is_frame=False)) for text in texts)

    def answer(self, request: AskRequest, on_piece: OnPiece, is_stopped: IsStopped) -> DoneReply:
        """Read a prompt and write its reply, piece by piece.

        Args:
            request: the prompt.
            on_piece: told each piece of whole characters as it comes.
            is_stopped: asked often, also while the prompt is read; once true, the reply ends.

        Raises:
            PromptTooLongError: the prompt leaves no room in the window.
            ProviderError: the schema cannot be held, or llama.cpp failed.
        """
        prompt = self._prompt(request)
        room = self._model.n_ctx() - len(prompt)
        if room < MIN_REPLY_TOKENS:
            raise PromptTooLongError(
                f"The prompt has {len(prompt)} tokens, and the window of this model holds {self._model.n_ctx()}.",
                hint="Show it fewer passages, or choose a model with a longer window.",
            )
        reused = self._keep_common(prompt)
        done = DoneReply(number=request.number, finish=Finish.CANCELLED, input_tokens=len(prompt), reused_tokens=reused)
        with Chooser(self._library, self._vocabulary, self._word_count, request.schema) as chooser:
            if not self._read(prompt[reused:], is_stopped):
                return done
            if request.choices:
                return self._weigh(done, request.choices, on_piece)
            return self._write(done, chooser, min(room, request.max_output_tokens), on_piece, is_stopped)

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def _read(self, tokens: Sequence[int], is_stopped: IsStopped) -> bool:
        """Take a prompt into the window; False when it was stopped on the way."""
        # llama.cpp asks between two steps of its graph, about 1,000 times a batch. While single tokens are written it
        # would ask as often for each, a tenth of a small model's time; there, we look ourselves after every token.

        def should_abort(_: Any) -> bool:
            return is_stopped()

        abort: Any = self._library.ggml_abort_callback(should_abort)
        self._library.llama_set_abort_callback(self._model.ctx, abort, None)
        try:
            for start in range(0, len(tokens), BATCH_TOKENS):
                if is_stopped():
                    return False
                self._model.eval(tokens[start : start + BATCH_TOKENS])
        except RuntimeError as error:
            if is_stopped():
                return False  # the part that was read stays, up to the last whole batch
            raise self._failure(error) from error
        finally:
            self._library.llama_set_abort_callback(self._model.ctx, self._library.ggml_abort_callback(0), None)
        return True

    def _write(
        self, done: DoneReply, chooser: Chooser, limit: int, on_piece: OnPiece, is_stopped: IsStopped
    ) -> DoneReply:
        characters = codecs.getincrementaldecoder("utf-8")("replace")
        finish, count = Finish.LENGTH, 0
        while count < limit:
            if is_stopped():
                finish = Finish.CANCELLED
                break
            token = chooser.choose(self._scores())
            if token is None or self._library.llama_vocab_is_eog(self._vocabulary, token):
                finish = Finish.STOP
                break
            chooser.accept(token)
            count += 1
            if piece := characters.decode(self._piece(token)):
                on_piece(piece)
            self._step(token)
        if rest := characters.decode(b"", final=True):
            on_piece(rest)
        return DoneReply(
            number=done.number,
            finish=finish,
            input_tokens=done.input_tokens,
            output_tokens=count,
            reused_tokens=done.reused_tokens,
        )

    def _weigh(self, done: DoneReply, choices: Sequence[str], on_piece: OnPiece) -> DoneReply:
        """Tell how likely the reply is to begin like each choice, in either case of its first letter; none is drawn."""
        scores = self._scores().astype(np.float64)
        begins = [{self._tokens(one, is_frame=False)[0] for one in (choice, choice.capitalize())} for choice in choices]
        raw = np.array([np.logaddexp.reduce([scores[token] for token in sorted(tokens)]) for tokens in begins])
        odds = raw - np.logaddexp.reduce(raw)
        on_piece(choices[int(odds.argmax())])
        return structs.replace(done, finish=Finish.STOP, output_tokens=1, odds=tuple(odds.tolist()))

    def _step(self, token: int) -> None:
        try:
            self._model.eval([token])
        except RuntimeError as error:
            raise self._failure(error) from error

    def _scores(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        last = self._library.llama_get_logits_ith(self._model.ctx, -1)
        return np.ctypeslib.as_array(last, shape=(self._word_count,))

    def _piece(self, token: int) -> bytes:
        length = self._library.llama_token_to_piece(self._vocabulary, token, self._buffer, _PIECE_MAX_BYTES, 0, False)
        return self._buffer.raw[: max(0, length)]

    def _prompt(self, request: AskRequest) -> list[int]:
        frame: Frame = self._frames[request.instructions != ""]
        words = {Slot.INSTRUCTIONS: request.instructions.strip(), Slot.TEXT: request.text.strip()}
        tokens: list[int] = []
        for part in frame:
            is_slot = isinstance(part, Slot)
            tokens += self._tokens(words[part] if is_slot else part, is_frame=not is_slot)
        first = self._model.token_bos()
        if self._library.llama_vocab_get_add_bos(self._vocabulary) and tokens[:1] != [first]:
            tokens.insert(0, first)
        return tokens

    def _tokens(self, text: str, is_frame: bool) -> list[int]:
        # A lone surrogate is no Unicode; a document's "<|im_end|>" is its own words, not the end of her turn.
        return self._model.tokenize(text.encode("utf-8", "replace"), add_bos=False, special=is_frame) if text else []

    def _keep_common(self, prompt: Sequence[int]) -> int:
        """Cut the window back to what it shares with the prompt; return how many tokens that are.

        The last token is always read again, because the scores after it are wanted.
        """
        model = self._model
        window = model.input_ids[: model.n_tokens]
        length = min(len(window), len(prompt) - 1)
        differing = np.flatnonzero(window[:length] != np.asarray(prompt[:length], dtype=window.dtype))
        common = int(differing[0]) if len(differing) else length
        if common < model.n_tokens and not self._keeps_prefix:
            common = 0  # a recurrent model has one state, and cannot go back
        if common == 0:
            model.reset()
        model.n_tokens = common
        return common

    def _load(self, request: LoadRequest) -> Any:
        try:
            return self._library.Llama(
                model_path=request.path,
                n_ctx=request.context_tokens,
                n_batch=BATCH_TOKENS,
                n_ubatch=BATCH_TOKENS,
                n_threads=request.thread_count,
                n_threads_batch=request.thread_count,
                # Mapped weights lie in memory a second time once llama.cpp has rearranged them for this processor:
                # Qwen2.5-1.5B takes 2,011 MiB mapped and 1,421 read. A file cut while mapped ends the process, too.
                use_mmap=False,
                flash_attn=True,  # measured: prompts 20 % faster on SmolLM2, no slower on Qwen
                verbose=False,
            )
        except (ValueError, RuntimeError, AssertionError) as error:
            raise self._load_failure(request.path) from error

    def _listen(self) -> Any:
        """Keep what llama.cpp says, for the error that may follow; it must not reach the reply pipe or a terminal."""

        def listen(level: int, text: bytes, _: Any) -> None:
            if level in _ERROR_LEVELS:
                self._said.append(text.decode("utf-8", "replace").strip())

        listener: Any = self._library.llama_log_callback(listen)
        self._library.llama_log_set(listener, None)
        return listener  # kept: the library holds a bare address

    def _load_failure(self, path: str) -> ModelFileError:
        name = re.split(r"[/\\]", path)[-1]
        said = " ".join(self._said)
        if re.search(r"alloc|out of memory|ENOMEM", said):
            return ModelTooLargeError(
                f"There is not enough memory to load '{name}'.", hint="Choose a smaller model, or close other programs."
            )
        unknown = re.search(r"unknown (?:model architecture|pre-tokenizer type)\D{0,3}'[\w.-]+'", said)
        why = f" ({unknown[0]})" if unknown else ""
        return ModelFileError(
            f"The model file '{name}' cannot be loaded{why}.", hint="Download it again, or choose another model."
        )

    def _failure(self, error: RuntimeError) -> ProviderError:
        return ProviderError(f"The local model stopped with an error ({error}).", hint="Ask again.")

    def _renderer(self) -> RenderMessages:
        template = str(self._model.metadata.get("tokenizer.chat_template", ""))
        if not template:
            if not all(len(self._tokens(word, is_frame=True)) == 1 for word in CHATML_WORDS):
                raise ModelFileError(
                    "This model has no chat template: a base model goes on with a text and answers nothing.",
                    hint="Choose the same model with 'instruct' or 'it' in its name.",
                )
            template = CHATML
        bos, eos = (self._word(token) for token in (self._model.token_bos(), self._model.token_eos()))
        render = renderer_of(import_module("llama_cpp.llama_chat_format"), template, bos, eos)
        if render is None:
            raise ModelFileError("The chat template of this model cannot be read.", hint="Choose another GGUF of it.")
        return render

    def _word(self, token: int) -> str:
        if token < 0:
            return ""
        text: bytes = self._library.llama_vocab_get_text(self._vocabulary, token)
        return text.decode("utf-8", "replace")


def _load_library(features: frozenset[str] | None) -> Any:
    # By name: the package ships no types that hold, and 18 MB of native code belong to the process that uses them.
    try:
        library: Any = import_module("llama_cpp")
    except (ImportError, OSError, RuntimeError) as error:
        raise ProviderError(
            "Local models need the package 'llama-cpp-python', which is missing or broken.",
            hint="Install it: pip install 'trisynapse-desktop[local-llm]'.",
        ) from error
    built_for = frozenset(flag.lower() for flag in _FLAG.findall(library.llama_print_system_info().decode()))
    lacking = () if features is None else sorted((built_for & frozenset(FEATURES)) - features)
    if lacking:
        raise ProviderError(
            f"This processor lacks {', '.join(name.upper() for name in lacking)}, which the installed llama.cpp uses.",
            hint="Build llama-cpp-python on this machine, or use a model service.",
        )
    return library
