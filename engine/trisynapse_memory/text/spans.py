"""A text in, the same text as a reader would type it and the map between both out. No file or index is read here.

Search, quotes and highlights all go through this map: what is written with ligatures, soft hyphens, broken words, fancy
quotes, doubled spaces or decomposed accents is found by what people type, and shown where it stands.
Doubled glyphs (bold painted twice) are the loader's: only it sees that they lie on top of each other.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.text.characters import INVISIBLE_RANGES, JOINING_RANGES, canonical, cluster_pattern, mark_ranges
from trisynapse_memory.text.hyphenation import LINE_END_HYPHEN, Vocabulary, collect_vocabulary, keeps_hyphen

__all__ = ["NormalisedText", "Vocabulary", "collect_vocabulary", "find_quote", "normalise"]

_HYPHEN_IN_WORD: Final = re.compile(r"(?<=[^\W_])-(?=[^\W_])")
# A quote that was cut inside a broken word keeps its half of the break.
_CUT_BREAK: Final = re.compile(r"^\s*[-\u2010\u2011\u00ad]\s*\n\s*|[-\u2010\u2011\u00ad]\s*$")


@dataclass(frozen=True, slots=True)
class NormalisedText:
    """A normalised text with the original span of each of its characters.

    Made by ``normalise``. A character that came out of several (a composed accent) or that shares its origin with its
    neighbours (the f of a ligature) maps to the whole original span. ``breaks`` are the offsets in ``text`` where a
    line ended inside a word.
    """

    text: str
    starts: array[int]
    ends: array[int]
    original_length: int
    breaks: tuple[int, ...]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Where a span of ``text`` stands in the original; an empty span gives an empty one.

        Raises:
            InvalidInputError: the span does not lie inside the text.
        """
        _check_span(start, end, len(self.text))
        if start == end:
            point = self.starts[start] if start < len(self.text) else self.original_length
            return point, point
        return self.starts[start], self.ends[end - 1]

    def normalised_span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of ``text`` that a span of the original touches; empty where all of it was dropped.

        Raises:
            InvalidInputError: the span does not lie inside the original.
        """
        _check_span(start, end, self.original_length)
        first = bisect_right(self.ends, start)
        return first, first if start == end else max(first, bisect_left(self.starts, end))

    def casefold(self) -> NormalisedText:
        """The same text without case, with the same map."""
        folded = self.text.casefold()
        if len(folded) == len(self.text):  # No character ever shrinks, so none has grown either.
            return replace(self, text=folded)
        lengths = [len(letter.casefold()) for letter in self.text]
        origins = [index for index, length in enumerate(lengths) for _ in range(length)]
        return NormalisedText(
            folded,
            array("q", (self.starts[index] for index in origins)),
            array("q", (self.ends[index] for index in origins)),
            self.original_length,
            tuple(bisect_left(origins, index) for index in self.breaks),
        )

    def find(self, quote: str, *, ignore_case: bool = False, whole_words: bool = False) -> list[tuple[int, int]]:
        """Find every occurrence of a quote, however it was typed or typeset.

        Args:
            quote: normalised in the same way first. White space and half a broken word at its ends do not count.
            ignore_case: also match another case.
            whole_words: leave out matches that begin or end inside a word.

        Returns:
            Spans in the ORIGINAL text, ascending, not overlapping. Empty for a quote without visible characters.
            A hyphen may be there or not only where a line ends in the text or in the quote: "re-sign" is not "resign".
        """
        if ignore_case:
            folded = self.casefold()
            return folded._find(
                normalise(quote).casefold(), normalise(_CUT_BREAK.sub("", quote)).casefold(), whole_words
            )
        return self._find(normalise(quote), normalise(_CUT_BREAK.sub("", quote)), whole_words)

    def _find(self, quote: NormalisedText, uncut: NormalisedText, whole_words: bool) -> list[tuple[int, int]]:
        spans = list(self._occurrences(quote))
        if not spans and uncut.text != quote.text:
            spans = list(self._occurrences(uncut))
        if whole_words:
            spans = [span for span in spans if _on_word_borders(self.text, *span)]
        return [self.original_span(start, end) for start, end in spans]

    def _occurrences(self, quote: NormalisedText) -> Iterator[tuple[int, int]]:
        """Spans of ``text``; exact ones, or through the skeleton where a break leaves the hyphen open."""
        needle = quote.text.strip()
        if not needle:
            return
        if not self.breaks and not quote.breaks:
            at = self.text.find(needle)
            while at >= 0:
                yield at, at + len(needle)
                at = self.text.find(needle, at + len(needle))
            return
        indent = len(quote.text) - len(quote.text.lstrip())
        wanted = _Skeleton.of(needle, tuple(index - indent for index in quote.breaks))
        own = _Skeleton.of(self.text, self.breaks)
        length = len(wanted.text)
        at = own.text.find(wanted.text)
        while at >= 0:
            if own.agrees(wanted, at):
                yield own.origins[at], own.origins[at + length - 1] + 1
                at = own.text.find(wanted.text, at + length)
            else:
                at = own.text.find(wanted.text, at + 1)


@dataclass(frozen=True, slots=True)
class _Skeleton:
    """A text without the hyphens inside its words; all numbers but ``origins`` count in the skeleton."""

    text: str
    origins: list[int]
    hyphens: list[int]  # Where one was dropped, ascending: the offset of the character after it.
    breaks: frozenset[int]

    @classmethod
    def of(cls, text: str, breaks: tuple[int, ...]) -> _Skeleton:
        dropped = [match.start() for match in _HYPHEN_IN_WORD.finditer(text)]
        gone = set(dropped)
        origins = [index for index in range(len(text)) if index not in gone]
        skeleton = _HYPHEN_IN_WORD.sub("", text)
        hyphens = [index - count for count, index in enumerate(dropped)]
        return cls(skeleton, origins, hyphens, frozenset(bisect_left(origins, index) for index in breaks))

    def agrees(self, other: _Skeleton, at: int) -> bool:
        """Whether ``other`` at this place differs from this text by hyphens at line ends only."""
        end = at + len(other.text)
        own = {index - at for index in self.hyphens[bisect_right(self.hyphens, at) : bisect_left(self.hyphens, end)]}
        differing = own.symmetric_difference(other.hyphens)
        return all(index in other.breaks or index + at in self.breaks for index in differing)


def normalise(text: str, *, casefold: bool = False, vocabulary: Vocabulary | None = None) -> NormalisedText:
    """Write a text as a reader would type it, keeping the way back.

    NFKC with ligatures; soft hyphens, zero-width and bidi controls removed; words broken at a line end joined, or kept
    with their hyphen (``trisynapse_memory.text.hyphenation``); white space collapsed; quotes and dashes unified.

    Args:
        text: any text, as it was stored.
        casefold: also fold case.
        vocabulary: the words of the whole document, where ``text`` is only a page of it; else those of ``text``.
    """
    pieces: list[str] = []
    starts: array[int] = array("q")
    ends: array[int] = array("q")
    breaks: list[int] = []
    for match in _scanner().finditer(text):
        start, end, kind = match.start(), match.end(), match.lastgroup
        if kind == "plain":
            pieces.append(match.group())
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        form = ""
        if kind == "space":
            form = " "
        elif kind == "other":
            form = canonical(match.group())
        elif kind == "hyphen":
            vocabulary = vocabulary or collect_vocabulary(text)
            if keeps_hyphen(text, start, end, vocabulary):
                form, end = "-", start + 1
        pieces.append(form)
        starts.extend([start] * len(form))
        ends.extend([end] * len(form))
        if kind in ("hyphen", "soft"):
            breaks.append(len(starts))
    normalised = NormalisedText("".join(pieces), starts, ends, len(text), tuple(breaks))
    return normalised.casefold() if casefold else normalised


def find_quote(text: str, quote: str, *, ignore_case: bool = False, whole_words: bool = False) -> list[tuple[int, int]]:
    """Find a quote in one text once; keep ``normalise(text)`` where many quotes are looked for.

    Returns:
        Spans in ``text``, as ``NormalisedText.find`` gives them.
    """
    return normalise(text).find(quote, ignore_case=ignore_case, whole_words=whole_words)


@cache
def _scanner() -> re.Pattern[str]:
    soft = rf"\u00ad[{INVISIBLE_RANGES}]{{0,4}}[ \t]{{0,80}}\r?\n[ \t{INVISIBLE_RANGES}]{{0,80}}(?=\w)"
    # No run of plain ASCII ends where something composes into its last letter.
    plain = rf"[!-,.-_a-~]+(?![{mark_ranges()}{JOINING_RANGES}{INVISIBLE_RANGES}])"
    return re.compile(
        rf"(?P<plain>{plain})|(?P<space>\s[\s{INVISIBLE_RANGES}]*)|(?P<hyphen>{LINE_END_HYPHEN})|(?P<soft>{soft})"
        rf"|(?P<other>{cluster_pattern().pattern.removeprefix('(?s)')})",
        re.DOTALL,
    )


def _on_word_borders(text: str, start: int, end: int) -> bool:
    inside_left = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    inside_right = end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return not inside_left and not inside_right


def _check_span(start: int, end: int, length: int) -> None:
    if not 0 <= start <= end <= length:
        raise InvalidInputError(
            f"The span {start}..{end} does not lie in a text of {length} characters.",
            hint="Offsets count characters from 0; the end is not included.",
        )
