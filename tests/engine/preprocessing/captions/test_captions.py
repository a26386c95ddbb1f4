"""Captions: cues with their times, rolling lines said once (case R27), passages and pages that can be cited."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.blocks import compose
from trisynapse_memory.preprocessing.captions.cues import Cue, read_cues
from trisynapse_memory.preprocessing.captions.merging import merged
from trisynapse_memory.preprocessing.captions.passages import Chapter, clock, stretches

ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:02.000 align:start position:0%
BLANK
the<00:00:00.400><c> mirror</c><00:00:00.900><c> turns</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
the mirror turns
BLANK

00:00:02.010 --> 00:00:04.000 align:start position:0%
the mirror turns
eight<00:00:02.500><c> hundred</c><00:00:03.000><c> times</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
eight hundred times
BLANK

00:00:04.010 --> 00:00:06.000 align:start position:0%
eight hundred times
in<00:00:04.500><c> every</c><00:00:05.000><c> single second</c>
""".replace("BLANK", " ")


def said(cues) -> list[tuple[float, str]]:
    return [(cue.start_s, cue.text) for cue in cues]


def test_rolling_captions_are_said_once_and_keep_their_times():
    cues = read_cues(ROLLING, "talk.vtt")
    assert sum(len(cue.text.split()) for cue in cues) == 22
    found = merged(cues)
    assert said(found) == [(0.0, "the mirror turns"), (2.01, "eight hundred times"), (4.01, "in every single second")]
    assert [cue.end_s for cue in found] == [2.01, 4.01, 6.0]


def test_the_case_of_four_cues_gives_ten_words_of_nineteen():
    cues = [
        Cue(0, 1, "one two three"),
        Cue(1, 2, "one two three\nfour five six"),
        Cue(2, 3, "four five six\nseven eight nine"),
        Cue(3, 4, "seven eight nine\nten"),
    ]
    assert sum(len(cue.text.split()) for cue in cues) == 19
    assert " ".join(cue.text for cue in merged(cues)) == "one two three four five six seven eight nine ten"


def test_live_captions_that_grow_word_by_word_are_said_once():
    cues = [Cue(0, 1, "we measured"), Cue(1, 2, "we measured the speed"), Cue(2, 3, "we measured the speed of light")]
    assert " ".join(cue.text for cue in merged(cues)) == "we measured the speed of light"


def test_what_does_not_roll_is_left_as_it_is():
    cues = [
        Cue(0, 2, "No."),
        Cue(5, 6, "No."),
        Cue(6, 8, "Light is fast, we said."),
        Cue(8, 9, "we said"),
        Cue(9, 10, "so, and"),
        Cue(10, 11, "it is true."),
        Cue(11, 12, "It stays true."),
    ]
    assert [cue.text for cue in merged(cues)] == [cue.text for cue in cues]
    assert merged([]) == ()


def test_another_speaker_who_says_the_same_is_kept():
    assert [cue.speaker for cue in merged([Cue(0, 1, "Yes.", "Ann"), Cue(1, 2, "Yes.", "Bob")])] == ["Ann", "Bob"]


def test_speakers_entities_and_styling_are_read():
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ann Smith>Tom &amp; <i>Jerry</i></v>\n\n"
        "00:03.000 --> 00:04.000\n{\\an8}&nbsp;\n"
    )
    assert read_cues(text, "a.vtt") == (Cue(1.0, 2.5, "Tom & Jerry", "Ann Smith"),)


def test_subrip_without_empty_lines_loses_no_cue():
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>Hi</i> there\n2\n00:00:03,250 --> 01:00:04,000 X1:1\nBye\n"
        "00:59:05,000 --> 01:00:06,000\nEnd\n"
    )
    assert said(read_cues(text, "a.srt", is_srt=True)) == [(1.0, "Hi there"), (3.25, "Bye"), (3545.0, "End")]


@pytest.mark.parametrize(("text", "is_srt"), [("", False), ("some text", False), ("1\nsome text", True)])
def test_what_is_no_caption_file_is_damaged_and_named(text, is_srt):
    with pytest.raises(SourceDamagedError, match=r"a\.vtt"):
        read_cues(text, "a.vtt", is_srt=is_srt)


def test_a_file_without_cues_gives_none():
    assert read_cues("WEBVTT\n\nNOTE nothing\n", "a.vtt") == ()


def test_passages_end_where_sentences_end_and_carry_their_times():
    cues = [Cue(at * 5.0, at * 5.0 + 5, f"Sentence {at} of the talk is here.") for at in range(12)]
    (page,) = stretches(cues)
    assert page.label == "0:00\u20131:00"
    assert [(block.locator.start_s, block.locator.end_s) for block in page.blocks] == [(0.0, 30.0), (30.0, 60.0)]
    assert page.blocks[0].text.endswith("Sentence 5 of the talk is here.")
    assert page.blocks[0].locator.kind == "time"


def test_a_passage_never_grows_beyond_a_minute_or_a_chunk():
    slow = stretches([Cue(at * 10.0, at * 10.0 + 10, "and so on") for at in range(30)])
    assert max(one.locator.end_s - one.locator.start_s for one in slow[0].blocks) == 60.0
    quick = stretches([Cue(at, at + 1, "word " * 40) for at in range(9)])
    assert max(len(one.text.split()) for one in quick[0].blocks) == 120


def test_chapters_are_headings_of_what_is_said_in_them():
    cues = [Cue(1, 5, "Before."), Cue(10, 15, "The mirror."), Cue(22, 25, "The result.")]
    (page,) = stretches(cues, [Chapter(20, "Results"), Chapter(10, "Apparatus"), Chapter(15, "Silence")])
    _, sections = compose(list(page.blocks))
    assert [(one.path, one.kind) for one in sections] == [
        ((), "body"),
        (("Apparatus",), "heading"),
        (("Apparatus",), "body"),
        (("Results",), "heading"),
        (("Results",), "body"),
    ]


def test_long_talks_are_cut_into_pages_between_chapters():
    cues = [Cue(at * 10.0, at * 10.0 + 9, f"{at} " + "word " * 100) for at in range(300)]
    chapters = [Chapter(0, "One"), Chapter(1000, "Two"), Chapter(2000, "Three")]
    pages = stretches(cues, chapters)
    assert [page.blocks[0].text for page in pages] == ["One", "Two", "Three"]
    assert sum(len(page.blocks) for page in pages) == 303
    (whole, *_, last) = stretches(cues)
    assert len(whole.blocks) == 129
    assert last.label.endswith(clock(2999)) and clock(2999) == "49:59"  # noqa: PT018
    assert clock(3723.9) == "1:02:03"
