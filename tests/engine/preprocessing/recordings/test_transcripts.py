"""Words with their times become passages with theirs; silence and doubt are said, nothing is made up."""

from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.contracts import SAMPLE_RATE, Sound, SpokenWord, Transcript
from trisynapse_memory.preprocessing.recordings.transcripts import Hearing, label_of, page_of, unheard
from trisynapse_memory.types import PageVerdict

HEARING = Hearing(3, "ear:small@0123")


def sound(decoded_s: float = 60.0, chapters: tuple[tuple[float, str], ...] = ()) -> Sound:
    return Sound(100.0, 160.0, np.zeros(60 * SAMPLE_RATE, dtype=np.float32), decoded_s, chapters)


def words(text: str, start_s: float = 0.0, step_s: float = 0.5) -> tuple[SpokenWord, ...]:
    return tuple(
        SpokenWord(f" {word}", start_s + step_s * n, start_s + step_s * n + 0.4) for n, word in enumerate(text.split())
    )


def test_sentences_become_passages_with_the_times_of_the_recording():
    first = words("The mirror turned. Nobody believed it.")
    second = words("Ten years later.", start_s=20.0)
    page, sections = page_of(HEARING, sound(), Transcript((*first, *second), "en", 0.8, 5.0))
    assert (page.number, page.verdict, page.label) == (3, PageVerdict.TRANSCRIBED, "1:40\u20132:40")
    assert page.method == "speech:ear:small@0123"
    assert page.note == ""
    told = [(page.text[one.start : one.end], one.locator.start_s, one.locator.end_s) for one in sections if one.locator]
    assert told == [
        ("The mirror turned. Nobody believed it.", 100.0, 102.9),
        ("Ten years later.", 120.0, 121.4),
    ]


def test_a_long_stretch_is_cut_where_a_sentence_ends_after_half_a_minute():
    sentence = "A sentence of six words here."
    heard = tuple(word for n in range(20) for word in words(sentence, start_s=2.9 * n, step_s=0.45))
    _, sections = page_of(HEARING, sound(), Transcript(heard, "en", 0.8, 58.0))
    spans = [(one.locator.start_s, one.locator.end_s) for one in sections if one.locator]
    assert len(spans) == 2
    assert all(30.0 <= end - start <= 60.0 for start, end in spans[:1])
    assert spans[0][1] <= spans[1][0]


def test_chapters_stand_above_what_is_said_in_them():
    chapters = ((0.0, "Start"), (110.0, "The doubt"))
    heard = (*words("It turned."), *words("Nobody believed it.", start_s=12.0))
    page, sections = page_of(HEARING, sound(chapters=chapters), Transcript(heard, "en", 0.8, 5.0))
    assert [(page.text[one.start : one.end], one.path) for one in sections if one.kind == "body"] == [
        ("It turned.", ("Start",)),
        ("Nobody believed it.", ("The doubt",)),
    ]
    assert page.text == "It turned.\n\nThe doubt\n\nNobody believed it."  # a chapter is named where it begins


def test_scripts_without_spaces_are_joined_as_they_are():
    heard = (SpokenWord("光の", 0.0, 0.4), SpokenWord("速さ。", 0.4, 0.9))
    page, _ = page_of(HEARING, sound(), Transcript(heard, "ja", 0.8, 1.0))
    assert page.text == "光の速さ。"


@pytest.mark.parametrize(
    ("decoded_s", "heard", "verdict", "note"),
    [
        (60.0, Transcript(()), PageVerdict.EMPTY, "nobody speaks here"),
        (
            60.0,
            Transcript((), "en", 0.0, 9.0, 9.0),
            PageVerdict.EMPTY,
            "9 s of speech left out: no word was sure",
        ),
        (0.0, Transcript(()), PageVerdict.DAMAGED, "the recording breaks off before this"),
        (60.0, Transcript(words("Maybe."), "en", 0.4, 2.0), PageVerdict.TRANSCRIBED, "many words may be wrong"),
        (
            60.0,
            Transcript(words("Surely."), "en", 0.9, 9.0, 4.0),
            PageVerdict.TRANSCRIBED,
            "4 s of speech left out: no word was sure",
        ),
    ],
)
def test_what_could_not_be_heard_is_said(decoded_s, heard, verdict, note):
    page, sections = page_of(HEARING, sound(decoded_s), heard)
    assert (page.verdict, page.note) == (verdict, note)
    assert bool(sections) == bool(page.text) == (verdict is PageVerdict.TRANSCRIBED)


def test_a_page_that_nobody_could_hear_waits_no_longer_and_says_why():
    page = unheard(HEARING, "0:00\u20131:00", "it died")
    assert (page.verdict, page.note, page.label) == (PageVerdict.AUDIO_ONLY, "it died", "0:00\u20131:00")
    assert page.method.startswith("speech:")


def test_labels_are_those_of_players():
    assert label_of(59.9, 3723.0) == "0:59\u20131:02:03"
