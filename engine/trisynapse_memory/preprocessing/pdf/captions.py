"""What captions look like: the words "Figure 2:" or "Table 1." at the beginning of a text. Nothing is read here."""

from __future__ import annotations

import re
from typing import Final

CAPTION: Final = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|algorithm|listing|scheme|chart|plate|exhibit|box|abbildung|tabelle|tableau)"
    r"\s*(?:[A-Z]?\d+(?:[.\-]\d+)*[a-z]?|[IVX]+)\s*(?:[:.|\u2014\u2013)]|$|\n)",
    re.IGNORECASE,
)
TABLE_CAPTION: Final = re.compile(r"\s*(?:table|tab\.|tabelle|tableau|exhibit)", re.IGNORECASE)
