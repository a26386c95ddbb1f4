"""What a catalogue or a page says of a document in, title, authors, date and names out. It is a claim, never a fact.

Case R33: an attribution may belong to another document. ``fits`` says whether the document bears it out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, Protocol, cast

from msgspec import Struct

from trisynapse_memory.preprocessing.trees import Element, parse, walk
from trisynapse_memory.text.identifiers import normalise

MAX_AUTHORS: Final = 500  # a paper of a collider has 3,000; a byline of that length names nobody
_WORD: Final = re.compile(r"\w+")
_SURE_LETTERS: Final = 12  # a shorter row of letters may stand across two words of anything
_FITTING_SHARE: Final = 0.75  # of the words of a title that the first page has to show
_ATOM: Final = "{http://www.w3.org/2005/Atom}"
_ARXIV: Final = "{http://arxiv.org/schemas/atom}"


class Attribution(Struct, frozen=True, kw_only=True):
    """What ``origin`` (``arXiv``, ``Crossref``, ``the page``) says of a document; what it does not say is empty.

    ``published`` is as much of an ISO date as is known. ``pdf_url`` is where it says that the document lies.
    """

    origin: str
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    identifiers: dict[str, str] = {}
    pdf_url: str = ""


def fits(attribution: Attribution, text: str) -> bool:
    """Tell whether a document shows the title it is said to have.

    Args:
        attribution: what is said of it.
        text: the title and the beginning of the document.

    Returns:
        True where the title stands there letter by letter, whatever lies between them, or three of four of its words
        close together; also for a title without words, which says nothing.
    """
    wanted = _words(attribution.title)
    if not wanted:
        return True
    shown = _words(text)
    # Spread letters, hyphens at line ends and formulas tear words, but not the order of letters.
    letters = "".join(wanted)
    if len(letters) >= _SURE_LETTERS and letters in "".join(shown):
        return True
    return _most_together(set(wanted), shown, 2 * len(wanted) + 4) >= _FITTING_SHARE * len(set(wanted))


def _words(text: str) -> list[str]:
    """The words of a text without case, accents and ligatures, which PDFs write in many ways."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return _WORD.findall("".join(char for char in plain if not unicodedata.combining(char)))


def _most_together(wanted: set[str], words: Sequence[str], window: int) -> int:
    """How many of some words stand within a window of so many words, at the best place."""
    counts: Counter[str] = Counter()
    most = 0
    for place, word in enumerate(words):
        counts[word] += word in wanted
        if place >= window:
            counts[words[place - window]] -= words[place - window] in wanted
        most = max(most, sum(count > 0 for count in counts.values())) if word in wanted else most
    return most


def from_atom(content: bytes) -> Attribution | None:
    """Read the answer of arXiv's catalogue; None where it knows no such paper."""
    root = xml_tree(content)
    entry = root.find(f"{_ATOM}entry") if root is not None else None
    if entry is None or "/api/errors" in _text(entry.find(f"{_ATOM}id")):
        return None
    names = {
        "arxiv": normalise("arxiv", _text(entry.find(f"{_ATOM}id"))),
        "doi": normalise("doi", _text(entry.find(f"{_ARXIV}doi"))),
    }
    return _attribution(
        "arXiv",
        title=_text(entry.find(f"{_ATOM}title")),
        authors=(_text(one) for one in entry.findall(f"{_ATOM}author/{_ATOM}name")),
        published=_text(entry.find(f"{_ATOM}published"))[:10],
        identifiers=names,
    )


def from_csl(content: bytes) -> Attribution | None:
    """Read CSL JSON as the registries of DOIs give it; None where it is something else."""
    try:
        read: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    row = cast("dict[str, Any]", read)
    titles, people = _as_list(row.get("title")), _as_list(row.get("author"))
    return _attribution(
        "the DOI registry",
        title=_plain(str(titles[0])) if titles else "",
        authors=(_person(cast("dict[str, Any]", one)) for one in people if isinstance(one, dict)),
        published=_issued(row.get("issued") or row.get("published")),
        identifiers={"doi": normalise("doi", str(row.get("DOI") or ""))},
    )


def from_pubmed(content: bytes) -> tuple[Attribution | None, str]:
    """Read PubMed's XML: what it says of an article, and the number of its full text in PMC, or an empty string."""
    root = xml_tree(content)
    article = root.find(".//PubmedArticle") if root is not None else None
    if article is None:
        return None, ""
    names = {one.get("IdType") or "": _text(one) for one in article.findall("PubmedData/ArticleIdList/ArticleId")}
    authors = article.findall(".//AuthorList/Author")
    found = _attribution(
        "PubMed",
        title=_text(article.find(".//ArticleTitle")).rstrip("."),
        authors=(_joined(one, "ForeName", "LastName") or _text(one.find("CollectiveName")) for one in authors),
        published=_date_of(article.find(".//ArticleDate")) or _date_of(article.find(".//JournalIssue/PubDate")),
        identifiers={
            "pmid": normalise("pmid", _text(article.find(".//PMID"))),
            "doi": normalise("doi", names.get("doi", "")),
        },
    )
    return found, re.sub(r"\D", "", names.get("pmc", ""))


def from_page(text: str) -> Attribution | None:
    """Read the ``citation_*`` elements that publishers put into pages for catalogues; None where there is no title."""
    root = parse(text)
    said: dict[str, list[str]] = {}
    for one in root.iter("meta") if root is not None else ():
        name = (one.get("name") or one.get("property") or "").strip().lower()
        if name.startswith(("citation_", "dc.", "dcterms.")) and (value := (one.get("content") or "").strip()):
            said.setdefault(name.replace("dcterms.", "dc."), []).append(value)

    def first(*names: str) -> str:
        return next((said[name][0] for name in names if name in said), "")

    if not first("citation_title"):
        return None
    names = {scheme: normalise(scheme, first(f"citation_{key}")) for scheme, key in _META_NAMES.items()}
    return _attribution(
        "the page",
        title=first("citation_title"),
        authors=(_turned(name) for name in said.get("citation_author", said.get("dc.creator", []))),
        published=_iso(first("citation_publication_date", "citation_date", "citation_online_date", "dc.date")),
        identifiers=names,
        pdf_url=first("citation_pdf_url"),
    )


def xml_tree(content: bytes) -> Element | None:
    """Read XML that came from outside: no entity is expanded, nothing is loaded, broken markup is repaired."""
    etree = cast("_Etree", import_module("lxml.etree"))
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        huge_tree=False,
    )
    try:
        return etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError):
        return None


class _Etree(Protocol):
    LxmlError: type[Exception]

    def XMLParser(self, **options: bool) -> object: ...  # noqa: N802 - lxml's name

    def fromstring(self, markup: bytes, parser: object) -> Element | None: ...


_META_NAMES: Final[Mapping[str, str]] = {
    "doi": "doi",
    "arxiv": "arxiv_id",
    "pmid": "pmid",
    "isbn": "isbn",
    "issn": "issn",
}
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _attribution(
    origin: str,
    *,
    title: str,
    authors: Iterable[str],
    published: str,
    identifiers: Mapping[str, str],
    pdf_url: str = "",
) -> Attribution | None:
    words = " ".join(title.split())
    people = tuple(dict.fromkeys(name for one in authors if (name := " ".join(one.split()))))
    names = {scheme: value for scheme, value in identifiers.items() if value}
    if not words and not names:
        return None
    return Attribution(
        origin=origin,
        title=words,
        authors=people if len(people) <= MAX_AUTHORS else people[:1],
        published=published,
        identifiers=names,
        pdf_url=pdf_url,
    )


def _text(element: Element | None) -> str:
    """All words below an element; a title may hold italics and formulas."""
    return "" if element is None else " ".join("".join(_in_order(element)).split())


def _in_order(element: Element) -> Iterator[str]:
    for event, one in walk(element, "start", "end"):
        if event == "start":
            yield one.text or ""
        elif one is not element:
            yield one.tail or ""


def _joined(element: Element, *tags: str) -> str:
    return " ".join(word for tag in tags if (word := _text(element.find(tag))))


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [] if value is None else [value]


def _person(row: Mapping[str, Any]) -> str:
    parts = [str(row[key]) for key in ("given", "non-dropping-particle", "family") if row.get(key)]
    return " ".join(parts) or str(row.get("literal") or row.get("name") or "")


def _turned(name: str) -> str:
    """``Foucault, Léon`` is Léon Foucault."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and given.strip() and "," not in given else name


def _plain(title: str) -> str:
    return re.sub(r"</?(?:i|b|em|sub|sup|scp|jats:\w+)\b[^<>]{0,60}>", "", title)


def _issued(value: Any) -> str:
    """``{"date-parts": [[2024, 1, 2]]}`` is 2024-01-02; as much of it as is there."""
    rows: Any = cast("dict[str, Any]", value).get("date-parts") if isinstance(value, dict) else None
    first: Any = cast("list[Any]", rows)[0] if isinstance(rows, list) and rows else None
    parts = cast("list[Any]", first)[:3] if isinstance(first, list) else []
    return _iso("-".join(str(part) for part in parts))


def _iso(text: str) -> str:
    """As much of an ISO date as a text begins with: ``2024``, ``2024-03``, ``2024-03-01``."""
    match = re.match(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)", text.strip())
    if match is None:
        return ""
    year, month, day = match.groups()
    if not month or not 1 <= int(month) <= 12:
        return year
    return f"{year}-{int(month):02}-{int(day):02}" if day and 1 <= int(day) <= 31 else f"{year}-{int(month):02}"


def _date_of(element: Element | None) -> str:
    if element is None:
        return ""
    month = _text(element.find("Month"))
    if month[:3].lower() in _MONTHS:
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    parts = (_text(element.find("Year")), month, _text(element.find("Day")))
    return _iso("-".join(part for part in parts if part))
