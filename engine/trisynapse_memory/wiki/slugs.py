"""Titles in, page names out: readable, unique whatever the case, safe as file names. No file is touched."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

SLUG_BYTES: Final = 100
"""Longest page name in UTF-8. With a mark and an ending (``.edited-2.md``) a file name stays below 120 bytes."""

_MARK_LENGTH: Final = 6  # hex digits that tell two pages of one name apart
_WORD_SIGNS: Final = (("+", " plus "), ("#", " sharp "), ("&", " and "), ("@", " at "), ("%", " percent "))
_SIGN_AFTER_NAME: Final = re.compile(r"(?<=\w)([+#]+)(?!\w)")
_APOSTROPHE: Final = re.compile(r"(?<=\w)['\u2019\u02bc](?=\w)")
_NO_WORD: Final = re.compile(r"[\W_]+")
# Windows opens a device for these, whatever stands behind the dot.
_PORTS: Final = ("", *map(str, range(10)), "\u00b9", "\u00b2", "\u00b3")
_RESERVED: Final = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in _PORTS)))


class PageName(NamedTuple):
    """A page that wants a name: its identity, its kind (concept, source, collection) and its title."""

    page_id: str
    kind: str
    title: str


def slug_of(title: str) -> str:
    """Return the readable name of a title: small letters and digits of any script, words joined by hyphens, NFC.

    "The speed of light" gives ``the-speed-of-light``, "C++" ``c-plus-plus``. A title without letters and digits, and a
    name that Windows reserves, get a short hash behind ``page``. At most ``SLUG_BYTES`` bytes, cut between words where
    one ends in the last third.
    """
    plain = _SIGN_AFTER_NAME.sub(_spelt, unicodedata.normalize("NFKC", title).casefold())
    for sign, word in _WORD_SIGNS[2:]:
        plain = plain.replace(sign, word)
    words = _NO_WORD.sub("-", unicodedata.normalize("NFC", _APOSTROPHE.sub("", plain))).strip("-")
    slug = _cut(words, SLUG_BYTES)
    return f"page-{_mark(title)}" if not slug or slug in _RESERVED else slug


def name_pages(wanted: Sequence[PageName], taken: Mapping[str, str]) -> dict[str, str]:
    """Give every page its slug, whatever order the pages come in.

    Args:
        wanted: the pages, each ``page_id`` once.
        taken: page id -> slug of pages that have their name already; they keep it, wanted or not.

    Returns:
        page id -> slug for each wanted page. A name that is free and wanted by one page is taken as it is; of several
        new pages a lone concept gets it, the others get a short hash of their identity behind it.
    """
    named = {page.page_id: taken[page.page_id] for page in wanted if page.page_id in taken}
    used = {slug.casefold() for slug in taken.values()}
    fresh = [(slug_of(page.title), page) for page in wanted if page.page_id not in named]
    shared = Counter(slug for slug, _ in fresh)
    concepts = Counter(slug for slug, page in fresh if page.kind == "concept")
    for slug, page in sorted(fresh, key=lambda pair: pair[1].page_id):
        is_first = shared[slug] == 1 or (page.kind == "concept" and concepts[slug] == 1)
        named[page.page_id] = slug if is_first and slug not in used else _marked(slug, page, used)
        used.add(named[page.page_id])
    return named


def _marked(slug: str, page: PageName, used: set[str]) -> str:
    readable = _cut(slug, SLUG_BYTES - len(page.kind) - 1)
    candidates = [f"{readable}-{page.kind}"] if page.kind != "concept" else []
    digest = hashlib.sha256(page.page_id.encode()).hexdigest()
    for length in (_MARK_LENGTH, len(digest)):
        candidates.append(f"{_cut(slug, SLUG_BYTES - length - 1)}-{digest[:length]}")
    return next(name for name in candidates if name not in used)


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_MARK_LENGTH]


def _spelt(signs: re.Match[str]) -> str:
    return "".join(dict(_WORD_SIGNS)[sign] for sign in signs[1])


def _cut(words: str, limit: int) -> str:
    """Cut to so many bytes, at a hyphen where one is near the end, never inside a character or before its marks."""
    encoded = words.encode()
    if len(encoded) <= limit:
        return words
    kept = encoded[:limit].decode(errors="ignore")
    while kept and unicodedata.combining(words[len(kept)]):
        kept = kept[:-1]
    head = kept.rpartition("-")[0]
    return (head if len(head) * 3 >= len(kept) * 2 else kept).rstrip("-")
