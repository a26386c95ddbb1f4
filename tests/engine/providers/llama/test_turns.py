"""The line before a model: one at a time, questions first, and nobody has to stay in it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from trisynapse_memory.providers.llama.turns import Turns


def wait_in_line(turns: Turns, is_urgent: bool, then: Callable[[bool], object], stop: threading.Event | None = None):
    """Start a thread that waits for its turn, and return it once it stands in the line."""

    def run() -> None:
        with turns.turn(is_urgent, stop) as came:
            then(came)

    before = len(turns._waiting)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while len(turns._waiting) == before:
        pass
    return thread


def test_questions_go_before_background_work_and_first_come_is_first_served():
    turns, served = Turns(), []
    with turns.turn(is_urgent=False) as came:
        assert came
        threads = [
            wait_in_line(turns, is_urgent, lambda _, name=name: served.append(name))
            for name, is_urgent in (("facts", False), ("summary", False), ("answer", True), ("next answer", True))
        ]
    for thread in threads:
        thread.join(timeout=10)
    assert served == ["answer", "next answer", "facts", "summary"]


def test_who_is_stopped_leaves_the_line_and_the_next_one_is_served():
    turns, served, stop = Turns(), [], threading.Event()
    with turns.turn(is_urgent=True):
        stopped = wait_in_line(turns, True, lambda came: served.append(("stopped", came)), stop)
        other = wait_in_line(turns, True, lambda came: served.append(("other", came)))
        stop.set()
        stopped.join(timeout=10)
        assert served == [("stopped", False)]
    other.join(timeout=10)
    assert served == [("stopped", False), ("other", True)]


def test_the_turn_is_given_back_when_its_work_fails():
    turns = Turns()
    for _ in range(2):
        try:
            with turns.turn(is_urgent=True) as came:
                assert came
                raise ArithmeticError
        except ArithmeticError:
            pass
    with turns.turn(is_urgent=False) as came:
        assert came
