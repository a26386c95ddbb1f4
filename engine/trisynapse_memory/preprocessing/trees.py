"""Bytes of HTML in, a typed element tree or a stream of tags out: the one border to lxml, which ships no types.

No text is chosen or changed here; the shapes below name only what the engine uses of lxml.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Protocol, cast


class Element(Protocol):
    """One element of a tree; ``tag`` is a string, or a function for comments and instructions."""

    tag: object
    text: str | None
    tail: str | None

    @property
    def attrib(self) -> Mapping[str, str]:
        """All attributes."""
        ...

    def get(self, key: str) -> str | None:
        """Return one attribute."""
        ...

    def getparent(self) -> Element | None:
        """Return the element around this one."""
        ...

    def iter(self, *tags: str) -> Iterator[Element]:
        """Yield this element and all below it in document order."""
        ...

    def iterancestors(self, *tags: str) -> Iterator[Element]:
        """Yield the elements around this one, nearest first."""
        ...

    def find(self, path: str) -> Element | None:
        """Return the first element on a path."""
        ...

    def findall(self, path: str) -> list[Element]:
        """Return all elements on a path."""
        ...

    def __iter__(self) -> Iterator[Element]:
        """Yield the children."""
        ...


class Walker(Protocol):
    """Events of a tree in document order."""

    def __iter__(self) -> Iterator[tuple[str, Element]]:
        """Yield (event, element) pairs."""
        ...

    def skip_subtree(self) -> None:
        """Leave out what lies below the element that was just started."""
        ...


class TagTarget(Protocol):
    """Is told of tags one by one."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""
        ...

    def end(self, tag: str) -> None:
        """Take a closing tag."""
        ...

    def data(self, text: str) -> None:
        """Take text."""
        ...

    def close(self) -> object:
        """Finish."""
        ...


class _Parser(Protocol):
    def feed(self, markup: bytes) -> None: ...

    def close(self) -> object: ...


class _Etree(Protocol):
    LxmlError: type[Exception]

    def fromstring(self, markup: bytes, parser: _Parser) -> Element | None: ...

    def iterwalk(self, root: Element, events: Iterable[str]) -> Walker: ...

    def strip_elements(self, root: Element, *tags: str, with_tail: bool) -> None: ...

    def HTMLParser(self, *, target: TagTarget, encoding: str, huge_tree: bool) -> _Parser: ...  # noqa: N802 - lxml's name


class _Html(Protocol):
    def HTMLParser(self, *, encoding: str, remove_pis: bool) -> _Parser: ...  # noqa: N802 - lxml's name


def _etree() -> _Etree:
    # By name, because an import statement asks the type checker for types that are not there.
    return cast("_Etree", import_module("lxml.etree"))


def parse(text: str) -> Element | None:
    """Read a page; broken markup is repaired as browsers do it. None when nothing can be made of it."""
    html = cast("_Html", import_module("lxml.html"))
    etree = _etree()
    # The parser is told the encoding: a meta element that contradicts what was detected must not be believed again.
    parser = html.HTMLParser(encoding="utf-8", remove_pis=True)
    try:
        return etree.fromstring(_encoded(text), parser)
    except etree.LxmlError:
        return None


def stream(text: str, target: TagTarget) -> bool:
    """Tell a target of the tags of a page, the ones its author left out included; False when reading broke off."""
    etree = _etree()
    # huge_tree: an export of 100,000 bookmarks with their icons inside exceeds libxml2's cautious limits.
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    try:
        parser.feed(_encoded(text))
        parser.close()
    except etree.LxmlError:
        return False
    return True


def walk(root: Element, *events: str) -> Walker:
    """Go through a tree without recursion, for pages may be nested hundreds deep."""
    return _etree().iterwalk(root, events)


def strip(root: Element, *tags: str) -> None:
    """Take elements with all they hold out of a tree; the text behind them stays."""
    _etree().strip_elements(root, *tags, with_tail=False)


def _encoded(text: str) -> bytes:
    return text.replace("\0", "\ufffd").encode("utf-8", "replace")
