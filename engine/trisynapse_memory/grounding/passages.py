"""A record's text and a question's terms in, the stretch worth showing out. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.tokens import count_terms, index_key, tokenize

_LINE: Final = re.compile(r"[^\n]*\S[^\n]*")


def best_passage(text: str, weights: Mapping[str, float], max_chars: int) -> tuple[int, int]:
    """Return the span of at most ``max_chars`` that holds most of the question's weight, at sentence borders.

    A text that fits is returned whole. A single sentence that is too long is cut between words around its matches.
    """
    if len(text) <= max_chars:
        return 0, len(text)
    spans = sentence_spans(text) or [(0, len(text))]
    gains = [_weight(text[start:end], weights) for start, end in spans]
    best = max(range(len(spans)), key=lambda index: (gains[index], -index))
    first, last = best, best
    while True:
        grown = _grow(spans, gains, first, last, max_chars)
        if grown is None:
            break
        first, last = grown
    start, end = spans[first][0], spans[last][1]
    return (start, end) if end - start <= max_chars else _cut(text, start, end, weights, max_chars)


def best_row(text: str, weights: Mapping[str, float], max_chars: int) -> tuple[int, int]:
    """Return the span of the row of a table that holds most of the question's weight, of at most ``max_chars``.

    A row is cited by its number, so that no other one is shown with it. Where no row holds a word of the question,
    the whole text speaks for itself.
    """
    spans = [match.span() for match in _LINE.finditer(text)]
    gains = [_weight(text[start:end], weights) for start, end in spans]
    if len(spans) < 2 or not max(gains):
        return best_passage(text, weights, max_chars)
    start, end = spans[gains.index(max(gains))]
    return (start, end) if end - start <= max_chars else _cut(text, start, end, weights, max_chars)


def _weight(sentence: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(key, 0.0) for key in count_terms(sentence).frequencies)


def _grow(
    spans: list[tuple[int, int]], gains: list[float], first: int, last: int, max_chars: int
) -> tuple[int, int] | None:
    """Widen by the richer neighbour that still fits; the following one on a tie, since readers read on."""
    wider = [(first, last + 1), (first - 1, last)]
    fitting = [
        (left, right)
        for left, right in wider
        if left >= 0 and right < len(spans) and spans[right][1] - spans[left][0] <= max_chars
    ]
    return max(fitting, key=lambda pair: gains[pair[1] if pair[1] > last else pair[0]], default=None)


def _cut(text: str, start: int, end: int, weights: Mapping[str, float], max_chars: int) -> tuple[int, int]:
    """Cut one over-long sentence to a window around its first match, at word borders."""
    matches = [t.start for t in tokenize(text[start:end]) if index_key(t) in weights]
    begin = start + max(0, (matches[0] if matches else 0) - max_chars // 4)
    if begin > start:
        begin = text.find(" ", begin, end) + 1 or begin
    stop = min(end, begin + max_chars)
    if stop < end:
        stop = max(text.rfind(" ", begin, stop), begin + 1)
    return begin, stop
