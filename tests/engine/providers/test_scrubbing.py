"""No key in a text, a log record or a traceback."""

from __future__ import annotations

import base64
import io
import logging
from urllib.parse import quote

import pytest

from trisynapse_memory.providers.scrubbing import Scrubber

KEY = "sk-proj-12/34+56=78"


@pytest.fixture
def scrubber() -> Scrubber:
    made = Scrubber()
    made.hide(KEY)
    return made


def test_a_key_is_hidden_as_it_is_and_in_its_usual_disguises(scrubber):
    encoded = base64.b64encode(KEY.encode()).decode()
    said = scrubber.scrub(f"{KEY} and {quote(KEY, safe='')} and {encoded}.")
    assert said.startswith("[key] and [key] and [key]")
    assert scrubber.scrub("nothing here") == "nothing here"


def test_of_two_keys_of_which_one_begins_the_other_nothing_is_left(scrubber):
    scrubber.hide(KEY + "-longer")
    assert scrubber.scrub(f"{KEY}-longer {KEY}") == "[key] [key]"


def test_a_few_letters_are_no_key(scrubber):
    scrubber.hide("sk")
    assert scrubber.scrub("ask") == "ask"


def test_a_guarded_log_shows_neither_message_nor_argument_nor_traceback_with_a_key(scrubber):
    stream = io.StringIO()
    logger = logging.Logger("test")
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    scrubber.guard(handler)
    scrubber.guard(handler)
    logger.warning("sent %s", KEY)
    logger.error("sent sk-proj-12/34+56=78")
    try:
        raise ValueError(f"bad header {KEY}")
    except ValueError:
        logger.exception("failed with %d", 7)
    said = stream.getvalue()
    assert KEY not in said
    assert said.count("[key]") == 3
    assert "failed with 7" in said
    assert "ValueError: bad header [key]" in said
    assert len(handler.filters) == 1


def test_the_logs_of_the_process_are_guarded_where_they_go(scrubber):
    handler = logging.StreamHandler(io.StringIO())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        scrubber.guard_logs()
        logging.getLogger("some.library").error("sent %s", KEY)
        assert handler.stream.getvalue() == "sent [key]\n"
    finally:
        for guarded in (*root.handlers, logging.lastResort):
            for one in list(guarded.filters):
                guarded.removeFilter(one)
        root.removeHandler(handler)
