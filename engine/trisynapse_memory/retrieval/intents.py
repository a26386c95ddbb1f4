"""A question in, what kind of answer it asks for out, by the words that ask. No text of a vault is looked at.

The families are those of the seed article (engine.md A9.1), narrowed where its own over-reach: "which" asks for one
thing as often as for several, and "how many layers" stands in one place, while "how many of my sources" can only be
told by looking at all of them. The words stand in ``question_words.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec import Struct

from trisynapse_memory.types import Intent, Modality

# The first that is found decides: a cause or a comparison is asked for with a "what" or a "when" as well.
_ORDER: Final = (Intent.MULTI_HOP, Intent.INFERENCE, Intent.TEMPORAL, Intent.LIST)
_EXHAUSTIVE: Final = "exhaustive"
_ASKING: Final = "asking"
_SOURCES: Final = "sources"
_CUES: Final[Mapping[Modality, re.Pattern[str]]] = MappingProxyType(
    {
        modality: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
        for modality, words in {
            Modality.CODE: r"code|functions?|class(?:es)? \w+|symbols?|modules?|imports?|bugs?|api",
            Modality.TABLE: r"tables?|rows?|columns?|cells?|sheets?|spreadsheets?|csv|xlsx",
            Modality.IMAGE: r"images?|photos?|pictures?|screenshots?|diagrams?|charts?|figures?",
            Modality.CONVERSATION: r"said|told|conversations?|messages?|chats?|talked|mentioned to",
        }.items()
    }
)


class _Words(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One language of ``question_words.toml``: regular expressions, any of which counts."""

    sources: str
    asking: tuple[str, ...]
    exhaustive: tuple[str, ...]
    multi_hop: tuple[str, ...]
    inference: tuple[str, ...]
    temporal: tuple[str, ...]
    list: tuple[str, ...]

    def family(self, name: str) -> tuple[str, ...]:
        """The rows of one family, with the language's words for sources filled in."""
        rows: tuple[str, ...] = (rf"\b(?:{self.sources})\b",) if name == _SOURCES else getattr(self, name)
        return tuple(row.replace("{sources}", self.sources) for row in rows)


class RuleIntents:
    """Tells intents by rules; it fulfils ``contracts.IntentReader``."""

    name = "rules"

    def read(self, question: str) -> Intent:
        """Return what kind of answer a question asks for; ``FACT`` where no words say otherwise."""
        plain = question.strip()
        if asks_of_all_sources(plain):
            return Intent.LIST
        return next((intent for intent in _ORDER if _family(intent).search(plain)), Intent.FACT)


def asks_of_all_sources(question: str) -> bool:
    """Whether a question is about the sources themselves, so that only a look at all of them can answer it."""
    return bool(_family(_EXHAUSTIVE).search(question))


def subject_of(question: str) -> str:
    """Return what an exhaustive question is about: its words without those that ask ("dropout")."""
    return " ".join(_family(_SOURCES).sub(" ", _family(_ASKING).sub(" ", question)).split()).strip(" ?.!\u00bf")


def cued_modalities(question: str) -> tuple[Modality, ...]:
    """Return the kinds of record that a question names ("in which table"), in the order of ``Modality``."""
    return tuple(modality for modality in Modality if modality in _CUES and _CUES[modality].search(question))


@cache
def _family(name: str) -> re.Pattern[str]:
    """One family of all languages: a question may be asked in one language about sources in another."""
    rows = [row for words in _languages().values() for row in words.family(name)]
    return re.compile("|".join(f"(?:{row})" for row in rows), re.IGNORECASE)


@cache
def _languages() -> dict[str, _Words]:
    text = files("trisynapse_memory.retrieval").joinpath("question_words.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=dict[str, _Words])
