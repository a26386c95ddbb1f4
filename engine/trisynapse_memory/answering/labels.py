"""A question in, the tables and figures it names out, and which of them no passage names. Nothing else is read.

"What does Table 7 list?" cannot be answered by a paper that ends with Table 6, however near its other tables are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.types import Hit

_LABEL: Final = re.compile(r"\b(tab(?:le|\.)|fig(?:ure|\.))\s*(\d{1,3}|[IVX]{1,5})(?![\w-]|\.\d)", re.IGNORECASE)
_FORMS: Final = {"t": r"tab(?:le|\.)", "f": r"fig(?:ure|\.)"}


def missing_labels(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the labels of a question, as it writes them, that are in no passage and no caption of one."""
    found = list(_LABEL.finditer(question))
    if not found:
        return ()
    texts = [_words_of(hit) for hit in hits]
    return tuple(match.group() for match in found if not any(_pattern_of(match).search(text) for text in texts))


def _pattern_of(match: re.Match[str]) -> re.Pattern[str]:
    """The same kind of thing with the same number; also as one of several ("Figures 3 and 4", "Tables 2-5")."""
    form = _FORMS[match.group(1)[0].lower()]
    several = r"(?:tables|figures|figs\.?|tabs\.?)\s*[\w ,&\u2013-]{0,20}"
    number = re.escape(match.group(2))
    return re.compile(rf"\b(?:{form}\s*{number}|{several}\b{number})(?!\w)", re.IGNORECASE)


def _words_of(hit: Hit) -> str:
    caption = (hit.locator.caption if hit.locator is not None else None) or ""
    return "\n".join([hit.record.text, *hit.record.fields.values(), caption])
