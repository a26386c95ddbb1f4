"""Bookmarks go out as they came in: the same tree, tags, dates, notes and addresses, for every flavour."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.engine.preprocessing.bookmarking import bookmark_cases as cases
from trisynapse_memory.contracts import Holding
from trisynapse_memory.exporters.bookmarks import BookmarksExporter
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.preprocessing.loaders.bookmarks import BookmarksLoader
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Source, SourceId, SourceStatus

FLAVOURS = [
    "netscape", "chrome", "firefox", "jsonlz4", "places", "safari", "safari_xml", "pocket", "instapaper", "raindrop",
    "pinboard", "pinboard_xml", "wallabag", "karakeep",
]  # fmt: skip


def read(path):
    registry = Registry(guests=False)
    name = choose_loader(path.read_bytes()[:65_536], path.name, registry)
    return list(registry.load("loader", name)().open(path).members())


def said(listings):
    """What must survive, in order; what was left out or stands twice is in no source."""
    return [
        (one.url, one.title, one.text, one.path, one.tags, one.observed_at, kept(one.fields))
        for one in listings
        if not one.skipped and not one.duplicate_of
    ]


def kept(fields):
    # A file of this format has no place for a star.
    return {name: value for name, value in fields.items() if name != "favourite"}


@pytest.fixture
def exported(engine: MemoryEngine, tmp_path) -> Callable[..., str]:
    def run(*paths) -> str:
        engine.ingest(*paths)
        engine.sources.export(str(tmp_path / "out.html"), format="bookmarks")
        return (tmp_path / "out.html").read_text()

    return run


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_a_file_of_every_flavour_comes_back_the_same(exported, tmp_path, flavour):
    path = cases.write_all(tmp_path)[flavour]
    exported(path)
    before, after = said(read(path)), said(BookmarksLoader().open(tmp_path / "out.html").members())
    assert before
    assert sorted(after, key=lambda one: one[0]) == sorted(before, key=lambda one: one[0])


def test_the_order_of_folders_and_bookmarks_is_that_of_the_file(exported, tmp_path):
    text = exported(cases.write_all(tmp_path)["netscape"])
    assert re.findall(r"<(?:H3|A)[^>]*>([^<]*)<", text) == [
        "Papers",
        "Memory &amp; evidence",
        "Deep",
        "B \"quoted\" &gt; 'single'",
        "Mirror",
        "B \"quoted\" &gt; 'single'",
    ]


def test_lines_are_as_browsers_read_them(exported, tmp_path):
    """Chromium reads line by line: the tag, the title and its end on one line, four escapes, the toolbar marked."""
    text = exported(cases.write_all(tmp_path)["chrome"])
    assert text.startswith("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n")
    assert '<DT><A HREF="http://b.example/" ADD_DATE="1700000005">b.example</A>\n' in text
    assert '<DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>\n' in text
    assert text.count("<DL><p>") == text.count("</DL><p>") == 3


def test_a_note_of_a_folder_comes_back_under_the_folder(exported, tmp_path):
    assert "<DT><H3>Papers</H3>\n<DD>what I read\n" in exported(cases.write_all(tmp_path)["netscape"])


def test_a_long_note_comes_back_whole(exported, tmp_path):
    note = "\n".join(f"Line {number} of a note that is longer than one record." for number in range(100))
    (tmp_path / "b.html").write_text(
        f'<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="?note">Long</A>\n<DD>{note}\n</DL>'
    )
    exported(tmp_path / "b.html")
    (one,) = BookmarksLoader().open(tmp_path / "out.html").members()
    assert one.text == f"Long\n{note}"


def test_what_she_changed_since_goes_out_as_it_is_now(engine: MemoryEngine, tmp_path):
    engine.ingest(cases.write_all(tmp_path)["pocket"])
    (source,) = engine.sources.list()
    engine.curation.retitle(source.source_id, "Read this")
    engine.curation.tag(source.source_id, "urgent")
    engine.sources.export(str(tmp_path / "out.html"))
    (one,) = BookmarksLoader().open(tmp_path / "out.html").members()
    assert (one.title, one.tags) == ("Read this", ("memory", "evidence", "urgent"))


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)
QUERIES = st.lists(st.sampled_from(["&", "copy", "lt", ";", "=", "#", "amp", "a", '"', "'", "%22", "\\", "<", "é"]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=TEXTS, query=QUERIES, tags=st.lists(TEXTS, max_size=3))
def test_any_address_title_and_tags_come_back_exactly(tmp_path, title, query, tags):
    path = tmp_path / "one.html"
    url = f"https://a.example/p?{''.join(query)}"
    path.write_text(BookmarksExporter().compose([holding(url, title, tags)]))
    (one,) = BookmarksLoader().open(path).members()
    again = tmp_path / "two.html"
    again.write_text(BookmarksExporter().compose([holding(one.url, one.title, one.tags)]))
    (same,) = BookmarksLoader().open(again).members()
    assert one.url == url
    assert structs.asdict(same) == structs.asdict(one)


def holding(url, title, tags):
    source = Source(
        source_id=SourceId("src_1"),
        source_key=f"bookmark:{url}",
        title=title,
        kind="bookmark",
        version=1,
        status=SourceStatus.ACTIVE,
        content_hash="",
        uri=url,
        tags=tuple(tags),
    )
    return Holding(source=source)
