"""The folder of a sentence-transformers model in, what its small files say out: length, window, identity.

No weight is loaded and no library of models is imported, so that the engine's process can ask.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from trisynapse_memory.errors import ModelFileError

WINDOW_TOKENS: Final = 512  # of most models of this kind, where a folder does not say
_NO_WINDOW: Final = 1_000_000  # tokenizers state 1e30 where they know none
_EDGE_BYTES: Final = 1 << 20  # read of each end of a file of weights
_SMALL_BYTES: Final = 8 << 20  # up to here a file is read whole; vocabularies are smaller
_WEIGHTS: Final = (".safetensors", ".bin")
_CHOOSE: Final = "Choose the folder that holds 'modules.json'."
_READ: Final = (".json", ".txt", ".model", *_WEIGHTS)


class ModelFolder(Struct, frozen=True, kw_only=True):
    """What a folder says of its model. ``digest`` changes with anything that changes its vectors (12 hex digits)."""

    path: Path
    dimension: int
    max_tokens: int
    digest: str

    @property
    def tokenizer_path(self) -> Path:
        """The file a tokenizer can be built from without the model's own library; it need not exist."""
        return self.path / "tokenizer.json"


def read_folder(path: Path) -> ModelFolder:
    """Look at a folder.

    Takes some 10 ms; of large files only both ends are read.

    Raises:
        ModelFileError: it is not there, or not what sentence-transformers writes.
    """
    if not path.is_dir():
        raise ModelFileError(
            f"There is no folder '{path.name}' with an embedding model.",
            hint=_CHOOSE,
        )
    try:
        modules: list[dict[str, Any]] = _json(path / "modules.json", list[dict[str, Any]])
        folders = [path / str(module.get("path", "")) for module in modules]
        dimension = _dimension(path, folders)
        return ModelFolder(path=path, dimension=dimension, max_tokens=_window(path), digest=digest_of(path))
    except (OSError, msgspec.DecodeError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"The folder '{path.name}' is no sentence-transformers model ({type(error).__name__}).",
            hint=_CHOOSE,
        ) from error


def _dimension(path: Path, folders: list[Path]) -> int:
    """The length that the last module which says one gives its vectors."""
    for folder in reversed(folders):
        config = folder / "config.json"
        if folder == path or not config.is_file():
            continue
        values = _json(config, dict[str, Any])
        found = int(values.get("out_features") or _pooled(values))
        if found > 0:
            return found
    return int(_json(path / "config.json", dict[str, Any])["hidden_size"])


def _pooled(values: Mapping[str, Any]) -> int:
    """Several ways of pooling at once give as many vectors, one after the other."""
    if "embedding_dimension" in values:  # since version 6
        modes: Any = values.get("pooling_mode", "mean")
        return int(values["embedding_dimension"]) * (1 if isinstance(modes, str) else len(modes))
    ways = sum(1 for name, value in values.items() if name.startswith("pooling_mode_") and value)
    return int(values.get("word_embedding_dimension", 0)) * max(1, ways)


def _window(path: Path) -> int:
    found = (
        _json_if_there(path / "sentence_bert_config.json").get("max_seq_length"),
        _json_if_there(path / "tokenizer_config.json").get("model_max_length"),
        _json_if_there(path / "config.json").get("max_position_embeddings"),
    )
    return next((int(value) for value in found if value is not None and 0 < int(value) < _NO_WINDOW), WINDOW_TOKENS)


def digest_of(path: Path) -> str:
    """Return the identity of a folder's model: 12 hex digits that change with anything that changes what it gives."""
    digest = hashlib.sha256()
    for file in sorted(_files(path)):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(path).as_posix()}\0{size}\0".encode("utf-8", "surrogatepass"))
        with file.open("rb") as stream:
            if size <= _SMALL_BYTES:
                digest.update(stream.read())
            else:
                digest.update(stream.read(_EDGE_BYTES))
                stream.seek(-_EDGE_BYTES, os.SEEK_END)
                digest.update(stream.read(_EDGE_BYTES))
    return digest.hexdigest()[:12]


def _files(path: Path) -> Iterator[Path]:
    """Everything that can change a vector: settings, vocabularies, weights; not the read-me, nor other formats."""
    for file in path.rglob("*"):
        if file.suffix in _READ and file.is_file() and file.relative_to(path).parts[0] not in ("onnx", "openvino"):
            yield file


def _json(path: Path, shape: Any) -> Any:
    return msgspec.json.decode(path.read_bytes(), type=shape)


def _json_if_there(path: Path) -> dict[str, Any]:
    return _json(path, dict[str, Any]) if path.is_file() else {}
