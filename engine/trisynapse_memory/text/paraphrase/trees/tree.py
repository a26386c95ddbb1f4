"""No input: what a parsed sentence is read as. Nodes, the bonds between them, their parts, and the limits on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT
from trisynapse_memory.text.statements import Sort

MODIFIER: Final = "modifier"
COMPLEMENT: Final = "complement"  # what a "be" says of its subject
SAID: Final = "said"  # the same, seen from the subject
CORE: Final = frozenset({SUBJECT, OBJECT})
VERBS: Final = frozenset({"VERB", "AUX"})
NOUNS: Final = frozenset({"NOUN", "PROPN"})
SUBJECT_BONDS: Final = frozenset({"nsubj", "nsubjpass"})
RELATIVES: Final = frozenset({"who", "which", "that", "whom", "whose"})
_CLAUSES: Final = frozenset({"ROOT", "advcl", "relcl", "acl", "ccomp", "xcomp", "parataxis", "csubj", "pcomp"})
_SPENT: Final = frozenset({"spend", "spends", "spent"})  # It is she who reads: "she spent three hours reading"
_DEEPEST: Final = 60  # steps up a tree; a parser never nests deeper, and a loop ends


class Part(NamedTuple):
    """A part that a node plays (subject, object, the group of its preposition ...), and the node it plays it for."""

    name: str
    of: int


class Bound(NamedTuple):
    """A limiting word or phrase: its group ("not", "least"), and the index of its last word."""

    group: str
    at: int


@dataclass(eq=False, slots=True)
class Node:
    """A word in its tree. ``tells`` says that it claims something; ``limits``, that it limits what others claim."""

    index: int
    text: str
    key: str
    sort: Sort
    kind: str
    tag: str
    bond: str
    head: int
    limits: bool = False
    tells: bool = False
    clause: int = -1
    parts: set[Part] = field(default_factory=set[Part])
    children: list[int] = field(default_factory=list[int])

    @property
    def lower(self) -> str:
        """The word in small letters."""
        return self.text.lower()

    @property
    def acts(self) -> bool:
        """Whether it is a verb."""
        return self.kind in VERBS

    def names(self, of: int | None = None) -> set[str]:
        """The names of its parts; only those it plays for one node where that is given."""
        return {part.name for part in self.parts if of is None or part.of == of}


@dataclass(slots=True)
class Tree:
    """A sentence: its nodes in order, and what limits them."""

    nodes: list[Node]
    bounds: list[Bound] = field(default_factory=list[Bound])

    def telling(self) -> Iterator[Node]:
        """The nodes that claim something, in order."""
        return (node for node in self.nodes if node.tells)

    def root(self) -> Node:
        """The node that hangs on nothing."""
        return next(node for node in self.nodes if node.head == node.index)

    def is_sure(self) -> bool:
        """Whether the parser found a verb at the root, and no second one beside it that nothing joins to it.

        "Wool dyed with shells fades" is at times read as two verbs in a row, and so are headings as sentences.
        """
        if not self.nodes or not self.root().acts:
            return False
        joined = (node for node in self.nodes if node.bond == "conj" and node.acts and self.nodes[node.head].acts)
        return all(
            any(one.bond == "cc" or one.text in ",;" for one in self.nodes[node.head : node.index]) for node in joined
        )

    def children(self, index: int) -> Iterator[Node]:
        """The nodes that hang on one."""
        return (self.nodes[child] for child in self.nodes[index].children)

    def governor(self, index: int) -> int:
        """The next node above that is no preposition."""
        above = self.nodes[self.nodes[index].head]
        while above.kind in ("ADP", "SCONJ") and above.head != above.index:
            above = self.nodes[above.head]
        return above.index

    def path(self, index: int) -> list[int]:
        """The indices from a node up to the root."""
        found = [index]
        while self.nodes[found[-1]].head != found[-1] and len(found) < _DEEPEST:
            found.append(self.nodes[found[-1]].head)
        return found

    def way(self, one: int, two: int) -> list[int]:
        """The indices of the nodes on the way from one node to another, both left out."""
        left, right = self.path(one), self.path(two)
        top = next((index for index in left if index in right), None)
        if top is None:
            return []
        both = [*left[: left.index(top)], top, *right[: right.index(top)]]
        return [index for index in both if index not in (one, two)]

    def distance(self, one: int, two: int) -> int:
        """The bonds between two nodes, prepositions not counted."""
        left, right = self.path(one), self.path(two)
        top = next((index for index in left if index in right), None)
        if top is None:
            return _DEEPEST
        steps = [*left[: left.index(top)], *right[: right.index(top)]]
        return sum(self.nodes[index].kind not in ("ADP", "SCONJ") for index in steps)

    def is_under(self, index: int, top: int) -> bool:
        """Whether a node is another one or hangs below it."""
        return top in self.path(index)

    def linked(self, one: int, two: int) -> bool:
        """Whether one of two nodes plays a part for the other."""
        return any(part.of == two for part in self.nodes[one].parts) or any(
            part.of == one for part in self.nodes[two].parts
        )

    def opens_clause(self, node: Node) -> bool:
        """Whether a clause hangs on this node."""
        return node.bond in _CLAUSES or (node.bond == "conj" and node.acts)

    def clause_of(self, index: int) -> int:
        """The node that the clause of a node hangs on."""
        return next((one for one in self.path(index) if self.opens_clause(self.nodes[one])), self.path(index)[-1])

    def is_passive(self, verb: int) -> bool:
        """Whether a verb has its subject done to."""
        return any(child.bond in ("nsubjpass", "auxpass", "csubjpass") for child in self.children(verb))

    def has_own_subject(self, verb: int) -> bool:
        """Whether a subject hangs on a verb itself."""
        return any(child.bond in (*SUBJECT_BONDS, "csubj") for child in self.children(verb))

    def subjects(self, verb: int, depth: int = 0) -> Sequence[int]:
        """The subjects of a verb; those of the verb it is joined to or hangs on where it has none of its own."""
        own = [
            child.index for child in self.children(verb) if child.bond in ("nsubj", "nsubjpass", "csubj", "csubjpass")
        ]
        node = self.nodes[verb]
        if own or depth > 6:
            return own
        if node.bond == "conj" and self.nodes[node.head].acts:
            return self.subjects(node.head, depth + 1)
        if node.bond in ("xcomp", "advcl", "ccomp", "pcomp"):
            above = self.governor(verb)
            doers = [child.index for child in self.children(above) if child.bond in ("dobj", "dative")]
            controlled = node.bond == "xcomp" and self.nodes[above].lower not in _SPENT
            return doers if controlled and doers else self.subjects(above, depth + 1)
        return [node.head] if node.bond in ("relcl", "acl") else []
