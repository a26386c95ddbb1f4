"""A text in, the names that the world's catalogues give a work out: DOI, arXiv id, PMID, ISBN, ISSN. None is looked up.

One written form per scheme, so that two mentions of a work are equal as strings. A number without a sign of what it is
(``PMID``, ``ISBN``, ``arXiv``) is a number: a wrong name is worse than none (case R33).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import unquote

SCHEMES: Final = ("doi", "arxiv", "pmid", "isbn", "issn")
"""What is found in running text; ``normalise`` also takes ``url`` and ``citekey``, which have no form of their own."""

# A name of ISO 26324 may hold any character. In running text it ends at white space, quotes and angle brackets; what
# programs break after the slash goes on with a digit.
_DOI: Final = re.compile(r"(?<![\w.])10\.\d{4,9}(?:\.\d{1,9})*/(?:\s{1,2}(?=\d))?[!#-;=?-~]{1,200}")
_WHOLE_DOI: Final = re.compile(r"10\.\d{4,9}(?:\.\d{1,9})*/\S{1,300}")
_DOI_SIGN: Final = re.compile(
    r"(?:https?://)?(?:dx\.|www\.)?doi\.org/|doi\s*:?\s*(?=10\.)|info:doi/|urn:doi:", re.IGNORECASE
)
_DOI_PAGE: Final = re.compile(r"/(?:full|abstract|pdf|epdf|meta|html|fulltext|summary|references)/?$", re.IGNORECASE)
_PREPRINT_PAGE: Final = re.compile(r"v\d{1,2}(?:\.(?:full|abstract|supplementary)[\w.-]*)?$", re.IGNORECASE)
_ARXIV_DOI: Final = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)

_NEW_ARXIV: Final = r"\d{4}\.\d{4,5}"
_ARCHIVES: Final = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|"
    "dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math|math-ph|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|physics|"
    "plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_OLD_ARXIV: Final = rf"(?:{_ARCHIVES})(?:\.[A-Z]{{2}})?/\d{{7}}"
_ARXIV: Final = re.compile(
    rf"(?:(?<![a-z])arxiv(?:\s*preprint)?(?:\s*arxiv)?\s*[:.\s]\s*|arxiv\.org/(?:abs|pdf|html|e-print)/)"
    rf"(?P<new>{_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d{{1,3}})?(?![\w/]|\.\d)"
    rf"|(?<![\w./-])(?P<old>{_OLD_ARXIV})(?:v\d{{1,3}})?(?![\w/]|\.\d)",
    re.IGNORECASE,
)
_WHOLE_ARXIV: Final = re.compile(
    rf"(?:arxiv\s*:\s*|(?:https?://)?(?:\w+\.)?arxiv\.org/(?:abs|pdf|html|e-print)/)?"
    rf"(?P<id>{_NEW_ARXIV}|{_OLD_ARXIV})(?:v\d{{1,3}})?(?:\.pdf)?(?:\s*\[[\w.-]+\])?",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(r"\.[a-z]{2}(?=/)", re.IGNORECASE)  # math.GT/0309136 and math/0309136 are one paper

_PMID: Final = re.compile(
    r"(?<![a-z])(?:PMID|PubMed\s+ID)\s*[:#]?\s*(\d{1,8})(?!\w)|"
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,8})(?!\w)",
    re.IGNORECASE,
)
_ISBN: Final = re.compile(
    r"(?<![a-z])[ep]?-?ISBN(?:[\s-]*1[03])?(?:\s*\([\w -]{1,20}\))?\s*:?\s*((?:97[89][\s\u2010-\u2013-]?)?"
    r"\d(?:[\s\u2010-\u2013-]?\d){8}[\s\u2010-\u2013-]?[\dX])(?!\w)",
    re.IGNORECASE,
)
_ISSN: Final = re.compile(
    r"(?<![a-z])[ep]?-?ISSN(?:\s*\([\w -]{1,20}\))?\s*:?\s*(\d{4}\s?[\u2010-\u2013-]?\s?\d{3}[\dX])(?!\w)",
    re.IGNORECASE,
)
_CLOSERS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


def find_identifiers(text: str) -> dict[str, str]:
    """Return the first name of each scheme that a text bears, in its one written form.

    Args:
        text: running text of any kind; bare numbers count only behind the sign of their scheme.

    Returns:
        Scheme to value: ``doi`` in lower case, ``arxiv`` without version, ``pmid`` digits, ``isbn`` thirteen digits,
        ``issn`` with its hyphen. Schemes that are not there are left out.
    """
    return {scheme: value for scheme in SCHEMES if (value := next(iter(mentions(scheme, text)), ""))}


def mentions(scheme: str, text: str) -> tuple[str, ...]:
    """Return all different names of one scheme in a text, in their one written form and in the order of the text."""
    return tuple(dict.fromkeys(value for found in _FINDERS[scheme](text) if (value := normalise(scheme, found))))


def normalise(scheme: str, value: str) -> str:
    """Write one name in the form that all mentions of it share.

    Args:
        scheme: ``doi``, ``arxiv``, ``pmid``, ``isbn`` or ``issn``; of any other scheme the value is only stripped.
        value: a name, with or without the address or the sign that people put before it.

    Returns:
        The name, or an empty string for what cannot be one (a wrong check digit, a month 13).
    """
    writer = _WRITERS.get(scheme)
    return writer(value.strip()) if writer else value.strip()


def _dois(text: str) -> Iterator[str]:
    for match in _DOI.finditer(text.replace("%2F", "/").replace("%2f", "/") if "%2" in text else text):
        yield _without_tail("".join(match[0].split()))


def _without_tail(value: str) -> str:
    """A name out of running text without the marks of the sentence around it; a bracket it opened itself stays."""
    while value:
        last = value[-1]
        opener = _CLOSERS.get(last)
        if (opener is None and last not in ".,;:!?'*`|\\&-") or (opener and value.count(opener) >= value.count(last)):
            break
        value = value[:-1]
    # "(10.1000/x)[3]" and "10.1000/x),": what was never opened ends the name.
    depth = 0
    for place, char in enumerate(value):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return _without_tail(value[:place])
    return value


def _arxiv_ids(text: str) -> Iterator[str]:
    for match in _ARXIV.finditer(text):
        yield match["new"] or match["old"]


def _matched(pattern: re.Pattern[str]) -> Callable[[str], Iterator[str]]:
    def find(text: str) -> Iterator[str]:
        for match in pattern.finditer(text):
            yield next(group for group in match.groups() if group)

    return find


def _doi(value: str) -> str:
    bare = _DOI_SIGN.sub("", unquote(value) if "%" in value else value, count=1).strip()
    if "://" in bare:  # a publisher's page that carries the name in its address
        found = _DOI.search(bare)
        bare = _without_tail(re.split(r"[?#]", found[0])[0]) if found else ""
    bare = _DOI_PAGE.sub("", bare).rstrip("/")
    if bare.startswith("10.1101/"):
        bare = _PREPRINT_PAGE.sub("", bare)
    arxiv = _ARXIV_DOI.fullmatch(bare)
    if arxiv:
        own = _arxiv(arxiv[1])
        return f"10.48550/arxiv.{own}" if own else ""
    return bare.lower() if _WHOLE_DOI.fullmatch(bare) else ""


def _arxiv(value: str) -> str:
    by_doi = _ARXIV_DOI.fullmatch(_DOI_SIGN.sub("", value, count=1))
    match = _WHOLE_ARXIV.fullmatch(by_doi[1] if by_doi else value)
    if match is None:
        return ""
    own = _SUBJECT.sub("", match["id"].lower())
    stamp = own.rpartition("/")[2]
    if not 1 <= int(stamp[2:4]) <= 12:
        return ""
    if "/" in own:
        return own
    # Since April 2007 by month; a fifth digit since January 2015.
    return own if int(stamp[:4]) >= 704 and (len(own) == 10) == (int(stamp[:2]) >= 15) else ""


def _pmid(value: str) -> str:
    digits = re.sub(r"^(?:PMID\s*:?\s*|https?://pubmed\.ncbi\.nlm\.nih\.gov/)|/$", "", value, flags=re.IGNORECASE)
    return digits if re.fullmatch(r"[1-9]\d{0,7}", digits) else ""


def _isbn(value: str) -> str:
    digits = re.sub(r"^[ep]?-?ISBN(?:-1[03])?:?|[\s\u2010-\u2013-]", "", value, flags=re.IGNORECASE).upper()
    if re.fullmatch(r"\d{9}[\dX]", digits):
        weighted = sum((10 - place) * (10 if char == "X" else int(char)) for place, char in enumerate(digits))
        return _isbn_of("978" + digits[:9]) if weighted % 11 == 0 else ""
    return digits if re.fullmatch(r"97[89]\d{10}", digits) and _isbn_of(digits[:12]) == digits else ""


def _isbn_of(twelve: str) -> str:
    total = sum(int(char) * (3 if place % 2 else 1) for place, char in enumerate(twelve))
    return f"{twelve}{-total % 10}"


def _issn(value: str) -> str:
    digits = re.sub(r"^[ep]?-?ISSN:?|[\s\u2010-\u2013-]", "", value, flags=re.IGNORECASE).upper()
    if not re.fullmatch(r"\d{7}[\dX]", digits):
        return ""
    weighted = sum((8 - place) * (10 if char == "X" else int(char)) for place, char in enumerate(digits))
    return f"{digits[:4]}-{digits[4:]}" if weighted % 11 == 0 else ""


_FINDERS: Final[dict[str, Callable[[str], Iterator[str]]]] = {
    "doi": _dois,
    "arxiv": _arxiv_ids,
    "pmid": _matched(_PMID),
    "isbn": _matched(_ISBN),
    "issn": _matched(_ISSN),
}
_WRITERS: Final[dict[str, Callable[[str], str]]] = {
    "doi": _doi,
    "arxiv": _arxiv,
    "pmid": _pmid,
    "isbn": _isbn,
    "issn": _issn,
}
