"""A sentence laid on its source in, which word that narrows who or what is meant was left out, out."""

from __future__ import annotations

from typing import Final

from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import NOUNS, Node
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import POPULATIONS

_ORDINALS: Final = frozenset("second third fourth fifth sixth last next other former half".split())
_ORDINAL_CHILDREN: Final = frozenset({"other", "second", "third", "last", "former", "next", "previous"})
_SINGLE: Final = frozenset({"each", "every", "a", "an", "any", "no"})
_DEFINITE: Final = frozenset({"the", "its", "his", "her", "their", "this"})
_AMONG: Final = frozenset({"in", "between", "among", "of", "for"})


def widened(laid: Laid) -> str:
    """Name the first word that means more here than there; empty where none does."""
    for node, place in laid.pairs():
        before = laid.source.nodes[place.index - 1] if place.index else None
        mine = laid.stated.nodes[node.index - 1].lower
        if before and before.index not in laid.taken and before.lower in _ORDINALS and mine not in _ORDINALS:
            return f"ordinal {before.text}"
        noun = place.kind in NOUNS and node.kind in NOUNS and (place.sort is not Sort.NAME or place.index == 0)
        fault = _fault_of_noun(laid, node, place) if noun else ""
        if fault:
            return fault
    return _fault_of_exception(laid) or _fault_of_population(laid)


def _fault_of_noun(laid: Laid, node: Node, place: Node) -> str:
    children = list(laid.source.children(place.index))
    counts = [laid.source.nodes[part.of] for part in place.parts if part.name == "of"]
    if any(one.sort is Sort.NUMBER and one.index not in laid.taken for one in counts):
        return f"share {place.text}"
    singular = place.index > 0 and place.tag == "NN" and not any(child.lower in _SINGLE for child in children)
    if node.tag == "NNS" and singular and node.lower != place.lower and node.bond != "compound":
        return f"plural {node.text}"
    for child in children:
        if child.bond in ("relcl", "acl") and child.index > place.index and _is_restriction_lost(laid, place, child):
            return f"narrow {place.text}"
        if child.index in laid.taken:
            continue
        if child.lower in ("except", "but") and child.bond == "prep":
            return f"except {place.text}"
        people = place.lower in POPULATIONS and child.tells
        if people and child.bond in ("amod", "compound", "nmod", "nummod"):
            return f"population {place.text}"
        if child.bond == "amod" and child.lower in _ORDINAL_CHILDREN:
            return f"ordinal {child.text}"
    return ""


def _is_restriction_lost(laid: Laid, noun: Node, clause: Node) -> bool:
    """Whether the clause that says which ones are meant was left out: "pupils who read aloud"."""
    source = laid.source
    comma = any(node.text == "," for node in source.nodes[noun.index : clause.index])
    kept = any(source.is_under(index, clause.index) for index in laid.taken)
    definite = noun.tag in ("NN", "NNP") and any(child.lower in _DEFINITE for child in source.children(noun.index))
    return not comma and not kept and not definite


def _fault_of_exception(laid: Laid) -> str:
    source, stated = laid.source, {node.lower for node in laid.stated.nodes}
    used = {source.nodes[index].clause for index in laid.taken}
    for node in source.nodes:
        excepts = node.lower in ("except", "unless") and not stated & {"except", "unless", "but", "only"}
        if excepts and source.nodes[source.governor(node.index)].clause in used:
            return "except"
        said = node.lower == "without" and any(source.is_under(index, node.index) for index in laid.taken)
        if said and ("with" in stated or not stated & {"without", "no", "not"}):
            return "without"
    return ""


def _fault_of_population(laid: Laid) -> str:
    """Those that were studied are named: "in mice"."""
    source = laid.source
    used = {source.nodes[index].clause for index in laid.taken}
    for node in source.nodes:
        studied = node.lower in POPULATIONS and node.tells and node.bond == "pobj" and node.index not in laid.taken
        among = studied and source.nodes[node.head].lower in _AMONG and node.clause in used
        if among and source.governor(node.index) in laid.taken:
            return f"population {node.text}"
    return ""
