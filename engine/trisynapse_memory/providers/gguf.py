"""A model file in, what its header says out, before anything loads it. Weights are not read and nothing is computed.

A damaged or foreign file makes llama.cpp end its process at best, so it is looked at here first: magic, version, kind,
and whether every tensor lies inside the file. Source of the format: the GGUF specification of the ggml project.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from trisynapse_memory.errors import ModelFileError

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)  # 1 was in use for a month of 2023; llama.cpp refuses it too

CONTEXT_CAP_TOKENS: Final = 8192
"""A window costs memory for all its tokens at once; evidence and reply together stay far below this."""
CONTEXT_FLOOR_TOKENS: Final = 2048  # below it the instructions, the evidence and a reply find no room

BATCH_TOKENS: Final = 256
"""Tokens a model reads at once. Measured: 512 reads 4 % faster, 64 10 % slower; working space grows with it."""

_ACTIVATION_COUNT: Final = 24  # tensors as wide as the model, or nearly, that live at once while a batch is read
_LIBRARY_BYTES: Final = 128 * 1024 * 1024  # Python, numpy and llama.cpp themselves

# 32 MiB hold the vocabulary of every model on our list (the longest, 262,144 words, has 16 MiB).
_HEAD_BYTES: Final = 32 * 1024 * 1024
_HEAD_MAX_BYTES: Final = 512 * 1024 * 1024
_KEPT_ARRAY_COUNT: Final = 1024  # arrays of a number a layer are kept, vocabularies are passed over
_DEFAULT_ALIGNMENT: Final = 32

_STRING, _ARRAY = 8, 9
_FORMATS: Final = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}

# Type of a tensor: weights in a block, bytes of a block. Source: GGML_QUANT_SIZES of the gguf package 0.19.
_BLOCK_ROWS: Final = """
0:1:4 1:1:2 2:32:18 3:32:20 6:32:22 7:32:24 8:32:34 9:32:40 10:256:84 11:256:110 12:256:144 13:256:176 14:256:210
15:256:292 16:256:66 17:256:74 18:256:98 19:256:50 20:32:18 21:256:110 22:256:82 23:256:136 24:1:1 25:1:2 26:1:4
27:1:8 28:1:8 29:256:56 30:1:2 34:256:54 35:256:66 39:32:17 40:64:36 41:128:18
"""
_BLOCKS: Final = {
    kind: (weights, size) for kind, weights, size in (map(int, row.split(":")) for row in _BLOCK_ROWS.split())
}

_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_EMBEDDERS = re.compile(r"bert|t5encoder|^gemma-embedding$|^clip$|^mmproj")
_CHOOSE: Final = "Choose a GGUF file of an instruct model."


class ModelHeader(Struct, frozen=True, kw_only=True):
    """What a GGUF of a text model says of itself, and how large it is on disk (all its parts together).

    ``context_tokens`` is the window it was trained for. ``cache_bytes_per_token`` is what one token of the window costs
    in memory at half precision. ``template`` is the chat template, empty in a base model.
    """

    architecture: str
    name: str
    size_bytes: int
    part_count: int
    context_tokens: int
    layer_count: int
    embedding_length: int
    vocabulary_count: int
    parameter_count: int
    cache_bytes_per_token: int
    template: str = ""


def read_header(path: Path) -> ModelHeader:
    """Look at a model file; of one in several parts, at the first.

    Takes 10 to 60 ms; the vocabulary is passed over word by word.

    Raises:
        ModelFileError: the file is missing, is no GGUF, is cut short, or is not a text model.
    """
    size_bytes, values, tensors, data_start = _look(path)
    _check_kind(path.name, values, len(tensors))
    _check_whole(path.name, tensors, data_start, size_bytes)
    part_count = _number(values, "split.count", 1) or 1
    sizes = [size_bytes, *(_part_size(other) for other in _other_parts(path, part_count))]
    return _header(values, tensors, sum(sizes), part_count)


def memory_bytes(header: ModelHeader, context_tokens: int) -> int:
    """Return what a loaded model takes, in bytes: weights, the whole window, working space.

    Source:
        docs/formulas.md, "Memory of a local model": 2 % (Qwen2.5-Coder-1.5B) and 21 % (SmolLM2-135M) above the peak.
    """
    activations = header.embedding_length * BATCH_TOKENS * 4 * _ACTIVATION_COUNT
    return header.size_bytes + context_tokens * header.cache_bytes_per_token + activations + _LIBRARY_BYTES


def fitting_context(header: ModelHeader, available_bytes: int, cap_tokens: int = CONTEXT_CAP_TOKENS) -> int:
    """Return the longest window that memory allows, in tokens; 0 where not even the shortest one fits.

    Args:
        header: the model.
        available_bytes: what it may take.
        cap_tokens: no more than this; the training window bounds it too.
    """
    tokens = min(cap_tokens, header.context_tokens or cap_tokens)
    floor = min(tokens, CONTEXT_FLOOR_TOKENS)
    while memory_bytes(header, tokens) > available_bytes:
        if tokens == floor:
            return 0
        tokens = max(floor, tokens // 2)
    return tokens


class _Cursor:
    """Walks over the head of a file; ``struct.error`` where it ends."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self.offset = 0

    def number(self, form: str) -> Any:
        (value,) = struct.unpack_from(form, self._head, self.offset)
        self.offset += struct.calcsize(form)
        return value

    def text(self) -> str:
        length = self.number("<Q")
        start, self.offset = self.offset, self.offset + length
        if self.offset > len(self._head):
            raise struct.error("a text reaches beyond the head")
        return self._head[start : self.offset].decode("utf-8", "replace")

    def pass_texts(self, count: int) -> None:
        head, offset, unpack = self._head, self.offset, struct.Struct("<Q").unpack_from
        for _ in range(count):
            offset += 8 + unpack(head, offset)[0]
        self.offset = offset

    def value(self, kind: int) -> Any:
        """Return a value, None for an array that is too long to be of interest."""
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array()
        if kind not in _FORMATS:
            raise ModelFileError("A field of the model file has a type nobody knows.", hint=_CHOOSE)
        return self.number(_FORMATS[kind])

    def _array(self) -> Any:
        kind, count = self.number("<I"), self.number("<Q")
        if kind == _STRING:
            self.pass_texts(count)
            return _Passed(count)
        if kind not in _FORMATS:
            raise ModelFileError("A list in the model file has a type nobody knows.", hint=_CHOOSE)
        if count <= _KEPT_ARRAY_COUNT:
            return _Numbers(tuple(self.number(_FORMATS[kind]) for _ in range(count)))
        self.offset += count * struct.calcsize(_FORMATS[kind])
        return _Passed(count)


class _Numbers(Struct, frozen=True):
    """A short list, usually one number a layer."""

    values: tuple[float, ...]


class _Passed(Struct, frozen=True):
    """A list that was passed over; how long it was."""

    count: int


class _Tensor(Struct, frozen=True):
    """Where the weights of one tensor lie, and how many bytes and weights they are; 0 bytes: of an unknown type."""

    start: int
    size_bytes: int
    weight_count: int


_Head = tuple[dict[str, Any], list[_Tensor], int]


def _look(path: Path) -> tuple[int, dict[str, Any], list[_Tensor], int]:
    """Return the size of a file, its fields, its tensors, and where their weights begin."""
    try:
        size_bytes = path.stat().st_size
        return size_bytes, *_read_head(path, size_bytes)
    except OSError as error:
        raise ModelFileError(
            f"The model file '{path.name}' cannot be read ({error.strerror}).", hint="Choose it again, or another one."
        ) from error


def _read_head(path: Path, size_bytes: int) -> _Head:
    wanted = min(size_bytes, _HEAD_BYTES)
    with path.open("rb") as file:
        head = file.read(wanted)
        _check_magic(path.name, head)
        while True:
            try:
                return _parse(head)
            except (struct.error, OverflowError, MemoryError):
                if len(head) >= min(size_bytes, _HEAD_MAX_BYTES):
                    raise _truncated(path.name) from None
                head += file.read(len(head))


def _check_magic(name: str, head: bytes) -> None:
    if not head:
        raise ModelFileError(f"The model file '{name}' is empty.", hint="Download it again.")
    if head[:4] != MAGIC:
        raise ModelFileError(f"'{name}' is no GGUF model file.", hint=_CHOOSE)
    version = int.from_bytes(head[4:8], "little")
    if len(head) >= 8 and version not in VERSIONS:
        swapped = int.from_bytes(head[4:8], "big") in VERSIONS
        what = "is made for another kind of processor" if swapped else f"has version {version} of its format"
        raise ModelFileError(f"The model file '{name}' {what}.", hint="Versions 2 and 3, little-endian, are read.")


def _parse(head: bytes) -> _Head:
    cursor = _Cursor(head)
    cursor.offset = 8
    tensor_count, field_count = cursor.number("<Q"), cursor.number("<Q")
    values: dict[str, Any] = {}
    for _ in range(field_count):
        key = cursor.text()
        values[key] = cursor.value(cursor.number("<I"))
    tensors = [_parse_tensor(cursor) for _ in range(tensor_count)]
    alignment = _number(values, "general.alignment", _DEFAULT_ALIGNMENT) or _DEFAULT_ALIGNMENT
    return values, tensors, -(-cursor.offset // alignment) * alignment


def _parse_tensor(cursor: _Cursor) -> _Tensor:
    cursor.text()
    lengths = [cursor.number("<Q") for _ in range(cursor.number("<I"))]
    kind, start = cursor.number("<I"), cursor.number("<Q")
    count = math.prod(lengths)
    weights, size = _BLOCKS.get(kind, (1, 0))
    return _Tensor(start, count // weights * size, count)


def _check_kind(name: str, values: dict[str, Any], tensor_count: int) -> None:
    architecture, kind = str(values.get("general.architecture", "")), str(values.get("general.type", "model"))
    found = ""
    if kind == "mmproj" or architecture == "clip":
        found = "holds the picture half of a model, not the model"
    elif kind != "model":
        found = f"is {kind} data for a model, not a model"
    elif not architecture:
        found = "does not say what kind of model it is"
    elif _EMBEDDERS.search(architecture) or f"{architecture}.pooling_type" in values:
        found = "is an embedding model; it writes no text"
    elif "tokenizer.ggml.tokens" not in values:
        found = (
            "has no vocabulary, so it is no text model" if _number(values, "split.no", 0) == 0 else "is a later part"
        )
    elif tensor_count == 0 and _number(values, "split.count", 1) <= 1:
        found = "holds a vocabulary only, no weights"
    if found:
        raise ModelFileError(f"The file '{name}' {found}.", hint=_CHOOSE)


def _check_whole(name: str, tensors: list[_Tensor], data_start: int, size_bytes: int) -> None:
    end = max((tensor.start + tensor.size_bytes for tensor in tensors), default=0)
    if data_start + end > size_bytes and tensors:
        raise _truncated(name)


def _truncated(name: str) -> ModelFileError:
    return ModelFileError(f"The model file '{name}' is cut short.", hint="Download it again.")


def _other_parts(path: Path, part_count: int) -> Iterator[Path]:
    """Yield the later parts of a model in several files, which lie beside the first."""
    match = _PART.search(path.name)
    if part_count > 1 and (match is None or int(match[1]) != 1):
        raise ModelFileError(
            f"The file '{path.name}' is one of {part_count} parts of a model.",
            hint="Choose the first part under its own name; the others must lie beside it.",
        )
    for number in range(2, part_count + 1):
        yield path.with_name(_PART.sub(f"-{number:05}-of-{part_count:05}.gguf", path.name))


def _part_size(path: Path) -> int:
    size_bytes, _, tensors, data_start = _look(path)
    _check_whole(path.name, tensors, data_start, size_bytes)
    return size_bytes


def _header(values: dict[str, Any], tensors: list[_Tensor], size_bytes: int, part_count: int) -> ModelHeader:
    architecture = str(values["general.architecture"])
    words = values["tokenizer.ggml.tokens"]
    return ModelHeader(
        architecture=architecture,
        name=str(values.get("general.name", "")),
        size_bytes=size_bytes,
        part_count=part_count,
        context_tokens=_number(values, f"{architecture}.context_length", 0),
        layer_count=_number(values, f"{architecture}.block_count", 0),
        embedding_length=_number(values, f"{architecture}.embedding_length", 0),
        vocabulary_count=words.count if isinstance(words, _Passed) else len(words),
        parameter_count=sum(tensor.weight_count for tensor in tensors),
        cache_bytes_per_token=_cache_bytes(values, architecture),
        template=str(values.get("tokenizer.chat_template", "")),
    )


def _cache_bytes(values: dict[str, Any], architecture: str) -> int:
    """Return the bytes of one token's keys and values over all layers, two a number."""
    layers = _number(values, f"{architecture}.block_count", 0)
    heads = max(1, _number(values, f"{architecture}.attention.head_count", 1))
    width = _number(values, f"{architecture}.embedding_length", 0) // heads
    key = _number(values, f"{architecture}.attention.key_length", width)
    value = _number(values, f"{architecture}.attention.value_length", width)
    shared: Any = values.get(f"{architecture}.attention.head_count_kv", heads)
    head_sum = sum(shared.values) if isinstance(shared, _Numbers) else int(shared) * layers
    return int(head_sum) * (key + value) * 2


def _number(values: dict[str, Any], key: str, default: int) -> int:
    value: Any = values.get(key, default)
    if isinstance(value, _Numbers):  # some models state a number a layer; the largest bounds them
        value = max(value.values, default=default)
    return int(value) if isinstance(value, int | float) else default
