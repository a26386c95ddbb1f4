"""Caption files of every kind: times, speakers, rolling lines once, odd files judged (R27)."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError
from trisynapse_memory.preprocessing.loaders.subtitles import NO_CUES, SubtitlesLoader
from trisynapse_memory.types import PageVerdict


def read(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    document = SubtitlesLoader().open(path)
    found = list(document.pages(1))
    document.close()
    return document.heading, found


def told(tmp_path, content, name):
    return [
        (page.text[one.start : one.end], one.locator.start_s, one.locator.end_s, one.locator.speaker)
        for page, sections in read(tmp_path, content, name)[1]
        for one in sections
    ]


CUE = "00:00:01.000 --> 00:00:03.500\n"


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.vtt", f"\ufeffWEBVTT\n\n{CUE}<v Ann>It is <i>soft</i>.\n", ("It is soft.", 1.0, 3.5, "Ann")),
        (
            "a.vtt",
            f"WEBVTT\nKind: captions\n\nSTYLE\n::cue {{ x }}\n\nNOTE nobody\n\n{CUE}Soft.\n",
            ("Soft.", 1.0, 3.5, None),
        ),
        ("a.srt", "1\r\n00:00:01,000 --> 00:00:03,500\r\nSoft.\r\n", ("Soft.", 1.0, 3.5, None)),
        ("a.sbv", "0:00:01.000,0:00:03.500\nSoft.\n", ("Soft.", 1.0, 3.5, None)),
        ("a.txt", f"WEBVTT\n\n{CUE}Soft.\n", ("Soft.", 1.0, 3.5, None)),
    ],
)
def test_each_kind_gives_words_with_times_and_speakers(tmp_path, name, content, expected):
    assert told(tmp_path, content, name) == [expected]


def test_rolling_captions_say_each_line_once(tmp_path):
    lines = ["we begin with tin", "which is a soft metal", "and melts at two hundred"]
    nl = "\n"
    cues = [f"00:00:0{n}.000 --> 00:00:0{n + 1}.000\n{nl.join(lines[max(0, n - 1) : n + 1])}\n" for n in range(3)]
    assert told(tmp_path, "WEBVTT\n\n" + "\n".join(cues), "a.vtt") == [(" ".join(lines), 0.0, 3.0, None)]


def test_the_language_a_file_states_is_kept(tmp_path):
    heading, _ = read(tmp_path, f"WEBVTT\nLanguage: de\n\n{CUE}Weich.\n", "a.vtt")
    assert (heading.language, heading.media_type) == ("de", "text/vtt")


def test_other_encodings_are_read(tmp_path):
    raw = "1\n00:00:01,000 --> 00:00:03,500\nDas weiße Metall für Löffel und Becher.\n".encode("cp1252")
    assert told(tmp_path, raw, "a.srt")[0][0] == "Das weiße Metall für Löffel und Becher."


def test_a_file_without_captions_is_an_empty_page(tmp_path):
    heading, ((page, sections),) = read(tmp_path, "WEBVTT\n", "a.vtt")
    assert (heading.page_count, page.verdict, page.note, sections) == (1, PageVerdict.EMPTY, NO_CUES, ())


@pytest.mark.parametrize(
    ("content", "error"),
    [("some text", SourceDamagedError), ("1\nsome text", SourceDamagedError), ("", SourceEmptyError)],
)
def test_what_is_no_caption_file_is_refused(tmp_path, content, error):
    with pytest.raises(error, match=r"a\.srt"):
        read(tmp_path, content, "a.srt")


def test_captions_show_themselves_whatever_their_name():
    loader = SubtitlesLoader()
    assert loader.suits(b"WEBVTT\n\n", "a.txt") > 0.8
    assert loader.suits(b"1\r\n00:00:01,000 --> 00:00:02,000\r\nx", "a") > 0.8
    assert loader.suits(b"WEBVTTX", "a.txt") == 0
    assert loader.suits(b"words", "a.srt") == 0.6
