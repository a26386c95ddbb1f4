"""Merged cues in, pages of passages with time locators out: half a minute of a recording is what is cited of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.captions.cues import Cue
from trisynapse_memory.preprocessing.paging import PAGE_BYTES
from trisynapse_memory.types import Locator, Modality

PASSAGE_S: Final = 30.0  # from here on a passage ends where a sentence does
PASSAGE_MAX_S: Final = 60.0
PASSAGE_MAX_WORDS: Final = 130  # below the 220 wordpieces of a chunk, so that most passages are one
PAUSE_S: Final = 4.0  # a silence that begins something new
SENTENCE_END: Final = re.compile(r"""[.!?\u2026\u3002\uff01\uff1f]["')\]\u201d\u2019]*$""")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A named stretch of a recording, from ``start_s`` (seconds) to where the next one begins."""

    start_s: float
    title: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """One page of a recording: ``label`` says from when to when it goes."""

    label: str
    blocks: tuple[Block, ...]


def stretches(cues: Sequence[Cue], chapters: Sequence[Chapter] = ()) -> tuple[Stretch, ...]:
    """Write merged cues as pages of some 64 KiB, cut between chapters where one fits a page.

    Args:
        cues: what is said, each word once, in the order of their times.
        chapters: headings, in the order of their times; empty where there are none.
    """
    pages: list[list[tuple[str, Cue]]] = [[]]
    size = 0
    for title, passages in _by_chapter(cues, chapters):
        whole = sum(_bytes(passage) for passage in passages)
        if pages[-1] and size + whole > PAGE_BYTES:
            pages.append([])
            size = 0
        for passage in passages:
            if pages[-1] and size + _bytes(passage) > PAGE_BYTES:
                pages.append([])
                size = 0
            pages[-1].append((title, passage))
            size += _bytes(passage)
    return tuple(_stretch(page) for page in pages if page)


def clock(seconds: float) -> str:
    """Write a place in a recording as players do: ``4:46``, ``1:02:03``."""
    whole = int(max(0.0, seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _by_chapter(cues: Sequence[Cue], chapters: Sequence[Chapter]) -> Iterator[tuple[str, list[Cue]]]:
    done, title = 0, ""
    for chapter in sorted(chapters, key=lambda one: one.start_s):
        end = done
        while end < len(cues) and cues[end].start_s < chapter.start_s:
            end += 1
        if end > done:
            yield title, list(_passages(cues[done:end]))
        done, title = end, chapter.title
    if done < len(cues):
        yield title, list(_passages(cues[done:]))


def _passages(cues: Sequence[Cue]) -> Iterator[Cue]:
    passage: Cue | None = None
    for cue in cues:
        if passage is None:
            passage = cue
        elif _ends(passage, cue):
            yield passage
            passage = cue
        else:
            passage = replace(passage, end_s=max(passage.end_s, cue.end_s), text=f"{passage.text} {cue.text}")
    if passage is not None:
        yield passage


def _ends(passage: Cue, following: Cue) -> bool:
    length_s = passage.end_s - passage.start_s
    too_long = following.end_s - passage.start_s > PASSAGE_MAX_S
    too_wide = passage.text.count(" ") + following.text.count(" ") + 2 > PASSAGE_MAX_WORDS
    at_rest = following.start_s - passage.end_s >= PAUSE_S
    said = length_s >= PASSAGE_S and SENTENCE_END.search(passage.text) is not None
    return too_long or too_wide or at_rest or said or following.speaker != passage.speaker


def _stretch(page: Sequence[tuple[str, Cue]]) -> Stretch:
    blocks: list[Block] = []
    shown = ""
    for title, passage in page:
        if title and title != shown:
            blocks.append(Block(title, "heading", level=1))
        shown = title
        blocks.append(_block(passage))
    return Stretch(f"{clock(page[0][1].start_s)}\u2013{clock(page[-1][1].end_s)}", tuple(blocks))


def _block(passage: Cue) -> Block:
    speaker = {"speaker": passage.speaker} if passage.speaker else {}
    locator = Locator(kind="time", start_s=passage.start_s, end_s=passage.end_s, speaker=passage.speaker or None)
    modality = Modality.CONVERSATION if passage.speaker else Modality.DOCUMENT
    return Block(passage.text, fields=speaker, locator=locator, modality=modality)


def _bytes(passage: Cue) -> int:
    return len(passage.text.encode("utf-8", "replace")) + 2
