"""A sentence and passages in, the passage that says it otherwise out. No model is asked, and nothing is retrieved.

A passage contradicts a sentence where it would support it but for one thing: another value in the same place, a
negation on one side only, or the two sides of a comparison swapped. So the sentence is rewritten with what the passage
has there, and judged as any citation is (``text.verdicts``); what does not pass then is not known to be otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from trisynapse_memory.answering.support import EARLIER_SENTENCES, Backing
from trisynapse_memory.text.names import names_of
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.text.verdicts import judge
from trisynapse_memory.types import CitationVerdict, Hit

VALUES_LIMIT: Final = 3  # values that may differ at once; more is another statement
_MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
_COUNTS: Final = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred"
_VALUE: Final = re.compile(
    rf"(?<![\w.])\d[\d,.  ]*\d(?![\w])|(?<![\w.])\d(?!\w)|\b(?:{_MONTHS})\b|\b(?:{_COUNTS})\b", re.IGNORECASE
)
_NEGATIONS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"\b(?:does|do|did)(?: not|n[’']t) ", re.IGNORECASE), ""),
    (re.compile(r"\b(can)not\b", re.IGNORECASE), r"\1"),
    (re.compile(r"\b(is|are|was|were|has|have|had|could|would|may|might|must|should)(?: not|n[’']t)\b", re.I), r"\1"),
    (re.compile(r"\bnever ", re.IGNORECASE), ""),
    (re.compile(r"^No (\w)"), r"\1"),
    (re.compile(r"(?<=\w )no (?!(?:more|less|fewer|longer|later|earlier|matter|doubt|one|way)\b)(?=[a-z])"), ""),
)
# What holds in one direction only: swapped, it says the opposite.
_DIRECTED: Final = re.compile(
    r"\b(?:outperform|exceed|beat|surpass|preced|follow|caus|led to|leads? to|acquir|defeat|own|than\b|introduc|invent"
    r"|replac|cit(?:es|ed)\b)",
    re.IGNORECASE,
)


class Contradiction(NamedTuple):
    """Where a sentence is said otherwise, and what is otherwise, in words."""

    backing: Backing
    differs: str


class _Variant(NamedTuple):
    """A sentence as the passage would have it, and the passage as it is compared, with the difference in words."""

    sentence: str
    passage: str
    differs: str
    strange: tuple[str, ...] = ()


class Difference(NamedTuple):
    """How a sentence is said otherwise: what is otherwise, in words, and its values that the passage has not."""

    verdict: CitationVerdict
    differs: str
    strange: tuple[str, ...]


def find_contradiction(text: str, hits: Sequence[Hit]) -> Contradiction | None:
    """Return the first passage that says a sentence with another value, the opposite, or with roles swapped.

    Args:
        text: one sentence that no passage supports; whoever finds it supported and contradicted asks all the same.
        hits: passages to hold it against, best first.
    """
    found = (contradiction_in(text, hit) for hit in hits)
    return next((one for one in found if one is not None), None)


def contradiction_in(text: str, hit: Hit) -> Contradiction | None:
    """Return where one passage says a sentence otherwise, or None."""
    said = hit.record.text
    spans = sentence_spans(said)
    for index, (start, end) in enumerate(spans):
        earlier = [said[left:right] for left, right in spans[max(0, index - EARLIER_SENTENCES) : index]]
        found = differs_in(text, said[start:end], earlier)
        if found is not None:
            return Contradiction(Backing(hit, start, end, found.verdict), found.differs)
    return None


def differs_in(text: str, passage: str, earlier: Sequence[str]) -> Difference | None:
    """Return how one sentence of a source says a text otherwise, or None where it does not contradict it.

    Args:
        text: one sentence.
        passage: one sentence of a source.
        earlier: those before it there; they say who "it" is.
    """
    for variant in _variants(text, passage):
        verdict = judge(variant.sentence, variant.passage, earlier)
        if verdict.passes:
            return Difference(verdict, variant.differs, variant.strange)
    return None


def _variants(text: str, passage: str) -> Iterator[_Variant]:
    yield from _other_values(text, passage)
    yield from _other_sign(text, passage)
    yield from _swapped(text, passage)


def _other_values(text: str, passage: str) -> Iterator[_Variant]:
    """The sentence with the values of the passage in the places of those that the passage lacks."""
    own, its = _values(text), _values(passage)
    strange = [match for match in own if _plain(match) not in set(map(_plain, its))]
    offered = [match for match in its if _plain(match) not in set(map(_plain, own))]
    if not strange or len(strange) > VALUES_LIMIT:
        return
    for chosen in combinations(offered, len(strange)):
        rewritten = text
        for match, other in reversed(list(zip(strange, chosen, strict=True))):
            rewritten = rewritten[: match.start()] + other[0] + rewritten[match.end() :]
        here, there = (", ".join(match[0] for match in matches) for matches in (strange, chosen))
        values = tuple(match[0] for match in strange)
        yield _Variant(rewritten, passage, f"{here} here, {there} in the source", values)


def _values(text: str) -> list[re.Match[str]]:
    return list(_VALUE.finditer(text))


def _plain(match: re.Match[str]) -> str:
    return re.sub(r"[,  ]", "", match[0]).casefold()


def _other_sign(text: str, passage: str) -> Iterator[_Variant]:
    """Either side without its negation, where only one has one."""
    affirmed, denied = _affirmative(text), _affirmative(passage)
    if affirmed != text and denied == passage:
        yield _Variant(affirmed, passage, "denied here, said in the source")
    if affirmed == text and denied != passage:
        yield _Variant(text, denied, "said here, denied in the source")


def _affirmative(text: str) -> str:
    for pattern, replacement in _NEGATIONS:
        text = pattern.sub(replacement, text)
    return text[:1].upper() + text[1:]


def _swapped(text: str, passage: str) -> Iterator[_Variant]:
    """The sentence with two of its names in each other's place, where it says something directed."""
    if not _DIRECTED.search(text):
        return
    for one, two in combinations(names_of(text), 2):
        swapped = f"{text[: one.start]}{two.text}{text[one.end : two.start]}{one.text}{text[two.end :]}"
        yield _Variant(swapped, passage, f"{one.text} and {two.text} stand the other way round in the source")
