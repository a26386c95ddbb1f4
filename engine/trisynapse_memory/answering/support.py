"""A sentence a model wrote and the hits it was shown in, where they say it out. Nothing is shown and nothing is asked.

The model's own word for where it read something counts only where that passage says it; else the passage that does say
it is cited, and where none does, nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from trisynapse_memory.contracts import SentenceParser
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.spans import normalise
from trisynapse_memory.text.unsaid import blank_hidden
from trisynapse_memory.text.verdicts import judge, stands_literally
from trisynapse_memory.types import CitationVerdict, Hit

EARLIER_SENTENCES: Final = 2  # before a sentence, for what its pronouns mean; as ``judge`` looks at them
MOST_BACKINGS: Final = 3  # passages cited for one sentence

_ORDER: Final = (CitationVerdict.VERBATIM, CitationVerdict.NORMALISED, CitationVerdict.PARAPHRASE)


class Backing(NamedTuple):
    """``hit.record.text[start:end]`` says a sentence, and the verdict tells how closely."""

    hit: Hit
    start: int
    end: int
    verdict: CitationVerdict


def find_backings(
    text: str, hits: Sequence[Hit], named: Collection[int], parser: SentenceParser | None = None
) -> tuple[Backing, ...]:
    """Return where a sentence is said: in the passages the model names, else in the first other one that says it.

    Args:
        text: one sentence.
        hits: what the model was shown; passage ``n`` is ``hits[n - 1]``.
        named: the passage numbers the model gave; those that do not exist are passed over.
        parser: reads the grammar of what the word rules leave open; without one they stand alone.

    Returns:
        At most ``MOST_BACKINGS``, each of another hit; empty where no passage says it.
    """
    chosen = [hits[number - 1] for number in dict.fromkeys(named) if 1 <= number <= len(hits)]
    found = [backing for hit in chosen if (backing := backing_in(text, hit, parser)) is not None]
    if found:
        return tuple(found[:MOST_BACKINGS])
    others = (backing_in(text, hit, parser) for hit in hits if hit not in chosen)
    first = next((backing for backing in others if backing is not None), None)
    return () if first is None else (first,)


def backing_in(text: str, hit: Hit, parser: SentenceParser | None = None) -> Backing | None:
    """Return the sentence of a hit that says a text, the closest wording first; None where none does."""
    record_text = hit.record.text
    spans = sentence_spans(record_text)
    said = record_text if "](" in text else blank_hidden(record_text)
    literal = _literally(text, hit, said, spans) or _across(text, hit)
    if literal is not None:
        return literal
    best: Backing | None = None
    for index, (start, end) in enumerate(spans):
        earlier = [said[left:right] for left, right in spans[max(0, index - EARLIER_SENTENCES) : index]]
        verdict = judge(text, said[start:end], earlier, parser)
        if verdict.passes and (best is None or _ORDER.index(verdict) < _ORDER.index(best.verdict)):
            best = Backing(hit, start, end, verdict)
    return best


def _literally(text: str, hit: Hit, said: str, spans: Sequence[tuple[int, int]]) -> Backing | None:
    """The sentence that has a text word for word; looked for first, for it takes no parser, which loads for seconds."""
    verdicts = [(start, end, stands_literally(text, said[start:end])) for start, end in spans]
    found = [Backing(hit, start, end, verdict) for start, end, verdict in verdicts if verdict is not None]
    return min(found, key=lambda one: _ORDER.index(one.verdict), default=None)


def _across(text: str, hit: Hit) -> Backing | None:
    """The stretch of a hit that is the text itself, over a border that was taken for the end of a sentence."""
    verdict = stands_literally(text, hit.record.text)
    if verdict is None:
        return None
    places = normalise(hit.record.text).find(text, whole_words=True)
    return Backing(hit, *places[0], verdict) if places else None
