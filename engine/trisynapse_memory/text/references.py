"""One entry of a reference list in, its short form out: "Smith et al. 2020". Which work it is is not looked up.

The styles read are those of APA, Chicago and MLA, IEEE, Vancouver, and of conference papers with whole first names.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

SURNAME: Final = (
    r"(?:(?:[Dd]e\s+la|[Dd]e\s+los|[Vv]an\s+de[nr]?|[Vv]on\s+der|[Dd]e|[Vv]an|[Vv]on|[Dd]er|[Dd]en|[Dd]u|[Dd]i|"
    r"[Dd]a|[Ll]a|[Ll]e|"
    r"al|El|dos|ter|ten)[\s-]+)?(?:[A-ZÀ-ÖØ-ÞŁŚŽČŠĐ][\w'’]+|[dlOD]['’][A-Z]\w+)(?:-[A-ZÀ-ÖØ-ÞŁŚŽČŠĐ][\w'’]+)*"
)
"""One family name with its particle: "van der Waals", "O'Donnell", "Smith-Jones"."""

_INITIALS: Final = r"(?:[A-ZÀ-ÖØ-ÞŁŚŽČŠĐ]\.(?:[\s-]?[A-ZÀ-ÖØ-ÞŁŚŽČŠĐ]\.){0,3})"
_YEAR: Final = r"(?:1[5-9]|20)\d\d"
_NUMBER: Final = re.compile(r"^\s*(?:\[\d{1,3}\]|\d{1,3}[.)]|\(\d{1,3}\)|[•*–-])\s+")
_BRACKETED: Final = re.compile(rf"[,.]?\s*\(\s*(?P<year>{_YEAR}[a-z]?)(?:,\s[A-Z][a-z]+(?:\s\d+)?)?\s*\)")
_DOTTED: Final = re.compile(rf"(?P<dot>[.,])\s+(?P<year>{_YEAR}[a-z]?)\.\s")
_ANY_YEAR: Final = re.compile(rf"(?<![\d:./–-])(?P<year>{_YEAR}[a-z]?)(?!\w|[\d/]|\.\d|[-–]\d)")
_TITLE_STARTS: Final = re.compile(
    r"(?P<dot>\.)\s+(?=[A-ZÀ-ÖØ-Þ\d“\"])|\s*[“\"«]|,\s+(?=(?:The|An?|On|In|Introduction|Principles|Handbook|"
    r"Elements)\s)"
)
_INVERTED: Final = re.compile(rf"(?P<name>{SURNAME}),\s+{_INITIALS}")
_VANCOUVER: Final = re.compile(rf"(?P<name>{SURNAME}(?:\s{SURNAME})?)\s+[A-Z]{{1,3}}(?:\sJr)?")
_INITIALS_FIRST: Final = re.compile(rf"{_INITIALS}\s?(?P<name>{SURNAME}(?:\s{SURNAME})?)(?:,?\sJr\.?)?")
_FULL: Final = re.compile(
    rf"(?:[A-ZÀ-ÖØ-Þ][\w'’-]+\s+|[A-ZÀ-ÖØ-Þ]\.\s?|[A-ZÀ-ÖØ-Þ]\s){{1,3}}(?P<name>{SURNAME})(?:,?\sJr\.?)?"
)
_BODY: Final = re.compile(
    r"[A-Z][\w’'& -]*\b(?:Organi[sz]ation|Institute|Association|Council|Committee|Department|Ministry|Office|"
    r"Agency|University|"
    r"Society|Bureau|Cent(?:er|re)|Commission|Group|Team|Consortium|Foundation|Union|Bank|Service|Survey|Board|Network)"
    r"(?:\s(?:of|for|on)\s[A-Z][\w ]+)?"
)
_ALONE: Final = re.compile(rf"(?P<name>{SURNAME})")
_GIVEN: Final = re.compile(r"[A-Z][\w'’-]*\.?(?:\s+[A-Z]\.?){0,2}")
_ET_AL: Final = re.compile(r",?\s*(?:and\s+|&\s*)?(?:et\s+al\.?|and\s+others|…)\s*$", re.IGNORECASE)
# "Dario Amodei, and Paul Christiano": with two authors only, the comma shows that the list began on the page before.
_HONORED: Final = re.compile(r"(?:Chairman|Chair|Mr|Mrs|Ms|Senator|President|Judge|Justice|Secretary|Governor)\b\.?\s")
_MID_LIST: Final = re.compile(r"[^,;]+\s[^,;]+,\s(?:and|&)\s[^,;]+|[^\s,;]+,\s(?:and|&)\s.*")
_EDITORS: Final = re.compile(r",?\s*\(?\b(?:eds?|editors?|trans)\.?\)?\.?$", re.IGNORECASE)
_JOINT: Final = re.compile(r"\s*(?:,\s*(?:and|&)\s+|;\s*(?:and\s+|&\s*)?|,\s*|\s+(?:and|&)\s+)\s*")
_ENTRY_MARK: Final = re.compile(
    r"\bdoi\b|\barXiv\b|\bCoRR\b|\babs/\d|\bpp?\.|\b(?:vol|no)\.|\d\s*[:(]\s*\d|\bProceedings\b|\bPress\b|"
    r"\bJournal\b|\bIn\s[A-Z]|https?:|"
    r"\b[A-Z][a-z]+:\s[A-Z]|\bConference\b|\bUniversity\b|\bthesis\b|\d\s?[–-]\s?\d",
    re.IGNORECASE,
)
_LONGEST_AUTHORS: Final = 600  # characters
_MOST_STOPS: Final = 40  # stops looked at for the end of the authors; initials have many


class Reference(NamedTuple):
    """What an entry is known by: the family names of its authors in order, whether more follow, and its year."""

    surnames: tuple[str, ...]
    has_more: bool
    year: str

    @property
    def short(self) -> str:
        """The form in which texts cite it: "Smith 2020", "Smith and Lee 2020", "Smith et al. 2020"."""
        return short_form(self.surnames, has_more=self.has_more, year=self.year)


def short_form(surnames: tuple[str, ...], *, has_more: bool, year: str) -> str:
    """Write names and a year as texts cite them."""
    if has_more or len(surnames) > 2:
        return f"{surnames[0]} et al. {year}"
    return f"{' and '.join(surnames)} {year}"


def read_reference(entry: str) -> Reference | None:
    """Read one entry of a reference list, or return None for what is none.

    An entry has authors whose form is one of the five styles, a year, a title behind them, and something that only
    entries have (pages, a volume, a press, a DOI) unless its year stands in parentheses behind the authors.
    """
    flat = " ".join(entry.split())
    plain = _NUMBER.sub("", flat)
    numbered = plain != flat
    for year in (_BRACKETED.search(plain, 0, _LONGEST_AUTHORS), _DOTTED.search(plain, 0, _LONGEST_AUTHORS)):
        if year is not None:
            found = _authors(plain[: year.end("dot") if "dot" in year.groupdict() else year.start()])
            if found is not None and _has_title(plain[year.end() :]):
                return Reference(*found, year["year"])
    if not (numbered or _ENTRY_MARK.search(plain)):
        return None
    return _undelimited(plain)


def _undelimited(plain: str) -> Reference | None:
    """Read an entry whose year stands behind the title: its authors are the longest beginning that reads as such."""
    best: Reference | None = None
    for count, start in enumerate(_TITLE_STARTS.finditer(plain, 0, _LONGEST_AUTHORS)):
        if count == _MOST_STOPS:
            break
        end = start.end("dot") if start["dot"] else start.start()
        found = _authors(plain[:end])
        years = [match["year"] for match in _ANY_YEAR.finditer(plain, end)]
        if found is not None and years and _has_title(plain[end:]):
            best = Reference(*found, years[-1])
    return best


def _has_title(rest: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", rest)) >= 2


def _authors(text: str) -> tuple[tuple[str, ...], bool] | None:
    """The family names of a list of authors in any style, and whether "et al." follows; None if it is no such list."""
    plain = _EDITORS.sub("", text.strip(" ,;:")).strip(" ,;:")
    cut = _ET_AL.sub("", plain)
    has_more = cut != plain
    cut = cut.strip(" ,;")
    if _BODY.fullmatch(cut.rstrip(".")):
        return (cut.rstrip("."),), has_more
    if not cut or len(cut) > _LONGEST_AUTHORS or re.search(r"\d", cut):
        return None
    inverted = list(_INVERTED.finditer(cut))
    if inverted and not re.sub(r"[\s,;&.]|\band\b", "", _INVERTED.sub("", cut)):
        return tuple(match["name"] for match in inverted), has_more
    if _MID_LIST.fullmatch(cut) or _HONORED.match(cut):
        return None
    # The stop behind the last author is none of his, unless it ends an initial.
    names = _by_pieces(_JOINT.split(cut if re.search(r"\b[A-Z]\.$", cut) else cut.rstrip(".")))
    return (names, has_more) if names else None


def _by_pieces(pieces: list[str]) -> tuple[str, ...] | None:
    """The family names of authors that commas and "and" part."""
    pieces = [piece.strip() for piece in pieces if piece.strip()]
    if len(pieces) > 1 and _ALONE.fullmatch(pieces[0]) and _GIVEN.fullmatch(pieces[1]):
        rest = _by_pieces(pieces[2:]) if len(pieces) > 2 else ()  # "Smith, John, and Jane Lee"
        return None if rest is None else (pieces[0], *rest)
    names: list[str] = []
    for piece in (one.rstrip(".") if re.search(r"\s[A-Z]{1,3}\.$", one) else one for one in pieces):
        match = next((found for form in (_VANCOUVER, _INITIALS_FIRST, _FULL) if (found := form.fullmatch(piece))), None)
        if match is None:
            return None
        names.append(match["name"])
    return tuple(names)
