"""The list of model files that come with the program in, its rows out, and what each asks of a machine.

The list is ``curated.toml`` beside this file; nothing is fetched here.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.providers.gguf import CONTEXT_CAP_TOKENS
from trisynapse_memory.providers.machine import Machine

PLANNED_CONTEXT: Final = CONTEXT_CAP_TOKENS  # tokens
GOOD_SHARE, TIGHT_SHARE = 0.6, 0.85  # of all memory; the window, the engine and the system want the rest

# What a model takes beside its weights and its context: the scores of a batch over the vocabulary, activations, the
# library. ``gguf.memory_bytes`` computes it from the file; of a file that is not here yet this is near: 90 to 380 MB.
WORK_BYTES: Final = 300_000_000

# Fitted to stack.md A2: tokens a second of one thread of an EPYC with AVX-512. 98 MB: 53 measured, 45 by this; 491: 22,
# 25; 1,117: 15, 14.6. Two memory channels of a usual desktop machine give no more than about 40 GB/s to all threads.
TOKEN_S: Final = 0.0177
THREAD_BYTES_S: Final = 21.9e9
MACHINE_BYTES_S: Final = 40e9


class CuratedModel(Struct, frozen=True, kw_only=True):
    """One row of the list; see ``curated.toml``. Where ``sha256`` is empty, ``size_bytes`` is only near."""

    name: str
    label: str
    repository: str
    file_name: str
    size_bytes: int
    licence: str
    context_tokens: int
    kv_bytes: int
    description: str
    sha256: str = ""


class _List(Struct, kw_only=True):
    version: int
    model: tuple[CuratedModel, ...]


@cache
def curated_models() -> tuple[CuratedModel, ...]:
    """Return the rows of the list, smallest file first."""
    text = files("trisynapse_memory.providers.files").joinpath("curated.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), type=_List).model


def memory_need(model: CuratedModel) -> int:
    """Return about how many bytes of memory a model will take; once its file is here ``gguf.memory_bytes`` knows."""
    context = min(model.context_tokens, PLANNED_CONTEXT)
    return model.size_bytes + model.kv_bytes * context + WORK_BYTES


def fit_of(need_bytes: int, machine: Machine) -> str:
    """Return ``good``, ``tight`` or ``too-large``: how a model that needs so much fits into all of the memory."""
    if need_bytes <= GOOD_SHARE * machine.total_bytes:
        return "good"
    return "tight" if need_bytes <= TIGHT_SHARE * machine.total_bytes else "too-large"


def speed_of(size_bytes: int, machine: Machine) -> float:
    """Estimate how many tokens a second a model writes here; 0 where no estimate is honest.

    Every token reads all weights once, and costs a fixed time beside that. Within 15 % on the machine it was fitted to;
    elsewhere within a factor of two.

    Args:
        size_bytes: of its file, > 0.
        machine: its threads count; without AVX2 on a PC no estimate is made.
    """
    is_pc = machine.architecture in ("x86_64", "amd64")
    if size_bytes <= 0 or (is_pc and machine.features is not None and "avx2" not in machine.features):
        return 0.0
    threads = machine.thread_count
    bandwidth = min(THREAD_BYTES_S * threads, MACHINE_BYTES_S)
    return 1.0 / (TOKEN_S / threads + size_bytes / bandwidth)
