"""What happens to one question in, the steps of its run with their times out. Nothing is looked up here."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from trisynapse_memory.types import QueryStep, RouteRow


class Stopwatch:
    """Collects the steps of one question with their times.

    Args:
        prefix: put before the name of each step, where it belongs to a further round ("refine_1:").
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._last = time.perf_counter()
        self._steps: list[QueryStep] = []

    def lap(
        self,
        phase: str,
        candidates: Mapping[str, tuple[RouteRow, ...]] | None = None,
        summary: Mapping[str, str] | None = None,
    ) -> None:
        """End a step: it took the time since the step before."""
        self._steps.append(
            QueryStep(
                phase=self._prefix + phase,
                duration_ms=ms_since(self._last),
                candidates=dict(candidates or {}),
                summary=dict(summary or {}),
            )
        )
        self._last = time.perf_counter()

    @property
    def steps(self) -> tuple[QueryStep, ...]:
        """The steps that have ended, in their order."""
        return tuple(self._steps)


def ms_since(started: float) -> float:
    """Return the milliseconds since a moment of ``time.perf_counter``."""
    return (time.perf_counter() - started) * 1000


def timings_of(steps: Sequence[QueryStep], started: float) -> dict[str, float]:
    """Return what each step took and what all took together (ms), by name."""
    return {**{step.phase: round(step.duration_ms, 3) for step in steps}, "total": round(ms_since(started), 3)}
