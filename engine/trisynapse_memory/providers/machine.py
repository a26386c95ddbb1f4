"""Nothing in, what this machine offers a model out: cores, memory, processor features. No model is loaded here."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import psutil
from msgspec import Struct

FEATURES: Final = ("avx", "avx2", "avx512f", "bmi2", "f16c", "fma", "sse3", "ssse3")
"""The features a build of llama.cpp can rest on, as Linux spells them. ARM needs none: NEON is always there."""

_GROUP_FOLDER: Final = Path("/sys/fs/cgroup")
_NO_LIMIT: Final = 1 << 60  # an unlimited group of the first version states the largest page-aligned number


class Machine(Struct, frozen=True, kw_only=True):
    """What there is for a model: cores, bytes of memory, features of the processor.

    ``core_count`` counts physical cores that this process may use. ``available_bytes`` is what can be taken without
    pushing anything out; a container's limit counts for both sizes. ``features`` holds names of ``FEATURES``; it is
    None where the system does not tell, and then nothing is refused for a missing one.
    """

    architecture: str
    core_count: int
    total_bytes: int
    available_bytes: int
    features: frozenset[str] | None = None

    @property
    def thread_count(self) -> int:
        """Threads for a model: one core stays free for the window, and two busy threads on two cores collapse.

        Source:
            stack.md 0.8: SmolLM2-135M on 2 loaded cores writes 48 tokens/s with one thread, 1.75 with two.
        """
        return max(1, self.core_count - 1)


def read_machine() -> Machine:
    """Look at this machine now; memory is another number a second later. Takes about a millisecond."""
    memory = psutil.virtual_memory()
    total, available = int(memory.total), int(memory.available)
    limit = _group_memory()
    if limit is not None:
        total, available = min(total, limit[0]), min(available, limit[1])
    return Machine(
        architecture=platform.machine().lower(),
        core_count=_core_count(),
        total_bytes=total,
        available_bytes=available,
        features=_features(),
    )


def missing_features(needed: frozenset[str], machine: Machine) -> tuple[str, ...]:
    """Return, sorted, what a build needs and this processor has not; nothing where the system does not tell."""
    return () if machine.features is None else tuple(sorted(needed - machine.features))


def _core_count() -> int:
    """Physical cores, but not more than a container or ``taskset`` lets this process use."""
    physical = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return min(physical, len(affinity(0))) if affinity is not None else physical


def _group_memory(folder: Path = _GROUP_FOLDER) -> tuple[int, int] | None:
    """Return the limit of a Linux control group and what is left of it, in bytes; None where there is none."""
    for limit_name, usage_name in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            limit, used = (int((folder / name).read_text()) for name in (limit_name, usage_name))
        except (OSError, ValueError):  # "max" is no number, and no limit
            continue
        return (limit, max(0, limit - used)) if limit < _NO_LIMIT else None
    return None


def _features() -> frozenset[str] | None:
    if sys.platform == "linux":
        return _linux_features()
    if sys.platform == "darwin":
        return _mac_features()
    return _windows_features() if sys.platform == "win32" else None


def _linux_features(path: Path = Path("/proc/cpuinfo")) -> frozenset[str] | None:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return None
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    if flags is None:
        return None
    # "pni" (Prescott New Instructions) is Linux's name for SSE3.
    return frozenset(FEATURES) & ({*flags, "sse3"} if "pni" in flags else {*flags})


def _mac_features() -> frozenset[str] | None:
    """Ask the kernel's ``hw.optional`` leaves; on Apple silicon there is none of them and nothing is needed."""
    if platform.machine() != "x86_64":
        return None
    library: Any = ctypes.CDLL(None)
    leaves = {"avx": "avx1_0", "avx2": "avx2_0", "fma": "fma", "sse3": "sse3", "ssse3": "supplementalsse3"}
    leaves |= {"avx512f": "avx512f", "bmi2": "bmi2", "f16c": "f16c"}
    return frozenset(name for name, leaf in leaves.items() if _system_number(library, f"hw.optional.{leaf}") == 1)


def _system_number(library: Any, name: str) -> int:
    value, size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
    failed = library.sysctlbyname(name.encode(), ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    return 0 if failed else value.value


def _windows_features() -> frozenset[str] | None:
    kernel: Any = getattr(ctypes, "windll", None)
    if kernel is None or platform.machine().lower() not in ("amd64", "x86_64"):
        return None
    # Numbers of winnt.h, PF_*_INSTRUCTIONS_AVAILABLE.
    numbers = {"sse3": 13, "ssse3": 36, "avx": 39, "avx2": 40, "avx512f": 41}
    found = {name for name, number in numbers.items() if kernel.kernel32.IsProcessorFeaturePresent(number)}
    # Windows does not tell these; every processor with AVX2 (Haswell, Excavator and later) has them.
    return frozenset(found | {"bmi2", "f16c", "fma"} if "avx2" in found else found)
