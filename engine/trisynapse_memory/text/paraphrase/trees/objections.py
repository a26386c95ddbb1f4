"""A sentence, a source and a parser in, what speaks against the sentence resting on the source out. No model is asked.

Both are read as trees. Each word that claims something must have its like there and play the same part for the same
word; numbers, limits, links and what narrows a noun must agree. Where the parser found no verb at the root, nothing is
said to rest on anything.

Limits: English. Words count as alike by stem and by the tables of ``thesaurus`` only.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.contracts.parsing import SentenceParser
from trisynapse_memory.text.paraphrase.thesaurus import are_likely_synonyms, lemma
from trisynapse_memory.text.paraphrase.trees.bonds import LIGHT, wrong_part
from trisynapse_memory.text.paraphrase.trees.bounds import wrong_bound
from trisynapse_memory.text.paraphrase.trees.conditions import wrong_link
from trisynapse_memory.text.paraphrase.trees.counting import wrong_comparison, wrong_count, wrong_order_of_numbers
from trisynapse_memory.text.paraphrase.trees.narrowing import widened
from trisynapse_memory.text.paraphrase.trees.placing import Laid, lay
from trisynapse_memory.text.paraphrase.trees.reading import tree_of
from trisynapse_memory.text.paraphrase.trees.swaps import crossed, exchanged, out_of_sequence, transposed
from trisynapse_memory.text.synonyms import agree
from trisynapse_memory.text.words import FUNCTION_WORDS

_CHECKS: Final = (
    transposed, wrong_count, wrong_part, wrong_bound, wrong_comparison, wrong_link, crossed, exchanged,
    wrong_order_of_numbers, out_of_sequence, widened,
)  # fmt: skip
# Found where every word has its like: the words were moved. They hold against the other readings too.
GRAVE: Final = frozenset(
    {"modifier", "transposed", "turned", "exchanged", "across", "ordinal", "except", "unreal", "target"}
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STRANGE_WORDS: Final = 2  # of a sentence, before it is read at all; plus a quarter of its words


def objection(sentence: str, source: str, parser: SentenceParser) -> str:
    """Name the first thing that speaks against a sentence resting on one sentence of its source.

    Args:
        sentence: what is claimed.
        source: one sentence.
        parser: of the language of both.

    Returns:
        A kind ("role", "limit", "word" ...) and the words it is about; empty where nothing speaks against it.

    Raises:
        BranchUnavailableError: the parser cannot be loaded.

    Source:
        engine.md 0.5; floors in ``tests/engine/text/test_verdicts.py``.
    """
    if not _may_rest(sentence, source):
        return "words"
    stated, there = tree_of(sentence, parser), tree_of(source, parser)
    if not (stated.is_sure() and there.is_sure()):
        return "verb"
    laid = lay(stated, there)
    return _strange_word(laid) or next((fault for check in _CHECKS if (fault := check(laid))), "")


def is_grave(fault: str) -> bool:
    """Whether an objection says that words were moved, and not only that they were not understood."""
    return fault.split(" ", 1)[0] in GRAVE


def _strange_word(laid: Laid) -> str:
    if not laid.places:
        return "words"
    for node in laid.stated.telling():
        if node.index not in laid.places and not (node.acts and node.key in LIGHT):
            return f"word {node.text}"
    return ""


def _may_rest(sentence: str, source: str) -> bool:
    """Whether enough words of a sentence have their like in a source, so that it is worth parsing both."""
    keys = {lemma(word) for word in _WORD.findall(source.lower())}
    wanted = [lemma(word) for word in _WORD.findall(sentence.lower()) if word not in FUNCTION_WORDS]
    strange = sum(
        word not in keys and not any(agree(word, key) or are_likely_synonyms(word, key) for key in keys)
        for word in wanted
    )
    return strange <= _STRANGE_WORDS + len(wanted) // 4
