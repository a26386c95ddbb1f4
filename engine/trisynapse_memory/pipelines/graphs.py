"""What the vault knows around a concept, a source or a question in, a small graph out. It reads only what it shows.

Claims that may be shown make the concept graph; where there are none, the neighbourhood of the records stands in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.sketch import Sketch
from trisynapse_memory.scoring.layout import place_nodes
from trisynapse_memory.types import Claim, Edge, Graph, Kind, Node, Scope

HOPS_MAX: Final = 4  # engine.md A17: graph_hops 0-4
CLAIMS_PER_NAME: Final = 40  # read for one entity; a hub has thousands, and nobody reads more than a pane holds
RECORDS: Final = 20  # whose neighbours are read where there is no claim
LABEL_CHARS: Final = 60


class Graphs:
    """The noun door ``engine.graph``."""

    def __init__(self, rooms: Rooms, reading: Reading, query: Query) -> None:
        self._rooms = rooms
        self._reading = reading
        self._query = query

    def around(
        self, *, about: str = "", source_id: str = "", question: str = "", hops: int = 1, limit: int = 40
    ) -> Graph:
        """Return what is known around an entity, a source or a question; around the best connected entities without.

        Args:
            about: an entity, by any of its names.
            source_id: whose claims to show.
            question: whose best evidence to start from.
            hops: how far claims are followed from there, 0 to 4.
            limit: how many nodes at most; ``left_out`` counts those beyond.

        Raises:
            InvalidInputError: more than one start was given, or a number is out of range.
            UnknownSourceError: no source has that id.
        """
        if sum(map(bool, (about, source_id, question))) > 1:
            raise InvalidInputError("A graph has one centre.", hint="Give an entity, a source or a question.")
        if not 0 <= hops <= HOPS_MAX or limit < 1:
            raise InvalidInputError(f"{hops} hops and {limit} nodes cannot be shown.", hint=f"0 to {HOPS_MAX} hops.")
        scope = self._reading.scope()
        if about:
            return self._of_claims(self._about(about, scope), scope, about, hops, limit)
        if source_id:
            title = self._rooms.shelf.get(source_id).title
            found = self._rooms.claims.of_source(source_id, scope, shown=True, limit=limit * 2)
            return self._of_claims(found, scope, title, hops - 1, limit) if found else self._of_source(source_id, limit)
        if question:
            seqs = self._query.positions(question, scope, RECORDS)
            claims = tuple(claim for claim in self._rooms.claims.of_records(seqs, scope) if claim.shown)
            return (
                self._of_claims(claims, scope, question, hops - 1, limit) if claims else self._of_records(seqs, limit)
            )
        return self._of_claims(self._rooms.claims.list(scope, shown=True, limit=limit * 2), scope, "", 0, limit)

    def export(self, *, about: str = "", source_id: str = "", hops: int = 1, limit: int = 1000) -> str:
        """Return the same graph as GraphML, for Gephi, yEd and others."""
        exporter = self._rooms.registry.load("exporter", "graphml")()
        return str(exporter.write(self.around(about=about, source_id=source_id, hops=hops, limit=limit)))

    def _about(self, name: str, scope: Scope) -> tuple[Claim, ...]:
        return self._rooms.claims.list(scope, about=name, shown=True, limit=CLAIMS_PER_NAME)

    def _of_claims(self, claims: Sequence[Claim], scope: Scope, about: str, hops: int, limit: int) -> Graph:
        """Follow claims from entity to entity, the best supported first, until enough of them are known."""
        sketch = Sketch(self._rooms.claims.aliases(scope), about)
        sketch.add(claims)
        visited = {sketch.key(about)}
        for _ in range(max(hops - 1, 0)):
            fresh = [name for name in sketch.entities() if sketch.key(name) not in visited][:limit]
            if not fresh or sketch.node_count >= limit * 2:
                break
            for name in fresh:
                visited.add(sketch.key(name))
                sketch.add(self._about(name, scope))
        return _laid_out(sketch.graph(self._rooms.graph.importance(sketch.keys()), limit))

    def _of_source(self, source_id: str, limit: int) -> Graph:
        records = self._rooms.log.of_source(source_id, Kind.RAW_SOURCE)
        return self._of_records([record.seq for record in records[:limit]], limit)

    def _of_records(self, seqs: Sequence[int], limit: int) -> Graph:
        edges = self._rooms.graph.neighbours(tuple(seqs), self._reading.scope())
        wanted = dict.fromkeys([f"record:{seq}" for seq in seqs])
        wanted |= dict.fromkeys(end for edge in edges for end in (edge.source, edge.target))
        kept = dict.fromkeys(list(wanted)[:limit])
        return _laid_out(
            Graph(
                nodes=tuple(self._nodes(kept)),
                edges=tuple(edge for edge in edges if _inside(edge, kept)),
                left_out=len(wanted) - len(kept),
            )
        )

    def _nodes(self, names: Iterable[str]) -> Iterable[Node]:
        """Say what the ends of record edges are; an end that is no record names an entity or a source itself."""
        parted = [(name, *name.partition(":")[::2]) for name in names]
        seqs = [int(rest) for _, kind, rest in parted if kind == "record"]
        records = {record.seq: record for record in self._rooms.log.by_seqs(seqs)}
        titles = self._rooms.shelf.titles([rest for _, kind, rest in parted if kind == "source"])
        for name, kind, rest in parted:
            if kind != "record":
                label = titles[rest].title if rest in titles else rest
                yield Node(node_id=name, kind=kind, label=label)
            elif int(rest) in records:
                record = records[int(rest)]
                label = " ".join(record.text.split())[:LABEL_CHARS]
                yield Node(node_id=name, kind=kind, label=label, record_ids=(record.id,), source_id=record.source_id)


def _laid_out(graph: Graph) -> Graph:
    """Give every node its place in the picture."""
    ends = [(edge.source, edge.target) for edge in graph.edges]
    places = place_nodes([n.node_id for n in graph.nodes], ends, [n.label for n in graph.nodes])
    nodes = [structs.replace(n, x=places[n.node_id][0], y=places[n.node_id][1]) for n in graph.nodes]
    return structs.replace(graph, nodes=tuple(nodes))


def _inside(edge: Edge, names: dict[str, None]) -> bool:
    return edge.source in names and edge.target in names
