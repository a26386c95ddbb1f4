"""A sentence and the span it cites in, whether it stands there literally out. Its surroundings may take it back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.text.paraphrase.telling import tells_only
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import NormalisedText, normalise
from trisynapse_memory.text.statements import read_statement
from trisynapse_memory.text.synonyms import PREPOSITIONS
from trisynapse_memory.text.unsaid import holds_order
from trisynapse_memory.types import CitationVerdict

_WORD: Final = re.compile(r"[^\W\d_]+")
# A noun behind them belongs to what stands before them; "after" and the like may open a clause of their own.
_HANGING: Final = (
    frozenset(PREPOSITIONS)
    | frozenset(
        "behind near beside below beneath outside along around about like unlike despite without off past".split()
    )
) - frozenset("after before since until as once".split())
_TRAILING: Final = ".!?;:, \u2026"
_EDGES: Final = "\"'\u201c\u201d\u2018\u2019 "


def literal_verdict(wanted: str, span: str) -> CitationVerdict | None:
    """VERBATIM or NORMALISED where the sentence is a part of the span that its surroundings do not limit."""
    whole = normalise(span)
    for start, end in _occurrences(wanted, whole):
        if _is_limited(span, start, end):
            continue
        return CitationVerdict.VERBATIM if wanted in span[start:end] else CitationVerdict.NORMALISED
    return None


def _occurrences(wanted: str, whole: NormalisedText) -> Iterator[tuple[int, int]]:
    yield from whole.find(wanted, whole_words=True)
    bare = wanted.strip(_EDGES).rstrip(_TRAILING).strip(_EDGES)
    if not bare:
        return
    yield from whole.find(bare, whole_words=True)
    # Only the case of the first letter is free: "us" is not "US".
    turned = bare[0].swapcase() + bare[1:]
    yield from whole.find(turned, whole_words=True)


def _is_limited(span: str, start: int, end: int) -> bool:
    """Whether the rest of the sentence around a literal part takes back what the part says alone."""
    for left, right in sentence_spans(span):
        if left <= start < right:
            if holds_order(span[left:right]) and not holds_order(span[start:end]):
                return True  # "Add the sentence 'A is B'" does not say that A is B
            if _hangs_on(span[left:start]):
                return True  # "the mayor owns" in "the sister of the mayor owns"
            own = (
                span[left:start].rstrip().endswith((".", "!", "?"))
            )  # A stop that the splitter took for an abbreviation's.
            before = read_statement("" if own else span[left:start])
            after = read_statement(span[min(end, right) : right])
            tail = after.groups(frozenset({0}))
            return bool(before.groups()) or any(group in tail for group in ("condition", "not", "only"))
    return False


def _hangs_on(before: str) -> bool:
    """Whether what stands before a literal part takes its first noun to itself, or only tells of what it says."""
    words = [match.group().lower() for match in _WORD.finditer(before)]
    if not words or before.rstrip().endswith((":", ";", ".", "(", "\u2014", ")", ",")):
        return False
    teller = words[-2] if words[-1] == "that" and len(words) > 1 else words[-1]
    return words[-1] in _HANGING or tells_only(teller)
