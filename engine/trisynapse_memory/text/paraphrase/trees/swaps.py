"""A sentence laid on its source in, which words took each other's place out: within one verb, or between two halves."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from trisynapse_memory.text.paraphrase.trees.counting import SPLITTERS
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import COMPLEMENT, CORE, MODIFIER, RELATIVES, SAID, Node, Tree
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import COMPARISONS

_THEN: Final = frozenset({"then", "afterwards", "subsequently"})
_TIMED: Final = frozenset({"before", "after", "when", "once"})
_PERSONAL: Final = frozenset("it he she they them him".split())
_OPENING: Final = 2  # words; a relative further on speaks of a noun of its own half

_Kinds = dict[str, list[int]]
_Row = tuple[Node, set[str], set[str]]


def exchanged(laid: Laid) -> str:
    """Name two words under one verb or noun that took each other's part; empty where none did."""
    for above, there in laid.places.items():
        rows: list[_Row] = []
        for node, place in laid.pairs():
            mine, its = node.names(above), place.names(there)
            if mine and its:
                rows.append((node, mine, its))
        for one, two in combinations(rows, 2):
            if _are_exchanged(one, two):
                return f"exchanged {one[0].text}/{two[0].text}"
    return ""


def _are_exchanged(one: _Row, two: _Row) -> bool:
    (_, mine, its), (_, other_mine, other_its) = one, two
    if mine & its or other_mine & other_its:
        return False
    if mine & other_its and other_mine & its:
        return True
    if "by" in mine | other_mine | its | other_its:
        return False  # At times the parser hangs "by ..." on the wrong word, so that it names nobody.
    became = [bool(names & CORE) for names in (mine, other_mine)]
    was = [bool(names & CORE) for names in (its, other_its)]
    return became != was and became == was[::-1] and became[0] != became[1]


def transposed(laid: Laid) -> str:
    """Name a word that changed places with another while all others stayed; empty where a voice or list tells why."""
    mine, its = list(laid.stated.telling()), list(laid.source.telling())
    moved = [index for index, pair in enumerate(zip(mine, its, strict=False)) if pair[0].key != pair[1].key]
    if len(mine) != len(its) or len(moved) != 2:
        return ""
    left, right = (its[index] for index in moved)
    if [mine[index].key for index in moved] != [right.key, left.key] or _passives(laid.stated) != _passives(
        laid.source
    ):
        return ""
    return "" if left.index in laid.source.path(right.index) and right.bond == "conj" else f"transposed {left.text}"


def _passives(tree: Tree) -> int:
    return sum(tree.is_passive(node.index) or node.bond == "agent" for node in tree.nodes)


def out_of_sequence(laid: Laid) -> str:
    """Say so where the source tells what comes then, and the sentence tells it in another order."""
    if not any(node.lower in _THEN for node in laid.source.nodes):
        return ""
    if any(node.lower in _TIMED for node in laid.stated.nodes):
        return ""
    places = [place.index for node, place in laid.pairs() if node.kind == "VERB"]
    return "" if places == sorted(places) else "sequence"


def crossed(laid: Laid) -> str:
    """Name the kinds of words that one half of the sentence takes from two halves of the source; empty where none are.

    "The lid is red and the box is blue": who says that the lid is blue takes a noun from the one half and an adjective
    from the other, although each half has its own.
    """
    halves = _halves(laid.source, laid.taken)
    kinds = [_kinds_in(laid.source, half) for half in halves]
    for mine in _halves(laid.stated):
        here = {laid.places[index] for index in mine if index in laid.places}
        for one, two in combinations(range(len(halves)), 2):
            common = set(kinds[one]) & set(kinds[two])
            if _refers_back(laid.source, halves[two]):
                common.discard("noun")
            first = [kind for kind in common if _takes_only(here, kinds[one][kind], kinds[two][kind])]
            second = [kind for kind in common if _takes_only(here, kinds[two][kind], kinds[one][kind])]
            if first and second:
                return f"crossed {first[0]}/{second[0]}"
    return ""


def _takes_only(here: set[int], wanted: list[int], others: list[int]) -> bool:
    return not here.isdisjoint(wanted) and here.isdisjoint(others)


def _halves(tree: Tree, taken: frozenset[int] = frozenset()) -> list[list[int]]:
    found: list[list[int]] = [[]]
    for node in tree.nodes:
        if node.lower in SPLITTERS:
            found.append([])
        elif node.tells or node.index in taken:
            found[-1].append(node.index)
    return [half for half in found if half]


def _kinds_in(tree: Tree, half: list[int]) -> _Kinds:
    found: _Kinds = {}
    for index in half:
        kind = _kind(tree.nodes[index])
        if kind:
            found.setdefault(kind, []).append(index)
    return found


def _kind(node: Node) -> str:
    """What a word is among others of its sort; empty for a modifier, of which a noun may have several."""
    if node.sort in (Sort.NUMBER, Sort.DATE):
        return node.sort.value
    if node.bond == "npadvmod":
        return "time"
    if node.lower in COMPARISONS:
        return "comparison"
    if node.acts:
        return "verb"
    under = sorted(node.names() - CORE - {MODIFIER, COMPLEMENT, SAID, "of"})
    if under:
        return under[0]
    if node.sort is Sort.NAME:
        return "name"
    return "" if node.bond in ("compound", "amod", "advmod") else "noun"


def _refers_back(tree: Tree, half: list[int]) -> bool:
    """Whether a half has a pronoun, so that it may speak of the noun of another one."""
    start = half[0]
    while start > 0 and tree.nodes[start - 1].lower not in SPLITTERS:
        start -= 1
    opening = tree.nodes[start : start + _OPENING]
    within = tree.nodes[start : half[-1] + 1]
    return any(node.lower in RELATIVES for node in opening) or any(node.lower in _PERSONAL for node in within)
