"""A question in, the pages and the numbered things ("Figure 3", "Appendix E") it names out. Nothing is looked up here.

The other direction is here as well: a text in, whether it is where such a thing is shown, and not merely spoken of; and
a page in, whether it bears a printed number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

FIRST, LAST = 1, -1
"""The cover is the first page; the last one has no number before its source is known."""

RANGE_MAX: Final = 20
"""Pages or figures of one range ("pages 3 to 10"); of a longer one the first: nobody asks about more in one breath."""

# Each kind with the words that it is called by, in the languages of the window.
_CALLED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        kind: tuple(words.split())
        for kind, words in {
            "figure": "figure figures fig figs abbildung abbildungen abb figura figuras 图 圖 الشكل",
            "table": "table tables tab tabelle tabellen tabla tablas tableau tableaux 表 الجدول",
            "appendix": "appendix annex anhang annexe apéndice 附录 附錄 الملحق",
            "algorithm": "algorithm algorithms algorithmus algoritmo algorithme 算法",
            "equation": "equation equations eq eqs gleichung ecuación équation 公式",
            "section": "section sections sec abschnitt sección",
            "chapter": "chapter chapters kapitel capítulo chapitre",
            "unit": "unit units",
            "box": "box boxes",
            "listing": "listing listings",
            "scheme": "scheme schemes",
            "theorem": "theorem theorems",
            "lemma": "lemma lemmas",
            "definition": "definition definitions",
        }.items()
    }
)
# "i" is a number only where no word follows ("the table I gave"), and only an appendix is lettered.
_NUMBER: Final = r"\d{1,3}(?:\.\d{1,3}){0,2}|[ivx]{2,5}|[vx]|i(?=\s*(?:[,.?:)]|$))"
_LETTER: Final = r"[a-h](?:\.\d{1,2})?"
_TO: Final = r"\s*(?:-|\u2013|to|until|bis|至)\s*"
_MORE: Final = r"(?:\s*(?:,|,?\s*and|&|,?\s*und|,?\s*y)\s+\d{1,2}(?![\w.%]))*"
_THING: Final = re.compile(
    "|".join(
        rf"(?<![a-zà-ÿ])(?:{'|'.join(words)})\.?[\s-]{{0,2}}\(?"
        rf"(?P<{kind}>{_NUMBER}{'|' + _LETTER if kind == 'appendix' else ''})(?![0-9a-zà-ÿ_%])"
        rf"(?:{_TO}(?P<{kind}_last>\d{{1,3}})(?!\w)|(?P<{kind}_more>{_MORE}))"
        for kind, words in _CALLED.items()
    )
)
_WORDED: Final = MappingProxyType(
    {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
)
_ORDINALS: Final = MappingProxyType(
    {
        **{
            word: number
            for number, word in enumerate(
                "first second third fourth fifth sixth seventh eighth ninth tenth".split(), FIRST
            )
        },
        "cover": FIRST,
        "title": FIRST,
        "front": FIRST,
        "last": LAST,
        "final": LAST,
    }
)
_PAGE: Final = re.compile(
    rf"\b(?:pages?|pp?\.|seiten?|p[aá]ginas?|الصفحة)\s*\(?(?:no\.?\s*)?(?P<number>\d{{1,4}}|{'|'.join(_WORDED)})\b"
    rf"(?:{_TO}(?:page\s*)?(?P<last>\d{{1,4}})\b)?|第\s*(?P<chinese>\d{{1,4}})\s*页"
)
_ORDINAL_PAGE: Final = re.compile(
    rf"\b(?P<word>{'|'.join(_ORDINALS)}|\d{{1,3}}(?=st|nd|rd|th))(?:st|nd|rd|th)?\s+(?:cover\s+)?page\b"
    r"|\bthe (?P<cover>cover)\b(?! letter| story| song)"
)
_ROMAN: Final = MappingProxyType(
    {word: number for number, word in enumerate("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv".split(), 1)}
)
# What follows the label of a caption: a mark, nothing, or a capital; a small letter goes on with a sentence.
_AFTER_LABEL: Final = r"\)?(?:\s*[.:,|\u2013\u2014-](?!\d)|[ \t]*$|[ \t]+(?-i:[A-Z0-9(\"\u201c\u4e00-\u9fff]))"
_AROUND_NUMBER: Final = "()[]-\u2013\u2014. \t\r"  # marks around a printed page number
_ARABIC: Final = MappingProxyType({str(number): word for word, number in _ROMAN.items()})


class Thing(Struct, frozen=True):
    """A numbered thing: its kind ("figure") and its number as it is written, in small letters ("3", "ii", "e")."""

    kind: str
    number: str


class NamedPlaces(Struct, frozen=True, kw_only=True):
    """The pages (1-based, ``LAST`` for the last) and the things that a question names, each once, in its order."""

    pages: tuple[int, ...] = ()
    things: tuple[Thing, ...] = ()


def named_places(question: str) -> NamedPlaces:
    """Return what a question names; most name nothing. At most ``RANGE_MAX`` of a range."""
    text = question.lower()
    pages = dict.fromkeys(page for found in (_numbered_pages(text), _ordinal_pages(text)) for page in found)
    return NamedPlaces(pages=tuple(pages), things=tuple(dict.fromkeys(_things(text))))


def spellings(thing: Thing) -> tuple[str, ...]:
    """Return how a text may write a thing: each word of its kind, with its number in both kinds of figures."""
    numbers = (thing.number, *_other_numbers(thing.number))
    return tuple(f"{word} {number}" for word in _CALLED[thing.kind] for number in numbers)


def shows(text: str, thing: Thing, *, is_title: bool = False) -> bool:
    """Whether a text is the caption or the heading of a thing, or holds it at the beginning of a line.

    "Figure 3: Axes", "TABLE II SUMMARY", "Appendix E" alone; not "Figure 3 shows that", which speaks of it. A title or
    a caption that was read as such (``is_title``) need not prove itself by what follows.
    """
    numbers = "|".join(re.escape(one) for one in (thing.number, *_other_numbers(thing.number)))
    after = r"(?!\w)(?!\.\d)" if is_title else _AFTER_LABEL
    lines = rf"^\W*(?:{'|'.join(_CALLED[thing.kind])})\.?[\s-]{{0,2}}(?:{numbers}){after}"
    return re.search(lines, text, re.IGNORECASE | re.MULTILINE) is not None


def bears_number(text: str, number: int) -> bool:
    """Whether a page prints a number at the beginning or the end of its first or last line, as "16" or "(16)"."""
    lines = [words for line in text.splitlines() if (words := line.strip(_AROUND_NUMBER).split())]
    ends = {line[place] for line in (lines[0], lines[-1]) for place in (0, -1)} if lines else set[str]()
    return str(number) in {word.strip(_AROUND_NUMBER) for word in ends}


def _numbered_pages(text: str) -> Iterator[int]:
    for match in _PAGE.finditer(text):
        written = match["number"] or match["chinese"]
        first = _WORDED.get(written) or int(written)
        yield from _range(first, match["last"])


def _ordinal_pages(text: str) -> Iterator[int]:
    for match in _ORDINAL_PAGE.finditer(text):
        word = match["word"] or match["cover"]
        yield _ORDINALS.get(word) or int(word)


def _things(text: str) -> Iterator[Thing]:
    for match in _THING.finditer(text):
        kind = next(name for name in _CALLED if match[name])
        number, last, more = match[kind], match[f"{kind}_last"], match[f"{kind}_more"]
        numbers = map(str, _range(int(number), last)) if last and number.isdigit() else (number,)
        yield from (Thing(kind, one) for one in (*numbers, *re.findall(r"\d+", more or "")))


def _range(first: int, last: str | None) -> range:
    end = int(last) if last else first
    return range(first, min(max(end, first), first + RANGE_MAX - 1) + 1)


def _other_numbers(number: str) -> tuple[str, ...]:
    """The same number in the other figures: "II" is "2"."""
    other = _ARABIC.get(number) or (str(_ROMAN[number]) if number in _ROMAN else None)
    return (other,) if other else ()
