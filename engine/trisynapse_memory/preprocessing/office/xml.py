"""Bytes of XML in, a typed element tree out; no entity is expanded, nothing is fetched, and broken markup is repaired.

Names come without their namespaces ("w:p" is "p"), so that strict and transitional files read the same; where two
vocabularies of one file share a name, ``space`` tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Final, Protocol, cast

from trisynapse_memory.preprocessing.trees import Element

DEPTH_LIMIT: Final = 40  # tables in tables in text boxes; what lies deeper is read as plain words


class _Parser(Protocol):
    pass


class _Etree(Protocol):
    LxmlError: type[Exception]

    def fromstring(self, markup: bytes, parser: _Parser) -> Element | None: ...

    def XMLParser(  # noqa: N802 - lxml's name
        self, *, resolve_entities: bool, no_network: bool, load_dtd: bool, huge_tree: bool, recover: bool,
        remove_comments: bool, remove_pis: bool
    ) -> _Parser: ...  # fmt: skip


def read_xml(content: bytes) -> tuple[Element | None, bool]:
    """Read a part.

    Args:
        content: the bytes of the part, in any encoding its declaration names.

    Returns:
        Its root and True; of broken markup, or of elements nested deeper than 256, what could be read and False, with
        None as root where that is nothing.
    """
    # By name, because an import statement asks the type checker for types that are not there.
    etree = cast("_Etree", import_module("lxml.etree"))
    for recover in (False, True):
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            recover=recover,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            return etree.fromstring(content, parser), not recover
        except (etree.LxmlError, ValueError):  # ValueError: an encoding nobody knows
            continue
    return None, False


def name(element: Element) -> str:
    """The name of an element without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def space(element: Element) -> str:
    """The namespace of an element; empty where there is none."""
    tag = element.tag
    return tag[1:].partition("}")[0] if isinstance(tag, str) and tag.startswith("{") else ""


def attribute(element: Element | None, wanted: str) -> str:
    """An attribute by its name without namespace; empty where it is missing."""
    if element is None:
        return ""
    plain = element.get(wanted)
    if plain is not None:
        return plain
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == wanted), "")


def child(element: Element | None, *path: str) -> Element | None:
    """The first element below, by a path of names; None where there is none."""
    for wanted in path:
        if element is None:
            return None
        element = next((part for part in element if name(part) == wanted), None)
    return element


def children(element: Element | None, *wanted: str) -> list[Element]:
    """The direct children with one of these names, in order; all elements where no name is given."""
    if element is None:
        return []
    return [part for part in element if (found := name(part)) and (not wanted or found in wanted)]


def below(element: Element | None, *wanted: str) -> Iterator[Element]:
    """Elements with one of these names anywhere below, in document order; without recursion."""
    if element is not None:
        yield from (part for part in element.iter() if name(part) in wanted)


def text_below(element: Element | None, wanted: Iterable[str] = ()) -> str:
    """All words below an element, or those of elements with one of these names, with white space made single."""
    if element is None:
        return ""
    names = frozenset(wanted)
    parts: list[str] = []
    for part in element.iter():
        if not isinstance(part.tag, str):
            continue
        if not names or name(part) in names:
            parts.append(part.text or "")
        if not names and part is not element:
            parts.append(part.tail or "")
    return " ".join("".join(parts).split())
