"""A graph in, GraphML text out, as Gephi, yEd and Cytoscape read it. Nothing is looked up here."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from typing import Any

from trisynapse_memory.types import Graph


class GraphmlExporter:
    """Writes graphs as GraphML 1.0: labels, kinds, weights, and the evidence of every node and edge."""

    name = "graphml"

    def write(self, graph: Graph) -> str:
        """Return the document; lists of ids are joined by spaces, since GraphML knows no lists."""
        nx: Any = import_module("networkx")  # at first use: it takes a third of a second to load
        drawn = nx.MultiDiGraph(about=graph.about)
        for node in graph.nodes:
            drawn.add_node(
                node.node_id,
                label=node.label,
                kind=node.kind,
                weight=node.weight,
                aliases="; ".join(node.aliases),
                records=" ".join(node.record_ids),
                source=node.source_id or "",
            )
        for edge in graph.edges:
            drawn.add_edge(
                edge.source,
                edge.target,
                label=edge.label,
                kind=edge.kind,
                weight=edge.weight,
                status=edge.status,
                claim=edge.claim_id,
                records=" ".join(edge.record_ids),
            )
        stream = BytesIO()
        nx.write_graphml(drawn, stream)
        return stream.getvalue().decode()
