"""Lists of people in, who has which role out (has_role): "Lena Voss, Chief Surveyor", a name over its role.

One such line may be anything, so a passage must hold two of one form. Degrees and "Mr." are no part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.extraction.families.roles import ROLE_NOUNS
from trisynapse_memory.extraction.lines import Row, rows_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "rosters"

_HONORIFIC: Final = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Hon|Sir|Dame|Rev)\b\.?\s+)?"
_GIVEN: Final = r"(?:[A-Z][\w\u2019'-]*[a-z]|[A-Z]\.(?:\s?[A-Z]\.)*|[A-Z]{3,})"
_FAMILY: Final = r"(?:(?:de|van|von|der|del|la|bin|al)\s){0,2}(?:[A-Z][\w\u2019'-]+)"
_PERSON: Final = (
    rf"{_HONORIFIC}(?P<name>{_GIVEN}(?:[ ]{_GIVEN}){{0,2}}[ ]{_FAMILY}(?:,?[ ](?:Jr\.|Sr\.|II|III|IV)(?!\w))?)"
)
_DEGREES: Final = (
    r"(?:,\s*(?:M\.?D|Ph\.?D|M\.?S|M\.?A|B\.?A|B\.?S|M\.?P\.?H|J\.?D|R\.?N|B\.?S\.?N|M\.?S\.?N|M\.?S\.?W|C\.?P\.?A|M\.?B\.?A|"
    r"D\.?D\.?S|LL\.?B|LL\.?M|M\.?Sc|B\.?Sc|Esq|D\.?O|A\.?R\.?N\.?P|PE|P\.E)\.?(?=,|\s|$))*"
)
_LINE: Final = re.compile(
    rf"(?:[A-Z][\w ]{{2,24}}:\s+)?{_PERSON}{_DEGREES}(?:,\s+|\s+[\u2013\u2014-]\s+)(?P<role>[A-Z].*)"
)
_NAMED: Final = re.compile(rf"{_PERSON}{_DEGREES}")
_LIST: Final = re.compile(r"[A-Z][\w ]{2,30}:\s+(?P<members>[^:]+?)(?:\.(?=\s*(?:\n|\Z))|\n\s*\n|\s*\Z)")
_MEMBER: Final = re.compile(rf"\s*(?:and\s+)?{_PERSON}{_DEGREES},\s+(?P<role>[A-Z].*)")
_NO_PERSON: Final = re.compile(
    r"\b(?:New|North|South|East|West|Human|Street|Lane|Road|Avenue|Quay|Hotel|Inn|Harbou?r|Valley|Lake|River|City|Town|"
    r"County|State|Department|Office|Board|Bureau|Division|Committee|Council|Company|University|College|School|Institute|"
    r"Foundation|Association|Society|Service|Services|Program|Resources|The|This|For|And|Health|Public|National|United|"
    r"General|Senior|Assistant|Vice|Deputy|Chief|Executive|Legal|Medical|Policy|Research|Information|Technology|Staff|"
    r"Audit|Annual|Report|Prepared|Statement|January|February|March|April|May|June|July|August|September|October|November|"
    r"December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b",
    re.IGNORECASE,
)
_ROLES: Final = ROLE_NOUNS | frozenset(
    """accountant administrator apprentice assistant associate attorney chef cleric clerk colonel consultant
    councillor counselor designer economist editor-in-chief epidemiologist fellow general geologist nurse
    investigator liaison lieutenant master member nutritionist paralegal partner pharmacist planner psychologist
    solicitor specialist statistician surveyor technician therapist trainer vice-president""".split()
)
_SMALL: Final = frozenset("of and for the to in on at de & / - \u2013".split())
_RANK: Final = re.compile(r"\s+(?:I{1,3}|IV|V|VI|A|B)$")
_TAIL: Final = re.compile(r"\s+(?:of|for|to|in|at|on)\s+|,|\s+and\s+", re.IGNORECASE)
_LONGEST_ROLE: Final = 300  # characters
_MOST_LINES: Final = 7  # of a name with its role
_FEWEST: Final = 2


class _Post(NamedTuple):
    """A person and a role, and where both stand."""

    start: int
    end: int
    name: str
    role: str


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield who has which role."""
    if passage.speaker or passage.modality in (Modality.CODE, Modality.TABLE):
        return
    rows = rows_of(passage.text)
    for posts in (list(_beside(rows)), list(_below(passage.text, rows)), list(_listed(passage.text))):
        for post in posts if len(posts) >= _FEWEST else ():
            yield Proposal(
                seq=passage.seq,
                start=post.start,
                end=post.end,
                subject=post.name,
                relation="has_role",
                object=post.role,
                pattern=PATTERN,
                confidence=confidence_of(PATTERN),
            )


def _beside(rows: Sequence[Row]) -> Iterator[_Post]:
    """A name and a role on one line."""
    for row in rows:
        match = _LINE.fullmatch(row.text)
        below = rows[row.place + 1] if row.place + 1 < len(rows) else None
        goes_on = below is not None and not below.is_apart and not _LINE.fullmatch(below.text)
        if match is not None and not goes_on and "\t" not in row.text and _fits(match["name"], match["role"]):
            yield _Post(row.start + match.start("name"), row.end, match["name"], match["role"])


def _below(text: str, rows: Sequence[Row]) -> Iterator[_Post]:
    """A name on a line of its own, and the role on the lines below it, up to a gap."""
    for row in rows:
        match = _NAMED.fullmatch(row.text) if row.is_apart else None
        if match is None:
            continue
        last = row.place
        while last + 1 < len(rows) and not rows[last + 1].is_apart:
            last += 1
        role = " ".join(text[row.end : rows[last].end].split())
        lines = [one.text for one in rows[row.place + 1 : last + 1]]
        if _is_double(match["name"], lines):
            continue
        if 0 < last - row.place < _MOST_LINES and _fits(match["name"], role):
            yield _Post(row.start + match.start("name"), rows[last].end, match["name"], role)


def _is_double(name: str, lines: Sequence[str]) -> bool:
    """Whether the lines are two roles one below the other rather than one that is broken."""
    return any(
        _fits(name, " ".join(lines[:at])) and _fits(name, rest) and len(rest.split()) > 2
        for at in range(1, len(lines))
        if (rest := " ".join(lines[at:]))
    )


def _listed(text: str) -> Iterator[_Post]:
    """Names and roles in one line that semicolons part: "Staff: Gail Dunn, Chief Counsel; Rob Finn, Analyst"."""
    for found in _LIST.finditer(text):
        members = list(re.finditer(r"[^;]+", found["members"]))
        for member in members if len(members) >= _FEWEST else ():
            match = _MEMBER.fullmatch(_unbroken(member.group()))
            if match is not None and _fits(match["name"], match["role"]):
                start = found.start("members") + member.start()
                yield _Post(start, start + len(member.group().rstrip()), match["name"], match["role"])


def _unbroken(member: str) -> str:
    """A member on one line, with the words that a line end broke joined."""
    return " ".join(re.sub(r"(?<=[a-z])[-\u00ad]\s*\n\s*(?=[a-z])|\u00ad\s*", "", member).split())


def _fits(name: str, role: str) -> bool:
    """Whether this is a person and a role: a role ends in a noun for one before its "of ..." and its first comma."""
    names = {word.casefold() for word in re.findall(r"[^\W\d_]+", name)}
    last = re.sub(r",?\s(?:Jr\.|Sr\.|II|III|IV)$", "", name).split()[-1]
    has_degree = last.isupper() and not name.isupper()
    head = _RANK.sub("", _TAIL.split(role, maxsplit=1)[0].strip())
    noun = head.split()[-1].casefold() if head else ""
    noun = noun if noun in _ROLES else noun.rsplit("/", 1)[-1]
    words = [word for word in role.replace("/", " ").split() if word.casefold() not in _SMALL]
    return (
        noun in _ROLES
        and not has_degree
        and names.isdisjoint(_ROLES)
        and not _NO_PERSON.search(name)
        and len(role) <= _LONGEST_ROLE
        and all(not word[0].islower() for word in words)
        and not re.search(r"[;:?!]|\b(?:and|of|for|the|to|in)$|(?<!Inc)(?<!Ltd)(?<!Co)\.$", role)
    )
