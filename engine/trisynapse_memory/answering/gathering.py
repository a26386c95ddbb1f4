"""The sentences chosen for a question that asks for several things in, bullets out: entries, rows, enumerations.

What a source lists is shown as a list, and of every source that has as much of the question. A count of the bullets is
said before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple

from trisynapse_memory.answering.enumerating import MARK, enumerated
from trisynapse_memory.answering.features import Measured
from trisynapse_memory.answering.inquiry import Inquiry, TextKeys
from trisynapse_memory.answering.selection import Choice, says_the_same, score_sentences
from trisynapse_memory.answering.sentences import PASSAGES_CUT, Sentence, one_line
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.unsaid import is_order

LIST_SHARE: Final = 0.9  # of the best sentence's share of the question, for another to be part of the list
MOST_BULLETS: Final = 12  # as many as of a list of sources (``listing.LISTED_SOURCES``): what a screen shows
MOST_SENTENCES: Final = 6  # of running text among them
_SAME: Final = 1e-6
_COUNTS: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNT: Final = re.compile(rf"\b(?:what|which|the|list|name)\s+(?P<count>{'|'.join(_COUNTS)})\b", re.IGNORECASE)


class Gathered(NamedTuple):
    """Bullets, best first, or the choices as they came where nothing is listed (``is_list`` False)."""

    choices: tuple[Choice, ...]
    is_list: bool


def gather(inquiry: Inquiry, choices: Sequence[Choice], rows: Sequence[Measured], limit: int) -> Gathered:
    """Make a list of what was chosen.

    Args:
        inquiry: the question taken apart; it may say how many things it wants ("what four parts").
        choices: as for any question, best first.
        rows: all measured sentences.
        limit: characters of one quotation, at most.

    Returns:
        Rows of one table; or the items of the best sentence, and of others with as much of the question; or sentences
        of several sources, each with as much of it. Sentences of one source that enumerate nothing are no list.
    """
    if not choices:
        return Gathered((), False)
    known = {_place(row.sentence): row for row in rows}
    best = known.get(_place(choices[0].sentence))
    if best is None or best.sentence.is_extreme or best.sentence.speaker:
        return Gathered(tuple(choices), False)
    row = best if best.sentence.is_row else _best_of_several(choices, known, LIST_SHARE * best.context)
    if row is not None:
        peers = _peers(row, rows)
        return Gathered(peers, True) if len(peers) > 1 else Gathered(tuple(choices), False)
    opener = _opener_of(inquiry, best, rows)
    chosen = [*([Choice(opener, opener.start, opener.end, choices[0].score)] if opener else []), *choices]
    whole = [_itemised(one) for choice in chosen for one in _whole_list(choice, limit)]
    listed = _counted_first(inquiry.question, whole)
    least = LIST_SHARE * (_share(listed[0], known) if listed[0].sentence is not opener else best.coverage)
    if not listed[0].items:
        together = all(_share(one, known) >= least for one in listed) and _source_count(listed) > 1
        return Gathered(tuple(choices), together)
    # Of its own source only what enumerates as well: other sentences there speak of what has been listed.
    own = listed[0].sentence.hit.source_key
    others = [*listed[1:], *_more(listed, rows, least)]
    fit = [one for one in others if _share(one, known) >= least and (one.items or one.sentence.hit.source_key != own)]
    return Gathered(tuple(_first_bullets(_distinct([listed[0], *_continued(listed), *fit]))), True)


def _opener_of(inquiry: Inquiry, best: Measured, rows: Sequence[Measured]) -> Sentence | None:
    """A sentence that opens a marked list and has, with what stands above it, more of the question than the best."""

    def held(sentence: Sentence) -> float:
        record = sentence.hit.record
        above = (sentence.hit.title, record.fields.get("section", ""), record.text.lstrip().partition("\n")[0])
        return inquiry.coverage(sentence.keys, TextKeys.of("\n".join(above)))

    opening = [row.sentence for row in rows if row.sentence.text.endswith((":", "\uff1a")) and not row.sentence.is_row]
    told = [(held(one), one) for one in opening if inquiry.covered(one.keys) and one is not best.sentence]
    share, found = max(told, key=lambda pair: pair[0], default=(0.0, None))
    if found is None or share <= held(best.sentence):
        return None
    return found if _entries_near(Choice(found, found.start, found.end, 0.0)) else None


def _counted_first(question: str, listed: Sequence[Choice]) -> list[Choice]:
    """With the enumeration first that has as many items as the question says, where one has."""
    told = _COUNT.search(question)
    count = _COUNTS.index(told["count"].lower()) + 2 if told is not None else 0
    return sorted(listed, key=lambda choice: bool(count) and len(choice.items) != count)


def _continued(listed: Sequence[Choice]) -> Iterator[Choice]:
    """The further pieces of a list that was too long for one quotation."""
    end = listed[0].end
    for choice in listed[1:]:
        if choice.sentence is listed[0].sentence and choice.start >= end:
            end = choice.end
            yield choice


def _source_count(choices: Sequence[Choice]) -> int:
    return len({choice.sentence.hit.source_key for choice in choices})


def _first_bullets(choices: Sequence[Choice]) -> Iterator[Choice]:
    """The first choices, so many that their bullets are at most ``MOST_BULLETS``; the best is whole in any case."""
    bullets = 0
    for choice in choices:
        bullets += max(1, len(choice.items))
        if bullets > MOST_BULLETS and choice is not choices[0]:
            return
        yield choice


def count_line(choices: Sequence[Choice]) -> str:
    """Say how many bullets there are, and in how many sources; of as many as passages are read, there may be more."""
    count = sum(max(1, len(choice.items)) for choice in choices)
    sources = _source_count(choices)
    more = "; there may be more" if count >= PASSAGES_CUT else ""
    return f"{count} found, in {sources} source{'' if sources == 1 else 's'}{more}."


def _best_of_several(
    choices: Sequence[Choice], known: Mapping[tuple[str, int], Measured], least: float
) -> Measured | None:
    """The best row of a table of which several rows were chosen, and which has as much of the question as the best."""
    told = [row for choice in choices if (row := known.get(_place(choice.sentence))) is not None]
    found = [row for row in told if row.sentence.is_row and row.context >= least]
    return found[0] if len(found) > 1 and found[0].sentence.row_of == found[1].sentence.row_of else None


def _share(choice: Choice, known: Mapping[tuple[str, int], Measured]) -> float:
    row = known.get(_place(choice.sentence))
    return row.coverage if row is not None else 0.0


def _place(sentence: Sentence) -> tuple[str, int]:
    return str(sentence.hit.record.id), sentence.start


def _peers(best: Measured, rows: Sequence[Measured]) -> tuple[Choice, ...]:
    """All rows of tables with the same headers that have as much of the question, in the order of the table."""
    alike = [
        (score, row)
        for score, row in score_sentences(rows)
        if row.sentence.row_of == best.sentence.row_of and row.coverage >= best.coverage - _SAME
    ]
    alike.sort(key=lambda pair: (pair[1].sentence.hit.record.seq, pair[1].sentence.start))
    places = [(score, row.sentence) for score, row in alike]
    return tuple(Choice(one, one.start, one.end, score) for score, one in places)[:MOST_BULLETS]


def _whole_list(choice: Choice, limit: int) -> Iterator[Choice]:
    """A choice as it is, or the whole marked list that it opens or stands in, in quotations of ``limit`` characters."""
    entries = _entries_near(choice)
    if not entries:
        yield choice
        return
    text = choice.sentence.hit.record.text
    start = _opened_at(text, entries[0][0], choice)
    end = entries[0][1]
    for _, following in pairwise([(start, end), *entries[1:]]):
        if following[1] - start > limit:
            yield replace(choice, start=start, end=end)
            start = following[0]
        end = following[1]
    yield replace(choice, start=start, end=end)


def _entries_near(choice: Choice) -> list[tuple[int, int]]:
    """The marked entries of the list that a choice opens or is one of; none for any other."""
    text = choice.sentence.hit.record.text
    spans = sentence_spans(text)
    marked = [MARK.match(text, start) is not None for start, _ in spans]
    own = next((i for i, (start, end) in enumerate(spans) if start <= choice.sentence.start < end), None)
    if own is None:
        return []
    first = own if marked[own] else own + 1
    while 0 < first < len(spans) and marked[own] and marked[first - 1]:
        first -= 1
    if first >= len(spans) or not marked[first] or (first > own and not choice.sentence.text.endswith((":", "\uff1a"))):
        return []
    last = first
    while last + 1 < len(spans) and marked[last + 1]:
        last += 1
    found = [span for span in spans[first : last + 1] if not is_order(one_line(text[span[0] : span[1]]))]
    return found if len(found) > 1 else []


def _opened_at(text: str, first: int, choice: Choice) -> int:
    """Where the sentence begins that opens a list: the one before the first entry, where it ends with a colon."""
    if choice.start < first:
        return choice.start
    before = [span for span in sentence_spans(text[:first]) if text[span[0] : span[1]].rstrip().endswith(":")]
    return before[-1][0] if before and not text[before[-1][1] : first].strip() else first


def _itemised(choice: Choice) -> Choice:
    text = choice.sentence.hit.record.text[choice.start : choice.end]
    return replace(choice, items=tuple((choice.start + start, choice.start + end) for start, end in enumerated(text)))


def _more(parts: Sequence[Choice], rows: Sequence[Measured], least: float) -> Iterator[Choice]:
    """Other sentences with as much of the question, of any source."""
    count = len(parts)
    for score, row in score_sentences(rows):
        sentence = row.sentence
        if count >= MOST_SENTENCES:
            return
        whole = not row.fragment and not sentence.is_row and not sentence.is_dangling
        said = any(says_the_same(sentence, one.sentence) for one in parts)
        if row.coverage >= least and whole and not said:
            count += 1
            yield _itemised(Choice(sentence, sentence.start, sentence.end, score))


def _distinct(choices: Sequence[Choice]) -> list[Choice]:
    """Without what another one holds."""
    kept: list[Choice] = []
    for choice in choices:
        inside = (
            one.sentence.hit is choice.sentence.hit and one.start < choice.end and choice.start < one.end
            for one in kept
        )
        if not any(inside):
            kept.append(choice)
    return kept
