"""This machine, this process and the files of a corpus in, what a report says of them out. No vault is opened."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from trisynapse_memory.bench.metrics import percentile

PACKAGES = ("trisynapse-desktop", "apsw", "numpy", "onnxruntime", "pymupdf", "sqlite-vec")
"""The versions a figure depends on."""


@dataclass(slots=True)
class Stopwatch:
    """Collects how long one kind of work takes, each time: wall time, and processor time of the whole process."""

    wall_ms: list[float] = field(default_factory=list[float])
    cpu_ms: list[float] = field(default_factory=list[float])

    @contextmanager
    def lap(self) -> Generator[None]:
        """Time what happens inside; a lap that raises is not kept."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall_ms.append((time.perf_counter() - wall) * 1000)
        self.cpu_ms.append((time.process_time() - cpu) * 1000)

    def latency_ms(self) -> dict[str, float]:
        """Return the middle and the slow end of the laps."""
        return {
            "p50": percentile(self.wall_ms, 0.5),
            "p95": percentile(self.wall_ms, 0.95),
            "cpu_p50": percentile(self.cpu_ms, 0.5),
            "cpu_p95": percentile(self.cpu_ms, 0.95),
        }

    @property
    def wall_s(self) -> float:
        """All laps together."""
        return sum(self.wall_ms) / 1000

    @property
    def cpu_s(self) -> float:
        """Processor time of all laps together."""
        return sum(self.cpu_ms) / 1000


def describe_machine() -> dict[str, str]:
    """Return what else a figure depends on: the machine, how busy it is, the date and the versions."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_name(),
        "cores": str(os.cpu_count() or 1),
        "load_1min": load,
        "python": platform.python_version(),
        "date": datetime.now(UTC).date().isoformat(),
        **{name: found for name in PACKAGES if (found := _version_of(name))},
    }


def peak_rss_mb() -> float:
    """Return the largest memory this process has held, in MiB; 0 where the system does not tell."""
    return _peak_mb("RUSAGE_SELF")


def children_peak_rss_mb() -> float:
    """Return the largest memory any ended child has held, in MiB; 0 where the system does not tell."""
    return _peak_mb("RUSAGE_CHILDREN")


def children_cpu_s() -> float:
    """Return the processor time of all ended children, in seconds; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0.0
    import resource  # not on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def digest_of(paths: Sequence[Path], root: Path) -> str:
    """Return one SHA-256 over names and contents of a corpus, whatever order the files come in."""
    lines: dict[str, str] = {}
    for path in paths:
        with path.open("rb") as stream:
            lines[path.relative_to(root).as_posix()] = hashlib.file_digest(stream, "sha256").hexdigest()
    return digest_of_lines(lines)


def digest_of_lines(lines: Mapping[str, str]) -> str:
    """Return the SHA-256 of a list of names and digests, sorted, as ``sha256sum`` would print them."""
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(lines.items()))
    return hashlib.sha256(text.encode()).hexdigest()


def folder_bytes(folder: Path) -> int:
    """Return how many bytes the files of a folder hold."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _peak_mb(whose: str) -> float:
    if sys.platform == "win32":
        return 0.0
    import resource  # not on Windows

    peak = resource.getrusage(getattr(resource, whose)).ru_maxrss
    unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, Linux kibibytes
    return round(peak / unit, 1)


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
