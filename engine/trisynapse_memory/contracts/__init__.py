"""One Protocol per kind of branch, and the shapes the corridors hand in; no implementation lives here."""

from __future__ import annotations

from trisynapse_memory.contracts.compiled import ClaimReader, DescriptionReader, GraphReader, Refer, SummaryReader
from trisynapse_memory.contracts.exporting import Holding, SourceExporter
from trisynapse_memory.contracts.indexes import (
    Entry,
    Index,
    LexicalReader,
    LexicalStore,
    RecordReader,
    Route,
    VectorReader,
    VectorStore,
)
from trisynapse_memory.contracts.models import (
    Completer,
    Door,
    Embedder,
    FindKey,
    FloatArray,
    Incoming,
    OnText,
    Outgoing,
    Provider,
    TokenCounter,
)
from trisynapse_memory.contracts.planning import IntentReader
from trisynapse_memory.contracts.reading import Document, Drawable, Extractor, Loader
from trisynapse_memory.contracts.recognition import Recogniser, SeenWord
from trisynapse_memory.contracts.sites import AskSite, SiteReader, SiteReply

__all__ = [
    "AskSite",
    "ClaimReader",
    "Completer",
    "DescriptionReader",
    "Document",
    "Door",
    "Drawable",
    "Embedder",
    "Entry",
    "Extractor",
    "FindKey",
    "FloatArray",
    "GraphReader",
    "Holding",
    "Incoming",
    "Index",
    "IntentReader",
    "LexicalReader",
    "LexicalStore",
    "Loader",
    "OnText",
    "Outgoing",
    "Provider",
    "Recogniser",
    "RecordReader",
    "Refer",
    "Route",
    "SeenWord",
    "SiteReader",
    "SiteReply",
    "SourceExporter",
    "SummaryReader",
    "TokenCounter",
    "VectorReader",
    "VectorStore",
]
