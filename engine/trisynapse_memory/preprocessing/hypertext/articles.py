"""The tree of a page in, the blocks of what its reader came for out; metadata and hidden text are handled elsewhere.

A file somebody dropped is no crawl: where a page has no menus, or is short, all of it is kept. Elsewhere a judge
(trafilatura) says which words are the article, and the blocks that hold them are read from the page itself, for the
judge's own tree loses spans, list numbers, captions and formulas. What stands between two kept blocks and is no menu
is kept as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.markup import Stretch, read_stretches
from trisynapse_memory.preprocessing.trees import Element, walk

SHORT_CHARS: Final = 1_500  # a page below it is read whole, its menus left out
JUDGED_CHARS: Final = 500_000  # of a page; a judge takes 8 s for a million on one busy core, and a page has 20
_MENU_SHARE: Final = 0.5  # of letters in links, from which on a block is a menu
_CLUTTER_SHARE: Final = 0.05  # of a page's letters in menus, from which on it needs a judge
_FRAMED_SHARE: Final = 0.3  # of a page's letters; where less stands outside the frame, the frame is none
_SHORT_WORDS: Final = 3  # words; so short a block is found by itself only, as it may stand anywhere
_RUN: Final = 3  # words of a run that is looked up
_KNOWN_SHARE: Final = 0.6  # of a block's runs that are the article's
_FOUND_CHARS: Final = 500  # twice trafilatura's own floor of 250, below which it flattens pages
_GAP: Final = 12  # blocks between two kept ones, at most, that may belong to the article too
_TITLE_REACH: Final = 8  # blocks before the first kept one among which the title is looked for
_CALL: Final = re.compile(
    r"(?:advertisements?|read (?:more|next)|share(?: this.*)?|you are here|sign up.*|subscribe.*|log ?in|"
    r"related.{0,20}|follow us.*|comments?|print|e-?mail|tweet|more from.*|recommended.{0,20}|credit)\W*",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_INLINE: Final = frozenset({"hi", "ref", "del", "a", "b", "i", "em", "strong", "span", "sub", "sup", "code", "u"})


Judge = Callable[[Element], Element | None]
"""Takes a copy of a page, and returns a tree of the words of its article, or None."""


def article_of(root: Element, judge: Judge) -> list[Block]:
    """Choose the blocks of a page that its reader came for, in the order of the page; ``judge`` is asked if need be."""
    stretches = read_stretches(root)
    plain = [one for one in stretches if not one.framed]
    if _size(plain) < _FRAMED_SHARE * _size(stretches):
        plain = stretches  # some pages are one form, or call all of themselves a menu
    if _is_whole(stretches, plain):
        return [one.block for one in plain]
    if _size(stretches) > JUDGED_CHARS:
        return [one.block for one in plain if not _is_menu(one)]
    # A copy, because a judge takes a tree apart while it reads it.
    lines = _lines_of(judge(deepcopy(root)))
    if sum(map(len, lines)) < _FOUND_CHARS:
        return [one.block for one in _inner(root) or plain if not _is_menu(one)]
    return [stretches[at].block for at in _kept(stretches, lines)]


def _size(stretches: Sequence[Stretch]) -> int:
    return sum(len(one.block.text) for one in stretches)


def _is_whole(stretches: Sequence[Stretch], plain: Sequence[Stretch]) -> bool:
    size, menus = _size(plain), _size([one for one in plain if _is_menu(one)])
    if not any(one.framed for one in stretches):
        return size < SHORT_CHARS or menus < _CLUTTER_SHARE * size
    return size < SHORT_CHARS and menus < _MENU_SHARE * size


def _is_menu(stretch: Stretch) -> bool:
    block = stretch.block
    return not block.level and not block.code and stretch.link_chars > _MENU_SHARE * len(block.text)


def _lines_of(body: Element | None) -> list[str]:
    """The words of each block that trafilatura kept, one line a block."""
    parts: list[str] = []
    for event, element in walk(body, "start", "end") if body is not None else ():
        border = "" if element.tag in _INLINE else "\n"
        parts.append(border + ((element.text if event == "start" else element.tail) or ""))
    return [words for line in "".join(parts).split("\n") if (words := _normal(line))]


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _inner(root: Element) -> list[Stretch]:
    """The article or main element alone, where there is one: of a page that trafilatura makes nothing of."""
    for tag in ("article", "main"):
        found = root.find(f".//{tag}")
        stretches = read_stretches(found) if found is not None else []
        if stretches:
            return [one for one in stretches if not one.framed] or stretches
    return []


def _kept(stretches: Sequence[Stretch], lines: Sequence[str]) -> list[int]:
    whole, single = f" {' '.join(lines)} ", frozenset(lines)
    known = _runs(whole.split())
    sure = [at for at, one in enumerate(stretches) if _is_known(one, whole, single, known)]
    outside = [at for at in sure if not stretches[at].framed]
    if _size([stretches[at] for at in outside]) > _size([stretches[at] for at in sure]) / 2:
        sure = outside  # the article is no frame, so what stands in one is none of it
    if not sure:
        return [at for at, one in enumerate(stretches) if not _is_menu(one)]
    kept = set(sure)
    for before, after in pairwise(sure):
        if after - before <= _GAP:
            kept |= {at for at in range(before + 1, after) if _belongs(stretches[at])}
    kept = {at for at in kept if not _CALL.fullmatch(stretches[at].block.text.strip())}
    return sorted(kept | _title_before(stretches, sure[0]))


def _runs(words: Sequence[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


def _is_known(stretch: Stretch, whole: str, single: frozenset[str], known: frozenset[tuple[str, ...]]) -> bool:
    text = _normal(re.sub(r"^\d+\. ", "", stretch.block.text) if stretch.block.entry else stretch.block.text)
    words = text.split()
    if len(words) <= _SHORT_WORDS:
        return text in single
    if f" {text} " in whole:
        return True
    runs = _runs(words)
    return len(runs & known) >= _KNOWN_SHARE * len(runs)


def _belongs(stretch: Stretch) -> bool:
    """A block amid the article that is no menu."""
    return not stretch.framed and not _is_menu(stretch)


def _title_before(stretches: Sequence[Stretch], first: int) -> set[int]:
    """The nearest top heading above the article: trafilatura takes it for metadata."""
    reach = range(max(0, first - _TITLE_REACH), first)
    return {at for at in reach if stretches[at].block.level == 1}


__all__ = ["SHORT_CHARS", "article_of"]
