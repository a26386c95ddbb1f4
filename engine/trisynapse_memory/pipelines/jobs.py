"""Work that waits in, a thread that does it out: the embedding backlog of a vault. It never blocks a question."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from trisynapse_memory.contracts import VectorStore
from trisynapse_memory.pipelines.backlog import EmbeddingBacklog
from trisynapse_memory.pipelines.rooms import Busy, Rooms
from trisynapse_memory.preprocessing.sandbox import EmbedWorker
from trisynapse_memory.types import Progress

LOGGER = logging.getLogger(__name__)
POLL_S = 0.05
CLOSE_S = 5.0  # longest wait for somebody who is just looking


class BackgroundJobs:
    """Embeds what is new in a thread of its own, in a worker process of its own, until nothing is left.

    The thread and its worker are started when there is something to embed, and end when the vault is closed.
    """

    def __init__(self, rooms: Rooms, vectors: VectorStore) -> None:
        self._vectors = vectors
        self._worker = EmbedWorker(rooms.config, "minilm")
        self._backlog = EmbeddingBacklog(
            vectors, rooms.log, self._worker.embed, rooms.config, busy=rooms.asking.goes_on
        )
        self._stop = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting = Busy()

    def wake(self) -> None:
        """Make sure that somebody works on what waits."""
        with self._starting:
            if self._thread is None and not self._stop.is_set() and self._vectors.pending(1):
                self._thread = threading.Thread(target=self._loop, name="backlog", daemon=True)
                self._thread.start()

    def wait(self, timeout_s: float | None, notify: Callable[[Progress], None]) -> None:
        """Wait until the backlog is empty, or nothing moves it any more, telling how far it is."""
        self.wake()
        with self._waiting:
            self._wait(timeout_s, notify)

    def _wait(self, timeout_s: float | None, notify: Callable[[Progress], None]) -> None:
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        total = 0
        while not self._stop.is_set() and self._vectors.pending(1):
            left = self._vectors.pending_count()
            total = max(total, left)
            notify(Progress(run_id="", stage="vectors", done=total - left, total=total, unit="records"))
            if self._backlog.trouble is not None or (deadline is not None and time.monotonic() > deadline):
                return  # the words still work; the coverage of every answer says what is missing
            time.sleep(POLL_S)

    def close(self) -> None:
        """Stop after the batch in hand."""
        self._stop.set()
        self._worker.close()
        if self._thread is not None:
            self._thread.join()
        self._waiting.wait_until_idle(CLOSE_S)

    def _loop(self) -> None:
        while not self._stop.is_set():
            try:
                self._backlog.run(self._stop)
            except Exception:  # the job runner: a job that fails must not end the thread
                LOGGER.exception("The embedding backlog stopped; it is started again.")
                self._stop.wait(1.0)
