"""A sentence laid on its source in, which limit ("not", "may", "at least", "only") is not the same there out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import SUBJECT
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import Bound, Tree
from trisynapse_memory.text.statements import Sort

_WEAK: Final = frozenset({"all", "both", "any"})  # They may be left out.
_OF_NUMBERS: Final = frozenset({"least", "most_bound", "morethan", "lessthan", "about"})
_OF_ONE: Final = _OF_NUMBERS | frozenset("all some majority many few half both any margin".split())
_STRICT: Final = _OF_ONE | {"not", "only", "must", "can", "would"}  # More of them claims something else.
_FRACTIONS: Final = frozenset({"half", "1/3"})
_NUMBER_REACH: Final = 4  # words between a bound and its number
_NEGATED_REACH: Final = 5  # words between "not" and the thing it takes back
_DOUBTING: Final = frozenset({"true", "certain", "case", "clear"})
_LEVELS: Final = 6  # clauses over a clause that may tell of it


def wrong_bound(laid: Laid) -> str:
    """Name the first group of limits that the two do not share, or that limit other words; empty where all agree."""
    theirs = [bound for bound in laid.source.bounds if _is_used(laid, bound)]
    mine, its = _count(laid.stated.bounds), _count(theirs)
    for group in sorted(set(mine) | set(its)):
        if mine[group] != its[group] and not _may_differ(laid, group, mine, its):
            return "unreal would" if group == "would" else f"limit {group}"
    for bound in laid.stated.bounds:
        if bound.group in _OF_ONE | {"not", "only"} and its[bound.group] and not _same_target(laid, bound, theirs):
            return f"target {bound.group}"
    return ""


def _count(bounds: Sequence[Bound]) -> Counter[str]:
    return Counter(bound.group for bound in bounds)


def _may_differ(laid: Laid, group: str, mine: Counter[str], its: Counter[str]) -> bool:
    more = mine[group] > its[group]
    denied = bool(mine["not"] or its["not"])
    somewhere = any(bound.group == group for bound in laid.source.bounds)
    if group in ("source", "belief", "evidence") and mine["source"]:
        return _is_told_by_the_named(laid)  # "according to Meyer" for "Meyer claims that"
    if more and group not in _STRICT and somewhere:
        return True  # Doubted more than there, by a doubt that stands there too.
    if group == "both" and more and somewhere:
        return True
    if group in _WEAK and not more:
        return not denied
    if group == "can" and more:
        return not denied and not its["must"] and not its["possible"]
    return group == "must" and more and _is_order(laid.source)


def _is_order(source: Tree) -> bool:
    """Whether a sentence tells somebody what to do."""
    root = source.root()
    return root.tag == "VB" and not any(child.bond.startswith("nsubj") for child in source.children(root.index))


def _is_told_by_the_named(laid: Laid) -> bool:
    """Whether "according to Meyer" names the one who says it there."""
    for node, place in laid.pairs():
        above = laid.stated.nodes[node.head]
        behind = laid.stated.nodes[above.index - 1].lower if above.index else ""
        if above.lower == "to" and behind == "according":
            for part in place.parts:
                told = any(child.bond == "ccomp" for child in laid.source.children(part.of))
                if part.name == SUBJECT and told:
                    return True
    return False


def _is_used(laid: Laid, bound: Bound) -> bool:
    """Whether a limit of the source limits something that was taken from it."""
    source, taken = laid.source, laid.taken
    targets = _targets(source, bound)
    if bound.group in _OF_ONE:
        heads = [source.nodes[index].head for index in targets if source.nodes[index].limits]
        return not taken.isdisjoint([*targets, *heads])
    if bound.group == "not" and _takes_back(source, bound.at):
        return not taken.isdisjoint(targets)
    return _is_clause_used(laid, bound, targets)


def _is_clause_used(laid: Laid, bound: Bound, targets: Sequence[int]) -> bool:
    source, taken = laid.source, laid.taken
    node = source.nodes[bound.at]
    used = {source.nodes[index].clause for index in taken}
    within = sum(source.nodes[index].clause == node.clause for index in taken)
    found = node.clause in used and (node.clause in taken or within >= 2 or not source.nodes[node.clause].tells)
    doubted = bound.group != "not" or _is_doubt(source, node.index)
    found = found or (doubted and _stands_over(source, used, node.clause))
    if bound.group in ("not", "only", "without") and not found:
        found = not taken.isdisjoint(targets)
    above = source.nodes[node.head]
    if bound.group == "not" and taken.isdisjoint(targets) and above.tells:
        return found and node.bond != "det" and above.kind not in ("NOUN", "PROPN")
    return found


def _is_doubt(source: Tree, negation: int) -> bool:
    """Whether "it is not true that" or the like stands over the clause."""
    clause = source.nodes[negation].clause
    return any(
        node.clause == clause and node.index != negation and (node.lower in _DOUBTING or node.limits)
        for node in source.nodes
    )


def _stands_over(source: Tree, used: set[int], clause: int) -> bool:
    """Whether a clause only tells of one that was taken: "it is likely that ...", "she plans to ..."."""
    return any(_leads_up(source, index, clause) for index in used)


def _leads_up(source: Tree, index: int, clause: int) -> bool:
    for _ in range(_LEVELS):
        node = source.nodes[index]
        told = node.bond in ("ccomp", "xcomp", "csubj", "conj") or (
            node.bond in ("acl", "advcl", "relcl")
            and any(child.lower == "that" for child in source.children(node.index))
        )
        if node.head == node.index or not told:
            return False
        index = node.head if node.bond == "conj" else source.nodes[node.head].clause
        if index == clause:
            return node.bond != "conj"
    return False


def _takes_back(tree: Tree, at: int) -> bool:
    """Whether a "not" denies a thing only: "the landlord, not the tenant"."""
    if tree.nodes[at].lower != "not":
        return False
    behind = next((node for node in tree.nodes[at + 1 :] if node.kind != "ADV"), None)
    joined = behind is not None and behind.kind in ("DET", "NOUN", "PROPN", "ADP", "SCONJ", "PRON")
    return joined and tree.nodes[at - 1].kind != "AUX"


def _targets(tree: Tree, bound: Bound) -> list[int]:
    """The nodes that a limit may stand for: its number, the word behind it, the one it hangs on, the one under "of"."""
    nodes, at = tree.nodes, bound.at
    if bound.group in _OF_NUMBERS:
        near = range(max(0, at - _NUMBER_REACH), min(len(nodes), at + _NUMBER_REACH + 1))
        for index in sorted(near, key=lambda index: (index < at, abs(index - at))):
            if nodes[index].sort is Sort.NUMBER or nodes[index].lower in _FRACTIONS:
                return [index]
    behind = [node.index for node in nodes[at + 1 : at + 1 + _NEGATED_REACH] if node.tells]
    if bound.group == "not" and _takes_back(tree, at):
        return behind[:1]
    near_behind = [index for index in behind if index <= at + 3]
    if bound.group == "not" and nodes[at].lower in ("nothing", "none", "nobody") and near_behind:
        return near_behind[:1]
    under = [inner for child in tree.children(at) if child.lower == "of" for inner in child.children]
    return [*near_behind[:1], nodes[at].head, *under]


def _same_target(laid: Laid, bound: Bound, theirs: Sequence[Bound]) -> bool:
    mine = [laid.places[index] for index in _targets(laid.stated, bound) if index in laid.places]
    its = [index for one in theirs if one.group == bound.group for index in _targets(laid.source, one)]
    return not mine or any(abs(one - other) <= 1 for one in mine for other in its)
