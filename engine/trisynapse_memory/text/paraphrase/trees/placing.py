"""Two trees in, where each claiming word of the first stands in the second out. Their parts are not compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.text.paraphrase.thesaurus import are_likely_synonyms, lemma
from trisynapse_memory.text.paraphrase.trees.tree import MODIFIER, Node, Tree
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import COMPARISONS, agree

KINDS: Final = frozenset({"one", "ones", "those", "that"})  # "the old one": a thing of the kind named before
_AGAIN: Final = ("ADJ", "DET", "ADV", "PRON")  # They may claim nothing there and still be the same word.


@dataclass(frozen=True, slots=True)
class Laid:
    """A sentence laid on one of the source: for its claiming nodes, the node there that says the same."""

    stated: Tree
    source: Tree
    places: Mapping[int, int]

    @property
    def taken(self) -> frozenset[int]:
        """The nodes of the source that were taken."""
        return frozenset(self.places.values())

    def pairs(self) -> list[tuple[Node, Node]]:
        """Each placed node with its like, in the order of the sentence."""
        return [(self.stated.nodes[one], self.source.nodes[self.places[one]]) for one in sorted(self.places)]

    def place_of(self, node: Node) -> Node | None:
        """The node there that says the same as one of the sentence."""
        return self.source.nodes[self.places[node.index]] if node.index in self.places else None


def lay(stated: Tree, source: Tree) -> Laid:
    """Find for each claiming node of a sentence the one of the source that says the same, where there is one."""
    likes = {node.index: _likes(node, source) for node in stated.telling()}
    places: dict[int, int] = {}
    for index in sorted(likes, key=lambda index: len(likes[index])):
        if likes[index]:
            places[index] = _best(stated.nodes[index], likes[index], stated, source, places).index
    for _ in range(2):
        for index, found in likes.items():
            if len(found) > 1:
                _move_to_neighbours(stated.nodes[index], found, stated, source, places)
    _move_to_pronouns(stated, source, places)
    return Laid(stated, source, places)


def _move_to_pronouns(stated: Tree, source: Tree, places: dict[int, int]) -> None:
    """Where a word hangs on "the old one" or "those of ..." there, its noun is that pronoun."""
    for index in list(places):
        node, place = stated.nodes[index], source.nodes[places[index]]
        above = next((part.of for part in sorted(node.parts) if part.name in (MODIFIER, "of")), None)
        if above is None or above not in places or source.linked(place.index, places[above]):
            continue
        for part in sorted(place.parts):
            pronoun = source.nodes[part.of]
            if pronoun.lower in KINDS and places[above] < pronoun.index and pronoun.index not in places.values():
                places[above] = pronoun.index


def same(one: Node, other: Node) -> bool:
    """Whether two words say the same: exactly for numbers, dates and names, else by stem or synonym."""
    if one.sort in (Sort.NUMBER, Sort.DATE) or other.sort in (Sort.NUMBER, Sort.DATE):
        return one.sort is other.sort and one.key == other.key
    if Sort.NAME in (one.sort, other.sort):
        left, right = one.lower.removesuffix("'s"), other.lower.removesuffix("'s")
        return left == right or (one.sort is not other.sort and lemma(left) == lemma(right))
    if one.key == other.key:
        return True
    if one.lower in COMPARISONS or other.lower in COMPARISONS:
        return one.lower in COMPARISONS and other.lower in COMPARISONS and agree(one.key, other.key)
    return agree(one.key, other.key) or are_likely_synonyms(one.key, other.key)


def _likes(node: Node, source: Tree) -> list[Node]:
    return [
        other
        for other in source.nodes
        if (other.tells or (not other.limits and other.kind in _AGAIN and other.lower == node.lower))
        and same(node, other)
    ]


def _best(node: Node, likes: Sequence[Node], stated: Tree, source: Tree, places: Mapping[int, int]) -> Node:
    used = Counter(places.values())
    clauses = Counter(source.nodes[place].clause for place in places.values())
    return max(
        likes,
        key=lambda other: (
            _likeness(node, other, stated, source) - 3 * used[other.index] + 0.5 * clauses[other.clause],
            -other.index,
        ),
    )


def _likeness(node: Node, other: Node, stated: Tree, source: Tree) -> int:
    """How much two nodes have in common: the word, its kind, what they play a part for, and what hangs on them."""
    score = 4 * (node.key == other.key) + (node.kind == other.kind)
    for mine in node.parts:
        for its in other.parts:
            above, there = stated.nodes[mine.of], source.nodes[its.of]
            if above.tells and there.tells and same(above, there):
                score += 2 + (mine.name == its.name)
    below = [child for child in source.children(other.index) if child.tells]
    for child in stated.children(node.index):
        if child.tells:
            score += sum(same(child, one) for one in below)
    return score


def _move_to_neighbours(node: Node, likes: Sequence[Node], stated: Tree, source: Tree, places: dict[int, int]) -> None:
    """Where a word stands several times there, take the one that is linked to the places of its neighbours."""
    neighbours = [part.of for part in node.parts] + [
        one.index for one in stated.nodes if any(part.of == node.index for part in one.parts)
    ]
    near = {places[one] for one in neighbours if one in places}

    def fit(other: Node) -> float:
        shared = sum(place == other.index and one != node.index for one, place in places.items())
        return sum(source.linked(other.index, one) for one in near) - 2 * shared + 0.4 * (node.key == other.key)

    best = max(likes, key=lambda other: (fit(other), other.index == places[node.index]))
    if fit(best) > fit(source.nodes[places[node.index]]):
        places[node.index] = best.index
