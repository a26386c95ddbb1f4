"""A sentence laid on its source in, which number or comparison says something of another thing there out."""

from __future__ import annotations

from typing import Final

from trisynapse_memory.text.paraphrase.trees.bonds import is_year, named_parts
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import NOUNS, Node, Tree
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import COMPARISONS

_NEAR: Final = 3  # words between a number and what it counts
_THAN_REACH: Final = 8  # words between "than" and what stands under it
_FRAMES: Final = frozenset({"place", "before", "after"})
_LABELLED: Final = frozenset({"nummod", "appos", "compound", "quantmod"})


def wrong_count(laid: Laid) -> str:
    """Name the first number that counts something else there; empty where all agree."""
    numbers = [place.index for node, place in laid.pairs() if node.sort is Sort.NUMBER]
    if len(set(numbers)) < len(numbers):
        return "count used twice"
    for node, place in laid.pairs():
        after_preposition = node.index > 0 and laid.stated.nodes[node.index - 1].kind == "ADP"
        if node.sort is not Sort.NUMBER or (is_year(node) and after_preposition):
            continue
        for counted in _counted_by(laid, node):
            if not _stands_by(laid.source, place.index, laid.places[counted]):
                return f"count {node.text}"
        if _unit_is_left_out(laid, node, place):
            return f"unit {node.text}"
    return ""


def _counted_by(laid: Laid, number: Node) -> list[int]:
    nodes, places, index = laid.stated.nodes, laid.places, number.index
    found: list[int] = []
    if number.bond in ("nummod", "quantmod", "compound") and abs(number.head - index) <= _NEAR + 1:
        found.append(number.head)
    if index + 1 < len(nodes) and nodes[index + 1].kind in (*NOUNS, "SYM"):
        found.append(index + 1)
    if index and nodes[index - 1].kind in NOUNS and number.head == index - 1:
        found.append(index - 1)
    return [one for one in found if one in places]


def _stands_by(source: Tree, number: int, other: int) -> bool:
    if source.nodes[number].head == other or source.nodes[other].head == number:
        return True
    low, high = sorted((number, other))
    return high - low <= _NEAR and not any(node.sort is Sort.NUMBER for node in source.nodes[low + 1 : high])


def _unit_is_left_out(laid: Laid, number: Node, place: Node) -> bool:
    """Whether the noun behind a number there was left out, while another one stands behind it here."""
    stated, source = laid.stated.nodes, laid.source.nodes
    if place.index + 1 >= len(source) or number.index + 1 >= len(stated):
        return False
    unit, mine = source[place.index + 1], stated[number.index + 1]
    return unit.kind == "NOUN" and unit.index not in laid.taken and mine.kind == "NOUN" and mine.index in laid.places


def wrong_order_of_numbers(laid: Laid) -> str:
    """Name two numbers that changed places without what they count; empty where none did."""
    pairs = [(node, place) for node, place in laid.pairs() if node.sort is Sort.NUMBER]
    for index, one in enumerate(pairs):
        for two in pairs[index + 1 :]:
            if two[1].index < one[1].index and not _moved_together(laid, one, two):
                return f"numbers {one[0].text}/{two[0].text}"
    return ""


def _moved_together(laid: Laid, one: tuple[Node, Node], two: tuple[Node, Node]) -> bool:
    labels = [_label(laid.stated, pair[0]) for pair in (one, two)]
    if all(labels) and labels[0] != labels[1] and labels == [_label(laid.source, pair[1]) for pair in (one, two)]:
        return True
    (first, left), (second, right) = one, two
    mine, its = first.names(), second.names()
    if is_year(first) != is_year(second) and mine & left.names() and its & right.names():
        return True
    kept = bool(mine & named_parts(laid.source, left)) and bool(its & named_parts(laid.source, right))
    return bool(mine) and bool(its) and not mine & its and kept


def _label(tree: Tree, number: Node) -> str:
    """What a number counts; empty where that is not known."""
    return tree.nodes[number.head].key if number.bond in _LABELLED else ""


def wrong_comparison(laid: Laid) -> str:
    """Name the first word that stands on the other side of "than" there; empty where none does."""
    stated, source = laid.stated, laid.source
    for node, place in laid.pairs():
        if node.lower not in COMPARISONS:
            continue
        for one, other in laid.pairs():
            under = any(
                part.name == "than" and (part.of == node.index or stated.is_under(one.index, node.index))
                for part in one.parts
            )
            if under and not _is_compared_with(source, place, other):
                return f"than {one.text}"
    compares = any("than" in node.names() for node in stated.nodes) or any(
        node.lower in COMPARISONS for node, _ in laid.pairs()
    )
    for node, place in laid.pairs():
        if compares and "than" in place.names() and "than" not in node.names():
            return f"than left {node.text}"
    return _fault_across_than(laid)


def _is_compared_with(source: Tree, comparison: Node, other: Node) -> bool:
    before = source.nodes[max(0, other.index - _THAN_REACH) : other.index]
    if "than" not in other.names() and not any(node.lower == "than" for node in before):
        return False
    thans = [node.index for node in source.nodes[: other.index] if node.lower == "than"]
    return not thans or comparison.index <= thans[-1]


def _fault_across_than(laid: Laid) -> str:
    """What only the one side of "than" has there stands on that side here."""
    mine, its = _behind_than(laid.stated), _behind_than(laid.source)
    if mine is None or its is None:
        return ""
    outside = {node.key for node in laid.source.telling() if node.index not in its}
    inside = {node.key for node in laid.source.nodes if node.index in its}
    for node, place in laid.pairs():
        if place.names() <= _FRAMES:
            continue  # "in summer" may stand in front
        left = place.index in its and place.key not in outside and node.index not in mine
        entered = place.index not in its and place.key not in inside and node.index in mine
        if left or entered:
            return f"across than {node.text}"
    return ""


def _behind_than(tree: Tree) -> set[int] | None:
    than = next((node.index for node in tree.nodes if node.lower == "than" and not node.limits), None)
    if than is None:
        return None
    found: set[int] = set()
    for node in tree.nodes[than + 1 :]:
        if node.lower in SPLITTERS:
            break
        if node.tells:
            found.add(node.index)
    return found


SPLITTERS: Final = frozenset("and or but while whereas ; , :".split())
"""Words and stops that part the halves of a sentence."""
