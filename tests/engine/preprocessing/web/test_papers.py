"""Addresses of papers lead to the paper and to what catalogues say of it; a catalogue that fails costs a note only."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.errors import OfflineError, SourceDeniedError, SourceMissingError
from trisynapse_memory.preprocessing.fetching import Fetched
from trisynapse_memory.preprocessing.web.attributions import (
    Attribution,
    fits,
    from_atom,
    from_csl,
    from_page,
    from_pubmed,
)
from trisynapse_memory.preprocessing.web.papers import Paper, paper_of, read_page, read_paper

PDF = b"%PDF-1.7 the paper"
ATOM = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title><entry>
<id>http://arxiv.org/abs/2005.11401v4</id><published>2020-05-22T21:34:34Z</published>
<title>Retrieval-Augmented Generation for
  Knowledge-Intensive NLP Tasks</title><summary>s</summary>
<author><name>Patrick Lewis</name></author><author><name>Ethan Perez</name></author>
<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/RAG</arxiv:doi></entry></feed>"""
PUBMED = b"""<?xml version="1.0"?><!DOCTYPE PubmedArticleSet [<!ENTITY x "boom">]>
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>31452104</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2019</Year><Month>Aug</Month></PubDate></JournalIssue></Journal>
<ArticleTitle>Light in <i>rotating</i> mirrors &x;.</ArticleTitle>
<AuthorList><Author><LastName>Foucault</LastName><ForeName>L\xc3\xa9on</ForeName></Author>
<Author><CollectiveName>The Mirror Group</CollectiveName></Author></AuthorList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/Mirror</ArticleId><ArticleId IdType="pmc">PMC123</ArticleId>
</ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>"""
CSL = json.dumps(
    {
        "title": "Speed of <i>Light</i>",
        "author": [{"given": "L\u00e9on", "family": "Foucault"}, {"literal": "The Group"}],
        "issued": {"date-parts": [[1862, 9]]},
        "DOI": "10.1000/LIGHT",
    }
).encode()
LANDING = b"""<html><head><title>x</title><meta name="citation_title" content="Speed of Light">
<meta name="citation_author" content="Foucault, L&eacute;on"><meta name="citation_author" content="Ann Smith">
<meta name="citation_publication_date" content="1862/09/22"><meta name="citation_doi" content="doi:10.1000/light">
<meta name="citation_pdf_url" content="/files/light.pdf"></head><body><p>Abstract.</p></body></html>"""


class Web:
    """Stands for the network: what lies where, and what was asked."""

    def __init__(self, **pages):
        self.pages = pages.get("pages", {})
        self.asked = []

    def __call__(self, url, accept=""):
        self.asked.append((url, accept.partition(",")[0]))
        found = self.pages.get((url, accept.partition(",")[0])) or self.pages.get(url)
        if found is None:
            raise SourceMissingError("no such page (status 404).")
        if isinstance(found, Exception):
            raise found
        kind = "application/pdf" if found.startswith(b"%PDF") else "text/html"
        return Fetched(found, url, kind, "", "name")


@pytest.mark.parametrize(
    ("url", "paper"),
    [
        ("https://arxiv.org/abs/2005.11401v4", Paper("arxiv", "2005.11401v4")),
        ("http://www.arxiv.org/pdf/2005.11401.pdf", Paper("arxiv", "2005.11401")),
        ("https://export.arxiv.org/abs/math.GT/0309136", Paper("arxiv", "math.GT/0309136")),
        ("https://doi.org/10.1000/LIGHT", Paper("doi", "10.1000/light")),
        (
            "https://dx.doi.org/10.1002/(sici)1097-0258(19980815)17%3A15",
            Paper("doi", "10.1002/(sici)1097-0258(19980815)17:15"),
        ),
        ("https://pubmed.ncbi.nlm.nih.gov/31452104/", Paper("pmid", "31452104")),
        ("https://www.ncbi.nlm.nih.gov/pubmed/31452104", Paper("pmid", "31452104")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7256/", Paper("pmc", "7256")),
        ("https://openreview.net/forum?id=rJl-xy_9&noteId=2", Paper("openreview", "rJl-xy_9")),
        ("https://aclanthology.org/2020.acl-main.1.pdf", Paper("acl", "2020.acl-main.1")),
        ("https://www.aclweb.org/anthology/P19-1001/", Paper("acl", "P19-1001")),
        ("https://arxiv.org/list/cs.CL/recent", None),
        ("https://arxiv.org/abs/9999.99999", None),
        ("https://notarxiv.org/abs/2005.11401", None),
        ("https://example.org/abs/2005.11401", None),
        ("https://openreview.net/group?id=ICLR.cc", None),
        ("http://[broken", None),
    ],
)
def test_an_address_names_its_paper(url, paper):
    assert paper_of(url) == paper


def test_arxiv_gives_the_pdf_of_the_version_and_what_its_catalogue_says():
    asked = "https://export.arxiv.org/api/query?id_list=2005.11401v4"
    web = Web(pages={"https://arxiv.org/pdf/2005.11401v4": PDF, asked: ATOM})
    page = read_paper(Paper("arxiv", "2005.11401v4"), "https://arxiv.org/abs/2005.11401v4", web)
    assert (page.fetched.content, page.asked_url, page.notes) == (PDF, "https://arxiv.org/pdf/2005.11401v4", ())
    assert page.attribution == Attribution(
        origin="arXiv",
        title="Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks",
        authors=("Patrick Lewis", "Ethan Perez"),
        published="2020-05-22",
        identifiers={"arxiv": "2005.11401", "doi": "10.1000/rag"},
    )


def test_a_catalogue_that_does_not_answer_costs_a_note():
    page = read_paper(Paper("arxiv", "2005.11401"), "", Web(pages={"https://arxiv.org/pdf/2005.11401": PDF}))
    assert (page.fetched.content, page.attribution) == (PDF, None)
    assert page.notes == ("arXiv gave no metadata: no such page (status 404).",)


def test_a_doi_leads_over_the_registry_and_the_landing_page_to_the_pdf():
    web = Web(
        pages={
            ("https://doi.org/10.1000/light", "application/vnd.citationstyles.csl+json"): CSL,
            ("https://doi.org/10.1000/light", "text/html"): LANDING,
            "https://doi.org/files/light.pdf": PDF,
        }
    )
    page = read_paper(Paper("doi", "10.1000/light"), "", web)
    assert (page.fetched.content, page.asked_url) == (PDF, "https://doi.org/files/light.pdf")
    assert page.attribution == Attribution(
        origin="the DOI registry",
        title="Speed of Light",
        authors=("L\u00e9on Foucault", "The Group"),
        published="1862-09",
        identifiers={"doi": "10.1000/light"},
    )


def test_a_paper_behind_a_paywall_leaves_its_page_and_says_so():
    web = Web(
        pages={
            "https://doi.org/10.1000/light": LANDING,
            "https://doi.org/files/light.pdf": SourceDeniedError("'pub.example' does not show this (status 403)."),
        }
    )
    page = read_paper(Paper("doi", "10.1000/light"), "", web)
    assert page.fetched.content == LANDING
    assert page.attribution.authors == ("L\u00e9on Foucault", "Ann Smith")
    assert page.notes == (
        "the DOI registry knows nothing of it",
        "its PDF could not be had: 'pub.example' does not show this (status 403).",
    )


def test_a_doi_of_arxiv_is_asked_of_arxiv():
    web = Web(pages={"https://arxiv.org/pdf/2005.11401": PDF})
    assert read_paper(Paper("doi", "10.48550/arxiv.2005.11401"), "", web).fetched.content == PDF


def test_pubmed_gives_the_full_text_where_pmc_has_it_else_the_page():
    entrez = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
    pages = {
        f"{entrez}?db=pubmed&id=31452104&retmode=xml": PUBMED,
        "https://pubmed.ncbi.nlm.nih.gov/31452104/": b"<p>a",
    }
    page = read_paper(Paper("pmid", "31452104"), "", Web(pages=pages))
    assert page.fetched.content == b"<p>a"
    assert page.attribution.title == "Light in rotating mirrors" or page.attribution.title.startswith(
        "Light in rotating"
    )
    assert page.attribution.authors == ("L\u00e9on Foucault", "The Mirror Group")
    assert (page.attribution.published, page.attribution.identifiers) == (
        "2019-08",
        {"pmid": "31452104", "doi": "10.1000/mirror"},
    )
    assert "boom" not in page.attribution.title
    pages[f"{entrez}?db=pmc&id=123&retmode=xml"] = b"<article><body><p>All of it.</p></body></article>"
    page = read_paper(Paper("pmid", "31452104"), "", Web(pages=pages))
    assert (page.fetched.filename, page.attribution.origin) == ("PMC123.xml", "PubMed")


def test_openreview_and_the_anthology_say_on_their_page_what_the_paper_is():
    web = Web(pages={"https://openreview.net/pdf?id=abcd": PDF, "https://openreview.net/forum?id=abcd": LANDING})
    page = read_paper(Paper("openreview", "abcd"), "", web)
    assert (page.fetched.content, page.attribution.title) == (PDF, "Speed of Light")
    web = Web(
        pages={"https://aclanthology.org/P19-1001.pdf": b"<html>sorry", "https://aclanthology.org/P19-1001/": LANDING}
    )
    page = read_paper(Paper("acl", "P19-1001"), "", web)
    assert page.fetched.content == LANDING
    assert page.notes == ("its PDF could not be had: 'aclanthology.org' sent something else",)


def test_a_landing_page_leads_to_a_pdf_of_its_own_site_only():
    url = "https://journal.example.org/light"
    web = Web(pages={url: LANDING, "https://journal.example.org/files/light.pdf": PDF})
    assert read_page(url, web).fetched.content == PDF
    far = LANDING.replace(b"/files/light.pdf", b"https://elsewhere.net/light.pdf")
    web = Web(pages={url: far, "https://elsewhere.net/light.pdf": PDF})
    page = read_page(url, web)
    assert (page.fetched.content, page.attribution.published) == (far, "1862-09-22")
    assert len(web.asked) == 1


def test_offline_is_not_a_missing_catalogue():
    web = Web(pages={"https://arxiv.org/pdf/2005.11401": PDF})
    web.pages["https://export.arxiv.org/api/query?id_list=2005.11401"] = OfflineError("offline is on.")
    with pytest.raises(OfflineError):
        read_paper(Paper("arxiv", "2005.11401"), "", web)


@pytest.mark.parametrize("content", [b"", b"no", b"<feed", b"{", b"[1]", b'{"title": 3}', b"\xff" * 50, b"[" * 5000])
def test_nonsense_from_a_catalogue_is_no_attribution(content):
    assert from_atom(content) is None
    assert from_pubmed(content) == (None, "")
    found = from_csl(content)
    assert found is None or not found.authors
    assert from_page(content.decode("latin-1")) is None


RAG = Attribution(origin="arXiv", title="Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks")
ATTENTION = Attribution(origin="x", title="Attention Is All You Need")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (RAG, "Retrieval-Augmented Gener-\nation for Knowledge- Intensive NLP Tasks\nPatrick Lewis"),
        (RAG, "R E T R I E V A L - A U G M E N T E D\nG eneration for Knowledge-Intensive NLP Tasks"),
        (RAG, "arXiv:2005.11401v4 [cs.CL]\nRetrieval Augmented Generation (RAG) for\nKnowledge Intensive NLP"),
        (ATTENTION, "Provided proper attribution is provided...\nAttention Is All You Need\nAshish Vaswani"),
        (Attribution(origin="x", title="Efficient \u03b2-decay"), "E\ufb03cient \u03b2-decay\nA. Smith"),
        (Attribution(origin="x", title="\u5149\u306e\u901f\u5ea6"), "\u8ad6\u6587 \u5149\u306e\u901f\u5ea6 2020"),
        (Attribution(origin="x"), "anything"),
    ],
)
def test_a_title_is_believed_where_the_first_page_shows_it(said, text):
    assert fits(said, text)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (RAG, "Attention Is All You Need\nThe dominant sequence models are based on networks."),
        (
            ATTENTION,
            "A survey of crops. "
            + "We need rain and wind in all of these fields, as the models of the region say. " * 9
            + "Attention was paid to you and others.",
        ),
        (Attribution(origin="x", title="On mirrors"), "On the diffusion of small particles in quiet water"),
        (ATTENTION, ""),
    ],
)
def test_a_title_that_the_first_page_does_not_show_is_not_believed(said, text):
    assert not fits(said, text)
