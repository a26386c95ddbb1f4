"""One page with its sections in, chunks small enough for the embedder out; no file, log or index is touched here.

The rule (engine.md 0.2): a chunk holds one thought. Sections come first, and no chunk crosses from one heading path,
table or code block into another; neighbouring paragraphs of one path are packed together. Inside, chunks end where
sentences end. A sentence that is itself too long is cut at clauses, then at words, then between characters: it is
never dropped and never handed on longer than the embedder sees (case R31).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.text.lines import narrowed
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Chunk, Locator, Modality, Page, PageVerdict, Section

MARGIN_KIND: Final = "margin"  # what a loader calls running heads and page numbers
PATH_JOINT: Final = " > "
USABLE: Final = frozenset(
    {PageVerdict.OK, PageVerdict.OCR, PageVerdict.TRANSCRIBED, PageVerdict.ORDER_UNCERTAIN, PageVerdict.HIDDEN_TEXT}
)  # Pages with another verdict are accounted for, but their text is no evidence.

# A word of more than 100 characters is one "unknown" piece to the embedder; without a price of its own an encoded image
# would become one chunk of a megabyte. English has 4.5 characters a wordpiece, so no sentence ever meets this.
TOKEN_MAX_CHARS: Final = 16

Span = tuple[int, int]
_LINES: Final = frozenset({Modality.TABLE, Modality.CODE, Modality.STRUCTURED})
_PACKED_KINDS: Final = frozenset({"body", "heading"})
_CLAUSE_END: Final = re.compile(r"(?<=[;:,)\]\u2014\u3001\u3002\uff0c\uff1b\uff1a])\s*(?=\S)|\n+(?=\S)")
_WORD: Final = re.compile(r"\S+")
_LINE: Final = re.compile(r"[^\n]*\S[^\n]*")


@dataclass(frozen=True, slots=True)
class _Atom:
    """A stretch that is not cut any further; ``whole`` when it is a sentence or a line, not a piece of one."""

    start: int
    end: int
    token_count: int
    whole: bool


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring sections that may share chunks; the first one speaks for all."""

    section: Section
    spans: tuple[Span, ...]

    @property
    def by_line(self) -> bool:
        """Rows, lines of code and keys with their values are the thoughts there; a splitter would tear them."""
        return self.section.kind == "table" or self.section.modality in _LINES


def estimated_counts(texts: Sequence[str]) -> Sequence[int]:
    """Count wordpieces without a tokenizer: an upper bound of one per three characters, and the two special ones."""
    return [2 + (len(text) + 2) // 3 for text in texts]


def chunk_page(
    page: Page, sections: Sequence[Section], count_tokens: TokenCounter, config: Config
) -> tuple[Chunk, ...]:
    """Cut one page into chunks, in reading order.

    Args:
        page: the page as its loader read it.
        sections: stretches of ``page.text`` that no chunk may cross out of; none means the whole page is one.
        count_tokens: counts wordpieces, special tokens included; asked a few times per page, with all texts at once.
        config: ``chunk_max_tokens`` and ``chunk_overlap_sentences`` are used.

    Returns:
        Chunks whose text is exactly ``page.text[locator.start:locator.end]``, never blank, each at most
        ``chunk_max_tokens`` long. None for a page without usable text. Fields hold the heading path as ``section``.
    """
    if page.verdict not in USABLE or not page.text.strip():
        return ()
    groups = _groups(page.text, sections or (Section(start=0, end=len(page.text)),))
    # What an empty text costs: the embedder's special tokens, which every count includes once.
    special = count_tokens([""])[0]
    room = max(1, config.chunk_max_tokens - special)
    atoms = _atoms(page.text, groups, _without_special(count_tokens, special), room)
    runs = [
        (group.section, run)
        for group, row in zip(groups, atoms, strict=True)
        for run in _pack(row, room, 0 if group.by_line else config.chunk_overlap_sentences)
    ]
    fitting = _fitted(page.text, runs, _without_special(count_tokens, special), room)
    return tuple(_chunk(page, section, run[0].start, run[-1].end) for section, run in fitting)


def _without_special(count_tokens: TokenCounter, special: int) -> Callable[[list[str]], list[int]]:
    def count(texts: list[str]) -> list[int]:
        return [max(0, number - special) for number in count_tokens(texts)] if texts else []

    return count


def _groups(text: str, sections: Sequence[Section]) -> list[_Group]:
    """Join neighbours of one heading path when only white space lies between them."""
    # Running heads and page numbers are no thought, unless a page holds nothing else.
    inner = [section for section in sections if section.kind != MARGIN_KIND] or sections
    groups: list[_Group] = []
    for section in sorted(inner, key=lambda one: (one.start, one.end)):
        span = _trimmed(text, section.start, section.end)
        if span is None:
            continue
        last = groups[-1] if groups else None
        if last and _belong_together(last.section, section) and not text[last.spans[-1][1] : span[0]].strip():
            groups[-1] = _Group(last.section, (*last.spans, span))
        else:
            groups.append(_Group(section, (span,)))
    return [group for index, group in enumerate(groups) if not _only_announces(group, groups[index + 1 :])]


def _belong_together(first: Section, second: Section) -> bool:
    same = ("path", "modality", "fields", "observed_at")
    return (
        {first.kind, second.kind} <= _PACKED_KINDS
        and first.locator == second.locator
        and all(getattr(first, name) == getattr(second, name) for name in same)
    )


def _only_announces(group: _Group, following: Sequence[_Group]) -> bool:
    """A heading with nothing of its own below it lives on in the path of what follows; alone it is no thought."""
    path = group.section.path
    return (
        group.section.kind == "heading"
        and len(group.spans) == 1
        and bool(path and following)
        and following[0].section.path[: len(path)] == path
    )


def _trimmed(text: str, start: int, end: int) -> Span | None:
    """The span without white space at its ends, or None when nothing is left."""
    start, end = max(0, start), min(end, len(text))
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return None
    start += len(piece) - len(piece.lstrip())
    return start, start + len(inner)


def _atoms(
    text: str, groups: Sequence[_Group], count: Callable[[list[str]], list[int]], room: int
) -> list[list[_Atom]]:
    """Sentences or lines of every group, the too long ones cut; each level of cutting is counted in one batch."""
    spans = [[span for part in group.spans for span in _thoughts(text, part, group.by_line)] for group in groups]
    atoms = _counted(text, spans, count, whole=True)
    for cut in (_clauses, _words, _halves):
        while any(atom.token_count > room for row in atoms for atom in row):
            shorter = _cut_long(text, atoms, cut, count, room)
            if shorter == atoms:
                break
            atoms = shorter
    return atoms


def _counted(
    text: str, spans: Sequence[Sequence[Span]], count: Callable[[list[str]], list[int]], *, whole: bool
) -> list[list[_Atom]]:
    counts = iter(count([text[start:end] for row in spans for start, end in row]))
    return [
        [_Atom(start, end, max(next(counts), (end - start) // TOKEN_MAX_CHARS), whole) for start, end in row]
        for row in spans
    ]


def _cut_long(
    text: str,
    atoms: Sequence[Sequence[_Atom]],
    cut: Callable[[str, Span], list[Span]],
    count: Callable[[list[str]], list[int]],
    room: int,
) -> list[list[_Atom]]:
    long = [atom for row in atoms for atom in row if atom.token_count > room]
    pieces = iter(_counted(text, [cut(text, (atom.start, atom.end)) for atom in long], count, whole=False))
    return [[part for atom in row for part in (next(pieces) if atom.token_count > room else [atom])] for row in atoms]


def _thoughts(text: str, span: Span, by_line: bool) -> Iterator[Span]:
    start, end = span
    if by_line:
        yield from (match.span() for match in _LINE.finditer(text, start, end))
        return
    cursor = start
    for _, last in sentence_spans(text[start:end]):
        # What a splitter left between two sentences belongs to the second one: nothing is lost.
        sentence = _trimmed(text, cursor, start + last) if start + last > cursor else None
        cursor = max(cursor, start + last)
        if sentence:
            yield sentence
    rest = _trimmed(text, cursor, end)
    if rest:
        yield rest


def _clauses(text: str, span: Span) -> list[Span]:
    start, end = span
    borders = [start, *(match.end() for match in _CLAUSE_END.finditer(text, start, end)), end]
    spans = (_trimmed(text, left, right) for left, right in pairwise(borders))
    return [found for found in spans if found]


def _words(text: str, span: Span) -> list[Span]:
    return [match.span() for match in _WORD.finditer(text, *span)]


def _halves(text: str, span: Span) -> list[Span]:
    """A word without a border inside (a sequence, an encoded image): cut in the middle until it fits."""
    start, end = span
    middle = (start + end) // 2
    return [span] if middle == start else [(start, middle), (middle, end)]


def _pack(atoms: Sequence[_Atom], room: int, overlap: int) -> Iterator[list[_Atom]]:
    """Fill chunks in order; the next one starts with the last ``overlap`` sentences when they leave room."""
    run: list[_Atom] = []
    for atom in atoms:
        if run and sum(one.token_count for one in run) + atom.token_count > room:
            yield run
            tail = run[-overlap:] if overlap else []
            # A piece of a cut sentence teaches nothing when it is repeated.
            while tail and (sum(one.token_count for one in tail) + atom.token_count > room or not tail[0].whole):
                tail = tail[1:]
            run = list(tail)
        run.append(atom)
    if run:
        yield run


def _fitted(
    text: str, runs: list[tuple[Section, list[_Atom]]], count: Callable[[list[str]], list[int]], room: int
) -> list[tuple[Section, list[_Atom]]]:
    """Measure what was packed: counts add up for words, but pieces of one word can join into more than their sum."""
    counts = count([text[run[0].start : run[-1].end] for _, run in runs])
    fitting: list[tuple[Section, list[_Atom]]] = []
    for (section, run), number in zip(runs, counts, strict=True):
        if number <= room or len(run) == 1:
            fitting.append((section, run))
        else:
            middle = len(run) // 2
            fitting += _fitted(text, [(section, run[:middle]), (section, run[middle:])], count, room)
    return fitting


def _chunk(page: Page, section: Section, start: int, end: int) -> Chunk:
    drawn = bool(page.width or page.label or page.layout)
    place = section.locator or Locator(kind="page" if drawn else "section")
    words = page.text[section.start : end]
    locator = structs.replace(
        narrowed(place, words, max(0, start - section.start), len(words)),
        page=page.number,
        page_label=page.label or None,
        start=start,
        end=end,
        path=section.path,
        heading=section.path[-1] if section.path else None,
    )
    fields = {"section": PATH_JOINT.join(section.path)} if section.path else {}
    return Chunk(
        page=page.number,
        text=page.text[start:end],
        locator=locator,
        modality=section.modality,
        fields={**fields, **section.fields},
        observed_at=section.observed_at,
    )
