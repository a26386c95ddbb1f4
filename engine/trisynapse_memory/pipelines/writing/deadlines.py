"""An event and some seconds in, an event that is set with the first of both out. Nothing is stopped here."""

from __future__ import annotations

import threading


def soonest(stop: threading.Event, seconds: float) -> threading.Event:
    """Return an event that is set with another one, or when the time is over."""
    ended = threading.Event()

    def wait() -> None:
        stop.wait(seconds)
        ended.set()

    threading.Thread(target=wait, name="time limit of a model", daemon=True).start()
    return ended
