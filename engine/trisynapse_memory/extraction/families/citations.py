"""A passage in, the works that it cites out (cites): entries of reference lists, and marks like "(Lee & Park, 2019)".

The subject is the title of the source. A numbered mark ("[12]") says nothing that its entry does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.text.references import SURNAME, read_reference, short_form
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "citations"

_YEAR: Final = r"(?P<year>(?:1[5-9]|20)\d\d[a-z]?)"
_NAMES: Final = (
    rf"(?P<first>{SURNAME})(?:(?P<more>,?\s+et\s+al\.?,?|,?\s+and\s+colleagues|,?\s+and\s+co-?workers)"
    rf"|(?P<others>(?:,\s+{SURNAME})*),?\s+(?:and|&)\s+(?P<last>{SURNAME}))?"
)
_NARRATED: Final = re.compile(rf"(?<![\w.-]){_NAMES}(?:['’]s?)?\s+\({_YEAR}(?:[,;:]\s*(?:pp?\.\s*)?[\d–, a-z-]+)?\)")
_BARE: Final = re.compile(rf"(?<![\w.-])(?P<first>{SURNAME})(?P<more>\s+et\s+al\.?,?)\s+{_YEAR}(?![\w)])")
_ENCLOSED: Final = re.compile(r"[(\[](?P<inside>[^()\[\]]{4,300}?(?:1[5-9]|20)\d\d[a-z]?[^()\[\]]{0,40})[)\]]")
_MARK: Final = re.compile(
    rf"(?:(?:see|e\.g\.|cf\.|also|i\.e\.|following|after|in|by|from|and|reviewed\s+in),?\s+)*{_NAMES},?\s+\(?{_YEAR}"
    r"(?:,\s*(?:1[5-9]|20)?\d*[a-z]?)*(?:[,:]\s*(?:pp?\.|ch\.|chap\.|sec\.|fig\.|table)?\s*[\dIVXivx–-]+)?\s*",
)
_TOLD: Final = re.compile(r"\s+(?:first\s+|also\s+|has\s+|have\s+)?[a-z]+(?:ed|es|[a-z]s|wn|und|ote|ave|aw|rgue|how)\b")
_TOLD_BY: Final = re.compile(r"\b(?:to|from|by|of|see|following|cf\.|per|with|than|unlike|like)\s+$", re.IGNORECASE)
_NO_NAME: Final = re.compile(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|"
    r"Sept?|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter|Fig|Figs|Figure|Figures|Table|Tables|Section|Chapter|Appendix|Eq|Equation|"
    r"The|This|These|In|On|At|By|For|From|Since|Until|After|Before|During|About|Version|Act|Law|Olympics|Vol|Volume|No|Part|World|"
    r"War|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Copyright|Accessed|Retrieved|Published|Updated|Census|Report|"
    r"London|Paris|Berlin|Vienna|Tokyo|Rome|Madrid|York|Boston|Geneva|Since|Nature|Science|Lancet|Iowa|Ohio|Utah|Idaho|Maine|Cir|Windows|Office|Edition|Season)"
)
_REFERENCE_SECTION: Final = re.compile(
    r"^\W*(?:\d+\.?\s*)?(?:references?|bibliography|literature(?:\s+cited)?|works\s+cited|"
    r"cited\s+works|further\s+reading)\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"\s*(?:\[\d{1,3}\]|\d{1,3}[.)])\s")
_PAGE_EDGE: Final = re.compile(r"\d{1,4}|Published as a .*|Preprint.*|Under review.*|arXiv:.*", re.IGNORECASE)
_DATED_NAME: Final = re.compile(rf"\s*{SURNAME},\s+[A-Z]\.[^()]{{0,300}}\((?:1[5-9]|20)\d\d[a-z]?\)")
_GIVEN: Final = re.compile(
    r"\s*(?:\[\d{1,3}\]|\d{1,3}[.)])?\s*(?P<name>[A-Z][\w-]+)\s+[A-Z]\.\s+[A-Z][\w-]+(?:,|\s+and\s+[A-Z])"
)
_POSSESSIVE: Final = re.compile(r"['\u2019]s\b")
_SECOND_WORK: Final = re.compile(r"\b(?:1[5-9]|20)\d\d\b[^;]{0,20};\s.*\b(?:1[5-9]|20)\d\d\b", re.DOTALL)
"""A note that names two works has no one author and year."""
_BORDER: Final = re.compile(
    r"(?im:^\W*(?:references|bibliography|works\s+cited|literature\s+cited)[ \t]*\n)|"
    rf"(?<=[.\d])\s(?={SURNAME},\s[A-Z]\.[^()\n]{{0,120}}\((?:1[5-9]|20)\d\d[a-z]?\))|"
    rf"\n\s*\n|\n(?=\s*\[\d{{1,3}}\]\s)|\n(?=\s*\d{{1,3}}[.)]\s+[A-Z])|(?<=[.\d\]/)])(?<!\b[A-Z]\.)\n(?=\s*{SURNAME},\s+[A-Z]\.)"
    rf"|(?<=[.\d\]/)])(?<!\b[A-Z]\.)\n(?=\s*(?:[A-Z][\w.'’-]*\s+){{1,3}}{SURNAME}(?:,|\.|\s+and\s))|(?<=[.\d])(?<!\b[A-Z]\.)\n(?=\s*{SURNAME}\s[A-Z]{{1,3}},)"
    r"|(?<=[.\d\]])\s+(?=\[\d{1,3}\]\s+[A-Z])"
)


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield the works that a passage cites, each once; nothing for a source without a title."""
    if not passage.title or passage.modality in (Modality.CODE, Modality.TABLE) or passage.speaker:
        return
    seen: set[str] = set()
    entries = list(_entries(passage))
    taken = [(start, end) for start, end, _, _ in entries]
    marks = (mark for mark in _marks(passage.text) if not any(s <= mark[0] < e for s, e in taken))
    for start, end, short, pattern in (*entries, *marks):
        if short not in seen and short not in passage.title and not _POSSESSIVE.search(short):
            seen.add(short)
            yield Proposal(
                seq=passage.seq,
                start=start,
                end=end,
                subject=passage.title,
                relation="cites",
                object=short,
                pattern=pattern,
                confidence=confidence_of(pattern),
            )


def _entries(passage: Passage) -> Iterator[tuple[int, int, str, str]]:
    """Yield the entries of a reference list: where they stand, their short forms, and their pattern.

    An entry without a number at the top of a record may be the rest of one that began before it ("... and" on the last
    page), and comes under the loose pattern.
    """
    text = passage.text
    position = 0
    is_list = _REFERENCE_SECTION.search(passage.section.rsplit(" > ", 1)[-1]) is not None
    for border in (*_BORDER.finditer(text), None):
        end = border.start() if border else len(text)
        entry = text[position:end]
        numbered = _NUMBERED.match(entry) is not None
        whole = numbered or _begins_anew(text[:position] if position else passage.before)
        several = not is_list and _SECOND_WORK.search(entry) is not None
        known = read_reference(entry) if whole and not several and (is_list or _looks_listed(entry)) else None
        if known is not None:
            start = position + len(entry) - len(entry.lstrip())
            is_sure = numbered or position > 0 or not passage.before or _DATED_NAME.match(entry) is not None
            is_sure = is_sure and not _begins_with_given(entry, known.short)
            yield start, position + len(entry.rstrip()), known.short, PATTERN if is_sure else f"{PATTERN}.loose"
        position = border.end() if border else end


def _begins_with_given(entry: str, short: str) -> bool:
    """Whether the short form bears a given name: "Tien T. Nguyen, ..." is not by one Tien."""
    given = _GIVEN.match(entry)
    return given is not None and short.split()[0] == given["name"]


def _begins_anew(before: str) -> bool:
    """Whether the text before ended with an entry, so that this one does not begin inside a list of authors."""
    lines = [line.strip() for line in before.rsplit("\n", 6)[-6:]]
    # A page's number or its running head may stand between two halves of an entry.
    kept = [line for line in lines if line and not _PAGE_EDGE.fullmatch(line)]
    end = kept[-1] if kept else ""
    return not end or re.search(r"(?:(?<!\b[A-Z])\.|[\])\d/])$", end) is not None


def _looks_listed(entry: str) -> bool:
    """Whether a block begins like an entry; prose that begins with a name and a year goes on with a verb."""
    flat = " ".join(entry.split())[:400]
    if len(flat) < 30:
        return False
    return (
        re.match(
            rf"(?:\[\d{{1,3}}\]|\d{{1,3}}[.)])\s+[A-Z]|(?:[•*–-]\s+)?{SURNAME},\s+(?:[A-Z]\.|[A-Z][a-z]+[.,\s])|"
            rf"(?:[•*–-]\s+)?{SURNAME}\s[A-Z]{{1,3}}[,.]|(?:[A-Z][\w.'’-]*\s+){{1,3}}{SURNAME}(?:,\s[A-Z].{{0,200}}?,?\sand\s.{{3,60}}?\.|"
            rf"\sand\s.{{3,60}}?\.|\.)\s+(?:[“\"A-Z(]|\d{{4}})",
            flat,
        )
        is not None
    )


def _marks(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Yield the marks in running text: "Smith et al. (2020)", "(Lee & Park, 2019; Wu, 2020)"."""
    for match in _NARRATED.finditer(text):
        short = _short(match)
        if short:
            several = match["more"] or match["last"]
            if not several and not _is_narrated(text, match):
                continue  # "Born in Ulm (1879), he ...", "Hurricane Maria (2017) destroyed"
            yield match.start(), match.end(), short, PATTERN if several else f"{PATTERN}.loose"
    for match in _BARE.finditer(text):
        if not _NO_NAME.fullmatch(match["first"]):
            short = short_form((match["first"],), has_more=True, year=match["year"])
            yield match.start(), match.end(), short, PATTERN
    for enclosed in _ENCLOSED.finditer(text):
        start = enclosed.start("inside")
        # "Aster Robotics (Kyoto, 2003)" says where and when it sits.
        # So does "vol. 2 (Marlow, 1971)".
        placed = re.search(r"(?:[A-Z]\w+|\b(?:vol|no)\.\s*\d+)\s$", text[: enclosed.start()]) is not None
        for part in re.finditer(r"[^;]+", enclosed["inside"]):
            blank = len(part.group()) - len(part.group().lstrip())
            match = _MARK.fullmatch(part.group().strip())
            short = _short(match) if match else ""
            if match is not None and short and not (placed and not match["more"] and not match["last"]):
                begin = start + part.start() + blank
                yield begin, begin + len(part.group().strip()), short, PATTERN


def _is_narrated(text: str, match: re.Match[str]) -> bool:
    """Whether the words around a single name and its year speak of an author: "argued", "goes back to"."""
    if re.search(r"\b[A-Z][a-z]+\s$", text[: match.start()]):
        return False
    return _TOLD.match(text, match.end()) is not None or _TOLD_BY.search(text, 0, match.start()) is not None


def _short(match: re.Match[str]) -> str:
    others = re.findall(SURNAME, match["others"] or "")
    surnames = tuple(name for name in (match["first"], *others, match["last"]) if name)
    if any(_NO_NAME.fullmatch(name) for name in surnames) or any(len(name) < 2 for name in surnames):
        return ""
    return short_form(surnames, has_more=match["more"] is not None, year=match["year"])
