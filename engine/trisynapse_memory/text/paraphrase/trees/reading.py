"""A sentence and a parser in, its tree out: what its words claim, and which of them only limit what others claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from trisynapse_memory.contracts.parsing import ParsedWord, SentenceParser
from trisynapse_memory.text.paraphrase.thesaurus import lemma
from trisynapse_memory.text.paraphrase.trees.parts import assign_parts
from trisynapse_memory.text.paraphrase.trees.plain import plain
from trisynapse_memory.text.paraphrase.trees.tree import Bound, Node, Tree
from trisynapse_memory.text.statements import Sort, plain_number
from trisynapse_memory.text.synonyms import COMPARISONS, HEDGES, MONTHS, NEGATORS, QUANTIFIERS
from trisynapse_memory.text.words import FUNCTION_WORDS

QUOTED: Final = "quoted_"  # as ``rephrasing`` marks a word in quotation marks
_NUMBER: Final = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:/\d+)?$")
_MORE: Final = "more|over|older|longer|higher|greater|larger|bigger|hotter|heavier|later"
_LESS: Final = "less|fewer|under|younger|shorter|lower|smaller|colder|cooler|lighter|earlier|closer"
_PHRASES: Final = tuple(
    (group, re.compile(pattern, re.IGNORECASE))
    for group, pattern in (
        ("least", r"\b(?:at least|not? (?:less|fewer|earlier|shorter|lower|younger) than|a minimum of)\b"),
        (
            "most_bound",
            rf"\b(?:at (?:the )?most|up to|not? (?:{_MORE}) than|a maximum of|as (?:many|much|long) as(?= \d))",
        ),
        ("morethan", rf"\b(?:{_MORE}) than(?= (?:about |half|\d))|\bover(?= \d)|\bin excess of\b|\bexceeding\b"),
        ("lessthan", rf"\b(?:{_LESS}) than(?= (?:about |half|\d))|\b(?:under|below)(?= \d)"),
        (
            "neednot",
            r"\b(?:do|does|did) not (?:have|need) to\b|\bneed not\b|\b(?:is|are|was|were) not required(?: to)?\b",
        ),
        ("cannot", r"\b(?:is|are|was|were) (?:not able|unable) to\b|\bcan not\b"),
        (
            "must",
            r"\b(?:has|have|had|needs?) to\b|\b(?:is|are|was|were|be) (?:required|obliged) to\b|\b(?:must|shall)\b",
        ),
        ("possible", r"\b(?:is|are|was|were) (?:allowed|permitted|free) to\b"),
        ("majority", r"\bthe majority of\b"),
        ("source", r"\baccording to\b"),
        ("would", r"\bwould\b"),
        ("only", r"\b(?:nobody|nothing|none|no one) (?:but|except)\b"),
        ("least", r"(?<=\d )(?:\w+ )?(?:or|and) (?:more|older|longer|above|over|higher|later)\b"),
    )
)
# They limit in other readers' tables; a parser shows them as prepositions, verbs or links, and so they are read here.
_NO_LIMITS: Final = frozenset(
    "without except around over alone aim lack lacks lacked refuse refuses refused if unless just".split()
)
_IDLE: Final = frozenset(
    """kind kinds type types sort sorts then also too just even still already yet however therefore thus afterwards
    there here so else first""".split()
)
_CLAIMING: Final = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X", "SYM", "INTJ"})
_CLAIMING_THOUGH_GRAMMAR: Final = frozenset({"off", "out", "same", "other", "own"})


@lru_cache(maxsize=2048)
def tree_of(text: str, parser: SentenceParser) -> Tree:
    """Read a sentence; the last ones are kept, since a passage is held against many sentences."""
    sentence = plain(text)
    words = parser.parse(sentence)
    tree = Tree(_nodes(words))
    for node in tree.nodes:
        if node.head != node.index:
            tree.nodes[node.head].children.append(node.index)
    _find_phrases(tree, sentence, words)
    for node in tree.nodes:
        _find_limit(tree, node)
    for node in tree.nodes:
        node.tells = _tells(node)
    for node in tree.nodes:
        node.clause = tree.clause_of(node.index)
    if words:
        assign_parts(tree)
    return tree


def _nodes(words: Sequence[ParsedWord]) -> list[Node]:
    capitals = {word.text for word in words[1:] if word.text[:1].isupper()}
    nodes: list[Node] = []
    for index, word in enumerate(words):
        opens = (index == 0 or words[index - 1].text in '.:;("') and word.text not in capitals
        sort = _sort_of(word, opens)
        nodes.append(Node(index, word.text, _key(word, sort), sort, word.kind, word.tag, word.bond, word.head))
    return nodes


def _sort_of(word: ParsedWord, opens: bool) -> Sort:
    text, lower = word.text, word.text.lower()
    one = lower == "one" and word.kind == "NUM" and word.bond in ("nummod", "nsubj", "nsubjpass")
    if one or _NUMBER.match(text):
        return Sort.NUMBER
    if lower in MONTHS and text[0].isupper():
        return Sort.DATE
    if lower.startswith(QUOTED):
        return Sort.NAME  # the word "may" is no leave
    letter = len(text) == 1 and text.isupper() and not opens  # "model A"
    cased = text != lower and text != "I" and (not opens or word.kind == "PROPN" or not text[1:].islower())
    return Sort.NAME if letter or cased or any(one.isdigit() for one in text) else Sort.WORD


def _key(word: ParsedWord, sort: Sort) -> str:
    lower = word.text.lower()
    if sort is Sort.NUMBER:
        return "1" if lower == "one" else plain_number(word.text)
    if sort is Sort.DATE:
        return MONTHS[lower]
    return lower if sort is Sort.NAME else lemma(lower)


def _find_phrases(tree: Tree, sentence: str, words: Sequence[ParsedWord]) -> None:
    """Mark the words of limiting phrases; where two overlap, the first of the table stands."""
    taken: list[tuple[int, int]] = []
    for group, pattern in _PHRASES:
        for match in pattern.finditer(sentence):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            inside = [
                index
                for index, word in enumerate(words)
                if word.start < match.end() and word.start + len(word.text) > match.start()
            ]
            for index in inside:
                tree.nodes[index].limits = True
            groups = ("can", "not") if group == "cannot" else (group,)
            tree.bounds += [Bound(one, inside[-1]) for one in groups if inside]


def _find_limit(tree: Tree, node: Node) -> None:
    lower = node.lower
    following = tree.nodes[node.index + 1] if node.index + 1 < len(tree.nodes) else None
    after = following.lower if following else ""
    if node.limits or lower in _NO_LIMITS or (node.sort is Sort.NAME and lower in ("may", "will")):
        return
    if lower in HEDGES and node.kind in ("NOUN", "PROPN"):
        return  # "the plan"
    if lower in ("fail", "fails", "failed", "failing") and after != "to":
        return
    if lower == "most" and node.tag == "RBS":
        return  # "most commonly"
    counted = following is not None and following.sort is Sort.NUMBER
    if lower == "about" and not (counted or after in ("half", "a", "one", "every", "all")):
        return
    group = "not" if lower in NEGATORS else HEDGES.get(lower) or QUANTIFIERS.get(lower)
    if group:
        node.limits = True
        tree.bounds.append(Bound(group, node.index))


def _tells(node: Node) -> bool:
    """Whether a word claims something by itself."""
    lower, named = node.lower, node.sort is Sort.NAME
    if lower in ("off", "away") and node.bond in ("prt", "advmod", "prep"):
        return True
    if lower.startswith(QUOTED):
        return True
    if node.limits or lower in _IDLE or node.kind == "PRON" or not any(letter.isalnum() for letter in node.text):
        return False
    compares = lower in COMPARISONS
    if not (named or compares or node.kind in _CLAIMING or node.sort in (Sort.NUMBER, Sort.DATE)):
        return False
    grammar = lower in FUNCTION_WORDS and lower not in _CLAIMING_THOUGH_GRAMMAR
    return named or compares or node.sort is Sort.NUMBER or not grammar
