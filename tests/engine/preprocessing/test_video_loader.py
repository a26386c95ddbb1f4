"""Kept videos: their description, what is said with times and chapters, and three different reasons for silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.video import UNREADABLE, VideoLoader
from trisynapse_memory.preprocessing.web.videos import BLOCKED, NO_CAPTIONS, Captions, Chapter, Video, pack
from trisynapse_memory.types import PageVerdict

ROLLING = """WEBVTT

00:00:00.000 --> 00:00:02.000
we measured the speed

00:00:02.000 --> 00:00:04.000
we measured the speed
of light with a mirror

00:00:04.000 --> 00:00:06.000
of light with a mirror
that turns
"""
VIDEO = Video(
    url="https://www.youtube.com/watch?v=abcdefghijk",
    title="The mirror",
    channel="L\u00e9on",
    published="2024-01-02",
    description="A talk.\n\nMore on example.org.",
    chapters=(Chapter(start_s=0.0, title="Apparatus"), Chapter(start_s=4.0, title="Result")),
    captions=Captions(language="en-orig", text=ROLLING, is_automatic=True),
)


def read(video: Video, path: Path):
    (path / "v.json").write_bytes(pack(video))
    document = VideoLoader().open(path / "v.json")
    return document.heading, list(document.pages(1))


def test_only_what_was_kept_as_a_video_is_one():
    loader = VideoLoader()
    assert loader.suits(pack(VIDEO), "x") == 1.0
    assert loader.suits(b'{"title": "trisynapse_video"}', "v.json") == 0.0
    assert loader.suits(b"", "v.json") == 0.0


def test_what_is_said_comes_once_with_times_under_its_chapters(tmp_path):
    heading, pages = read(VIDEO, tmp_path)
    assert (heading.title, heading.authors, heading.published) == ("The mirror", ("L\u00e9on",), "2024-01-02")
    assert (heading.language, heading.method, heading.page_count) == ("en", "automatic captions", 2)
    assert heading.identifiers == {"url": VIDEO.url}
    (described, _), (said, sections) = pages
    assert (described.label, described.text) == ("Description", "Description\n\nA talk.\n\nMore on example.org.")
    assert said.label == "0:00\u20130:06"
    assert said.text == "Apparatus\n\nwe measured the speed of light with a mirror\n\nResult\n\nthat turns"
    spoken = [one for one in sections if one.locator is not None]
    assert [(one.path, one.locator.start_s, one.locator.end_s) for one in spoken] == [
        (("Apparatus",), 0.0, 4.0),
        (("Result",), 4.0, 6.0),
    ]


@pytest.mark.parametrize("trouble", [NO_CAPTIONS, BLOCKED])
def test_without_captions_the_reason_stands_at_the_page(tmp_path, trouble):
    silent = Video(url="u", title="T", description="A talk.", trouble=trouble)
    _, ((page, _),) = read(silent, tmp_path)
    assert (page.verdict, page.note, page.text) == (PageVerdict.OK, trouble, "Description\n\nA talk.")
    _, ((page, _),) = read(Video(url="u", title="T", trouble=trouble), tmp_path)
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, trouble)


@pytest.mark.parametrize(("text", "note"), [("<html>no", UNREADABLE), ("WEBVTT\n", NO_CAPTIONS)])
def test_captions_that_say_nothing_are_told(tmp_path, text, note):
    _, ((page, _),) = read(Video(url="u", captions=Captions(language="en", text=text)), tmp_path)
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, note)


@pytest.mark.parametrize("content", [b'{"trisynapse_video":1', b'{"trisynapse_video":1}', b'{"trisynapse_video":{}}'])
def test_a_damaged_file_is_named(tmp_path, content):
    (tmp_path / "v.json").write_bytes(content)
    with pytest.raises(SourceDamagedError, match=r"talk\.json"):
        VideoLoader().open(tmp_path / "v.json", filename="talk.json")


def test_reading_can_start_at_any_page(tmp_path):
    (tmp_path / "v.json").write_bytes(pack(VIDEO))
    document = VideoLoader().open(tmp_path / "v.json")
    assert [page.number for page, _ in document.pages(2)] == [2]
    assert list(document.pages(3)) == []
