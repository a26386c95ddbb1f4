"""Cues as a player shows them in, cues as they are said out: rolling captions repeat each line, speech does not.

Case R27: automatic captions show the line before above the new one, and each line twice. What a cue repeats of the one
before it is dropped; the time of what is new stays. A file that does not roll is left as it is, refrains included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from trisynapse_memory.preprocessing.captions.cues import Cue

GAP_S: Final = 0.3  # a rolling cue follows the one before it at once
ROLLING_SHARE: Final = 0.3  # of neighbours that repeat words, from which on a file counts as rolling
SURE_WORDS: Final = 3  # so many repeated words are no accident
OVERLAP_MAX_WORDS: Final = 80  # two lines of captions have 20; bounds the work on a hostile file


def merged(cues: Sequence[Cue]) -> tuple[Cue, ...]:
    """Return what is said, each word once, in cues without line breaks.

    Args:
        cues: in the order of their times.
    """
    counts = [0, *(_repeated(first, second) for first, second in pairwise(cues))]
    rolls = sum(count > 0 for count in counts) >= max(1, ROLLING_SHARE * (len(counts) - 1))
    said: list[Cue] = []
    for cue, count in zip(cues, counts[: len(cues)], strict=True):
        words = cue.text.split()
        rest = words[count:] if rolls or count == len(words) else words
        if rest:
            said.append(replace(cue, text=" ".join(rest)))
        elif said:
            said[-1] = replace(said[-1], end_s=max(said[-1].end_s, cue.end_s))
    return tuple(said)


def _repeated(first: Cue, second: Cue) -> int:
    """How many words at the start of a cue only repeat the end of the one before it."""
    if second.start_s > first.end_s + GAP_S or (second.speaker and second.speaker != first.speaker):
        return 0
    shown, words = first.text.casefold().split(), second.text.casefold().split()
    for count in range(min(len(shown), len(words), OVERLAP_MAX_WORDS), 0, -1):
        grows = 2 <= count == len(shown)
        if shown[-count:] == words[:count] and (grows or count >= SURE_WORDS or _is_line(first, second, count)):
            return count
    return 0


def _is_line(first: Cue, second: Cue, count: int) -> bool:
    """Whether so many words are whole lines in both cues."""
    return count in _line_counts(second.text.split("\n")) and count in _line_counts(first.text.split("\n")[::-1])


def _line_counts(lines: Sequence[str]) -> list[int]:
    """How many words the first line has, the first two, and so on."""
    total, counts = 0, list[int]()
    for line in lines:
        total += len(line.split())
        counts.append(total)
    return counts
