"""A passage in, its acronyms with what they stand for out: stands_for. Needs no parser.

Forms: "long form (SF)", "SF (long form)", "SF stands for long form", "SF, short for long form". The plain tier spells
the acronym from the beginnings of the words in order, skipping only small words; what fits Schwartz and Hearst's
looser rule is left to the other tier.

Source:
    Schwartz and Hearst, *A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text*, PSB 2003.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.joining import joined
from trisynapse_memory.scoring.patterns import worth_of
from trisynapse_memory.text.hyphenation import collect_vocabulary
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "acronym"
_LEAST: Final = 0.01  # a confidence is above 0

_SHORT: Final = r"(?:(?:[A-Z]\.){2,6}|[A-Za-z0-9][\w&./-]{1,11}(?<![.,-]))"
_AFTER: Final = re.compile(
    r"[(\[]\s*(?:(?:here(?:after|inafter)|henceforth|also|or|the|referred\s+to|called|known|abbreviated|denoted|as)\s+)*"
    rf"[\"'\u201c\u2018]?({_SHORT})[\"'\u201d\u2019]?\s*(?:(?:[;,]|\sor\s)[^()]{{0,60}})?[)\]]"
)
_BEFORE: Final = re.compile(
    rf"(?<![\w-])({_SHORT})\s+\(\s*(?:short\s+for\s+|i\.e\.,?\s+)?([^()]{{5,90}}?)\s*(?:[;,]\s[^()]*)?\)"
)
_SPOKEN: Final = re.compile(
    rf"(?<![\w-])[\"'\u201c\u2018]?({_SHORT})[\"'\u201d\u2019]?,?\s+(?:\(|,)?\s*(?:which\s+|that\s+)?"
    r"(?:stands?\s+for|stood\s+for|(?:is\s+)?short\s+for|means|denotes|is\s+just"
    r"|is\s+(?:an?|the)\s+(?:abbreviation|acronym)\s+(?:of|for))\s+(?:the\s+)?[\"'\u201c\u2018]?([^.;()\"\u201d]{5,120})",
)
_DENIED: Final = re.compile(
    rf"(?<![\w-])({_SHORT})\s+(?:does|did)\s+not\s+stand\s+for\s+(?:the\s+)?([^.,;()\"]{{5,90}})"
)
_SHORTENED: Final = re.compile(
    r"([A-Za-z][^.;()]{4,120}?),?\s+(?:is\s+|are\s+)?(?:(?:hereafter|hereinafter)(?:\s+called)?(?:\s+the)?"
    rf"|abbreviated(?:\s+as|\s+to|\s+by)?|or\s+simply|in\s+short|for\s+short)[:,]?\s+[\"'\u201c\u2018]?({_SHORT})(?![\w-])"
)
_FOR_SHORT: Final = re.compile(rf"([A-Za-z][^.;()]{{4,120}}?),?\s+(?:or\s+)?({_SHORT})\s+for\s+short\b")
_LISTED: Final = re.compile(
    rf"(?:^|[;\u2022]|[Aa]bbreviations:)\s*(?:[-*\u2022]\s+)?({_SHORT})\s*(?:[:=,\u2013\u2014]|\s-)\s+"
    r"([^;:()=,.]+)(?=[;.]|\s*$)",
)
_WRITTEN: Final = re.compile(
    rf"([A-Za-z][^.;()]{{4,120}}?),\s+for\s+which\s+(?:we|i)\s+(?:write|use)\s+({_SHORT})(?![\w-])"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_OWNING: Final = re.compile(r"['\u2019]s\Z")
"""In "Public Integrity Commission's (PIC) finding" the name ends before it."""
_SMALL: Final = frozenset("a an and at by de for from in into of on or per the to via with & und der des la le".split())
_NOT_SHORT: Final = frozenset(
    "ii iii iv vi vii viii ix xi et al eq eqs fig ed eds see no vol pp cf ie eg left right".split()
)


class Pair(NamedTuple):
    """An acronym and its long form, with the offsets of that in the sentence; ``is_plain`` names the tier."""

    short: str
    long: str
    start: int
    end: int
    is_plain: bool
    denied: bool = False


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield what acronyms stand for, wherever a sentence, heading or caption says it."""
    if passage.modality is Modality.CODE:
        return
    seen: set[str] = set()
    vocabulary = collect_vocabulary(passage.text)
    for start, end in sentence_spans(passage.text):
        read = "".join(letter for letter, _ in joined(passage.text, start, end, vocabulary))
        found = _pairs(read, 0, len(read)) if _MAY_SPEAK.search(read) else ()
        for pair in (*found, *_listed(read, 0, len(read))):
            key = f"{pair.short}\n{pair.long}".casefold()
            if key not in seen:
                seen.add(key)
                yield _proposal(passage, pair, start, end)


_MAY_SPEAK: Final = re.compile(
    r"[(\[]|\b(?:stands?|stood|short|abbreviat\w+|acronym|hereafter|hereinafter|simply|means|denotes|just|stand|write)\b"
)


def _pairs(text: str, start: int, end: int) -> Iterator[Pair]:
    for match in _AFTER.finditer(text, start, end):
        if _is_short(match[1]) and (place := _long_before(text, start, match.start(), match[1])):
            yield _pair(text, match[1], place)
    for match in _BEFORE.finditer(text, start, end):
        if _is_short(match[1]) and (place := _whole(text, match.start(2), match.end(2), match[1])):
            yield _pair(text, match[1], place)
    for match in _DENIED.finditer(text, start, end):
        if _is_short(match[1]):
            yield Pair(match[1], " ".join(match[2].split()), match.start(2), match.end(2), True, denied=True)
    for match in _SPOKEN.finditer(text, start, end):
        if _is_short(match[1]) and (place := _head_of(text, match.start(2), match.end(2), match[1])):
            yield _pair(text, match[1], place)
    for form in (_SHORTENED, _FOR_SHORT, _WRITTEN):
        for match in form.finditer(text, start, end):
            if _is_short(match[2]) and (place := _long_before(text, match.start(1), match.end(1), match[2])):
                yield _pair(text, match[2], place)


def _listed(text: str, start: int, end: int) -> Iterator[Pair]:
    """Rows of a list of abbreviations: "BMI, body mass index; ...", "- MRI: magnetic resonance imaging"."""
    position = start
    while match := _LISTED.search(text, position, end):
        place = _whole(text, match.start(2), match.end(2), match[1]) if _is_short(match[1]) else None
        if place is not None and place[2]:
            yield _pair(text, match[1], place)
        position = max(match.end(), position + 1)


def _pair(text: str, short: str, place: tuple[int, int, bool]) -> Pair:
    start, end, is_plain = place
    owning = _OWNING.search(text, start, end)
    end = owning.start() if owning else end
    return Pair(short, " ".join(text[start:end].split()), start, end, is_plain)


def _proposal(passage: Passage, pair: Pair, start: int, end: int) -> Proposal:
    pattern = PATTERN if pair.is_plain else f"{PATTERN}.loose"
    return Proposal(
        seq=passage.seq,
        start=start,
        end=end,
        subject=pair.short,
        relation="stands_for",
        object=pair.long,
        pattern=pattern,
        confidence=worth_of(pattern).precision or _LEAST,
        negated=pair.denied,
    )


def _is_short(word: str) -> bool:
    """Whether a word may be an acronym: few letters, a capital, and not a roman numeral or a pointer."""
    letters = [letter for letter in word if letter.isalpha()]
    return (
        2 <= len(letters) <= 10
        and any(letter.isupper() for letter in letters)
        and word.lower() not in _NOT_SHORT
        and not (word[0].isupper() and word[1:].islower() and len(word) > 4)
    )


def _letters(short: str) -> str:
    """The letters to spell, without the plural s."""
    if len(short) > 2 and short.endswith("s") and short[-2].isupper():
        short = short[:-1]
    return "".join(letter for letter in short.lower() if letter.isalnum())


def _long_before(text: str, start: int, end: int, short: str) -> tuple[int, int, bool] | None:
    """The shortest run of words right before ``end`` that spells the acronym."""
    letters = _letters(short)
    words = list(_WORD.finditer(text, start, end))
    if not words or text[words[-1].end() : end].strip(" \n\"'\u201c\u201d\u2018\u2019"):
        return None
    limit = len(words) - min(len(letters) + 5, 2 * len(letters)) - 1
    for first in range(len(words) - 1, max(-1, limit), -1):
        run = [match[0].lower() for match in words[first:]]
        if run[0] in _SMALL or re.search(r"[.;:()\[\]]", text[words[first].start() : end].rstrip(". ")):
            continue
        if len(run) > 1 and _spells(letters, run):
            return words[first].start(), words[-1].end(), True
    found = _loose_start(letters, text, words[max(0, limit + 1)].start(), words[-1].end())
    return (found, words[-1].end(), False) if found is not None else None


def _whole(text: str, start: int, end: int, short: str) -> tuple[int, int, bool] | None:
    """The long form in parentheses behind the acronym, all of it."""
    run = [match[0].lower() for match in _WORD.finditer(text, start, end)]
    letters = _letters(short)
    if len(run) < 2 or len(run) > 2 * len(letters) + 2:
        return None
    if _spells(letters, run):
        return start, end, True
    begin = _loose_start(letters, text, start, end)
    return (start, end, False) if begin == start else None


def _head_of(text: str, start: int, end: int, short: str) -> tuple[int, int, bool] | None:
    """The run of words from ``start`` that spells the acronym, of as many words as it has letters if possible."""
    if text[start : start + 4].lower() == "the ":
        start += 4
    letters = _letters(short)
    words = list(_WORD.finditer(text, start, end))[: 2 * len(letters) + 2]
    runs = range(len(words), 1, -1)
    fitting = [count for count in runs if _spells(letters, [match[0].lower() for match in words[:count]])]
    # One letter a word before all: "kernel density" spells KDE too, but leaves "estimation" out.
    for count in sorted(fitting, key=lambda count: (count != len(letters), -count)):
        return words[0].start(), words[count - 1].end(), True
    return None


def _spells(letters: str, words: list[str]) -> bool:
    """Whether the letters are beginnings of the words in order; each word gives some, small words may give none."""
    if not letters:
        return all(word in _SMALL for word in words) and not words
    if not words:
        return False
    head, rest = words[0], words[1:]
    shared = 0
    while shared < min(len(letters), len(head)) and letters[shared] == head[shared]:
        shared += 1
    if any(_spells(letters[taken:], rest) for taken in range(shared, 0, -1)):
        return True
    return head in _SMALL and bool(rest) and _spells(letters, rest)


def _loose_start(letters: str, text: str, start: int, end: int) -> int | None:
    """Schwartz and Hearst: match the letters from the right, the first one at the beginning of a word."""
    at = end - 1
    for position in range(len(letters) - 1, -1, -1):
        while at >= start and (
            text[at].lower() != letters[position]
            or (position == 0 and at > start and (text[at - 1].isalnum() or text[at - 1] == "-"))
        ):
            at -= 1
        if at < start:
            return None
        at -= 1
    at += 1
    long = text[at:end]
    return at if len(long) > len(letters) + 2 and not re.search(r"[.;:()\[\]]", long) and " " in long.strip() else None
