"""A stretch of a page in, its words as they are read out: on one line, with the words that a line end broke joined.

Every letter keeps its offset, so that what is read can be found where it stands.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.text.hyphenation import LINE_END_HYPHEN, Vocabulary, keeps_hyphen

_BREAK: Final = re.compile(rf"\u00ad\s+(?=\w)|{LINE_END_HYPHEN}|\u00ad")

Line = list[tuple[str, int]]
"""Letters with their offsets in the passage."""


def joined(text: str, start: int, end: int, vocabulary: Vocabulary) -> Line:
    """Return the letters of a stretch as they are read.

    Args:
        text: the passage.
        start: offset of the first letter.
        end: offset behind the last one.
        vocabulary: what the document writes unbroken; decides whether "semi-/final" keeps its hyphen.

    Returns:
        Letters and offsets; white space is one space, a hyphen that only a line end needed is gone, and a soft hyphen
        inside a line is a plain one.
    """
    line: Line = []
    position = start
    for match in _BREAK.finditer(text, start, end):
        _add(line, text, position, match.start())
        if match[0] == "\u00ad" or (
            match[0][0] != "\u00ad" and keeps_hyphen(text, match.start(), match.end(), vocabulary)
        ):
            line.append(("-", match.start()))
        position = match.end()
    _add(line, text, position, end)
    while line and line[-1][0] == " ":
        line.pop()
    return line


def _add(line: Line, text: str, start: int, end: int) -> None:
    for at in range(start, end):
        letter = text[at]
        if not letter.isspace():
            line.append((letter, at))
        elif line and line[-1][0] != " ":
            line.append((" ", at))
