"""The keyring is asked seldom, at once when she is asked for, and never waited for by the background."""

from __future__ import annotations

import threading

from trisynapse_memory.pipelines.staffing.known_keys import KNOWN_S, KnownKeys


def test_what_the_keyring_said_holds_for_a_while_and_until_a_key_is_set():
    asked: list[str] = []
    now = [0.0]

    def look(name: str) -> bool:
        asked.append(name)
        return len(asked) > 1

    keys = KnownKeys(look, lambda: now[0])
    assert not keys.has("openai")
    assert not keys.has("openai")
    now[0] += KNOWN_S + 1
    assert keys.has("openai")
    keys.forget()
    assert keys.has("openai")
    assert len(asked) == 3


def test_nobody_in_haste_waits_for_a_keyring_that_is_locked():
    opened, looked = threading.Event(), threading.Event()

    def look(_: str) -> bool:
        opened.wait(10)
        looked.set()
        return False

    keys = KnownKeys(look)
    assert keys.seems_there("openai")  # unknown: the request itself will find out
    assert keys.seems_there("openai")
    opened.set()
    assert looked.wait(10)
    while keys.seems_there("openai"):  # the answer is noted in a moment
        looked.wait(0.01)
    assert not keys.has("openai")
