"""Small GGUF files of any kind, written for tests; no real weights."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Tensor = tuple[str, tuple[int, ...], int, int]
"""Name, lengths, type, offset."""

TEXT_MODEL: dict[str, Any] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 4096,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "b", "c"],
    "tokenizer.chat_template": "{{ messages[0]['content'] }}",
}
WEIGHTS: Sequence[Tensor] = (("token_embd.weight", (64, 3), 0, 0), ("output.weight", (256, 2), 12, 768))
WEIGHT_BYTES = 768 + 288  # 64 x 3 single floats, then two blocks of Q4_K


def write_gguf(
    path: Path,
    values: dict[str, Any] | None = None,
    tensors: Sequence[Tensor] = WEIGHTS,
    data_bytes: int = WEIGHT_BYTES,
    *,
    version: int = 3,
    order: str = "<",
) -> Path:
    """Write a file with these fields and tensors, and so many bytes of weights."""
    fields = TEXT_MODEL if values is None else values
    head = b"GGUF" + struct.pack(f"{order}IQQ", version, len(tensors), len(fields))
    head += b"".join(_text(key) + _value(value) for key, value in fields.items())
    for name, lengths, kind, offset in tensors:
        head += _text(name) + struct.pack(f"<I{len(lengths)}QIQ", len(lengths), *lengths, kind, offset)
    head += b"\0" * (-len(head) % 32)
    path.write_bytes(head + b"\0" * data_bytes)
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(one) for one in value)
    if isinstance(value, list):
        return struct.pack(f"<IIQ{len(value)}I", 9, 4, len(value), *value)
    raise TypeError(type(value))
