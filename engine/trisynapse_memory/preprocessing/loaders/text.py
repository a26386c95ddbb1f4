"""Plain text and Markdown files in, pages with sections out; nothing is rendered, and binary files are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

from msgspec import structs

from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.markdown import FrontMatter, front_matter, looks_like_markdown, outline
from trisynapse_memory.preprocessing.paging import PagedText, open_text
from trisynapse_memory.preprocessing.plaintext import TextDocument
from trisynapse_memory.types import Heading, Modality, Page, Section

MARKDOWN_SUFFIXES: Final = frozenset({".md", ".markdown", ".mdx", ".mkd", ".qmd", ".rmd"})
TEXT_SUFFIXES: Final = frozenset({".txt", ".text", ".tex", ".log", ".org", ".me", ".1st", ".nfo"})
# Readers of their own know more of these; where none is sure of a file, it is read as the text it is.
DATA_SUFFIXES: Final = frozenset(
    {".csv", ".tsv", ".tab", ".psv", ".json", ".jsonl", ".ndjson", ".geojson", ".yaml", ".yml", ".toml", ".xml",
     ".ini", ".cfg", ".conf", ".properties", ".bib", ".ris", ".rst", ".rest", ".adoc", ".asciidoc", ".asc", ".srt",
     ".vtt", ".sbv", ".ipynb"}
)  # fmt: skip
CODE_SUFFIXES: Final = frozenset(
    {".awk", ".bash", ".bat", ".c", ".cc", ".clj", ".cpp", ".cs", ".css", ".cxx", ".dart", ".el", ".ex", ".exs", ".f",
     ".f90", ".go", ".gradle", ".groovy", ".h", ".hpp", ".hs", ".hxx", ".java", ".jl", ".js", ".jsx", ".kt", ".kts",
     ".less", ".lisp", ".lua", ".m", ".mjs", ".ml", ".nim", ".pas", ".php", ".pl", ".pm", ".ps1", ".py", ".pyi", ".r",
     ".rb", ".rs", ".sas", ".sass", ".sbt", ".scala", ".scm", ".scss", ".sh", ".sql", ".svelte", ".swift", ".ts",
     ".tsx", ".v", ".vb", ".vue", ".zig", ".zsh"}
)  # fmt: skip
# Names that promise another format: plain text inside is a failed download, and reading it would hide that (case R7).
PROMISED_SUFFIXES: Final = frozenset(
    {".pdf", ".docx", ".doc", ".pptx", ".ppt", ".xlsx", ".xls", ".odt", ".epub", ".png", ".jpg", ".jpeg", ".webp",
     ".gif", ".zip", ".gz", ".tgz", ".tar", ".7z", ".mp3", ".mp4", ".html", ".htm", ".xhtml", ".mht", ".mhtml", ".rtf"}
)  # fmt: skip
# Text on the outside only.
_PACKED: Final = (b"%PDF-", b"{\\rtf", b"%!PS")
_TITLE_CHARS: Final = 8192

# How sure: a text's own name below a file that shows its own signature; then names that others read; then any text.
NAMED, FALLBACK, BY_CONTENT = 0.8, 0.4, 0.3


class TextLoader:
    """Reads every text there is, whatever its name, and Markdown with its headings."""

    name = "text"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.8 for a text's name, 0.4 for a data file's, 0.3 for any other text, else 0."""
        suffix = PurePath(filename).suffix.lower()
        if not head or suffix in PROMISED_SUFFIXES or head.lstrip().startswith(_PACKED) or looks_binary(head):
            return 0.0
        if suffix in DATA_SUFFIXES | CODE_SUFFIXES:
            return FALLBACK
        return NAMED if suffix in MARKDOWN_SUFFIXES | TEXT_SUFFIXES else BY_CONTENT

    def open(self, path: Path, password: str | None = None, *, charset: str = "", filename: str = "") -> TextDocument:
        """Open a text file for reading; it has no password.

        Args:
            path: the file; in the blob store its name is a hash, and then content decides what is Markdown.
            password: not used.
            charset: what the server said of it, if it came from the web (case R24).
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceUnsupportedError: the file is not text.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        suffix = PurePath(filename or path.name).suffix.lower()
        markdown = suffix in MARKDOWN_SUFFIXES
        # Fences are looked for in nameless texts too: page borders are set before the text can be judged.
        declared = (charset,) if charset else ()
        paged = open_text(path, name=filename, declared=declared, fences=markdown or not suffix)
        markdown = markdown or (not suffix and looks_like_markdown(paged.page(1)))
        modality = Modality.CODE if suffix in CODE_SUFFIXES else Modality.DOCUMENT
        return MarkdownDocument(paged) if markdown else TextDocument(paged, modality)


class MarkdownDocument(TextDocument):
    """A Markdown text: a section is a block under its heading path."""

    def __init__(self, paged: PagedText) -> None:
        super().__init__(paged)
        first = paged.page(1)
        self._front: FrontMatter = front_matter(first)
        moment = self._front.observed_at
        self.heading = Heading(
            page_count=paged.page_count,
            title=self._front.title or _first_title(first[: self._front.end + _TITLE_CHARS], self._front.end),
            authors=self._front.authors,
            published=moment.date().isoformat() if moment else self._front.date,
            media_type="text/markdown",
            method="text",
            tags=self._front.tags,
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; earlier pages are read too, for the headings they leave open."""
        headings: tuple[tuple[int, str], ...] = ()
        for number in range(1, self._paged.page_count + 1):
            text = self._paged.page(number)
            found = outline(text, self._front.end if number == 1 else 0, headings)
            headings = found.open_headings
            if number >= start:
                sections = tuple(self._dated(section) for section in found.sections)
                yield self.judged(number, text, found.hidden_text), sections

    def _dated(self, section: Section) -> Section:
        tags = {"tags": ", ".join(self._front.tags)} if self._front.tags else {}
        return structs.replace(section, fields={**section.fields, **tags}, observed_at=self._front.observed_at)


def _first_title(text: str, start: int) -> str:
    """The first heading near the beginning; one far down the text is the title of a part."""
    heading = next((section for section in outline(text, start).sections if section.kind == "heading"), None)
    return heading.path[-1] if heading is not None and heading.path else ""
