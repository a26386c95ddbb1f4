"""What two descriptions say of a work in, whether they may mean the same one out. Nothing is looked up here.

A wrong match is worse than none (case R33): equal names are not enough where the titles say something else.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

MATCHED_SCHEMES: Final = ("doi", "arxiv", "pmid", "isbn")
"""Names of one work. An ISSN names a journal, an address a page that changes, a citekey is hers alone."""

TITLE_MIN_WORDS: Final = 3  # "Introduction", "Deep learning": shorter titles are borne by many works
BORNE_SHARE: Final = 0.8  # of a title's words on the first pages; the rest are ligatures and hyphens badly read

_ARXIV_DOI: Final = re.compile(r"10\.48550/arxiv\.(.+)")
_WORD: Final = re.compile(r"[^\W_]+")
_MARKUP: Final = re.compile(r"</?[a-z]{1,6}\b[^<>]{0,200}>", re.IGNORECASE)


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title without case, accents, hyphens and marks, so that two spellings are equal."""
    plain = unicodedata.normalize("NFKD", _MARKUP.sub("", title)).casefold()
    joined = re.sub(r"(?<=\w)[-\u00ad\u2010\u2011'\u2019](?=\w)", "", plain)
    return tuple(_WORD.findall("".join(char for char in joined if not unicodedata.combining(char))))


def written_words(text: str) -> list[str]:
    """Return the runs of letters and digits of a text as they are written, as titles are looked for in texts."""
    return "".join(letter if letter.isalnum() else " " for letter in text).split()


def title_key(title: str) -> str:
    """Return the form that two spellings of a title share; empty for one that is too short to name a work."""
    words = title_words(title)
    return " ".join(words) if len(words) >= TITLE_MIN_WORDS else ""


def names_of(identifiers: Mapping[str, str], title: str) -> tuple[str, ...]:
    """Return the names under which the same work may be found: ``scheme:value``, and ``title:`` with its key."""
    names = [f"{scheme}:{value}" for scheme in MATCHED_SCHEMES if (value := identifiers.get(scheme))]
    preprint = _ARXIV_DOI.fullmatch(identifiers.get("doi", ""))
    if preprint:
        names.append(f"arxiv:{preprint[1]}")
    key = title_key(title)
    return tuple(dict.fromkeys([*names, *([f"title:{key}"] if key else [])]))


def bears_title(title: str, text: str) -> bool:
    """Say whether a text holds a title: nearly all of its words, the longer ones among them."""
    words = set(title_words(title))
    if not words:
        return False
    there = set(title_words(text))
    # What was cut at a line end or set in capitals with spaces is still there as a run of letters.
    run = "".join(title_words(text))
    held = sum(word in there or (len(word) > 3 and word in run) for word in words)
    return held / len(words) >= BORNE_SHARE


def surname_of(author: str) -> str:
    """Return the family name of "Family, Given" or "Given Family", in the form that two spellings share."""
    family = author.split(",")[0] if "," in author else (author.split() or [""])[-1]
    return "".join(title_words(family))


def bears_name(author: str, text: str) -> bool:
    """Say whether a text names an author by the family name."""
    name = surname_of(author)
    return len(name) > 1 and name in _words_and_pairs(title_words(text))


def _words_and_pairs(words: tuple[str, ...]) -> set[str]:
    """Every word without the digit of its footnote, and every two neighbours as one: "van Gogh" and "vangogh" agree."""
    bare = [word.rstrip("0123456789") for word in words]
    return {*bare, *(first + second for first, second in pairwise(bare))}
