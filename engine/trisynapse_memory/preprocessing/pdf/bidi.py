"""The glyphs of a right-to-left line from left to right in, their logical order out. No line is laid out here.

Programs write Hebrew in visual or in logical order (case R13), so the stream says nothing. What the page shows does:
the line is read from the right, and numbers and Latin words inside it from the left. Some programs even paint the
letters of a logical string from left to right, which shows every word mirrored; then the final letters, which can only
end a word, stand at its beginning, and the order of the page is taken as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

RIGHT_TO_LEFT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Final forms of Hebrew, and the Arabic letters that only end a word.
_FINALS: Final = frozenset("\u05da\u05dd\u05df\u05e3\u05e5\u0629\u0649")
_MIRRORED: Final = str.maketrans("()[]{}<>\u00ab\u00bb", ")(][}{><\u00bb\u00ab")
_NUMBER_JOINTS: Final = frozenset(".,:/-+%'")
_UNITS: Final = frozenset("%#$\u00a3\u00a5\u20ac\u2030\u00b0")  # what UAX 9 counts to the number they stand at


def is_right_to_left(text: str) -> bool:
    """Tell whether most letters of a text run from right to left."""
    own = len(RIGHT_TO_LEFT.findall(text))
    return own > 0 and own >= sum(char.isalpha() for char in text) - own


def logical_order(visual: Sequence[str]) -> tuple[list[int], bool]:
    """Return how to read a line that holds right-to-left letters.

    Args:
        visual: its characters from left to right, as the page shows them.

    Returns:
        Their positions in logical order, and whether the line was read from the right (so that brackets are mirrored).
    """
    text = "".join(visual)
    from_right = _from_right(text)
    if _final_vote("".join(text[index] for index in from_right)) < 0:
        return list(range(len(visual))), False
    return from_right, True


def changes_script(char: str, following: str) -> bool:
    """Tell whether two neighbours are letters of which one runs from right to left and the other does not."""
    right, next_right = RIGHT_TO_LEFT.match(char) is not None, RIGHT_TO_LEFT.match(following) is not None
    return right != next_right and char.isalpha() and following.isalpha()


def mirrored(char: str) -> str:
    """Return a bracket the way it is typed in right-to-left text."""
    return char.translate(_MIRRORED)


def _from_right(text: str) -> list[int]:
    """Positions from right to left, with each run of Latin letters and digits turned back."""
    base_is_right = is_right_to_left(text)
    runs: list[tuple[bool, list[int]]] = []
    for index in range(len(text)):
        right = _runs_right(text, index, base_is_right)
        if not runs or runs[-1][0] != right:
            runs.append((right, []))
        runs[-1][1].append(index)
    if base_is_right:
        runs.reverse()
    return [index for right, members in runs for index in (reversed(members) if right else members)]


def _runs_right(text: str, index: int, base_is_right: bool) -> bool:
    """Whether a character takes part in the right-to-left order: neutrals go with equal neighbours, else the base."""
    own = _strong(text, index)
    if own is not None:
        return own
    before = next((flag for place in range(index - 1, -1, -1) if (flag := _strong(text, place)) is not None), None)
    after = next((flag for place in range(index + 1, len(text)) if (flag := _strong(text, place)) is not None), None)
    return before if before is not None and before == after else base_is_right


def _strong(text: str, index: int) -> bool | None:
    char = text[index]
    if RIGHT_TO_LEFT.match(char) and not char.isdigit():
        return True
    if char.isalnum():
        return False
    before, after = text[index - 1 : index].isdigit(), text[index + 1 : index + 2].isdigit()
    of_number = (char in _NUMBER_JOINTS and before and after) or (char in _UNITS and (before or after))
    return False if of_number else None


def _final_vote(text: str) -> int:
    """Words that end as they may, minus words that begin as none can."""
    vote = 0
    for word in re.findall(r"\w{2,}", text):
        vote += _ends(word[-1], "final") - _ends(word[0], "final")
        vote += _ends(word[0], "initial") - _ends(word[-1], "initial")
    return vote


def _ends(char: str, form: str) -> int:
    if form == "final" and char in _FINALS:
        return 1
    return int("\ufb50" <= char <= "\ufefc" and unicodedata.decomposition(char).startswith(f"<{form}>"))
