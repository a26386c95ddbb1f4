"""The address of a paper in, its PDF with what catalogues say of it out; other addresses are none of its business.

She gives the page she knows (an abstract, a DOI, a forum); what is read is the paper itself. Where the paper cannot be
had, its page is what there is, and a note says why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol
from urllib.parse import parse_qs, quote, unquote, urljoin, urlsplit

from trisynapse_memory.errors import OfflineError, SourceError, TrisynapseError
from trisynapse_memory.preprocessing.charsets import decode, meta_charset
from trisynapse_memory.preprocessing.fetching import Fetched
from trisynapse_memory.preprocessing.web.attributions import Attribution, from_atom, from_csl, from_page, from_pubmed
from trisynapse_memory.text.identifiers import normalise

PDF: Final = "application/pdf"
_CSL: Final = "application/vnd.citationstyles.csl+json"
_HTML: Final = "text/html,application/xhtml+xml;q=0.9,application/pdf;q=0.9,*/*;q=0.5"
_ENTREZ: Final = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
_ARXIV_PATH: Final = re.compile(r"/(?:abs|pdf|html|format|e-print|ps)/(.+?)(?:\.pdf)?/?$")
_ACL_PATH: Final = re.compile(r"/(?:anthology/)?([A-Z]\d{2}-\d{4}|\d{4}\.[\w-]+\.\d+)(?:\.pdf|\.bib)?/?$")
_PMC_PATH: Final = re.compile(r"/(?:pmc/)?articles/PMC(\d+)", re.IGNORECASE)
_PUBMED_PATH: Final = re.compile(r"/(?:pubmed/)?(\d{1,8})/?$")
CATALOGUES: Final[Mapping[str, tuple[str, ...]]] = {
    "arxiv": ("arxiv.org", "export.arxiv.org"),
    "doi": ("doi.org",),
    "pmid": ("eutils.ncbi.nlm.nih.gov", "pubmed.ncbi.nlm.nih.gov"),
    "pmc": ("eutils.ncbi.nlm.nih.gov",),
    "openreview": ("openreview.net",),
    "acl": ("aclanthology.org",),
}
"""The hosts that are asked for a paper of each scheme; a DOI leads to its publisher besides."""
_ARXIV_DOI: Final = "10.48550/arxiv."


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper by the name that its address gives it; ``scheme`` is arxiv, doi, pmid, pmc, openreview or acl."""

    scheme: str
    name: str


@dataclass(frozen=True, slots=True)
class WebPage:
    """What an address led to.

    ``asked_url`` is the address that gave the content, ``attribution`` what somebody says of it, ``notes`` what did not
    work on the way.
    """

    fetched: Fetched
    asked_url: str
    attribution: Attribution | None = None
    notes: tuple[str, ...] = ()


class Ask(Protocol):
    """Fetches one address of several; ``accept`` is the media type that is wanted."""

    def __call__(self, url: str, accept: str = "") -> Fetched:
        """Return what is there, or raise a ``SourceError``."""
        ...


def paper_of(url: str) -> Paper | None:
    """Tell which paper an address names, or None."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    host, path = (parts.hostname or "").removeprefix("www."), unquote(parts.path)
    for fitting, find in _SITES:
        if host == fitting or host.endswith(f".{fitting}"):
            return find(path, parse_qs(parts.query))
    return None


def read_paper(paper: Paper, url: str, ask: Ask) -> WebPage:
    """Fetch a paper and what is said of it.

    Args:
        paper: what ``paper_of`` found in the address.
        url: the address as she gave it.
        ask: fetches one address.

    Raises:
        SourceError: neither the paper nor its page can be had.
        OfflineError: nothing may leave this machine.
    """
    return _READERS[paper.scheme](paper, url, ask)


def read_page(url: str, ask: Ask) -> WebPage:
    """Fetch any page; where it says in its head that it is that of a paper on the same site, the paper is fetched."""
    page = ask(url, _HTML)
    return _from_landing(page, url, ask, None, anywhere=False)


@dataclass(slots=True)
class _Found:
    """What was learnt on the way to a paper."""

    attribution: Attribution | None = None
    notes: list[str] = field(default_factory=list[str])

    def learn(self, catalogue: str, look: Callable[[], Attribution | None]) -> None:
        """Ask a catalogue; one that does not answer costs a note, not the paper."""
        try:
            self.attribution = look()
        except OfflineError:
            raise
        except TrisynapseError as error:
            self.notes.append(f"{catalogue} gave no metadata: {error.problem}")
            return
        if self.attribution is None:
            self.notes.append(f"{catalogue} knows nothing of it")


def _read_arxiv(paper: Paper, url: str, ask: Ask) -> WebPage:
    asked = f"https://export.arxiv.org/api/query?id_list={quote(paper.name)}"
    page = f"https://arxiv.org/abs/{paper.name}"
    return _read_known(f"https://arxiv.org/pdf/{paper.name}", page, ask, "arXiv", lambda: from_atom(ask(asked).content))


def _read_doi(paper: Paper, url: str, ask: Ask) -> WebPage:
    if paper.name.startswith(_ARXIV_DOI):
        return _read_arxiv(Paper("arxiv", paper.name.removeprefix(_ARXIV_DOI)), url, ask)
    address = f"https://doi.org/{quote(paper.name, safe='/:;()._-')}"
    found = _Found()
    found.learn("the DOI registry", lambda: from_csl(ask(address, _CSL).content))
    page = _from_landing(ask(address, _HTML), address, ask, found.attribution, anywhere=True)
    return replace(page, notes=(*found.notes, *page.notes))


def _read_pubmed(paper: Paper, url: str, ask: Ask) -> WebPage:
    found, pmc = _Found(), ""

    def look() -> Attribution | None:
        nonlocal pmc
        attribution, pmc = from_pubmed(ask(f"{_ENTREZ}?db=pubmed&id={paper.name}&retmode=xml").content)
        return attribution

    found.learn("PubMed", look)
    if pmc and (page := _full_text(pmc, ask, found)) is not None:
        return page
    address = f"https://pubmed.ncbi.nlm.nih.gov/{paper.name}/"
    return WebPage(ask(address, _HTML), address, found.attribution, tuple(found.notes))


def _read_pmc(paper: Paper, url: str, ask: Ask) -> WebPage:
    found = _Found()
    return _full_text(paper.name, ask, found) or replace(read_page(url, ask), notes=tuple(found.notes))


def _full_text(pmc: str, ask: Ask, found: _Found) -> WebPage | None:
    """The article as JATS, where its publisher lets PMC hand it out."""
    address = f"{_ENTREZ}?db=pmc&id={pmc}&retmode=xml"
    try:
        page = ask(address)
    except SourceError as error:
        found.notes.append(f"PMC did not give the full text: {error.problem}")
        return None
    if b"<body" not in page.content and not page.is_unchanged:
        found.notes.append("PMC may not give the full text away; this is the page of the article")
        return None
    return WebPage(replace(page, filename=f"PMC{pmc}.xml"), address, found.attribution, tuple(found.notes))


def _read_openreview(paper: Paper, url: str, ask: Ask) -> WebPage:
    page = f"https://openreview.net/forum?id={quote(paper.name)}"
    pdf = f"https://openreview.net/pdf?id={quote(paper.name)}"
    return _read_known(pdf, page, ask, "OpenReview", lambda: _said_by(ask(page, _HTML)))


def _read_acl(paper: Paper, url: str, ask: Ask) -> WebPage:
    page = f"https://aclanthology.org/{paper.name}/"
    pdf = f"https://aclanthology.org/{paper.name}.pdf"
    return _read_known(pdf, page, ask, "the ACL Anthology", lambda: _said_by(ask(page, _HTML)))


def _read_known(pdf: str, page: str, ask: Ask, name: str, look: Callable[[], Attribution | None]) -> WebPage:
    """A site where the address of the PDF follows from that of the page, and a catalogue says what the paper is."""
    paper, trouble = _pdf_at(pdf, ask)
    found = _Found()
    if paper is not None and paper.is_unchanged:
        return WebPage(paper, pdf)
    found.learn(name, look)
    if paper is not None:
        return WebPage(paper, pdf, found.attribution, tuple(found.notes))
    return WebPage(ask(page, _HTML), page, found.attribution, (trouble, *found.notes))


def _pdf_at(url: str, ask: Ask) -> tuple[Fetched | None, str]:
    """The PDF at an address; where there is none to be had, why."""
    try:
        paper = ask(url, PDF)
    except SourceError as error:
        return None, f"its PDF could not be had: {error.problem}"
    if paper.media_type != PDF and not paper.is_unchanged:
        return None, f"its PDF could not be had: '{urlsplit(url).hostname}' sent something else"
    return paper, ""


def _from_landing(page: Fetched, url: str, ask: Ask, known: Attribution | None, *, anywhere: bool) -> WebPage:
    """The paper that a landing page leads to, else the page itself."""
    said = _said_by(page) if page.media_type == "text/html" else None
    attribution = known or said
    own = WebPage(page, url, attribution)
    if page.media_type == PDF or page.is_unchanged or said is None or not said.pdf_url:
        return own
    pdf = urljoin(page.final_url, said.pdf_url)
    if not anywhere and _site(pdf) != _site(page.final_url):
        return own
    paper, trouble = _pdf_at(pdf, ask)
    return replace(own, notes=(trouble,)) if paper is None else WebPage(paper, pdf, attribution)


def _said_by(page: Fetched) -> Attribution | None:
    text, _ = decode(page.content, (page.charset, meta_charset(page.content[:4096])))
    return from_page(text)


def _site(url: str) -> str:
    """The end of a host that its owner has: ``journals.example.org`` and ``pdf.example.org`` are one site."""
    return ".".join((urlsplit(url).hostname or "").split(".")[-2:])


def _arxiv_paper(path: str, query: Mapping[str, list[str]]) -> Paper | None:
    match = _ARXIV_PATH.match(path)
    if match is None or not normalise("arxiv", match[1]):
        return None
    return Paper("arxiv", match[1])


def _doi_paper(path: str, query: Mapping[str, list[str]]) -> Paper | None:
    name = normalise("doi", path.strip("/"))
    return Paper("doi", name) if name else None


def _pubmed_paper(path: str, query: Mapping[str, list[str]]) -> Paper | None:
    if pmc := _PMC_PATH.match(path):
        return Paper("pmc", pmc[1])
    match = _PUBMED_PATH.fullmatch(path)
    return Paper("pmid", match[1]) if match and (normalise("pmid", match[1])) else None


def _openreview_paper(path: str, query: Mapping[str, list[str]]) -> Paper | None:
    name = next(iter(query.get("id", [])), "")
    is_paper = path.rstrip("/") in ("/forum", "/pdf") and re.fullmatch(r"[\w-]{4,40}", name)
    return Paper("openreview", name) if is_paper else None


def _acl_paper(path: str, query: Mapping[str, list[str]]) -> Paper | None:
    match = _ACL_PATH.match(path)
    return Paper("acl", match[1]) if match else None


_SITES: Final[tuple[tuple[str, Callable[[str, Mapping[str, list[str]]], Paper | None]], ...]] = (
    ("arxiv.org", _arxiv_paper),
    ("doi.org", _doi_paper),
    ("ncbi.nlm.nih.gov", _pubmed_paper),
    ("openreview.net", _openreview_paper),
    ("aclanthology.org", _acl_paper),
    ("aclweb.org", _acl_paper),
)
_READERS: Final[Mapping[str, Callable[[Paper, str, Ask], WebPage]]] = {
    "arxiv": _read_arxiv,
    "doi": _read_doi,
    "pmid": _read_pubmed,
    "pmc": _read_pmc,
    "openreview": _read_openreview,
    "acl": _read_acl,
}
