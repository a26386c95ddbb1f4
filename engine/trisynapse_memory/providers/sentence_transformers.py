"""Texts in, unit vectors out, by a sentence-transformers model in a local folder. Nothing is downloaded here.

The libraries (torch and more, 1.2 GB) come with the extra ``sentence-transformers`` and are loaded by the first text,
in a worker process; the engine's own process asks for length, window and identity only.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import BadEmbeddingError, BranchUnavailableError, ModelFileError, ProviderError
from trisynapse_memory.providers.files.model_folders import ModelFolder, read_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

EXTRA: Final = "pip install 'trisynapse-desktop[sentence-transformers]'"
BATCH_TEXTS: Final = 8  # small: texts of one batch are padded to the longest, and memory grows with it
EDGE_TOKENS: Final = 4  # a piece that begins inside a word may take more tokens than its part of the text did

_SETTINGS: Final = {
    # The library looks for newer files of a model in the network unless it is told not to; a folder is all there is.
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class SentenceTransformersEmbedder:
    """An embedder from a folder that ``SentenceTransformer.save`` wrote, or that was fetched from the hub.

    Building one costs nothing. Code that a folder brings along is never run.

    Args:
        folder: the folder that holds ``modules.json``.
        threads: how many cores a run may use; one fewer than this process may run on by default.
    """

    def __init__(self, folder: str, threads: int | None = None) -> None:
        self._path = Path(folder).expanduser()
        self._threads = threads if threads is not None else max(1, _core_count() - 1)
        self._loading = threading.RLock()
        self._read: ModelFolder | None = None
        self._loaded_tokenizer: Tokenizer | None = None
        self._loaded_model: Any = None

    @property
    def model_id(self) -> str:
        """Names the folder and the state of its files: changed weights are another model."""
        found = self._folder()
        return f"sentence-transformers/{found.path.name}@{found.digest}"

    @property
    def dimension(self) -> int:
        """How long its vectors are."""
        return self._folder().dimension

    @property
    def max_tokens(self) -> int:
        """Its window, special tokens included; a longer text is embedded in pieces."""
        return self._folder().max_tokens

    def embed(self, texts: Sequence[str]) -> FloatArray:
        """Turn texts into directions; see ``contracts.Embedder``.

        A text beyond the window is cut into pieces that fit, and gets the mean of their vectors, so that nothing of it
        is unseen.

        Args:
            texts: what to embed.

        Returns:
            ``(len(texts), dimension) float32`` unit rows in the order of the texts; ``(0, dimension)`` for no text.

        Raises:
            ModelFileError: the folder is not there, or no model of this kind.
            ProviderError: the library failed.
            BadEmbeddingError: the model gives vectors of zeros, or of another length than its folder says.
            BranchUnavailableError: the extra is not installed.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        pieces = [self._pieces(_valid(text)) for text in texts]
        flat = [piece for own in pieces for piece in own]
        with self._loading, _translated(self._path.name):
            rows = np.asarray(self._model().encode(flat, batch_size=BATCH_TEXTS, show_progress_bar=False), np.float32)
        if rows.shape != (len(flat), self.dimension):
            raise BadEmbeddingError(f"The model in '{self._path.name}' gave shape {rows.shape} for {len(flat)} texts.")
        ends = np.cumsum([len(own) for own in pieces])
        blocks = np.split(_units(rows), ends[:-1])
        return _units(np.stack([block.mean(axis=0) for block in blocks]))

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        """Count tokens, special ones included, without loading the model; see ``contracts.Embedder``."""
        if not texts:
            return ()
        return tuple(len(one.ids) for one in self._tokenizer().encode_batch_fast([_valid(text) for text in texts]))

    def _folder(self) -> ModelFolder:
        with self._loading:
            if self._read is None:
                self._read = read_folder(self._path)
            return self._read

    def _pieces(self, text: str) -> list[str]:
        """Cut a text at tokens so that each piece fits the window."""
        tokenizer = self._tokenizer()
        room = self.max_tokens - tokenizer.num_special_tokens_to_add(False) - EDGE_TOKENS
        offsets = [span for span in tokenizer.encode(text, add_special_tokens=False).offsets if span[1] > span[0]]
        if len(offsets) <= room + EDGE_TOKENS or room <= 0:
            return [text]
        starts = [offsets[place][0] for place in range(0, len(offsets), room)]
        return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]

    def _tokenizer(self) -> Tokenizer:
        with self._loading:
            if self._loaded_tokenizer is None:
                os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
                from tokenizers import Tokenizer  # a native library: loaded by the first text

                path = self._folder().tokenizer_path
                if not path.is_file():
                    raise ModelFileError(
                        f"The folder '{self._path.name}' has no 'tokenizer.json'.",
                        hint="Save the model again with a current version of sentence-transformers.",
                    )
                tokenizer = Tokenizer.from_file(str(path))
                tokenizer.no_truncation()
                tokenizer.no_padding()
                self._loaded_tokenizer = tokenizer
            return self._loaded_tokenizer

    def _model(self) -> Any:
        if self._loaded_model is None:
            self._folder()
            os.environ.update(_SETTINGS)
            library: Any = _library("sentence_transformers")
            _library("torch").set_num_threads(self._threads)
            self._loaded_model = library.SentenceTransformer(
                str(self._path), device="cpu", local_files_only=True, trust_remote_code=False
            )
        return self._loaded_model


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise BranchUnavailableError(
            f"This embedder needs the package '{name}' ({error}).", hint=f"Install it: {EXTRA}."
        ) from error


@contextmanager
def _translated(name: str) -> Generator[None]:
    """Turn what torch and transformers raise into ours; their words may hold a text, so they are not passed on."""
    try:
        yield
    except (RuntimeError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProviderError(
            f"The embedding model in '{name}' stopped with an error ({type(error).__name__}).",
            hint="Choose another embedder; records are still found by their words.",
        ) from error


def _units(rows: FloatArray) -> FloatArray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise BadEmbeddingError("The embedding model gave numbers that are not finite, or all zero.")
    return (rows / norms).astype(np.float32)


def _valid(text: str) -> str:
    # A lone surrogate (broken text layers have them) is no Unicode, and the tokenizer refuses the whole batch for it.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _core_count() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
