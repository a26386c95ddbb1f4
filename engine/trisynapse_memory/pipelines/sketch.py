"""Claims in, nodes and edges out, as many as can be read at once. Nothing is read from the vault here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from trisynapse_memory.scoring.relations import relation_of
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.text.quantities import normalise
from trisynapse_memory.types import Alias, Claim, ClaimSide, Edge, Graph, Node, RecordId

EVIDENCE_PER_NODE: Final = 20  # ids a node carries; the rest is one click away in its claims


class Sketch:
    """A graph that grows claim by claim: one node per entity, whatever it is called, and one per value.

    Args:
        aliases: merged names; all names of one merge are one node.
        about: the centre; it is kept however many nodes there are.
    """

    def __init__(self, aliases: Iterable[Alias], about: str = "") -> None:
        self._about = about
        self._canonical: dict[str, str] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        for alias in aliases:
            self._names[entity_key(alias.canonical)] = alias.names
            self._canonical |= dict.fromkeys(map(entity_key, alias.names), alias.canonical)
        self._labels: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._records: dict[str, dict[RecordId, None]] = {}
        self._edges: dict[tuple[str, str, str], Edge] = {}

    @property
    def node_count(self) -> int:
        """How many nodes there are so far."""
        return len(self._labels)

    def key(self, name: str) -> str:
        """Return the key of an entity, the same for all its names."""
        return entity_key(self._canonical.get(entity_key(name), name))

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all entities."""
        return tuple(node.removeprefix("entity:") for node, kind in self._kinds.items() if kind == "entity")

    def entities(self) -> tuple[str, ...]:
        """Return the names of all entities, in the order they came."""
        return tuple(label for node, label in self._labels.items() if self._kinds[node] == "entity")

    def add(self, claims: Iterable[Claim]) -> None:
        """Add the subject and every value of some claims."""
        for claim in claims:
            subject = self._node(claim.subject, claim, claim.evidence)
            for number, side in enumerate(claim.sides):
                ids = tuple(support.record_id for support in side.supports)
                target = self._node(side.value, claim, ids)
                if target != subject:
                    self._edge(claim, side, number, subject, target)

    def _edge(self, claim: Claim, side: ClaimSide, number: int, subject: str, target: str) -> None:
        replaced = number > 0 and claim.status == "active"
        phrase = relation_of(claim.relation).phrase
        role = claim.qualifiers.get("part", "")
        edge = Edge(
            source=subject,
            target=target,
            kind="claim",
            label=" ".join(filter(None, ("not" if claim.negated else "", phrase, role))),
            weight=max(claim.confidence, 0.01),
            status="superseded" if replaced else claim.status.value,
            claim_id=claim.claim_id,
            record_ids=tuple(dict.fromkeys(support.record_id for support in side.supports)),
        )
        self._edges.setdefault((subject, target, claim.claim_id), edge)

    def _node(self, name: str, claim: Claim, record_ids: Iterable[RecordId]) -> str:
        key = self.key(name)
        is_entity = bool(key) and not _is_value(name)
        node = f"entity:{key}" if is_entity else f"claim:{claim.claim_id}:{key or name}"
        self._kinds.setdefault(node, "entity" if is_entity else "claim")
        self._labels.setdefault(node, self._canonical.get(entity_key(name), name))
        self._records.setdefault(node, {}).update(dict.fromkeys(record_ids))
        return node

    def graph(self, importance: Mapping[str, float], limit: int) -> Graph:
        """Return the nodes that matter most with the edges between them; entities before mere values."""
        degrees = dict.fromkeys(self._labels, 0)
        for edge in self._edges.values():
            degrees[edge.source] += 1
            degrees[edge.target] += 1
        centre = f"entity:{self.key(self._about)}"

        def rank(node: str) -> tuple[bool, bool, float, int]:
            weight = importance.get(node.removeprefix("entity:"), 0.0)
            return (node != centre, self._kinds[node] != "entity", -weight, -degrees[node])

        kept = sorted(self._labels, key=rank)[:limit]
        inside = set(kept)
        edges = [edge for edge in self._edges.values() if edge.source in inside and edge.target in inside]
        nodes = tuple(self._shown(node, importance) for node in kept)
        return Graph(nodes=nodes, edges=tuple(edges), about=self._about, left_out=len(self._labels) - len(kept))

    def _shown(self, node: str, importance: Mapping[str, float]) -> Node:
        key = node.removeprefix("entity:")
        return Node(
            node_id=node,
            kind=self._kinds[node],
            label=self._labels[node],
            weight=importance.get(key, 0.0),
            aliases=self._names.get(key, ()),
            record_ids=tuple(self._records[node])[:EVIDENCE_PER_NODE],
        )


def _is_value(name: str) -> bool:
    """Tell whether a value of a claim names no thing: a date, a quantity, a generic word."""
    value = normalise(name)
    return is_generic(name) or (value is not None and value.kind != "text")
