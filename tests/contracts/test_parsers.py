"""One suite for every parser of the table: what contracts.SentenceParser promises, with the real model."""

from __future__ import annotations

import pytest

from trisynapse_memory.contracts import SentenceParser
from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)
ROWS = REGISTRY.rows("parser")
TEXT = "The ferry was towed by the boat."


@pytest.fixture(params=ROWS, ids=[row.name for row in ROWS])
def parser(request):
    return REGISTRY.load("parser", request.param.name)()


def test_every_word_stands_where_it_says_and_hangs_on_another(parser):
    assert isinstance(parser, SentenceParser)
    words = parser.parse(TEXT)
    assert [TEXT[word.start : word.start + len(word.text)] for word in words] == [word.text for word in words]
    assert all(0 <= word.head < len(words) for word in words)
    assert sum(word.head == index for index, word in enumerate(words)) == 1


def test_the_same_text_gives_the_same_words_and_no_text_none(parser):
    assert parser.parse(TEXT) == parser.parse(TEXT)
    assert parser.parse("") == parser.parse(" \n") == ()


def test_broken_text_gives_words_and_no_error(parser):
    assert parser.parse("\x00\ud800 (((( 12,, \u202e") != ()
