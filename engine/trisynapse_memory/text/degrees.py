"""A sentence and its source in, whether it calls a thing heavy of which the source only names the weight out. Pure."""

from __future__ import annotations

import re
from typing import Final

_BARE_DEGREE: Final = re.compile(
    r"\b(?:is|are|was|were) (?:\w+ly |very )?(high|low|long|short|deep|shallow|heavy|light|wide|broad|narrow|old|young"
    r"|hot|cold|warm|large|small|fast|slow|quick|strong|weak|tall|thick|thin|dense|bright|loud|hard|rich|expensive)\W*$",
    re.IGNORECASE,
)


def adds_degree(wanted: str, source: str) -> bool:
    """Tell whether a sentence calls a thing high or heavy of which the source names the height or the weight only.

    The tables of synonyms let "heavy" stand for "weight", which is right inside a sentence and wrong as all it says.
    """
    degree = _BARE_DEGREE.search(wanted)
    return degree is not None and not re.search(rf"\b{degree[1]}\b", source, re.IGNORECASE)
