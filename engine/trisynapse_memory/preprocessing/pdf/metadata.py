"""What a file states of itself and its first page in, what may be believed of it out (case R33). Nothing is looked up.

Metadata is a claim: programs leave the name of a template in it, and publishers the DOI of another paper. A title
counts when the page shows it, an identifier when the page bears it; what the page does not bear out is told, not taken.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.pdf.outline import folded
from trisynapse_memory.text.identifiers import SCHEMES, find_identifiers, mentions, normalise

UNCONFIRMED_FLAG: Final = "metadata-unconfirmed"
MIN_TITLE_CHARS: Final = 4
SURE_TITLE_CHARS: Final = 8  # letters; a shorter title may stand in any text by chance
MIN_PAGE_CHARS: Final = 200  # letters; a page with fewer contradicts nothing
MAX_CLAIM_CHARS: Final = 100_000
MAX_AUTHORS: Final = 60
MAX_NAME_WORDS: Final = 5

_NO_TITLE: Final = re.compile(
    r"\(?untitled\)?|\(?unknown\)?|\(?anonymous\)?|\(?unspecified\)?|title|document\d*|microsoft (?:word|powerpoint).*|"
    r"powerpoint.*|slide ?\d+|presentation\d*|layout ?\d*|main|paper|article|print|scan\w*|"
    r"\S+\.(?:docx?|tex|dvi|pdf|indd|pptx?|odt|rtf|qxd|fm|xlsx?|html?|exe|ps|eps|ai|psd|wpd|txt|md|pub|jpe?g|png|tiff?)|[\W\d_]*|https?://\S+",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")  # padding of fixed fields, halves of characters
_NO_AUTHOR: Final = re.compile(
    r"\(?(?:anonymous|unknown|unspecified|author|user|admin(?:istrator)?|owner|root|guest|default|microsoft.*|"
    r"adobe.*|acrobat.*|latex.*|hp|dell|asus|lenovo)\)?",
    re.IGNORECASE,
)
_DATE: Final = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")
_REFERENCES: Final = re.compile(
    r"^\s*(?:\d{1,2}\.?\s+)?(?:references|bibliography|literature cited)\s*$", re.IGNORECASE | re.MULTILINE
)
_ABSTRACT: Final = re.compile(r"^\s*(?:abstract|a b s t r a c t|summary)\b", re.IGNORECASE | re.MULTILINE)
_STAMP: Final = re.compile(r"arXiv:\s*(\S+?)(?:v\d+)?\s*\[[\w.-]+\]\s*(\d{1,2}\s\w{3}\s\d{4})?", re.IGNORECASE)
_MONTHS: Final[tuple[str, ...]] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_MARKS: Final = re.compile(r"[\d*†‡§¶∗⋆♠♡♢♣⁎✉✱⊥∥‖#]+(?:\s?,\s?[\d*†‡§¶∗⋆]+)*|[\u00b9\u00b2\u00b3\u2070-\u207f]+")
_PARTS: Final = re.compile(r"\s*(?:[;,\t|·•]|\band\b|&|\s{2,})\s*")
_NAME: Final = re.compile(
    r"(?:[^\W\d_a-z][\w'\u2019.-]*|(?:de|la|del|der|den|van|von|bin|ibn|al|el|da|di|dos|du|le|ter|ten)\b)"
    r"(?:\s+(?:[^\W\d_a-z][\w'\u2019.-]*|(?:de|la|del|der|den|van|von|bin|ibn|al|el|da|di|dos|du|le|ter|ten)\b)){1,4}"
)
_BODY_WORD: Final = re.compile(
    r"\b(?:universit\w+|institut\w*|department|dept|school|college|laborator\w+|labs?|cent(?:er|re)|research|academy|"
    r"faculty|hospital|inc|ltd|gmbh|corp\w*|company|group|team|google|microsoft|meta|openai|amazon|ibm|nvidia|"
    r"deepmind|ministry|agency|foundation|journal|volume|vol|issue|proceedings|conference|abstract|usa|china|germany|"
    r"france|canada|uk|india|japan|street|avenue|road|report|draft|version|preprint|review|copyright|editor|accepted|"
    r"received|published)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file states of itself: claims all of them, ``claims`` the identifiers."""

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    claims: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class FrontPage:
    """The first page as a witness: its text, its largest text, and what stands between that and the first prose."""

    text: str
    largest: str
    masthead: str
    margins: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What may be believed, and a sentence about what may not."""

    title: str
    authors: tuple[str, ...]
    published: str
    identifiers: dict[str, str]
    doubt: str

    @classmethod
    def unseen(cls, stated: Stated) -> Checked:
        """Take over what a file states where page 1 cannot be read; identifiers nobody bears out are left out."""
        return cls(stated.title, stated.authors, stated.published, {}, "")


def read_stated(info: Mapping[str, str], packet: str) -> Stated:
    """Gather what a file states.

    Args:
        info: its document information, by name.
        packet: its metadata packet (XMP) as text; only identifiers are sought in it, by their form.
    """
    title = plain_title(info.get("title", ""))
    told = "\n".join(value for name, value in info.items() if name not in ("title", "producer", "creator"))
    claims = find_identifiers(f"{told}\n{packet}"[:MAX_CLAIM_CHARS])
    return Stated(
        title="" if len(title) < MIN_TITLE_CHARS or _NO_TITLE.fullmatch(title) else title,
        authors=_authors(info.get("author", "")),
        published=_published(info.get("creationDate", "")),
        claims=claims,
    )


def check_stated(stated: Stated, page: FrontPage) -> Checked:
    """Hold what a file states against its first page."""
    shown = folded(page.text)
    own = _own_identifiers(page, stated.claims or {})
    doubts = [
        f"the {_SAID[scheme]} {value}"
        for scheme, value in (stated.claims or {}).items()
        if scheme in ("doi", "arxiv", "pmid", "isbn") and own.get(scheme) != value and shown
    ]
    title, differs = _title(stated.title, page, shown)
    if differs:
        doubts.insert(0, f"the title '{stated.title[:120]}'")
    doubt = f"The file's metadata states {' and '.join(doubts)}, which page 1 does not bear out." if doubts else ""
    stamp = _STAMP.search(page.text)
    return Checked(
        title=title,
        authors=_checked_authors(stated.authors, page, shown),
        published=_stamped(stamp) or stated.published,
        identifiers=own,
        doubt=doubt,
    )


_SAID: Final = {"doi": "DOI", "arxiv": "arXiv id", "pmid": "PMID", "isbn": "ISBN"}


def plain_title(text: str) -> str:
    """Write a title on one line: ligatures as letters, a word that was broken at a line end whole again."""
    words = unicodedata.normalize("NFKC", text.replace("\u00ad\n", "").replace("\u00ad", ""))
    words = _CONTROL.sub("", words)
    return " ".join(re.sub(r"(?<=[a-z])[-\u2010]\n(?=[a-z])", "", words).split())


def _title(stated: str, page: FrontPage, shown: str) -> tuple[str, bool]:
    """The title to believe, and whether the page contradicts the stated one."""
    bare = folded(stated)
    if not stated or not page.largest:
        return stated or page.largest, False
    if bare in shown and (len(bare) >= SURE_TITLE_CHARS or bare in folded(page.largest)):
        return stated, False
    if len(shown) < MIN_PAGE_CHARS:
        return stated, False
    return page.largest, _agreement(stated, page.text) < 0.6


def _agreement(stated: str, text: str) -> float:
    """How many words of a title the page holds anywhere, in [0, 1]."""
    words = {folded(word) for word in stated.split() if len(folded(word)) > 3}
    known = {folded(word) for word in text.split()}
    return len(words & known) / len(words) if words else 1.0


def _own_identifiers(page: FrontPage, claims: Mapping[str, str]) -> dict[str, str]:
    """The identifiers that are those of the document: not those of works that it only mentions."""
    cut = _REFERENCES.search(page.text)
    text = page.text[: cut.start()] if cut else page.text
    own: dict[str, str] = {}
    for scheme in SCHEMES:
        found = mentions(scheme, text)
        edge = mentions(scheme, page.margins)
        if claims.get(scheme) in found:
            own[scheme] = claims[scheme]
        elif len(edge) == 1:
            own[scheme] = edge[0]
        elif len(found) == 1 and scheme != "arxiv" and not edge:
            own[scheme] = found[0]
    stamp = _STAMP.search(page.text)
    if stamp and (arxiv := normalise("arxiv", stamp[1])):
        own["arxiv"] = arxiv
    return own


def _checked_authors(stated: Sequence[str], page: FrontPage, shown: str) -> tuple[str, ...]:
    confirmed = tuple(name for name in stated if folded(name.replace(",", " ").split()[-1]) in shown)
    if confirmed and len(confirmed) == len(stated):
        return confirmed
    scholarly = _ABSTRACT.search(page.text) is not None
    return (_named(page.masthead) if scholarly else ()) or confirmed or tuple(stated)


def _named(masthead: str) -> tuple[str, ...]:
    """The authors under a title: the first lines that hold names and nothing else."""
    names: list[str] = []
    for line in unicodedata.normalize("NFKC", masthead).splitlines():
        if not line.strip():
            continue
        parts = [part.strip(" .,") for part in _PARTS.split(_MARKS.sub(";", line))]
        parts = [part for part in parts if part]
        if any(len(part.split()) > MAX_NAME_WORDS and part.istitle() for part in parts):
            return ()  # names that nothing parts: half of a list of authors is no list
        if not parts or not all(_NAME.fullmatch(part) and not _BODY_WORD.search(part) for part in parts):
            break
        names += parts
    return tuple(dict.fromkeys(names)) if len(names) <= MAX_AUTHORS else ()


def _authors(stated: str) -> tuple[str, ...]:
    """Names from the metadata; one with digits or an at sign is an account, not a person."""
    plain = _CONTROL.sub("", stated)
    names = [" ".join(name.split()) for name in re.split(r"\s*;\s*|\s+and\s+|\s*,\s*(?=\w+\s)", plain)]
    return tuple(
        name
        for name in names[:MAX_AUTHORS]
        if 3 <= len(name) <= 80 and not re.search(r"[\d@\\/]", name) and not _NO_AUTHOR.fullmatch(name)
    )


def _published(stated: str) -> str:
    """The creation date as ISO, as far as it is stated and possible."""
    match = _DATE.match(stated)
    if match is None or not 1980 <= int(match[1]) <= 2100:
        return ""
    parts = [match[1]]
    for part, highest in ((match[2], 12), (match[3], 31)):
        if part is None or not 1 <= int(part) <= highest:
            break
        parts.append(part)
    return "-".join(parts)


def _stamped(stamp: re.Match[str] | None) -> str:
    """The day in an arXiv stamp, as ISO."""
    if stamp is None or not stamp[2]:
        return ""
    day, month, year = stamp[2].split()
    place = _MONTHS.index(month.casefold()) + 1 if month.casefold() in _MONTHS else 0
    return f"{year}-{place:02}-{int(day):02}" if place else ""
