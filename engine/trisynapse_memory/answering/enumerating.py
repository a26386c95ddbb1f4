"""A sentence in, the stretches of it that it enumerates out. No question is read and nothing is judged here.

"Tavro was trained on the News, the Dialogues and the Statutes" enumerates three; a sentence that opens a marked list
("There are three advantages:") enumerates its entries. Where a reading is doubtful, nothing is enumerated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.lexemes import FINITE, Kind, Lexeme, is_participle
from trisynapse_memory.text.paraphrase.tagging import tagged

FEWEST_ITEMS: Final = 3  # of a running sentence; "black and white" is one thing more often than two
MOST_WORDS: Final = 14  # of an item of a running sentence; longer ones are clauses
# Signs from fonts of their own (U+E000 to U+F8FF) stand at the head of entries in many PDFs.
MARK: Final = re.compile(
    r"(?:[\ue000-\uf8ff\u2022\u25e6\u25aa\u2023\u2219\u00b7\u25cf\u25cb*\u2013-]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+"
)

_ENTRY: Final = re.compile(rf"^[ \t]*(?P<mark>{MARK.pattern})(?P<words>\S.*?)\s*$", re.MULTILINE)
_JOINT: Final = re.compile(r"(?:[,;]\s+)?\b(?:and|or|as well as)\s+(?:also\s+)?", re.IGNORECASE)
_NAMED: Final = re.compile(
    r"(?:\b(?:such as|including|includes?|namely|consists? of|composed of|made up of|comprised of|the following)|:)\s+",
    re.IGNORECASE,
)
_STOP: Final = re.compile(r"[.!?;,:\s\u3002]+$")
_CLAUSE: Final = frozenset({Kind.PRONOUN, Kind.LINK})
_OPENERS: Final = frozenset({Kind.RELATIVE, Kind.LINK})
_INTRODUCING: Final = frozenset({Kind.BE, Kind.HAVE, Kind.PREPOSITION, Kind.TO})

Span = tuple[int, int]


def enumerated(text: str) -> tuple[Span, ...]:
    """Return the places of the items that a stretch of text enumerates, in its order; none where it does not.

    Args:
        text: a sentence as it stands, or one with the marked entries behind it.
    """
    return _entries(text) or _running(text)


def _entries(text: str) -> tuple[Span, ...]:
    """The entries of a marked list, without their marks; an entry runs on to the next mark."""
    marks = list(_ENTRY.finditer(text))
    if len(marks) < 2:
        return ()
    starts = [match.start("words") for match in marks]
    ends = [*(match.start() for match in marks[1:]), len(text)]
    return tuple((start, start + len(text[start:end].rstrip())) for start, end in zip(starts, ends, strict=True))


def _running(text: str) -> tuple[Span, ...]:
    """The items of a running sentence: what stands before the last "and", piece by piece, and what behind it."""
    body = _STOP.sub("", text)
    joints = [match for match in _JOINT.finditer(body) if "," in body[: match.start()] or "," in match.group()]
    for joint in reversed(joints):
        items = _items_around(body, joint.start(), joint.end())
        if len(items) >= FEWEST_ITEMS:
            return items
    return ()


def _items_around(body: str, end: int, start: int) -> tuple[Span, ...]:
    last = _last_item(body, start)
    if last is None:
        return ()
    opener = _opener(body[last[0] : last[1]])
    items: list[Span] = [last]
    stop = len(body[:end].rstrip(" ,;\n"))
    for begin in reversed(_piece_starts(body[:end])):
        piece = tagged(body[begin:stop])
        if not piece or len(piece) > 3 * MOST_WORDS:
            return ()
        first = _first_item(body, begin, stop, opener)
        if first is None:
            return ()
        items.insert(0, first)
        if first[0] > begin:
            trimmed = [(a, a + len(body[a:b].rstrip(" ,;"))) for a, b in items]
            return tuple(trimmed) if all(len(body[a:b].split()) <= MOST_WORDS for a, b in trimmed) else ()
        if opener is None and _is_clause(piece):
            return ()
        stop = _before_border(body, begin)
    return ()  # nothing introduces it: the items do something themselves ("A, B and C met in Rome")


def _piece_starts(body: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"[,;]\s+", body) if match.end() < len(body))]


def _before_border(body: str, begin: int) -> int:
    return len(body[:begin].rstrip(" ,;\n"))


def _last_item(body: str, start: int) -> Span | None:
    """What stands behind the last joint, up to a comma that ends it."""
    cut = re.search(r"[,;]\s", body[start:])
    end = start + cut.start() if cut else len(body)
    return (start, end) if body[start:end].strip() else None


def _opener(item: str) -> Kind | None:
    """The kind of word that an item opens with, where it is one of a clause ("who pays", "when it opens")."""
    words = tagged(item)
    return Kind.LINK if words and words[0].kind in _OPENERS else None


def _first_item(body: str, begin: int, stop: int, opener: Kind | None) -> Span | None:
    """Where the item of a piece begins: behind the words that introduce the enumeration, or with the piece."""
    piece = body[begin:stop]
    named = [match.end() for match in _NAMED.finditer(piece) if match.end() < len(piece)]
    if named:
        return begin + named[-1], stop
    words = tagged(piece)
    places = _places(piece, words)
    if opener is not None:
        found = [place for place, word in zip(places, words, strict=True) if word.kind in _OPENERS]
        return (begin + found[0], stop) if found else None
    behind = [index + 1 for index in range(len(words)) if _introduces(words, index, opens=begin == 0)]
    place = next((places[index] for index in reversed(behind) if index < len(words)), 0)
    return begin + place, stop


def _introduces(words: Sequence[Lexeme], index: int, *, opens: bool) -> bool:
    """Whether a word may stand right before the first item: a verb, "of" apart a preposition, no adjective."""
    word = words[index]
    if word.kind in _INTRODUCING:
        return word.lower != "of"
    if word.kind is not Kind.VERB or index + 1 == len(words) or (index == 0 and (not opens or len(words) < 3)):
        return False
    after_be = index > 0 and words[index - 1].kind in (Kind.BE, Kind.DETERMINER, Kind.PREPOSITION, Kind.HAVE)
    return not after_be or words[index + 1].kind is Kind.DETERMINER or not is_participle(word.lower)


def _places(piece: str, words: Sequence[Lexeme]) -> list[int]:
    places: list[int] = []
    position = 0
    for word in words:
        found = piece.find(word.text, position)
        places.append(found if found >= 0 else position)
        position = places[-1] + len(word.text)
    return places


def _is_clause(words: Sequence[Lexeme]) -> bool:
    """Whether a piece is no item: it has a subject and a verb of its own, or sets the scene ("in spring")."""
    kinds = [word.kind for word in words]
    return kinds[0] in (*_CLAUSE, Kind.PREPOSITION) or any(kind in FINITE and kind is not Kind.VERB for kind in kinds)
