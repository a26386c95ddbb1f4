"""A pronoun of the source and a noun in, whether the one may stand for the other out. Unsure is no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import OBJECT, SUBJECT
from trisynapse_memory.text.paraphrase.trees.placing import Laid
from trisynapse_memory.text.paraphrase.trees.tree import CORE, NOUNS, Node, Tree

_PLURALS: Final = frozenset({"they", "them", "those", "these"})
_SELVES: Final = frozenset({"i", "you", "we"})
_KINDS: Final = frozenset("one ones those that them both".split())  # "the old one": a thing of the kind named before
_OBJECTS: Final = frozenset({"it", "them"})


def stands_for(source: Tree, players: Sequence[Node], noun: Node, part: str) -> bool:
    """Whether a part of a verb is played by a pronoun that can only mean a noun before it.

    ``part`` is subject or object; ``players`` are the words that play it.
    """
    if not players or any(player.kind != "PRON" for player in players):
        return False
    pronoun = players[0]
    if part == SUBJECT:
        return pronoun.lower not in _SELVES and _has_no_rival(source, pronoun, noun)
    return pronoun.lower in _OBJECTS and (
        _has_no_rival(source, pronoun, noun) or _is_last_in_part(source, pronoun, noun)
    )


def _is_plural(node: Node) -> bool:
    return node.tag in ("NNS", "NNPS")


def _has_no_rival(source: Tree, pronoun: Node, noun: Node) -> bool:
    """Whether the noun is the only subject or object before the pronoun that agrees with it in number."""
    plural = pronoun.lower in _PLURALS
    if noun.index >= pronoun.index or noun.kind not in NOUNS or plural != _is_plural(noun) or not noun.names() & CORE:
        return False
    return not any(
        node.kind in NOUNS and node.bond in ("nsubj", "nsubjpass", "dobj") and _is_plural(node) == plural
        for node in source.nodes[: pronoun.index]
        if node is not noun
    )


def _is_last_in_part(source: Tree, pronoun: Node, noun: Node) -> bool:
    """Whether the noun is the last object of a verb before: "sends the token to the server, which checks it"."""
    kinds = (*NOUNS, "ADJ")
    before = [
        node
        for node in source.nodes[: pronoun.index]
        if node.kind in kinds and any(part.name == OBJECT and part.of < pronoun.index for part in node.parts)
    ]
    return bool(before) and before[-1] is noun


def their_own(laid: Laid, above: Node, place: Node, there: Node) -> bool:
    """Whether a word hangs on "those" or "one" there, which stands for the noun it hangs on here, in the same part."""
    for part in place.parts:
        pronoun = laid.source.nodes[part.of]
        if pronoun.lower not in _KINDS or there.index >= pronoun.index:
            continue
        for mine in above.parts:
            if mine.name in CORE and mine.of in laid.places:
                its = pronoun.names(laid.places[mine.of]) & CORE
                if its and mine.name not in its:
                    return False
        return True
    return False
