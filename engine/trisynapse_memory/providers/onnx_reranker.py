"""A question and passages in, one logit for each passage out, by a cross-encoder under onnxruntime. No ranking is made.

Its folder holds ``model.onnx``, ``tokenizer.json`` and ``config.json``, as BERT and XLM-RoBERTa rerankers are exported:
``input_ids``, ``attention_mask`` and maybe ``token_type_ids`` in; one logit out, or two (not relevant, relevant).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.providers.files.reranker_folders import TOKENIZER, read_reranker

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# Tokens, padding included, per run of the graph: as measured for the embedder (onnx_embedder.py), and small enough that
# the time is looked at several times a second.
BATCH_TOKENS: Final = 512
INPUTS: Final = frozenset({"input_ids", "attention_mask", "token_type_ids"})
LOGITS: Final = "logits"
PADDINGS: Final = ("[PAD]", "<pad>")
LEAST_TOKENS: Final = 16  # the special tokens, and something between them
_CHOOSE: Final = "Choose another model for 'reranking', or none."


class OnnxReranker:
    """Reads question and passage together, so that each word of one can look at each word of the other.

    Building one reads the folder's small files; the weights are loaded by the first ``judge``. One caller at a time.

    Args:
        folder: holds the model (``reranker_folders.read_reranker``).
        threads: how many cores a run may use; one fewer than this process may run on by default.
        clock: seconds that only grow.

    Raises:
        ModelFileError: the folder holds no cross-encoder.

    Source:
        Nogueira and Cho, "Passage Re-ranking with BERT", 2019 (two logits); the models ms-marco-MiniLM and
        bge-reranker have one.
    """

    name = "cross-encoder"

    def __init__(self, folder: str, threads: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = read_reranker(Path(folder).expanduser())
        self._threads = threads if threads is not None else max(1, _core_count() - 1)
        self._clock = clock
        self._tokenizer: Tokenizer | None = None
        self._session: Any = None
        self.model_id = self._folder.model_id
        self.max_tokens = self._folder.max_tokens

    def judge(self, question: str, passages: Sequence[str], *, max_tokens: int, budget_s: float) -> FloatArray:
        """Read the question with each passage, in order, until all are judged or the time is up.

        See ``contracts.Reranker``. Question and passage are cut at the longer of them until both fit.
        """
        tokenizer, session = self._load()
        began = self._clock()
        logits = np.zeros(0, dtype=np.float32)
        length = max(LEAST_TOKENS, min(max_tokens, self.max_tokens))
        untyped: Any = tokenizer  # its types leave this one's wishes open
        untyped.enable_truncation(length, strategy="longest_first")
        while len(logits) < len(passages) and (not len(logits) or self._clock() - began < budget_s):
            batch = self._batch(tokenizer, question, passages[len(logits) :])
            logits = np.concatenate([logits, self._run(session, batch, _padding(tokenizer))])
        return logits

    def _batch(self, tokenizer: Tokenizer, question: str, passages: Sequence[str]) -> list[Encoding]:
        """The next pairs that fit into one run, padded to the longest of them; at least one."""
        batch: list[Encoding] = []
        widest = 0
        for passage in passages:
            one = tokenizer.encode(_valid(question), _valid(passage))
            widest = max(widest, len(one))
            if batch and (len(batch) + 1) * widest > BATCH_TOKENS:
                break
            batch.append(one)
        return batch

    def _run(self, session: Any, batch: Sequence[Encoding], padding: int) -> FloatArray:
        shape = (len(batch), max(len(one) for one in batch))
        ids, mask, types = np.full(shape, padding, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, one in enumerate(batch):
            ids[row, : len(one)], mask[row, : len(one)], types[row, : len(one)] = one.ids, 1, one.type_ids
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        with self._translated():
            given = session.run([_output(session)], {one.name: feeds[one.name] for one in session.get_inputs()})[0]
        return self._logits(np.asarray(given), len(batch))

    def _logits(self, given: np.ndarray[Any, np.dtype[Any]], count: int) -> FloatArray:
        """One number for each pair; of two, how much more likely the passage is relevant than not."""
        columns = given.reshape(count, -1) if given.ndim in (1, 2) and len(given) == count else given
        if columns.ndim != 2 or columns.shape[1] not in (1, 2):
            raise self._fault(f"gives numbers of shape {tuple(given.shape)} for {count} passages")
        rows = columns.astype(np.float32)
        logits = rows[:, 0] if rows.shape[1] == 1 else rows[:, 1] - rows[:, 0]
        if not np.isfinite(logits).all():
            raise self._fault("gives numbers that are not finite")
        return logits

    def _load(self) -> tuple[Tokenizer, Any]:
        if self._tokenizer is None:
            self._tokenizer = self._load_tokenizer()
        if self._session is None:
            self._session = self._load_session()
        return self._tokenizer, self._session

    def _load_tokenizer(self) -> Tokenizer:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # a worker is the parallelism
        try:
            from tokenizers import Tokenizer  # a native library: loaded by the first question
        except ImportError as error:
            raise _missing("tokenizers", error) from error
        try:
            tokenizer = Tokenizer.from_file(str(self._folder.path / TOKENIZER))
        except Exception as error:  # the library raises the bare class
            raise self._fault(f"has a '{TOKENIZER}' that cannot be read") from error
        tokenizer.no_padding()
        return tokenizer

    def _load_session(self) -> Any:
        # Read when the library is loaded: else version 1.32 keeps a device id, and events to send, in the home folder.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        try:
            onnxruntime: Any = import_module("onnxruntime")
        except ImportError as error:
            raise _missing("onnxruntime", error) from error
        options = onnxruntime.SessionOptions()
        options.enable_cpu_mem_arena = False  # the arena keeps the largest batch for ever (stack.md A1)
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        with self._translated():
            path = str(self._folder.weights)
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        if unknown := sorted({one.name for one in session.get_inputs()} - INPUTS):
            raise self._fault(f"wants '{unknown[0]}', which no cross-encoder is given")
        return session

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turn onnxruntime's errors, which share no base of their own, into ours; theirs name paths."""
        native: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
        names = ("Fail", "RuntimeException", "EPFail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf")
        own = tuple(getattr(native, name) for name in (*names, "NoSuchFile", "NotImplemented"))
        try:
            yield
        except (*own, MemoryError) as error:
            raise self._fault(f"cannot be run ({type(error).__name__})") from error

    def _fault(self, what: str) -> ModelFileError:
        return ModelFileError(f"The cross-encoder '{self._folder.name}' {what}.", hint=_CHOOSE)


def _missing(package: str, error: ImportError) -> BranchUnavailableError:
    return BranchUnavailableError(
        f"A cross-encoder needs the package '{package}' ({error}).", hint=f"Install it: pip install {package}."
    )


def _output(session: Any) -> str:
    """The name of the logits; a graph that calls none so has them first."""
    names = [str(one.name) for one in session.get_outputs()]
    return LOGITS if LOGITS in names else names[0]


def _padding(tokenizer: Tokenizer) -> int:
    return next((found for name in PADDINGS if (found := tokenizer.token_to_id(name)) is not None), 0)


def _valid(text: str) -> str:
    # A lone surrogate (broken text layers have them) is no Unicode, and the tokenizer refuses the whole batch for it.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _core_count() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
