"""A file in, the words that it holds beside its text out: notes, comments, heads and feet, captions, numbers of lists.

The intake has to read them, and the ground truths of a corpus often leave them out; so what is foreign is told twice,
with them and without. They are taken from the bytes of a file here, by other means than its loader uses: a loader that
made words up would not be excused by them.

* Office Open XML: the parts of comments, of notes of slides, of heads and feet of pages; who commented, and the day.
* OpenDocument: annotations, notes of slides, heads and feet.
* HTML: captions of tables. AsciiDoc: descriptions of pictures, the numbers of ordered lists.
* Other formats: nothing.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.office.xml import read_xml
from trisynapse_memory.preprocessing.trees import Element, parse

_PART: Final = re.compile(
    r"word/(?:comments|header\d*|footer\d*)\.xml|ppt/(?:notesSlides/notesSlide\d+|comments/[^/]+)\.xml|"
    r"xl/(?:comments\d*|threadedComments/[^/]+|persons/[^/]+)\.xml"
)
_SAID_OF_IT: Final = frozenset(("author", "displayName"))  # attributes of a comment that a reader is shown
_MOMENT: Final = frozenset(("date", "dT"))
_DAY_CHARS: Final = len("2026-01-31")
_BORDER: Final = "\f"
_PARAGRAPHS: Final = frozenset(("p", "br", "author", "comment", "threadedComment", "person"))
_WORDS: Final = frozenset(("t", "text", "author"))
# Excel writes a comment of a thread a second time, for older versions of itself, and gives it a number as its author.
_SAID_AGAIN: Final = ("[Threaded comment]", "tc={")
_BESIDE: Final = frozenset(("annotation", "notes", "header", "footer", "header-first", "footer-first"))  # OpenDocument
_PICTURE: Final = re.compile(r"image::?[^\s\[]*\[([^\],]*)")
_NUMBER: Final = re.compile(r"^\s*(\d+)\.\s", re.MULTILINE)


def asides_of(path: Path) -> str:
    """Return what a file holds beside its text, as one text; nothing where its format has no such parts."""
    read = _READERS.get(path.suffix.casefold())
    return "".join(read(path)) if read is not None else ""


def _office(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as package:
        for part in package.namelist():
            if _PART.fullmatch(part):
                root, _ = read_xml(package.read(part))
                said = "".join(_said_in(root)) if root is not None else ""
                yield "\n".join(one for one in said.split(_BORDER) if not one.startswith(_SAID_AGAIN))


def _said_in(root: Element) -> Iterator[str]:
    """The words of a part, each paragraph behind a border, with who said them and on which day."""
    for element in root.iter():
        tag = _name(element)
        if tag in _PARAGRAPHS:
            yield _BORDER
        for key, value in element.attrib.items():
            name = key.rpartition("}")[2]
            if name in _SAID_OF_IT:
                yield f"{value} "
            elif name in _MOMENT:
                yield f"{value[:_DAY_CHARS]} "
        if tag in _WORDS:
            yield element.text or ""


def _open_document(path: Path) -> Iterator[str]:
    with zipfile.ZipFile(path) as package:
        for part in {"content.xml", "styles.xml"} & set(package.namelist()):
            root, _ = read_xml(package.read(part))
            for element in root.iter() if root is not None else ():
                if _name(element) in _BESIDE:
                    yield "\n"
                    yield from _texts(element)


def _page(path: Path) -> Iterator[str]:
    root = parse(path.read_text("utf-8", "replace"))
    for element in root.iter() if root is not None else ():
        if element.tag == "caption":
            yield "\n"
            yield from _texts(element)


def _asciidoc(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8", "replace")
    yield from (f"{match[1]}\n" for pattern in (_PICTURE, _NUMBER) for match in pattern.finditer(text))


def _texts(element: Element) -> Iterator[str]:
    for one in element.iter():
        yield from (
            (one.text or "") if isinstance(one.tag, str) else "",
            (one.tail or "") if one is not element else "",
        )


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


_READERS: Final[dict[str, Callable[[Path], Iterator[str]]]] = {
    **dict.fromkeys((".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm"), _office),
    **dict.fromkeys((".odt", ".odp", ".ods"), _open_document),
    **dict.fromkeys((".html", ".htm"), _page),
    **dict.fromkeys((".adoc", ".asciidoc"), _asciidoc),
}
