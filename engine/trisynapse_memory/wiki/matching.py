"""The sentences she accepted and those of a fresh page in, which is which out. Nothing is judged here.

A sentence is recognised by its key, else by its words where they mean the same, else by its claim in the same section,
else, where it has no claim, by being nearly the same words. Each sentence is matched once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Final

from trisynapse_memory.types import EditionSentence, WikiSentence
from trisynapse_memory.types.compiled import WikiSection

NEARLY: Final = 0.6
"""Share of two sentences' words in common order from which one is a new wording of the other."""

OPENING: Final = frozenset((WikiSection.LEAD, WikiSection.WHAT_IT_IS, WikiSection.KEY_CLAIMS))
"""Sections in which a sentence says the same: a summary may take one over from the definitions, and give it back."""

Pairs = dict[str, WikiSentence]
"""Fresh sentence by the key of the accepted one."""


def match_sentences(accepted: Sequence[EditionSentence], fresh: Sequence[WikiSentence]) -> Pairs:
    """Return the fresh sentence of each accepted one that still has one."""
    pairs: Pairs = {}
    by_key = {sentence.key: sentence for sentence in fresh}
    for old in accepted:
        if old.key in by_key:
            pairs[old.key] = by_key[old.key]
    for likeness in (_same_words, _same_claim, _nearly_same):
        taken = {sentence.key for sentence in pairs.values()}
        free = [sentence for sentence in fresh if sentence.key not in taken]
        _pair(pairs, (old for old in accepted if old.key not in pairs), free, likeness)
    return pairs


def _pair(
    pairs: Pairs,
    accepted: Iterable[EditionSentence],
    free: list[WikiSentence],
    likeness: Callable[[EditionSentence, WikiSentence], float],
) -> None:
    """Give each accepted sentence the free one that is most like it, the earliest where several are."""
    for old in accepted:
        scores = [likeness(old, new) for new in free]
        best = max(range(len(free)), key=scores.__getitem__, default=-1)
        if best >= 0 and scores[best] > 0:
            pairs[old.key] = free.pop(best)


def _same_words(old: EditionSentence, new: WikiSentence) -> float:
    """The same words in the same section; in another one they may be struck, or one side of a dispute."""
    if old.text != new.text:
        return 0.0
    return 2.0 if old.section == new.section else float(old.section in OPENING and new.section in OPENING)


def _same_claim(old: EditionSentence, new: WikiSentence) -> float:
    """One of the same claim in the same section; of several the one that begins alike: a value finds its own."""
    if old.section != new.section or not set(old.claim_ids) & set(new.claim_ids):
        return 0.0
    return 1.0 + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old.text, new.text, strict=False)))


def _nearly_same(old: EditionSentence, new: WikiSentence) -> float:
    if old.section != new.section or old.claim_ids or new.claim_ids:
        return 0.0
    ratio = SequenceMatcher(None, old.text.split(), new.text.split(), autojunk=False).ratio()
    return ratio if ratio >= NEARLY else 0.0
