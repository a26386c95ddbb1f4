"""One Protocol per kind of branch, and the shapes the corridors hand in; no implementation lives here."""

from __future__ import annotations

from trisynapse_memory.contracts.compiled import (
    ClaimReader,
    DescriptionReader,
    GraphReader,
    LinkReader,
    Refer,
    StatementReader,
    SummaryReader,
    TieReader,
)
from trisynapse_memory.contracts.exporting import Holding, SourceExporter
from trisynapse_memory.contracts.indexes import (
    ComparingRoute,
    Entry,
    FollowRoute,
    Index,
    LexicalReader,
    LexicalStore,
    PageReader,
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
from trisynapse_memory.contracts.parsing import ParsedWord, SentenceParser
from trisynapse_memory.contracts.planning import IntentReader
from trisynapse_memory.contracts.reading import Document, Drawable, Extractor, Loader
from trisynapse_memory.contracts.recognition import Recogniser, SeenWord
from trisynapse_memory.contracts.reranking import Reranker
from trisynapse_memory.contracts.sites import AskSite, SiteReader, SiteReply
from trisynapse_memory.contracts.transcription import SAMPLE_RATE, Audible, Sound, SpokenWord, Transcriber, Transcript

__all__ = [
    "SAMPLE_RATE",
    "AskSite",
    "Audible",
    "ClaimReader",
    "ComparingRoute",
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
    "FollowRoute",
    "GraphReader",
    "Holding",
    "Incoming",
    "Index",
    "IntentReader",
    "LexicalReader",
    "LexicalStore",
    "LinkReader",
    "Loader",
    "OnText",
    "Outgoing",
    "PageReader",
    "ParsedWord",
    "Provider",
    "Recogniser",
    "RecordReader",
    "Refer",
    "Reranker",
    "Route",
    "SeenWord",
    "SentenceParser",
    "SiteReader",
    "SiteReply",
    "Sound",
    "SourceExporter",
    "SpokenWord",
    "StatementReader",
    "SummaryReader",
    "TieReader",
    "TokenCounter",
    "Transcriber",
    "Transcript",
    "VectorReader",
    "VectorStore",
]
