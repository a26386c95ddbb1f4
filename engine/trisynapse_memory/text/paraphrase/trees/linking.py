"""A tree in, how its clauses are linked out: "because", "before", "if", and what is told after what."""

from __future__ import annotations

from typing import Final, NamedTuple

from trisynapse_memory.text.paraphrase.trees.tree import Tree

_LINKS: Final = {
    "because": "because", "since": "because", "as": "as", "after": "after", "once": "after", "when": "when",
    "whenever": "when", "while": "while", "before": "before", "until": "until", "till": "until", "if": "if",
    "unless": "unless", "whether": "whether", "although": "but", "though": "but", "whereas": "but", "so": "so",
    "where": "where",
}  # fmt: skip
_THEN: Final = frozenset("then later afterwards subsequently next".split())
_REACH: Final = 7  # words behind the second verb in which "later" may stand
_LINKED: Final = frozenset({"advcl", "ccomp", "pcomp", "conj", "parataxis", "ROOT", "relcl"})


class Link(NamedTuple):
    """A word that links: its group, the node under it, and the one that this hangs on."""

    group: str
    under: int
    above: int


def link_of(tree: Tree, verb: int) -> str:
    """The group of the word that links a clause to another; empty where none does."""
    for child in tree.children(verb):
        if child.bond in ("mark", "advmod") and child.lower in _LINKS and child.index < verb:
            return _LINKS[child.lower]
    node = tree.nodes[verb]
    return _LINKS.get(tree.nodes[node.head].lower, "") if node.bond == "pcomp" else ""


def links_of(tree: Tree) -> list[Link]:
    """All links of a sentence, in order."""
    found: list[Link] = []
    for node in tree.nodes:
        if node.bond in _LINKED and (group := link_of(tree, node.index)):
            found.append(Link(group, node.index, tree.governor(node.index)))
        if node.bond == "pobj":
            found += [
                Link(part.name, node.index, part.of)
                for part in sorted(node.parts)
                if part.name in ("before", "after", "because", "until")
            ]
    return found


def follows(tree: Tree, first: int, second: int) -> bool:
    """Whether a sentence tells of the one and then of the other: "loosen the screw, then lift the lid"."""
    between = tree.nodes[first + 1 : second + _REACH]
    return first < second and any(node.lower in _THEN for node in between)
