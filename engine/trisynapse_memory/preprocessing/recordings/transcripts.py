"""The words a transcriber heard in a stretch in, a page of passages with their times out. Nothing is decoded or heard.

A word that a model heard may be wrong, so the verdict says ``transcribed`` for good; where there is no speech, the page
is empty, and its note says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from trisynapse_memory.contracts import Sound, SpokenWord, Transcript
from trisynapse_memory.preprocessing.blocks import compose
from trisynapse_memory.preprocessing.captions.cues import Cue
from trisynapse_memory.preprocessing.captions.passages import SENTENCE_END, Chapter, clock, stretches
from trisynapse_memory.types import Page, PageVerdict, Section

METHOD: Final = "speech"
MEASURED: Final = "recording"
UNMEASURED: Final = "recording, not looked into"
"""How a page was read that waits for a transcriber; of an unmeasured recording nobody knows yet how many there are."""

REST_S: Final = 1.0  # a pause that ends a sentence, whatever its marks say
LOW_CONFIDENCE: Final = 0.6  # mean of a stretch; clear speech has 0.8 and more, a strong accent or noise 0.5
TELLING_S: Final = 1.0  # speech left out below it is no news


class Hearing(NamedTuple):
    """Which page of a recording it is (from 1), and whose words it holds: ``speech:`` and the transcriber's method."""

    number: int
    method: str


def page_of(hearing: Hearing, sound: Sound, heard: Transcript) -> tuple[Page, tuple[Section, ...]]:
    """Write down what was heard in a stretch.

    Args:
        hearing: which page it is, and who heard it.
        sound: what was listened to; times are counted from its start.
        heard: the words.

    Returns:
        The page, and a section for each passage with its start and end in the recording. ``damaged`` where there was
        nothing to listen to, ``empty`` where nobody speaks.
    """
    chapters = [Chapter(start_s, title) for start_s, title in sound.chapters]
    text, sections = passages_of(_sentences(heard.words, sound.start_s), chapters, sound.start_s)
    verdict, note = _judge(sound, heard)
    page = Page(
        number=hearing.number,
        text=text,
        verdict=verdict,
        label=label_of(sound.start_s, sound.end_s),
        method=f"{METHOD}:{hearing.method}",
        note=note,
    )
    return page, sections


def passages_of(cues: Sequence[Cue], chapters: Sequence[Chapter], start_s: float) -> tuple[str, tuple[Section, ...]]:
    """Write what is said in one stretch as passages; a chapter is a heading where it begins, and goes on behind that.

    Args:
        cues: sentences or captions, with times of the recording, in their order.
        chapters: of the whole recording, in the order of their times.
        start_s: where the stretch begins.
    """
    before = [chapter for chapter in chapters if chapter.start_s < start_s]
    begun = [chapter for chapter in chapters if chapter.start_s >= start_s]
    blocks = [block for one in stretches(cues, begun) for block in one.blocks]
    return compose(blocks, above=[(1, before[-1].title)] if before else [])


def unheard(hearing: Hearing, label: str, why: str) -> Page:
    """Return a page that could not be written down, so that it is not tried for ever."""
    return Page(
        number=hearing.number,
        text="",
        verdict=PageVerdict.AUDIO_ONLY,
        label=label,
        method=f"{METHOD}:{hearing.method}",
        note=why,
    )


def label_of(start_s: float, end_s: float) -> str:
    """Say from when to when a stretch goes: ``1:00–2:00``."""
    return f"{clock(start_s)}\u2013{clock(end_s)}"


def _sentences(words: Sequence[SpokenWord], start_s: float) -> list[Cue]:
    """Words as sentences, by their marks and by pauses; each with its time in the recording."""
    cues: list[Cue] = []
    run: list[SpokenWord] = []
    for word in words:
        if run and (SENTENCE_END.search(run[-1].text) or word.start_s - run[-1].end_s >= REST_S):
            cues.append(_cue(run, start_s))
            run = []
        run.append(word)
    return [*cues, _cue(run, start_s)] if run else cues


def _cue(run: Sequence[SpokenWord], start_s: float) -> Cue:
    text = "".join(word.text for word in run).strip()
    return Cue(round(start_s + run[0].start_s, 2), round(start_s + run[-1].end_s, 2), text)


def _judge(sound: Sound, heard: Transcript) -> tuple[PageVerdict, str]:
    lost = f"{heard.left_out_s:.0f} s of speech left out: no word was sure" if heard.left_out_s >= TELLING_S else ""
    if not sound.decoded_s:
        return PageVerdict.DAMAGED, "the recording breaks off before this"
    if not heard.words:
        return PageVerdict.EMPTY, lost or "nobody speaks here"
    doubt = "many words may be wrong" if heard.confidence < LOW_CONFIDENCE else ""
    return PageVerdict.TRANSCRIBED, "; ".join(filter(None, (doubt, lost)))
