"""A sentence laid on its source in, which part of a word is not the one it plays there out."""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT
from trisynapse_memory.text.paraphrase.compatibility import TURNING
from trisynapse_memory.text.paraphrase.trees.linking import follows, link_of
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.referring import stands_for, their_own
from trisynapse_memory.text.paraphrase.trees.tree import COMPLEMENT, CORE, MODIFIER, SAID, Node, Part, Tree
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import base

DIRECTED: Final = frozenset("from to before after than against between under above because without except".split())
_LOOSE: Final = frozenset("place of for per as about with by at near".split())
_QUALITIES: Final = frozenset({MODIFIER, "of", SAID, COMPLEMENT})
_OF_QUALITY: Final = _QUALITIES | {SUBJECT, OBJECT, "place", "for", "from", "with", "as", "acl"}
_PREMODIFIERS: Final = frozenset({"amod", "compound", "poss", "nummod"})
_TIMES: Final = frozenset({"before", "after"})
# Their phrase says the same as what stands in it: "5 ml of the syrup".
_AMOUNTS: Final = frozenset(
    """number amount share part percent half majority rest kind type litre litres gram grams kilogram group pair piece
    sample samples set lot g kg ml""".split()
)
# A sentence may have them although its source says it otherwise.
LIGHT: Final = frozenset(
    map(base, "be have take get make come go occur happen do become use give see spend find put lie".split())
)
_HAVING: Final = frozenset(map(base, "contain hold include possess own comprise have be belong show".split()))
_YEAR: Final = re.compile(r"1\d{3}|20\d{2}")


def is_year(node: Node) -> bool:
    """Whether a number reads like a year."""
    return node.sort is Sort.NUMBER and _YEAR.fullmatch(node.key) is not None


def wrong_part(laid: Laid) -> str:
    """Name the first word whose part in the sentence is not the one it plays in the source; empty where all agree."""
    for node, place in laid.pairs():
        for part in sorted(node.parts):
            above = _said_above(laid, part.of)
            there = laid.place_of(above)
            if there is not None:
                fault = _Bond(laid, node, part.name, above, place, there).fault()
            elif above.acts and part.name in CORE | {COMPLEMENT}:
                fault = _fault_under_light(laid, node, part, place)
            elif above.acts:
                fault = _fault_beside_light(laid, node, part, place)
            else:
                fault = _fault_of_direction(laid, node, part.name, place)
            if fault:
                return fault
    return ""


def _said_above(laid: Laid, index: int) -> Node:
    """The next node from one upwards that has a place there, or is a verb."""
    nodes = laid.stated.nodes
    for one in laid.stated.path(index):
        if one in laid.places or nodes[one].acts:
            return nodes[one]
    return nodes[index]


def named_parts(tree: Tree, node: Node) -> set[str]:
    """The names of the parts of a node, those of the noun it modifies or is modified by, and the link of its clause."""
    found = node.names()
    if node.bond in ("compound", "amod", "nmod", "nummod"):
        found |= tree.nodes[node.head].names()
    for child in tree.children(node.index):
        if child.bond in ("compound", "nummod"):
            found |= child.names() - {MODIFIER}
    if node.acts or tree.opens_clause(node):
        link = link_of(tree, node.index)
        found |= {link} if link else set()
        found |= {"before"} if link == "until" else set()
    return found


def _said_by(tree: Tree, node: Node) -> bool:
    """Whether a node stands behind "according to"."""
    return any(tree.nodes[index].lower == "according" for index in range(max(0, node.index - 4), node.index))


def _fault_of_direction(laid: Laid, node: Node, name: str, place: Node) -> str:
    """A preposition that tells a direction stays, whatever it hangs on."""
    if name not in DIRECTED:
        return ""
    theirs = named_parts(laid.source, place)
    if name == "to" and (theirs <= {MODIFIER} or _said_by(laid.stated, node)):
        return ""
    kept = not theirs or name in theirs or (name == "before" and place.clause == place.index)
    return "" if kept else f"preposition {name} {node.text}"


def _fault_beside_light(laid: Laid, node: Node, part: Part, place: Node) -> str:
    """Under a verb that says little, what stands beside must stand together there too."""
    source = laid.source
    beside = [other for one, other in laid.pairs() if one is not node and any(its.of == part.of for its in one.parts)]
    near = not beside or any(
        other.clause == place.clause or source.distance(other.index, place.index) <= 2 for other in beside
    )
    return _fault_of_direction(laid, node, part.name, place) if near else f"apart {node.text}"


def _fault_under_light(laid: Laid, node: Node, part: Part, place: Node) -> str:
    """Two parts of a verb that says little are two parts of one thing there, in the same order."""
    for one, other in laid.pairs():
        for its in sorted(one.parts):
            if one is node or its.of != part.of or other is place:
                continue
            if _are_swapped(laid.source, (part.name, place), (its.name, other)):
                return f"swapped {node.text}/{one.text}"
            if its.name in CORE | {COMPLEMENT}:
                copula = laid.stated.nodes[part.of].key == "be" and COMPLEMENT in (part.name, its.name)
                if not _belong(laid.source, place, other, by_clause=not copula):
                    return f"apart {node.text}/{one.text}"
                verb = _unsaid_verb(laid, place, other)
                if verb is not None:
                    return f"unsaid {verb.text}"
    return ""


def _are_swapped(source: Tree, one: tuple[str, Node], two: tuple[str, Node]) -> bool:
    (mine, left), (its, right) = one, two
    if mine not in CORE or its not in CORE or mine == its:
        return False
    return any(
        first.of == second.of and source.nodes[first.of].acts and (first.name, second.name) == (its, mine)
        for first in left.parts
        for second in right.parts
    )


def _belong(source: Tree, one: Node, two: Node, *, by_clause: bool) -> bool:
    if (by_clause and one.clause == two.clause) or source.distance(one.index, two.index) <= 2:
        return True
    verbs = [{part.of for part in node.parts if source.nodes[part.of].acts} for node in (one, two)]
    return source.linked(one.index, two.index) or bool(verbs[0] & verbs[1])


def _unsaid_verb(laid: Laid, one: Node, two: Node) -> Node | None:
    """A verb between two words of the source that says more than "be" or "have", and was left out."""
    for index in laid.source.way(one.index, two.index):
        node = laid.source.nodes[index]
        if node.kind == "VERB" and index not in laid.taken and node.key not in LIGHT | _HAVING and not node.limits:
            return node
    return None


class _Bond:
    """One bond of the sentence, ``node`` playing ``name`` for ``above``, and where both stand in the source."""

    def __init__(self, laid: Laid, node: Node, name: str, above: Node, place: Node, there: Node) -> None:
        self._laid, self._source = laid, laid.source
        self._node, self._name, self._above = node, name, above
        self._place, self._there = place, there
        self._theirs = place.names(there.index)
        self._back = there.names(place.index)

    def fault(self) -> str:
        """Name what does not agree; empty where all does."""
        if self._place is self._there or (self._name in self._theirs and not self._is_owner_changed()):
            return ""
        if self._name in CORE:
            agrees = self._core_agrees()
        elif self._theirs or self._back:
            agrees = self._near_agrees()
        else:
            agrees = self._far_agrees()
        return "" if agrees else f"{self._kind_of_fault()} {self._name} {self._node.text}/{self._above.text}"

    def _kind_of_fault(self) -> str:
        if self._name in CORE and self._theirs & CORE:
            return "role"
        if self._is_owner_changed() or self._is_turned():
            return "turned"
        return "modifier" if self._is_modifier_moved() else "bond"

    def _is_owner_changed(self) -> bool:
        """Whether the one before "'s" and the one behind "of" changed places: "Japan's invasion of ..."."""
        several = sum("of" in node.names(self._there.index) for node in self._source.nodes) > 1
        return (
            self._name == "of"
            and "of" in self._theirs
            and several
            and (self._node.bond == "poss") != (self._place.bond == "poss")
        )

    def _is_turned(self) -> bool:
        """Whether "the court of justice" became "the justice of the court"."""
        return not self._theirs and self._name in self._back and self._name not in (MODIFIER, SAID, COMPLEMENT, *CORE)

    def _is_modifier_moved(self) -> bool:
        """Whether a word that stands before its noun was put before another one of the same sentence."""
        place = self._place
        return (
            not self._theirs
            and not self._back
            and self._name in _QUALITIES
            and place.bond in _PREMODIFIERS
            and self._node.bond in _PREMODIFIERS
            and place.head in self._laid.taken
            and place.head not in (self._there.head, self._there.index)
        )

    def _core_agrees(self) -> bool:
        source, place, there, theirs = self._source, self._place, self._there, self._theirs
        if theirs & CORE:
            return place_turns(self._laid, self._above, there)
        if not there.acts:  # "the rise of prices" for "prices rose"
            named = theirs & {"of", MODIFIER} or (self._name == SUBJECT and "by" in theirs)
            return bool(named) or (source.distance(place.index, there.index) <= 2 and not theirs & DIRECTED)
        players = [node for node in source.nodes if self._name in node.names(there.index)]
        if self._is_within(players):
            return True
        if theirs & {MODIFIER, SAID, COMPLEMENT} and not theirs & DIRECTED:
            return True
        if self._name == OBJECT and theirs & {"to", "for", "of"}:
            return True
        bare = not any(child.bond in ("nsubj", "nsubjpass", "dobj") for child in source.children(there.index))
        if not players and bare and not theirs and place.clause == there.clause:
            return True
        return stands_for(source, players, place, self._name)

    def _is_within(self, players: list[Node]) -> bool:
        """Whether the word stands in the phrase of an amount that plays the part: "half of the women"."""
        amounts = {
            node.index
            for node in players
            if (node.index in self._laid.taken or node.limits)
            and (
                node.sort is Sort.NUMBER or node.limits or node.lower in _AMOUNTS or node.kind in ("DET", "NUM", "PRON")
            )
        }
        for index in self._source.path(self._place.index):
            if index in amounts:
                return True
            if self._source.opens_clause(self._source.nodes[index]):
                return False
        return False

    def _near_agrees(self) -> bool:
        """One of the two plays a part for the other there, but not this one."""
        name, both = self._name, self._theirs | self._back
        if self._is_turned() or self._is_owner_changed():
            return False
        if name in _QUALITIES:
            return bool(both & _OF_QUALITY) or not both & DIRECTED
        if name in _LOOSE:
            return not both & DIRECTED
        if name not in DIRECTED:
            return True
        both |= named_parts(self._source, self._place)
        return name in both or (name == "to" and both <= {MODIFIER}) or self._is_in_order(both)

    def _is_in_order(self, theirs: set[str]) -> bool:
        """Whether "before" and "after" say what "then" says there."""
        if self._name not in _TIMES or theirs & _TIMES or not (self._place.acts and self._there.acts):
            return False
        first, second = (self._there, self._place) if self._name == "before" else (self._place, self._there)
        return follows(self._source, first.index, second.index)

    def _far_agrees(self) -> bool:
        """No part there joins the two."""
        source, place, there = self._source, self._place, self._there
        if self._name in DIRECTED:
            return self._direction_agrees()
        if stands_for_both := their_own(self._laid, self._above, place, there):
            return stands_for_both
        together = place.clause == there.clause
        if self._name in _QUALITIES:
            return self._quality_agrees(together)
        return together or (not there.acts and source.distance(place.index, there.index) <= 2)

    def _direction_agrees(self) -> bool:
        place, there, name = self._place, self._there, self._name
        theirs = named_parts(self._source, place)
        if self._is_in_order(theirs):
            return True
        if name == "to" and (theirs <= {MODIFIER} or _said_by(self._laid.stated, self._node)):
            return True
        if name in theirs and place.clause == there.clause:
            return True
        if place.acts or place.clause == place.index:
            return name in theirs or name not in ("before", "after", "because")
        close = not there.acts and self._source.distance(place.index, there.index) <= 3
        return name in theirs and (close or place.clause in (there.index, there.clause))

    def _quality_agrees(self, together: bool) -> bool:
        source, place, there, name = self._source, self._place, self._there, self._name
        steps = source.distance(place.index, there.index)
        if is_year(self._node) and together:
            return True
        if name in ("of", MODIFIER) and owns(source, place, there):
            return True
        if self._node.sort is Sort.NUMBER and there.index < place.index and _counts_them(source, place):
            return True
        if name in ("of", SAID) and together and place.names() & {"place", "for", "of"}:
            return True
        if self._is_modifier_moved():
            return False
        if name in (SAID, COMPLEMENT) and steps <= 3:
            return True
        if self._node.kind == "ADV" or self._node.tag == "RB":
            return together or (steps <= 2 and not there.acts)
        return steps <= 2 and (together or not there.acts)


def place_turns(laid: Laid, above: Node, there: Node) -> bool:
    """Whether what somebody does to a thing, the thing does too: "lime raised the pH", "the pH rose"."""
    if there.key not in TURNING or above.key not in TURNING:
        return False
    return _is_transitive(laid.stated, above.index) != _is_transitive(laid.source, there.index)


def _is_transitive(tree: Tree, verb: int) -> bool:
    names = {name for node in tree.nodes for name in node.names(verb)}
    return names >= CORE


def owns(source: Tree, owner: Node, owned: Node) -> bool:
    """Whether "its" or "her" before a noun may mean a subject or object that was named before."""
    before = owner.index < owned.index and (bool(owner.names() & CORE) or owner.bond in ("dobj", "nsubj"))
    return before and any(child.bond == "poss" and child.kind == "PRON" for child in source.children(owned.index))


def _counts_them(source: Tree, number: Node) -> bool:
    """Whether a number counts what was named before: "two of them"."""
    return any(
        inner.lower in ("them", "those", "which", "these")
        for child in source.children(number.index)
        if child.lower == "of"
        for inner in source.children(child.index)
    )
