"""One suite for every loader of the table: what contracts.Loader promises, on good files, wrong files and noise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trisynapse_memory.contracts import Loader
from trisynapse_memory.errors import SourceEmptyError, SourceError, SourceMissingError
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Modality, PageVerdict

REGISTRY = Registry(guests=False)
ROWS = REGISTRY.rows("loader")


def pdf_bytes():
    pymupdf = pytest.importorskip("pymupdf")
    document = pymupdf.open()
    for number in (1, 2, 3):
        page = document.new_page()
        page.insert_text((72, 72), f"Page {number} of a small paper about memory and evidence.")
    content = document.tobytes()
    document.close()
    return content


PARAGRAPHS = "".join(f"<p>Paragraph {number} of a page about memory, evidence and recall.</p>" for number in range(12))
SAMPLES = {
    "pdf": lambda: ("paper.pdf", pdf_bytes()),
    "bookmarks": lambda: (
        "bookmarks.html",
        b'<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="https://a.example/" ADD_DATE="1">A</A></DL>',
    ),
    "html": lambda: (
        "page.html",
        f"<!DOCTYPE html><html><body><article><h1>Top</h1>{PARAGRAPHS}</article></body></html>".encode(),
    ),
    "text": lambda: ("note.md", ("# Top\n\nOne.\n\n" + f"{'Filler for two pages. ' * 40}\n\n" * 100).encode()),
}
WRONG = {
    "machine code": b"\x7fELF\x02\x01\x01" + b"\0" * 400,
    "an image": b"\x89PNG\r\n\x1a\n" + b"\0\1\2" * 100,
    "a cut archive": b"PK\x03\x04" + b"\0\xff" * 200,
}


@pytest.fixture(params=ROWS, ids=[row.name for row in ROWS])
def row(request):
    missing = REGISTRY.missing(request.param)
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return request.param


@pytest.fixture
def loader(row):
    return REGISTRY.load("loader", row.name)()


GOLDEN = Path(__file__).parent.parent / "golden"


def golden_inputs():
    """The first golden input of each loader, by the loader's name."""
    cases = sorted(GOLDEN.glob("*/expected.json"), reverse=True)
    return {json.loads(case.read_text())["loader"]: next(case.parent.glob("input.*")) for case in cases}


def sample_of(name):
    if name in SAMPLES:
        return SAMPLES[name]()
    path = golden_inputs()[name]
    return path.name, path.read_bytes()


@pytest.fixture
def sample(row, tmp_path):
    name, content = sample_of(row.name)
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.fixture
def document(loader, sample):
    opened = loader.open(sample)
    yield opened
    opened.close()


def test_every_row_has_a_sample():
    assert {row.name for row in ROWS} <= set(SAMPLES) | set(golden_inputs())


def test_a_loader_is_named_as_its_row_and_knows_its_modality(row, loader):
    assert isinstance(loader, Loader)
    assert loader.name == row.name
    assert loader.version >= 1
    assert loader.modality in set(Modality)


def test_a_loader_suits_its_own_file_better_than_any_other(row, sample):
    head = sample.read_bytes()[:65_536]
    scores = {
        other.name: REGISTRY.load("loader", other.name)().suits(head, sample.name)
        for other in ROWS
        if not REGISTRY.missing(other)
    }
    assert max(scores, key=lambda name: scores[name]) == row.name
    assert 0 < scores[row.name] <= 1


NAMES = st.sampled_from(
    ["a.pdf", "a.html", "a.txt", "a.md", "a", "", ".", "bookmarks.html", "a\0b", "é" * 300, "../x.PDF"]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.binary(max_size=600), name=NAMES, data=st.data())
def test_suits_never_raises(loader, sample, head, name, data):
    start = data.draw(st.integers(0, 200))
    for bytes_ in (head, sample.read_bytes()[:start] + head):
        assert 0 <= loader.suits(bytes_, name) <= 1


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(min_size=1, max_size=300), place=st.integers(0, 4000))
def test_a_damaged_file_gives_pages_or_a_source_error_never_a_crash(loader, sample, noise, place):
    content = sample.read_bytes()
    broken = sample.with_name("broken" + sample.suffix)
    broken.write_bytes(content[:place] + noise + content[place + len(noise) :])
    try:
        opened = loader.open(broken)
    except SourceError:
        return
    try:
        numbers = [page.number for page, _ in opened.pages(1)]
        assert numbers == list(range(1, opened.heading.page_count + 1))
        list(opened.members())
    finally:
        opened.close()


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_refused_with_a_source_error_that_names_it(loader, tmp_path, content):
    path = tmp_path / "wrong.bin"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"wrong\.bin"):
        loader.open(path)


def test_an_empty_file_is_refused_as_empty(loader, tmp_path):
    path = tmp_path / "empty.bin"
    path.write_bytes(b"")
    with pytest.raises(SourceEmptyError):
        loader.open(path)


def test_a_missing_file_is_refused_as_missing(loader, tmp_path):
    with pytest.raises(SourceMissingError):
        loader.open(tmp_path / "gone.bin")


def test_every_page_is_yielded_exactly_once_and_in_order(document):
    numbers = [page.number for page, _ in document.pages(1)]
    assert numbers == list(range(1, document.heading.page_count + 1))


def test_reading_can_begin_at_any_page_and_gives_the_same(document):
    # The pages, not their sections: which heading a page stands under is known only to who has read the pages before.
    whole = [page for page, _ in document.pages(1)]
    for start in range(1, document.heading.page_count + 1):
        assert [page for page, _ in document.pages(start)] == whole[start - 1 :]
    assert list(document.pages(document.heading.page_count + 1)) == []


def test_sections_lie_inside_the_text_in_order_without_overlap(document):
    for page, sections in document.pages(1):
        cursor = 0
        for section in sections:
            assert cursor <= section.start < section.end <= len(page.text)
            assert page.text[section.start : section.end].strip()
            cursor = section.end


def test_a_document_has_pages_or_members_and_every_page_a_verdict(document):
    pages, members = list(document.pages(1)), list(document.members())
    assert pages or members
    assert all(page.verdict in set(PageVerdict) for page, _ in pages)
    assert all(one.key and (one.skipped or one.fault or one.url or one.content or one.text) for one in members)


def test_closing_twice_does_no_harm(document):
    document.close()
    document.close()
