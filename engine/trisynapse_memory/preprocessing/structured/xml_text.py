"""XML in, records with their element paths or the paragraphs of a document out; no entity is read.

An element that mixes words with elements (``<p>See <b>this</b>.</p>``) is prose: a file that has many of those is a
document, and any other a data file, whose attributes and elements are keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Final, Protocol, cast

from trisynapse_memory.preprocessing.blocks import Block, table_block
from trisynapse_memory.preprocessing.plaintext import UnreadableError
from trisynapse_memory.preprocessing.structured.values import DEPTH_MAX, Pairs, Value
from trisynapse_memory.preprocessing.trees import Element

PROSE_SHARE: Final = 0.2  # of the elements with words, from which on a file is a document
_HEADINGS: Final = frozenset({"title", "head", "heading", "h1", "h2", "h3", "h4", "h5", "h6", "bridgehead"})
_UNTOLD: Final = frozenset({"xmlns", "schemalocation", "nonamespaceschemalocation"})
_ROW, _TABLE, _CELLS = "tr", "table", frozenset({"td", "th", "entry", "cell"})
_ROWS: Final = frozenset({"tr", "row"})


class NotXmlError(UnreadableError):
    """A text is not XML; the message says what and where."""


class _Etree(Protocol):
    XMLSyntaxError: type[Exception]

    def fromstring(self, text: bytes, parser: object) -> Element: ...

    def XMLParser(self, **options: bool) -> object: ...  # noqa: N802 - lxml's name


def parse(raw: bytes) -> Element:
    """Read a whole XML file, entities unread.

    Raises:
        NotXmlError: it is none.
    """
    etree = cast("_Etree", import_module("lxml.etree"))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, remove_comments=True,
        remove_pis=True, huge_tree=False, recover=False,
    )  # fmt: skip
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        line = getattr(error, "lineno", 0)
        raise NotXmlError(f"not valid XML at line {line}" if line else "not valid XML") from error


def is_prose(root: Element) -> bool:
    """Tell a document from a data file by how often words and elements are mixed."""
    told, mixed = 0, 0
    for element in root.iter():
        own = bool((element.text or "").strip())
        beside = any((child.tail or "").strip() for child in element)
        told += own or beside
        mixed += beside or (own and len(list(element)) > 0)
    return told > 0 and mixed >= PROSE_SHARE * told and mixed > 1


def value_of(element: Element, depth: int = 0) -> Value:
    """Return an element as a value: attributes and children are keys, children of one name a list."""
    words = " ".join("".join(_own_words(element)).split())
    attributes = [(_name(key), " ".join(value.split())) for key, value in element.attrib.items() if _is_told(key)]
    children = [child for child in element if isinstance(child.tag, str)]
    if depth >= DEPTH_MAX:
        return " ".join("".join(_all_words(element)).split())
    if not attributes and not children:
        return words
    grouped: dict[str, list[Value]] = {}
    for child in children:
        grouped.setdefault(_name(child.tag), []).append(value_of(child, depth + 1))
    entries: list[tuple[str, Value]] = [*attributes]
    if words:
        entries.append(("", words))
    entries += [(name, found[0] if len(found) == 1 else found) for name, found in grouped.items()]
    return Pairs(tuple(entries))


def root_name(root: Element) -> str:
    """Return the name of the outermost element, without its namespace."""
    return _name(root.tag)


def blocks_of(root: Element, level: int = 1) -> Iterator[Block]:
    """Yield headings, paragraphs and tables of a document in order."""
    waiting: list[tuple[Element, int]] = [(root, level)]
    while waiting:
        element, depth = waiting.pop()
        name = _name(element.tag).casefold()
        if name in _ROWS or (name == _TABLE):
            if (block := _table(element)) is not None:
                yield block
            continue
        children = [child for child in element if isinstance(child.tag, str)]
        mixed = bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)
        if mixed or not children:
            words = " ".join("".join(_all_words(element)).split())
            if words:
                heading = name in _HEADINGS and len(words) < 300
                yield Block(words, "heading" if heading else "body", level=min(depth, 6) if heading else 0)
            continue
        titled = [_name(child.tag).casefold() in _HEADINGS for child in children]
        inner = depth + any(titled)
        waiting += [(child, depth if told else inner) for child, told in zip(children, titled, strict=True)][::-1]


def _table(element: Element) -> Block | None:
    found = [row for row in element.iter() if _name(row.tag).casefold() in _ROWS]
    rows = [
        [" ".join("".join(_all_words(cell)).split()) for cell in row if _name(cell.tag).casefold() in _CELLS]
        for row in found
    ]
    return table_block([row for row in rows if row])


def _own_words(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield " " + (child.tail or "")


def _all_words(element: Element) -> Iterator[str]:
    """All words of an element in order, without recursion: libxml2 itself bounds the depth."""
    itertext = cast("_WithText", element).itertext
    yield from itertext()


class _WithText(Protocol):
    def itertext(self) -> Iterator[str]: ...


def _name(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _is_told(key: str) -> bool:
    return _name(key).casefold() not in _UNTOLD
