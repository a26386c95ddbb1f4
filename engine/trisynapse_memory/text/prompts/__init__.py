"""The name of a prompt in, its text and the hash that goes into provenance out. All that is said to models lies here.

``<name>-<version>.md``: a prompt that changes gets a new version, so that every record still names the words that made
it. Nothing is filled in: the evidence is another text (``text/windows.py``).
"""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Final

from msgspec import Struct

from trisynapse_memory.errors import InvalidInputError

ANSWER: Final = "answer-1"
DOUBT: Final = "doubt-1"
FACTS: Final = "facts-1"
REWRITING: Final = "rewriting-1"
SUMMARY: Final = "summary-1"
VISION: Final = "vision-1"
WIKI: Final = "wiki-1"


class Instructions(Struct, frozen=True, kw_only=True):
    """The instructions of one kind of request; ``sha256`` (hex) is that of the file's bytes."""

    name: str
    version: int
    text: str
    sha256: str

    @property
    def label(self) -> str:
        """Name and version as provenance writes them, for example ``facts-1``."""
        return f"{self.name}-{self.version}"


def load_prompt(label: str) -> Instructions:
    """Return a prompt by name and version, for example ``facts-1``.

    Raises:
        InvalidInputError: there is no such prompt.
    """
    folder = files(__name__)
    known = sorted(one.name.removesuffix(".md") for one in folder.iterdir() if one.name.endswith(".md"))
    if label not in known:
        raise InvalidInputError(f"There is no prompt named '{label}'.", hint=f"Known: {', '.join(known)}.")
    content = (folder / f"{label}.md").read_bytes()
    name, _, version = label.rpartition("-")
    return Instructions(
        name=name,
        version=int(version),
        text=content.decode("utf-8").strip(),
        sha256=hashlib.sha256(content).hexdigest(),
    )
