"""A sentence laid on its source in, which link between clauses is another there, or was left out, out."""

from __future__ import annotations

from typing import Final

from trisynapse_memory.text.paraphrase.trees.linking import Link, follows, links_of
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import Node
from trisynapse_memory.text.synonyms import base

_FREE: Final = frozenset({"but", "where", "whether"})  # They may stand or not.
# A link of the sentence, and one of the source that says as much.
_ALIKE: Final = frozenset(
    {
        ("because", "after"), ("when", "after"), ("when", "if"), ("after", "when"), ("if", "when"), ("as", "because"),
        ("because", "as"), ("as", "when"), ("when", "while"), ("while", "but"), ("until", "before"),
    }
)  # fmt: skip
_CONDITIONS: Final = frozenset({"if", "unless", "whether"})
_DEEDS: Final = frozenset({"relcl", "acl", "csubj", "pcomp", "amod"})  # "deleting a project" for "when ... is deleted"
_PAST: Final = frozenset({"VBD", "VBN"})
# What stands under them is so, or is done.
_FACTUAL: Final = frozenset(
    map(
        base,
        """find show note reveal confirm prove observe establish learn notice realise realize discover demonstrate begin
        start continue manage help see go use come keep make let allow enable cause""".split(),
    )
)
_TELLING: Final = frozenset(
    map(
        base,
        """say tell state claim argue deny insist believe think hope fear doubt suspect allege warn predict promise
        write announce declare admit suggest consider expect""".split(),
    )
)


def wrong_link(laid: Laid) -> str:
    """Name the first link that the source has not, or a condition or teller that was left out; empty where none is."""
    mine, theirs = links_of(laid.stated), links_of(laid.source)
    for link in mine:
        if link.group not in _FREE and not _is_linked_alike(laid, link, theirs):
            return f"link {link.group}"
    return _fault_of_condition(laid, mine, theirs) or _fault_of_teller(laid)


def _is_linked_alike(laid: Laid, link: Link, theirs: list[Link]) -> bool:
    place = _place_of_clause(laid, link.under)
    if place is None:
        return True
    same = [one.group for one in theirs if one.under == place.index or one.under == place.clause]
    if any(group == link.group or (link.group, group) in _ALIKE for group in same):
        return True
    source = laid.source
    turned = [one.group for one in theirs if one.above == place.index or source.nodes[one.above].clause == place.clause]
    if not same and any({link.group, group} == {"before", "after"} for group in turned):
        return True
    if same:
        return False
    if link.group in ("before", "after") and not turned and link.above in laid.places and place.acts:
        order = (laid.places[link.above], place.index)
        return follows(source, *(order if link.group == "before" else order[::-1]))
    if link.group == "because":
        return any(node.lower == "so" for node in source.nodes)
    return link.group in ("when", "after", "as") and place.bond in _DEEDS


def _place_of_clause(laid: Laid, head: int) -> Node | None:
    """Where a clause of the sentence stands there: its head, or the first word of it that has a place."""
    if head in laid.places:
        return laid.source.nodes[laid.places[head]]
    return next((place for node, place in laid.pairs() if node.clause == head), None)


def _fault_of_condition(laid: Laid, mine: list[Link], theirs: list[Link]) -> str:
    """What hangs on a condition there hangs on it here, and what is only a condition there is not said here."""
    linked = {laid.places.get(link.under) for link in mine}
    for link in theirs:
        under, above = link.under in laid.taken, link.above in laid.taken
        if link.group in _CONDITIONS and above and not under:
            return "condition left out"
        said = under and link.under not in linked
        if link.group in _CONDITIONS and said and not any(one.group in ("if", "when", "unless") for one in mine):
            return "condition said"
        happened = laid.source.nodes[link.under].tag in _PAST
        if link.group == "before" and said and not happened and not any(one.group == "after" for one in mine):
            return "condition said"
    return ""


def _fault_of_teller(laid: Laid) -> str:
    """What somebody only says, wants or denies is not said without that."""
    source, taken = laid.source, laid.taken
    told = any(bound.group == "source" for bound in laid.stated.bounds)
    for node in source.nodes:
        above = source.nodes[node.head]
        if node.bond not in ("ccomp", "xcomp") or above.index in taken or told:
            continue
        said = node.index in taken or (
            node.kind == "AUX"
            and any(child.bond in ("attr", "acomp") and child.index in taken for child in source.children(node.index))
        )
        unsure = above.kind == "VERB" and above.key not in _FACTUAL and not above.limits
        if said and (unsure or (node.bond == "ccomp" and above.key in _TELLING)):
            return f"teller {above.text}"
    return ""
