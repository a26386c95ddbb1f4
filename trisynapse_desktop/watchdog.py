"""The window's heartbeat in, a logged stack out when it stopped for too long; nothing is ever interrupted here."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
import traceback
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

LIMIT_MS = 50  # house rule: a longer stop is felt
BEAT_MS = 20  # the beat must be well under the limit, or the beat itself is what is measured
TICK_MS = 16  # one frame of a 60 Hz screen
TICKS_VARIABLE = "TRISYNAPSE_TICKS"  # a file; where it is named, how late each tick was is written there at the end

logger = logging.getLogger(__name__)


class Watchdog(QObject):
    """Watches the thread it is made on while the application is in front, and logs where it stopped."""

    def __init__(self, parent: QObject | None = None, limit_ms: int = LIMIT_MS) -> None:
        super().__init__(parent)
        self._limit_s = limit_ms / 1000
        self._watched_id = threading.get_ident()
        self._beat_at = 0.0
        self._over = threading.Event()
        self._timer = QTimer(self, interval=BEAT_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._thread: threading.Thread | None = None
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.applicationStateChanged.connect(self._follow)

    def start(self) -> None:
        """Begin to watch."""
        if self._thread is not None:
            return
        self._over.clear()
        self._beat()
        self._timer.start()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; returns when the thread is gone."""
        self._timer.stop()
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _beat(self) -> None:
        self._beat_at = time.monotonic()

    def _follow(self, state: Qt.ApplicationState) -> None:
        # Twenty beats a second behind another window would only warm the battery.
        if state == Qt.ApplicationState.ApplicationActive:
            self.start()
        else:
            self.stop()

    def _watch(self) -> None:
        reported_beat = 0.0
        while not self._over.wait(BEAT_MS / 1000):
            beat = self._beat_at
            stopped_s = time.monotonic() - beat
            if stopped_s > self._limit_s and beat != reported_beat:
                reported_beat = beat
                frame = sys._current_frames().get(self._watched_id)
                stack = "".join(traceback.format_stack(frame)) if frame is not None else ""
                logger.warning("The window was blocked for more than %d ms:\n%s", round(self._limit_s * 1000), stack)


class TickMeter(QObject):
    """Measures how late a 16 ms timer of the window comes, for the responsiveness test; off unless a file is named."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = os.environ.get(TICKS_VARIABLE, "")
        self._ticks: list[tuple[float, float]] = []
        self._last_at = time.monotonic()
        if self._path:
            timer = QTimer(self, interval=TICK_MS)
            timer.setTimerType(Qt.TimerType.PreciseTimer)
            timer.timeout.connect(self._tick)
            timer.start()

    def write(self) -> None:
        """Write (seconds since 1970, ms late) of every tick as JSON."""
        if self._path:
            Path(self._path).write_text(json.dumps(self._ticks))

    def _tick(self) -> None:
        now = time.monotonic()
        self._ticks.append((round(time.time(), 3), round(max(0.0, (now - self._last_at) * 1000 - TICK_MS), 2)))
        self._last_at = now
