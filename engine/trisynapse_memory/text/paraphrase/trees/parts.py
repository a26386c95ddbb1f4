"""A tree in, the same tree with the parts that its nodes play out: who does what, to whom, under which preposition."""

from __future__ import annotations

from typing import Final

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT
from trisynapse_memory.text.paraphrase.trees.tree import (
    COMPLEMENT,
    MODIFIER,
    RELATIVES,
    SAID,
    SUBJECT_BONDS,
    Node,
    Part,
    Tree,
)
from trisynapse_memory.text.synonyms import PREPOSITIONS

GROUPS: Final = {
    **PREPOSITIONS,
    "without": "without", "except": "except", "but": "except", "unlike": "unlike", "because": "because", "per": "each",
    "near": "near", "behind": "near", "beside": "near", "ahead": "before", "below": "under", "underneath": "under",
    "upon": "place", "till": "before",
}  # fmt: skip
_PLAIN: Final = {
    "nsubj": SUBJECT, "nsubjpass": OBJECT, "dobj": OBJECT, "oprd": OBJECT, "attr": COMPLEMENT, "acomp": COMPLEMENT,
    "dative": "to", "poss": "of",
}  # fmt: skip
_MODIFYING: Final = frozenset(
    "amod compound nummod nmod advmod npadvmod quantmod appos prt advcl neg predet nounmod".split()
)


def assign_parts(tree: Tree) -> None:
    """Give each node the parts it plays."""
    for node in tree.nodes:
        _take_bond(tree, node)
        if node.bond in ("relcl", "acl"):
            _take_relative(tree, node)
        if node.acts and node.bond in ("conj", "xcomp", "advcl", "pcomp", "ccomp"):
            _take_subjects(tree, node)
    for _ in range(2):  # A list of three hangs in a chain.
        for node in tree.nodes:
            if node.bond in ("conj", "appos") and not node.acts:
                node.parts |= tree.nodes[node.head].parts
    for node in tree.nodes:
        for part in [part for part in node.parts if part.name == COMPLEMENT]:
            node.parts |= {Part(SAID, subject) for subject in tree.subjects(part.of)}


def _take_bond(tree: Tree, node: Node) -> None:
    target = tree.nodes[_meant(tree, node)]
    if node.bond in ("pobj", "pcomp"):
        target.parts.add(Part(_group_over(tree, node), tree.governor(node.index)))
    elif node.bond in _MODIFYING:
        target.parts.add(Part(MODIFIER, tree.governor(node.index)))
    elif node.bond in _PLAIN:
        name = OBJECT if _is_bare_passive(tree, node) else _PLAIN[node.bond]
        target.parts.add(Part(name, node.head))


def _meant(tree: Tree, node: Node) -> int:
    """The noun that a relative pronoun stands for; the node itself where it is none."""
    if node.lower not in RELATIVES or node.bond not in (*SUBJECT_BONDS, "dobj", "pobj", "poss"):
        return node.index
    clause = next((index for index in tree.path(node.head) if tree.nodes[index].bond == "relcl"), None)
    return node.index if clause is None else tree.nodes[clause].head


def _group_over(tree: Tree, node: Node) -> str:
    preposition = tree.nodes[node.head]
    if tree.nodes[preposition.head].lower == "than":
        return "than"  # "than in water"
    if preposition.bond == "agent":
        return SUBJECT
    return GROUPS.get(preposition.lower, preposition.lower)


def _is_bare_passive(tree: Tree, node: Node) -> bool:
    """Whether "is" was left out: "the lid is lifted and the cable pulled out"."""
    verb = tree.nodes[node.head]
    return (
        node.bond == "nsubj"
        and verb.tag in ("VBN", "VBD")
        and verb.bond == "conj"
        and tree.is_passive(verb.head)
        and not any(child.bond in ("aux", "dobj") for child in tree.children(verb.index))
    )


def _take_relative(tree: Tree, verb: Node) -> None:
    """Make the noun before "built in 1931" or "that she wrote" the object of that verb, or its subject."""
    head = tree.nodes[verb.head]
    if verb.bond == "acl":
        name = {"VBG": SUBJECT, "VBN": OBJECT}.get(verb.tag, "acl")
        head.parts.add(Part(name, verb.index))
        return
    children = list(tree.children(verb.index))
    own = any(child.bond in SUBJECT_BONDS and child.lower not in RELATIVES for child in children)
    if own and not any(child.lower in RELATIVES for child in children):
        head.parts.add(Part(OBJECT, verb.index))


def _take_subjects(tree: Tree, verb: Node) -> None:
    """Share the subject of the verb before with one that has none of its own."""
    if tree.has_own_subject(verb.index):
        return
    had = any(child.lower in ("has", "have", "had", "having") for child in tree.children(verb.index))
    participle = verb.tag == "VBN" and not had and (verb.bond != "conj" or tree.is_passive(verb.head))
    name = OBJECT if tree.is_passive(verb.index) or participle else SUBJECT
    for subject in tree.subjects(verb.index):
        tree.nodes[subject].parts.add(Part(name, verb.index))
