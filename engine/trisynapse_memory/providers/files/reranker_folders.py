"""The folder of a cross-encoder as ONNX in, its name, weights, window and identity out. No weight is loaded here.

No library of models is imported, so that the engine's process can ask.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from trisynapse_memory.errors import ModelFileError

SHELF: Final = "rerankers"
"""Their folder beside the model files: what was fetched from the hub."""

WEIGHTS: Final = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "onnx/model_int8.onnx")
"""Where the weights may lie, the most exact first; larger models keep theirs beside it, in ``<name>_data``."""

TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "config.json"
WINDOW_TOKENS: Final = 512  # of most models of this kind, where a folder does not say
_NO_WINDOW: Final = 1_000_000  # tokenizers state 1e30 where they know none
_KIND: Final = "ForSequenceClassification"
_EDGE_BYTES: Final = 1 << 20  # read of each end of a file
_CHOOSE: Final = "Choose the folder of a cross-encoder: it holds 'config.json', 'tokenizer.json' and 'model.onnx'."


class RerankerFolder(Struct, frozen=True, kw_only=True):
    """What a folder says of its model. ``digest`` changes with anything that changes its judgements (12 hex digits)."""

    path: Path
    name: str
    weights: Path
    size_bytes: int
    max_tokens: int
    digest: str

    @property
    def model_id(self) -> str:
        """How a run names it: the kind, the model, and which state of it."""
        return f"cross-encoder:{self.name}@{self.digest}"


def weights_among(names: Iterable[str]) -> tuple[str, ...]:
    """Return which of some files are the weights that are used, with what lies beside them; none where there are none.

    Args:
        names: of files, relative to the folder, with ``/``.
    """
    known = set(names)
    first = next((name for name in WEIGHTS if name in known), "")
    return tuple(name for name in (first, f"{first}_data") if name in known)


def read_reranker(path: Path) -> RerankerFolder:
    """Look at a folder. Takes some 10 ms; of the weights only both ends are read.

    Raises:
        ModelFileError: it is not there, or holds no cross-encoder that can be used.
    """
    if not path.is_dir():
        raise ModelFileError(f"There is no folder '{path.name}' with a cross-encoder.", hint=_CHOOSE)
    found = weights_among(name for name in (*WEIGHTS, *(f"{one}_data" for one in WEIGHTS)) if (path / name).is_file())
    missing = [name for name in (CONFIG, TOKENIZER) if not (path / name).is_file()]
    if missing or not found:
        raise ModelFileError(f"The folder '{path.name}' lacks '{(*missing, WEIGHTS[0])[0]}'.", hint=_CHOOSE)
    check_kind(path)
    files = [path / name for name in (CONFIG, TOKENIZER, *found)]
    try:
        size = sum((path / name).stat().st_size for name in found)
        return RerankerFolder(
            path=path,
            name=path.name.partition("--")[2] or path.name,
            weights=path / found[0],
            size_bytes=size,
            max_tokens=_window(path),
            digest=_digest(files),
        )
    except OSError as error:
        raise ModelFileError(f"The folder '{path.name}' cannot be read ({error.strerror}).", hint=_CHOOSE) from error


def check_kind(path: Path) -> None:
    """Find out from its ``config.json`` whether a folder's model judges texts, before its weights are looked at.

    Raises:
        ModelFileError: it is a model of another kind, or the file cannot be read.
    """
    if _KIND not in str(_config(path).get("architectures")):
        raise ModelFileError(f"The model in '{path.name}' is no cross-encoder: it does not judge texts.", hint=_CHOOSE)


def _window(path: Path) -> int:
    """Tokens that the model reads at a time; XLM-R and RoBERTa count two positions that hold none."""
    config, positions = _config(path), 0
    if isinstance(stated := config.get("max_position_embeddings"), int):
        positions = stated - 2 if str(config.get("model_type", "")).endswith("roberta") else stated
    tokenizer = _read(path / "tokenizer_config.json") if (path / "tokenizer_config.json").is_file() else {}
    found = [one for one in (tokenizer.get("model_max_length"), positions) if isinstance(one, int | float)]
    return min((int(one) for one in found if 0 < one < _NO_WINDOW), default=WINDOW_TOKENS)


def _config(path: Path) -> dict[str, Any]:
    return _read(path / CONFIG)


def _read(file: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise ModelFileError(
            f"The file '{file.name}' in '{file.parent.name}' cannot be read ({type(error).__name__}).", hint=_CHOOSE
        ) from error


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name}\0{size}\0".encode("utf-8", "surrogatepass"))
        with file.open("rb") as stream:
            digest.update(stream.read(_EDGE_BYTES))
            stream.seek(max(0, size - _EDGE_BYTES), os.SEEK_SET)
            digest.update(stream.read(_EDGE_BYTES))
    return digest.hexdigest()[:12]
