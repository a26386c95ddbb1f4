"""A passage in, the cases and statutes that it cites out (cites): "X v. Y, 410 U.S. 113 (1973)", "42 U.S.C. § 1983".

The subject is the title of the source. A case without a reporter, or a reporter without a year, says too little to be
found; a number with "of the Act" means nothing outside its text.
Source: forms after The Bluebook, rules 10 and 12; the reporters are those of its table T1, as far as papers use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "laws"

_SERIES: Final = r"(?:\s?(?:2d|3d|4th|5th))?"
_REPORTER: Final = (
    rf"(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.{_SERIES}|F\.\s?Supp\.{_SERIES}|F\.\s?R\.\s?D\.|F\.{_SERIES}|B\.\s?R\.|WL|"
    rf"(?:A|P|So|N\.\s?E|N\.\s?W|S\.\s?E|S\.\s?W|N\.\s?Y|N\.\s?J|N\.\s?C|S\.\s?C)\.{_SERIES}|"
    rf"(?:Cal|Ill|Mass|Mich|Minn|Wash|Ohio\s?St|Pa|Tex|Ga|Md|Wis|Va|Conn|Kan|Neb|Or|Ala|Ark|Colo|Iowa|Ind)\."
    rf"(?:\s?App\.)?{_SERIES})"
)
_REPORTED: Final = re.compile(
    rf"\b\d{{1,4}}\s+{_REPORTER}\s+\d{{1,8}}(?:,\s*\d+(?:[-\u2013]\d+)?)*,?\s*\((?:[^()]{{0,60}}\s)?(?:1[6-9]|20)\d\d\)"
)
_VERSUS: Final = re.compile(r"(?<=[\s,])v\.,?\s+(?P<right>[A-Z][^;()]{1,140}?)\s?\.?\s?,\s*$")
_IN_RE: Final = re.compile(r"\bIn\s+re\s+(?P<name>[A-Z][^;()]{1,100}?),\s*$")
_SECTION: Final = r"\d[\w:-]*(?:\.\d[\w-]*)*(?:\(\w{1,4}\))*"
_STATUTES: Final = (
    re.compile(
        rf"\b\d{{1,2}}\s+(?:U\.\s?S\.\s?C\.(?:\s?A\.)?|C\.\s?F\.\s?R\.|[A-Z][a-z]{{1,4}}\.\s+C\.|[A-Z]\.(?:\s?[A-Z]\.){{1,3}})"
        rf"\s*\u00a7\s*{_SECTION}"
    ),
    re.compile(
        rf"\b[A-Z][a-z]{{1,4}}\.\s+(?:[A-Z][\w\u2019'.]*\s+){{0,3}}?(?:Code|Stat\.|Laws)(?:\s+Ann\.)?\s+\u00a7\s*{_SECTION}"
    ),
    re.compile(r"\b(?:Pub\.\s?L\.|Public\s+Law)\s+(?:No\.\s*)?\d{2,3}[-\u2013]\d{1,4}"),
    re.compile(
        rf"\b[Ss]ection\s+{_SECTION}\s+of\s+the\s+(?!Act\b)[A-Z][\w\u2019'-]*(?:\s+(?:[A-Z][\w\u2019'-]*|of|and|in|for|the)){{0,8}}?"
        r"\s+Act\b(?:(?:,?\s+|\s+of\s+)(?:1[6-9]|20)\d\d\b)?"
    ),
)
_SMALL: Final = frozenset(("of", "the", "and", "&", "for", "de", "la", "ex", "rel.", "on", "in", "to", "re"))
_CORPORATE: Final = re.compile(r"(?:Inc|Ltd|Co|Corp|L\.?L\.?C|L\.?L\.?P|Bros|N\.?A|Assn|S\.?A)\.?,?$")
_SIGNAL: Final = re.compile(
    r"(?:See|Accord|But|Compare|With|Citing|Quoting|Both|Also|Under|In|And|The|Thus|E\.g\.|Cf\.|FN\d+\.?|\d+\.?|"
    r"Contra|Following|From|As|Since|When|Although|While)$",
    re.IGNORECASE,
)
_SHORTENED: Final = re.compile(r"(?:[A-Z]\.)+$|[A-Z][\w\u2019']{0,5}\.$")
_LONGEST_PARTY: Final = 10  # words


class _Cited(NamedTuple):
    """A case or a statute, and where it stands."""

    start: int
    end: int
    text: str


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the cases and statutes that a source with a title cites, each once a passage."""
    if not passage.title or passage.speaker or passage.modality in (Modality.CODE, Modality.TABLE):
        return
    seen: set[str] = set()
    for cited in sorted((*_cases(passage.text), *_statutes(passage.text))):
        if cited.text not in seen:
            seen.add(cited.text)
            yield Proposal(
                seq=passage.seq,
                start=cited.start,
                end=cited.end,
                subject=passage.title,
                relation="cites",
                object=cited.text,
                pattern=PATTERN,
                confidence=confidence_of(PATTERN),
            )


def _cases(text: str) -> Iterator[_Cited]:
    last = 0
    for match in _REPORTED.finditer(text):
        start = _start_of_name(text, max(last, match.start() - 300), match.start())
        last = match.end()
        yield _Cited(start, match.end(), _flat(text[start : match.end()]))


def _statutes(text: str) -> Iterator[_Cited]:
    for form in _STATUTES:
        for match in form.finditer(text):
            yield _Cited(match.start(), match.end(), _flat(match.group()))


def _start_of_name(text: str, floor: int, end: int) -> int:
    """Where the name of a case begins that stands before its reporter; ``end`` where there is none."""
    before = text[floor:end]
    estate = _IN_RE.search(before)
    if estate is not None and _is_party(_flat(estate["name"])):
        return floor + estate.start()
    versus = [
        match for at in re.finditer(r"\sv\.", before) if (match := _VERSUS.match(before, at.start() + 1)) is not None
    ]
    if not versus or not _is_party(_flat(versus[-1]["right"])):
        return end
    words = list(re.finditer(r"[^\s(\[]+", before[: versus[-1].start()]))
    first = len(words)
    while first and len(words) - first < _LONGEST_PARTY and _belongs(words, first - 1):
        first -= 1
    while first < len(words) and (_SIGNAL.match(words[first].group()) or words[first].group() in _SMALL):
        first += 1
    named = first < len(words) and not _CORPORATE.match(words[first].group())
    return floor + words[first].start() if named else end


def _belongs(words: list[re.Match[str]], index: int) -> bool:
    """Whether a word before "v." is of the party's name."""
    word = words[index].group()
    is_rest = index > 0 and words[index - 1].group().endswith("\u00ad")
    if word in _SMALL or is_rest or re.fullmatch(r"[A-Z]+\)", word):
        return True
    if not word[0].isupper() or word[-1] in ';:)\u201d"':
        return False
    behind = words[index + 1].group() if index + 1 < len(words) else ""
    if word.endswith(","):
        return bool(_CORPORATE.match(word) or _CORPORATE.match(behind) or not behind)
    return not word.endswith(".") or bool(_SHORTENED.match(word) or _CORPORATE.match(word)) or not behind


def _is_party(name: str) -> bool:
    """Whether every word of a name is written as one."""
    words = [word for word in name.split() if word.strip(",") not in _SMALL]
    return len(words) <= _LONGEST_PARTY and all(not word[0].islower() for word in words)


def _flat(text: str) -> str:
    return " ".join(re.sub(r"\u00ad\s*", "", text).split())
