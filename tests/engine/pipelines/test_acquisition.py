"""Pages from the web through the whole corridor, over a site on loopback."""

from __future__ import annotations

import io
import tarfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pymupdf
import pytest

from tests.web_site import ARTICLE, Page, WebSite
from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.types import IngestResult, Kind, Namespace, Outcome, SourceDetails, SourceInput, SourceStatus

URL = "https://example.org/mirror"
RUSSIAN = (
    "<html><head><title>Заголовок</title></head><body><article><h1>Заголовок</h1><p>Скорость света измерили с помощью"
    " вращающегося зеркала, и Фуко получил хорошее значение.</p><p>Зеркало делало восемьсот оборотов в секунду.</p>"
    "</article></body></html>"
).encode("cp1251")
SHELL = b"""<html><head><title>Speed of light app</title></head><body><div id="root"></div>
<noscript>You need to enable JavaScript to run this app.</noscript></body></html>"""


@pytest.fixture
def site() -> Iterator[WebSite]:
    with WebSite() as opened:
        yield opened


@pytest.fixture
def fetch(rooms, sandbox, site):
    """Take one address in."""
    online = replace(rooms, egress=site.door())

    def run(url: str = URL) -> IngestResult:
        corridor = Ingest(online, sandbox, lambda progress: None)
        (result,) = corridor.run((SourceInput(url=url),), Options(), threading.Event()).results
        return result

    return run


def details(rooms, source_id) -> SourceDetails:
    (record, *_) = rooms.log.of_source(source_id, Kind.SOURCE)
    return record.payload


def pdf_of(*lines: str) -> bytes:
    document = pymupdf.open()
    page = document.new_page()
    for number, line in enumerate(lines):
        page.insert_text((72, 100 + 24 * number), line, fontsize=18 if number == 0 else 11)
    return document.tobytes()


def test_a_page_is_read_and_its_original_kept_with_what_the_server_said(fetch, site, rooms):
    site.pages[URL] = Page(ARTICLE, {"Content-Type": "text/html; charset=utf-8", "ETag": '"a1"'})
    result = fetch()
    assert (result.status, result.title, result.kind) == (Outcome.SUCCESS, "How the mirror turned", "html")
    source = rooms.shelf.get(result.source_id)
    assert rooms.blobs.path(source.blob_hash).read_bytes() == ARTICLE
    fetched = details(rooms, result.source_id).fetched
    assert (fetched.asked_url, fetched.charset, fetched.etag) == (URL, "utf-8", '"a1"')
    assert details(rooms, result.source_id).uri == URL


def test_the_charset_of_the_header_is_used_and_kept(fetch, site, rooms):
    """Case R24: without it, and without a meta element, capitals of cp1251 were read as other letters."""
    site.pages[URL] = Page(RUSSIAN, {"Content-Type": "text/html; charset=windows-1251"})
    result = fetch()
    assert result.title == "Заголовок"
    assert "восемьсот оборотов" in rooms.log.page(result.source_id, 1).text
    assert details(rooms, result.source_id).fetched.charset == "windows-1251"
    assert rooms.blobs.path(rooms.shelf.get(result.source_id).blob_hash).read_bytes() == RUSSIAN


def test_the_header_wins_over_the_meta_element(fetch, site, rooms):
    lying = RUSSIAN.replace(b"<head>", b'<head><meta charset="iso-8859-1">')
    site.pages[URL] = Page(lying, {"Content-Type": "text/html; charset=windows-1251"})
    assert fetch().title == "Заголовок"


def test_a_shell_without_text_keeps_its_address_and_says_why(fetch, site, rooms):
    """Case R25."""
    site.pages[URL] = Page(SHELL, {"Content-Type": "text/html"})
    result = fetch()
    assert (result.status, result.verdicts) == (Outcome.SUCCESS, {"empty": 1})
    assert result.pages[0].note == "page has no article text"
    (record,) = rooms.log.of_source(result.source_id, Kind.RAW_SOURCE)
    assert (record.text, record.locator.url, record.modality.value) == ("Speed of light app", URL, "bookmark")
    assert "JavaScript" not in record.text


def test_a_wall_before_a_page_does_not_retire_the_text_she_has(fetch, site, rooms):
    site.pages[URL] = Page(ARTICLE, {"Content-Type": "text/html"})
    first = fetch()
    site.pages[URL] = Page(SHELL, {"Content-Type": "text/html"})
    for _ in range(2):
        again = fetch()
        assert (again.status, again.source_id) == (Outcome.SKIPPED, first.source_id)
        assert again.reason == "the page shows no article text now; the version before it stays in use"
        assert rooms.shelf.get(first.source_id).status is SourceStatus.ACTIVE
    assert [one.status.value for one in rooms.shelf.versions(URL, Namespace())] == ["active", "forgotten"]
    assert check_log(rooms.log, rooms.blobs)[0] == []
    site.pages[URL] = Page(ARTICLE.replace(b"Froment", b"Breguet"), {"Content-Type": "text/html"})
    third = fetch()
    assert (third.status, third.version) == (Outcome.SUCCESS, 3)
    site.pages[URL] = Page(ARTICLE, {"Content-Type": "text/html"})
    assert fetch().source_id == first.source_id


def test_a_page_that_has_not_changed_is_not_sent_again(fetch, site, rooms):
    site.pages[URL] = Page(ARTICLE, {"Content-Type": "text/html", "ETag": '"a1"'})
    first, again = fetch(), fetch()
    assert (again.status, again.reason, again.source_id) == (Outcome.SKIPPED, "unchanged", first.source_id)
    assert [row.get("if-none-match") for row in site.headers] == [None, '"a1"']
    assert list(rooms.blobs.hashes()) == [rooms.shelf.get(first.source_id).blob_hash]


def test_a_page_that_has_changed_is_a_new_version(fetch, site, rooms):
    site.pages[URL] = Page(ARTICLE, {"Content-Type": "text/html", "ETag": '"a1"'})
    first = fetch()
    site.pages[URL] = Page(ARTICLE.replace(b"Froment", b"Breguet"), {"Content-Type": "text/html", "ETag": '"a2"'})
    second = fetch()
    assert (second.status, second.version, second.reason) == (Outcome.SUCCESS, 2, "new version")
    assert rooms.shelf.get(first.source_id).status is SourceStatus.SUPERSEDED
    assert details(rooms, second.source_id).fetched.etag == '"a2"'


ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2005.11401v4</id>
<published>2020-05-22T21:34:34Z</published><title>{title}</title><author><name>Patrick Lewis</name></author>
</entry></feed>"""


def lay_paper(site: WebSite, title: str) -> None:
    pdf = pdf_of("Retrieval-Augmented Generation", "for Knowledge-Intensive NLP Tasks", "Patrick Lewis and others")
    site.pages["https://arxiv.org/pdf/2005.11401"] = Page(pdf, {"Content-Type": "application/pdf", "ETag": '"p"'})
    asked = "https://export.arxiv.org/api/query?id_list=2005.11401"
    site.pages[asked] = Page(ATOM.format(title=title).encode(), {"Content-Type": "application/atom+xml"})


def test_the_page_of_a_paper_leads_to_the_paper_and_what_its_catalogue_says(fetch, site, rooms):
    lay_paper(site, "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks")
    result = fetch("https://arxiv.org/abs/2005.11401")
    source = rooms.shelf.get(result.source_id)
    assert (result.kind, source.title) == ("pdf", "Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks")
    assert (source.authors, source.published) == (("Patrick Lewis",), "2020-05-22")
    assert source.identifiers["arxiv"] == "2005.11401"
    assert source.source_key == "https://arxiv.org/abs/2005.11401"
    fetched = details(rooms, result.source_id).fetched
    assert source.attributed_by == "arXiv"
    assert (fetched.attributed_by, fetched.asked_url) == ("arXiv", "https://arxiv.org/pdf/2005.11401")
    site.asked.clear()
    assert fetch("https://arxiv.org/abs/2005.11401").reason == "unchanged"
    assert site.asked == ["https://arxiv.org/pdf/2005.11401"]


def test_what_a_catalogue_says_of_another_paper_is_not_taken_over(fetch, site, rooms):
    """Case R33."""
    lay_paper(site, "On the diffusion of small particles in quiet water")
    result = fetch("https://arxiv.org/abs/2005.11401")
    source = rooms.shelf.get(result.source_id)
    assert "diffusion" not in source.title
    assert source.authors != ("Patrick Lewis",) or source.published != "2020-05-22"
    assert "arXiv calls it 'On the diffusion of small particles in quiet water'" in result.reason
    assert source.refused_title.startswith("On the diffusion")
    assert source.attributed_by == ""


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (404, "source.missing", "has no such page"),
        (403, "source.denied", "without a login"),
    ],
)
def test_a_page_that_cannot_be_had_fails_with_the_reason(fetch, site, status, code, words):
    site.pages[URL] = Page(b"no", status=status)
    result = fetch()
    assert (result.status, result.error.code, result.verdicts) == (Outcome.FAILED, code, {"skipped": 1})
    assert words in result.error.message


def test_a_video_is_kept_as_one_file_with_what_is_said_in_it(fetch, site, rooms):
    page = b"<html><div data-id='16261'></div></html>"
    talk = b'{"title": "The mirror", "persons": ["Ann"], "description": "How light was measured.", "recordings": []}'
    site.pages["https://media.ccc.de/v/mirror"] = Page(page, {"Content-Type": "text/html"})
    site.pages["https://media.ccc.de/public/events/16261"] = Page(talk, {"Content-Type": "application/json"})
    result = fetch("https://media.ccc.de/v/mirror")
    assert (result.status, result.kind, result.title) == (Outcome.SUCCESS, "video", "The mirror")
    assert result.pages[0].note == "the video has no captions"
    assert "How light was measured." in rooms.log.page(result.source_id, 1).text
    assert fetch("https://media.ccc.de/v/mirror").reason == "unchanged"


def test_a_stop_ends_the_wait_for_a_busy_server(rooms, sandbox, site):
    site.pages[URL] = Page(b"later", {"Retry-After": "15"}, 503)
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    begun = time.monotonic()
    corridor = Ingest(replace(rooms, egress=site.door()), sandbox, lambda progress: None)
    (result,) = corridor.run((SourceInput(url=URL),), Options(), stop).results
    assert result.status is Outcome.FAILED
    assert time.monotonic() - begun < 12


def test_a_repository_is_taken_in_file_by_file(rooms, sandbox, site):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in (("light-HEAD/README.md", b"# Light\n\nA mirror turns."), ("light-HEAD/.env", b"KEY=1")):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    site.pages["https://codeload.github.com/ann/light/tar.gz/HEAD"] = Page(packed.getvalue(), {"ETag": '"c1"'})
    url = "https://github.com/ann/light.git"
    corridor = Ingest(replace(rooms, egress=site.door()), sandbox, lambda progress: None)
    results = corridor.run((SourceInput(url=url),), Options(), threading.Event()).results
    kept = {one.source_key: one.status for one in results if one.status is Outcome.SUCCESS}
    assert set(kept) == {url, f"{url}!/light-HEAD/README.md"}
    assert not any("KEY=1" in record.text for record in rooms.log.of_kind(Kind.RAW_SOURCE))
    again = corridor.run((SourceInput(url=url),), Options(), threading.Event()).results
    assert again[0].reason == "unchanged"
