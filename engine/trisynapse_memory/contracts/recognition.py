"""How the words of a picture are read; no implementation lives here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class SeenWord(NamedTuple):
    """A word as it was seen in a picture: its edges in pixels from the upper left corner, x to the right, y down.

    ``line`` is equal for the words of one line; ``confidence`` lies in [0, 1].
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    line: int
    confidence: float


@runtime_checkable
class Recogniser(Protocol):
    """Reads text in pictures (OCR). Runs inside a worker that may be killed at any moment.

    ``__init__`` takes nothing and loads nothing heavy.
    """

    name: str

    def obstacle(self) -> str:
        """Return why it cannot work on this machine, in words for her, or an empty text. Quick; loads nothing."""
        ...

    def recognise(self, picture: bytes) -> Sequence[SeenWord]:
        """Return the words of a PNG, line after line; nothing for a picture without text.

        Raises:
            SourceDamagedError: the picture cannot be read.
            BranchUnavailableError: it cannot work on this machine.
        """
        ...
