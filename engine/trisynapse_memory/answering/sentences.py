"""Hits in, the sentences an answer may quote out, each with its place. No question is read here.

Left out for good: headings, entries of reference lists, lines of a table of contents, stray cells, addresses of web
pages, questions, and orders to whoever reads them for her. Titles, captions that are no sentence and pieces of a cut
sentence stay, marked as fragments. Rows of tables are added by ``rows``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.answering.enumerating import MARK
from trisynapse_memory.answering.inquiry import Inquiry, TextKeys
from trisynapse_memory.text.characters import without_tags
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import normalise
from trisynapse_memory.text.unsaid import is_order
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import REPLACED_FIELD, Hit, Modality

PASSAGES_CUT: Final = 10  # hits whose sentences are read; cutting one takes 2 ms
PASSAGES_MOST: Final = 16  # the same, where those behind promise about as much
NEAR_PROMISE: Final = 0.9  # of the best one's; of eleven that say nearly the same, none falls out for its place
HEADING_WORDS: Final = 8
SHOUTING_SHARE: Final = 0.6  # of the letters, in capitals: a heading or a label
CELL_SHARE: Final = 0.4  # of the words, numbers: a row of a table
FEWEST_PIECE_WORDS: Final = 3  # of a piece that completes one
FEWEST_WORDS: Final = 4  # of a sentence that can be read alone

_REFERENCE: Final = re.compile(
    r"^(?:\[\d+\]|\d{1,3}\.)\s+[A-Z].*(?:\bet al\b|arXiv|\bdoi\b|\bpp?\.|\bProc|\bJournal|\bvol\b"
    r"|\b(?:19|20)\d\d[a-z]?\b)"
    r"|^[A-Z][\w'-]+,? (?:[A-Z]\.,? ?)+.*\b(?:19|20)\d\d\b|\barXiv preprint\b|\bIn Proceedings of\b|\bURL https?:",
    re.DOTALL,
)
_LEADERS: Final = re.compile(r"(?:\.\s?){5}")  # of a table of contents
_CONTENTS: Final = re.compile(r"\t\s*(?:\d{1,4}|[ivxl]{1,6})\s*(?:\n|$)")  # a title, a tab, its page
_ENTRY: Final = re.compile(r"\[\d{1,3}\]\s")
LABELLED_CHARS: Final = 240  # of a label with what is joined to it, before the sentence that ends it
_LABEL: Final = re.compile(r"^(?:fig(?:ure|\.)?|table|plate|box|scheme|chart)\s*[\w.-]{1,8}[.:]?\s*$", re.IGNORECASE)
_CAPTION: Final = re.compile(r"^(?:fig(?:ure|\.)?|table)\s*\d+", re.IGNORECASE)
_END: Final = re.compile(r"[.!?:;\u3002\uff01\uff1f\u06d4\u061f][\"'\u201d\u2019)\]\d]*$")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_LINK: Final = re.compile(r"\]\(|\[\[")  # of Markdown: what stands there is a way to somewhere else, not a statement
# Three numbers side by side, or two with decimals: cells. "5, 6 and 7" has commas and is prose.
_CELLS: Final = re.compile(
    r"(?:(?<!\S)[(+\u2212-]?[\d.]*\d%?\)?\s+){2}[(+\u2212-]?[\d.]*\d%?\)?(?!\S)|\d\.\d+%?\s+\d+\.\d"
)
_NUMERIC: Final = re.compile(r"[^\w]*[\d.,]*\d[\d.,]*[^\w]*")
_DANGLING: Final = re.compile(
    r"^(?:it|its|this|these|those|that|such|he|she|they|his|her|their|here|both|thus|therefore|however|moreover"
    r"|furthermore|also|consequently|instead)\b",
    re.IGNORECASE,
)
# Inside a sentence; "this paper" is the document itself, and "that year" is told apart by its number.
_REFERS: Final = re.compile(
    r"\b(?:this|these|those|such) (?!(?:paper|work|study|article|document|section|chapter|report|case|way|time|day|week"
    r"|month|year|century|as|an?|the|is|are|was|were|can|may|will)s?\b)[a-z]{3,}|\bthe (?:latter|former)\b",
    re.IGNORECASE,
)
_ACRONYM: Final = re.compile(r"\b[A-Z][A-Z\d]{1,6}\b")
_VERB_LIKE: Final = frozenset("can will may must shall us it".split()) | FUNCTION_WORDS


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a hit; ``start`` and ``end`` count in ``hit.record.text``. ``text`` is it as one line."""

    hit: Hit
    rank: int
    start: int
    end: int
    text: str
    keys: TextKeys
    previous: Sentence | None = None
    row_of: tuple[str, ...] | None = None  # the headers of its table, for a row, which is quoted with them
    around: TextKeys | None = None  # what a row's table says of itself: caption, headers, the group it stands in
    is_extreme: bool = False  # the row of the highest or lowest figure that is asked for

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table; its ``text`` is no literal part of the record then."""
        return self.row_of is not None

    @property
    def is_dangling(self) -> bool:
        """Whether it leans on the sentence before it ("It was ...")."""
        return self.previous is not None and leans(self.text)

    @property
    def refers_back(self) -> bool:
        """Whether the sentence before it says what a part of it means ("these devices", "ENR")."""
        if self.previous is None:
            return False
        before = self.previous.text
        return _REFERS.search(self.text) is not None or any(f"({one})" in before for one in _ACRONYM.findall(self.text))

    @property
    def is_fragment(self) -> bool:
        """Whether it is a caption, a title or a piece rather than a sentence; shown only for want of better."""
        return not self.is_row and not self.speaker and (_END.search(self.text) is None or not is_readable(self.text))

    @property
    def speaker(self) -> str:
        """Who said it, in a conversation; else an empty string."""
        return speaker_of(self.hit)


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with its sentences; ``keys`` are those of its text and of its searchable fields."""

    hit: Hit
    rank: int
    sentences: tuple[Sentence, ...]
    keys: TextKeys
    is_cut: bool = True  # whether its sentences were looked for


def is_conversation(hits: Sequence[Hit]) -> bool:
    """Whether most of the hits are turns of a conversation; refusals are calibrated per kind of store."""
    return 2 * sum(hit.record.modality is Modality.CONVERSATION for hit in hits) > len(hits)


def speaker_of(hit: Hit) -> str:
    """The speaker of a conversation hit, or an empty string."""
    locator = hit.record.locator
    return hit.record.fields.get("speaker", "") or (locator.speaker if locator and locator.speaker else "")


def passages_of(hits: Sequence[Hit], inquiry: Inquiry | None = None) -> tuple[Passage, ...]:
    """Cut each hit into the sentences an answer may quote; with an ``inquiry``, only the hits that promise most.

    The others keep their words, which tell what their source is about, but no sentences.
    """
    counted = [(hit, TextKeys.of(_searched(hit))) for hit in hits]
    cut = set(range(len(hits))) if inquiry is None else _promising(counted, inquiry)
    return tuple(
        Passage(hit, rank, tuple(_sentences(hit, rank)) if rank in cut else (), keys, rank in cut)
        for rank, (hit, keys) in enumerate(counted)
    )


def _promising(counted: Sequence[tuple[Hit, TextKeys]], inquiry: Inquiry) -> set[int]:
    """The hits that promise most; one that another repeats word for word says nothing more."""
    best = max((hit.score for hit, _ in counted), default=0.0) or 1.0
    promises = [inquiry.coverage(keys) + hit.score / best for hit, keys in counted]
    cut: list[int] = []
    said: set[str] = set()
    for rank in sorted(range(len(counted)), key=lambda rank: (-promises[rank], rank)):
        near = promises[rank] >= NEAR_PROMISE * max(promises)
        if len(cut) >= (PASSAGES_MOST if near else PASSAGES_CUT):
            break
        text = " ".join(counted[rank][0].record.text.split()).casefold()
        if text not in said:
            said.add(text)
            cut.append(rank)
    return set(cut)


def _searched(hit: Hit) -> str:
    fields = (value for name, value in hit.record.fields.items() if name not in ("speaker", "title"))
    return "\n".join([hit.record.text, *fields, hit.title])


def _sentences(hit: Hit, rank: int) -> Iterator[Sentence]:
    text = hit.record.text
    talk = hit.record.modality is Modality.CONVERSATION
    table = hit.record.modality is Modality.TABLE
    replaced = hit.record.fields.get(REPLACED_FIELD, "")
    previous: Sentence | None = None
    for start, end in _with_labels(text, sentence_spans(text)):
        line = one_line(text[start:end])
        if (table and "|" in line) or not is_quotable(line, talk) or (not talk and _stands_in_list(text, start, end)):
            previous = None
            continue
        mark = MARK.match(text, start, end)
        if mark is not None and not talk:  # of an entry of a list; looked at until here, for references have them too
            start = mark.end()
            line = one_line(text[start:end])
        keys = TextKeys.of(f"{line}\n{replaced}" if replaced else line)
        yield Sentence(hit, rank, start, end, line, keys, previous)
        # Only the neighbour is kept, not the chain of all before it.
        previous = Sentence(hit, rank, start, end, line, keys)


def _with_labels(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The sentences, "Figure 1." with its title and the first that reads as one: a label says nothing alone."""
    label: int | None = None
    for index, (start, end) in enumerate(spans):
        piece = text[start:end]
        is_open = index + 1 < len(spans) and end - (start if label is None else label) < LABELLED_CHARS
        if is_open and (_LABEL.match(piece) is not None if label is None else not is_readable(one_line(piece))):
            label = start if label is None else label
            continue
        yield start if label is None else label, end
        label = None


def edge_of(hit: Hit, *, last: bool) -> Sentence | None:
    """The first or last sentence of a hit, also where a border cut it; None for a label, a caption or cells."""
    text = hit.record.text
    spans = sentence_spans(text)
    if not spans:
        return None
    start, end = spans[-1 if last else 0]
    line = one_line(text[start:end])
    if len(line.split()) < FEWEST_PIECE_WORDS or _CAPTION.match(line) or _REFERENCE.search(line):
        return None
    if _is_cells_or_address(line) or _stands_in_list(text, start, end):
        return None
    return Sentence(hit, 0, start, end, line, TextKeys.of(line))


def leans(text: str) -> bool:
    """Whether a sentence begins with a word that only the one before it explains ("It was ...")."""
    return _DANGLING.match(text) is not None


def one_line(text: str) -> str:
    """A stretch of a page as one line, words that a line end broke joined again."""
    return normalise(text).text.strip() if "-\n" in text or "\u00ad" in text else " ".join(without_tags(text).split())


def ends_sentence(line: str) -> bool:
    """Whether a line closes with the stop of a sentence."""
    return _END.search(line) is not None


def is_readable(line: str) -> bool:
    """Whether a line reads as a whole sentence: it begins like one, has a word of grammar, and is no label.

    Scripts without capitals are taken as they are.
    """
    letters = [letter for letter in line if letter.isalpha()]
    if not letters or not any(letter.isascii() for letter in letters):
        return bool(letters)
    if letters[0].islower() or line[0] in ")]},;%" or sum(map(str.isupper, letters)) > SHOUTING_SHARE * len(letters):
        return False
    words = [word.strip(".,;:()").lower() for word in line.split()]
    return len(words) >= FEWEST_WORDS and any(word in _VERB_LIKE for word in words)


def _stands_in_list(text: str, start: int, end: int) -> bool:
    """Whether a sentence is part of a reference or of a table of contents; entries are cut at initials."""
    if _CONTENTS.search(text, start, min(len(text), end + 12)):
        return True
    begin = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
    stop = text.find("\n\n", start)
    return (
        _ENTRY.match(text, begin) is not None
        and _REFERENCE.search(text[begin : stop if stop >= 0 else None]) is not None
    )


def is_quotable(line: str, talk: bool) -> bool:
    """Whether a line says something: no question, order, heading, link, cells or entry of a list.

    ``talk`` allows all but questions and orders.
    """
    if is_order(line) or line.endswith(("?", "\uff1f", "\u061f")) or not any(letter.isalnum() for letter in line):
        return False
    if talk:
        return True
    if not any(letter.isalpha() for letter in line):
        return False
    if line.startswith(("#", "![")) or _REFERENCE.search(line) or _LEADERS.search(line) or _is_cells_or_address(line):
        return False
    short = len(line.split()) <= HEADING_WORDS
    return not (short and not _END.search(line) and not any(letter.isdigit() for letter in line))


def _is_cells_or_address(line: str) -> bool:
    if line.startswith("|") or _LINK.search(line) is not None or _CELLS.search(line) is not None:
        return True
    words = line.split()
    numbers = sum(_NUMERIC.fullmatch(word) is not None for word in words)
    if len(words) > 3 and numbers >= CELL_SHARE * len(words):
        return True
    bare = _ADDRESS.sub(" ", line)
    return bare != line and not is_readable(bare.strip() or "-")
