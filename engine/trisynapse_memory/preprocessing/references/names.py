"""The names of people as bibliographies write them in, "Family, Given" out. Nobody is looked up and none is merged."""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.preprocessing.references.latex import is_braced, readable

NAMES_MAX: Final = 2000  # the largest collaboration has three thousand; a hostile list has a million

_OTHERS: Final = frozenset({"others", "et al", "et al."})
_KEYED: Final = re.compile(r"\b(given|family|prefix|suffix)\s*=\s*", re.IGNORECASE)


def people(value: str) -> tuple[str, ...]:
    """Read a BibTeX list of names, joined by ``and``.

    Args:
        value: the list as LaTeX writes it; a name in braces of its own is an organisation and stays whole.

    Returns:
        "Family, Given" (or "von Family, Jr, Given") in their order, "and others" left out.
    """
    from bibtexparser.middlewares.names import split_multiple_persons_names

    names = split_multiple_persons_names(" ".join(value.split()))[:NAMES_MAX]
    return tuple(name for one in names if (name := person(one)) and name.casefold() not in _OTHERS)


def person(name: str) -> str:
    """Read one BibTeX name."""
    from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

    name = name.strip()
    if is_braced(name):
        return readable(name[1:-1])
    if _KEYED.search(name):
        return _of_keys(name)
    try:
        parts = parse_single_name_into_parts(name, strict=False)
    except (InvalidNameError, IndexError):
        return readable(name)
    family = " ".join((*parts.von, *parts.last))
    return ", ".join(readable(part) for part in (family, " ".join(parts.jr), " ".join(parts.first)) if part)


def in_order(given: str, family: str, suffix: str = "") -> str:
    """Write a name whose parts are known."""
    return ", ".join(part for one in (family, suffix, given) if (part := " ".join(one.split())))


def _of_keys(name: str) -> str:
    """The extended names of BibLaTeX: ``family=Gogh, given=Vincent, prefix=van``."""
    parts: dict[str, str] = {}
    for part in name.split(","):
        label, sign, value = part.partition("=")
        if sign:
            parts[label.strip().lower()] = readable(value.strip().strip('"'))
    family = f"{parts.get('prefix', '')} {parts.get('family', '')}"
    return in_order(parts.get("given", ""), family, parts.get("suffix", ""))
