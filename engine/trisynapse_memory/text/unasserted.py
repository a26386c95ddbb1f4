"""A text in, the same without what its sentences only ask, plan, suppose or deny out. Offsets stay as they are.

"Ilse asked whether the kiln is hot" does not say that the kiln is hot, nor "the kiln was to be repaired" that it was.
Such a stretch supports nothing by itself; a claim that is framed in the same way is judged against the whole text.

Limits: English, and the turns of phrase listed here.
"""

from __future__ import annotations

import re
from typing import Final

_ASKED: Final = r"whether|(?:ask(?:s|ed)?|asking|wonder(?:s|ed)?|unknown|unclear|uncertain|(?:to|not) (?:see|know)) if"
_OPINIONS: Final = (
    r"myth|false|untrue|rumou?rs?|hoax|misconception|allegations?|claims?|hypothes[ie]s|theory|idea|notion|suggestion"
    r"|speculation|possibility|chance|likelihood|fears?|hopes?"
)
_UNPROVEN: Final = (
    r"(?:no|neither|nor|insufficient|without) (?:\w+ ){0,2}?(?:evidence|proof|indication|records?|study|studies|trials?"
    r"|reason)(?: \w+){0,2}? (?:that|(?:shows?|showed|suggests?|suggested|proves?|proved|indicates?|indicated)"
    r"(?: that)?|to (?:show|suggest|believe|think)(?: that)?)"
)
_FAILED: Final = r"fail(?:s|ed)? to (?:show|find|prove|demonstrate|establish|confirm)(?: that)?"
_PENDING: Final = (
    r"(?:is|are|was|were|be|been) (?:(?:yet|about|due|supposed|scheduled|set|planned|intended|meant) )?to be"
    r"|(?:has|have|had|needs?|needed|ought) to be|(?:would|could|should|might) have(?: been)?"
)
_OPENING: Final = re.compile(
    rf"\b(?:{_ASKED}|(?:{_OPINIONS}) that|{_UNPROVEN}|{_FAILED}|{_PENDING})\b".replace(" ", r"\s+"), re.IGNORECASE
)
# Where the frame ends: with its sentence or bracket, or where another statement begins.
_CLOSING: Final = re.compile(
    r"[;!?)]|\.(?=\s|$)|,?\s+(?:but|although|though|whereas)\b|,\s+(?:and|so|which|who|while)\b|\n\n"
)


def blank_unasserted(text: str) -> str:
    """Return a text of the same length, with blanks for what its sentences do not state themselves."""
    opening = _OPENING.search(text)
    if opening is None:
        return text
    parts: list[str] = []
    cursor = 0
    while opening is not None:
        closing = _CLOSING.search(text, opening.end())
        end = closing.start() if closing else len(text)
        parts.extend((text[cursor : opening.start()], " " * (end - opening.start())))
        cursor = end
        opening = _OPENING.search(text, cursor)
    return "".join([*parts, text[cursor:]])


def is_framed(sentence: str) -> bool:
    """Tell whether a sentence itself asks, plans, supposes or denies a part of what it says."""
    return _OPENING.search(sentence) is not None
