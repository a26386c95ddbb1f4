"""An EPUB package in, its chapters in reading order with their titles and its metadata out; no chapter is read here.

Books of all years are read: titles come from the navigation document of EPUB 3, else from the NCX of EPUB 2, else from
nowhere.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from trisynapse_memory.errors import SourceDamagedError, SourceUnsupportedError
from trisynapse_memory.preprocessing.charsets import decode
from trisynapse_memory.preprocessing.office.packages import Package, resolve
from trisynapse_memory.preprocessing.office.properties import Properties, stated, tags_of
from trisynapse_memory.preprocessing.office.xml import (
    DEPTH_LIMIT,
    attribute,
    below,
    child,
    children,
    name,
    read_xml,
    text_below,
)
from trisynapse_memory.preprocessing.trees import Element, parse
from trisynapse_memory.text.identifiers import normalise

# Fonts are scrambled so that nobody copies them; that hides no text.
_FONT_ONLY: Final = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
_MARKUP: Final = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31};)")
_OWN: Final = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_CHAPTERS_MAX: Final = 20_000


@dataclass(frozen=True, slots=True)
class Chapter:
    """One file of the book's reading order: its part, its title, the titles it lies under."""

    part: str
    title: str = ""
    path: tuple[str, ...] = ()
    is_contents: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """What a book says about itself, and its chapters."""

    chapters: tuple[Chapter, ...]
    properties: Properties
    published: str
    identifiers: dict[str, str]


def read_book(package: Package, called: str) -> Book:
    """Read the package document of a book.

    Raises:
        SourceUnsupportedError: its text is encrypted for one reader's device.
        SourceDamagedError: it has no package document or no reading order.
    """
    _check_rights(package, called)
    part = _package_part(package)
    root = package.xml(part) if part else None
    files = {attribute(one, "id"): one for one in children(child(root, "manifest"), "item")}
    order = [attribute(one, "idref") for one in children(child(root, "spine"), "itemref")]
    listed = [files[ident] for ident in order if ident in files] or list(files.values())
    read = [one for one in listed if _is_markup(one)][:_CHAPTERS_MAX]
    if not read:
        raise SourceDamagedError(f"'{called}' is damaged: it names no chapters.", hint="Download it again.")
    titles = _titles(package, part, root, list(files.values()))
    chapters: list[Chapter] = []
    for one in read:
        target = resolve(part, attribute(one, "href"))
        title, path = titles.get(target.casefold(), ("", ()))
        chapters.append(Chapter(target, title, path, "nav" in attribute(one, "properties").split()))
    properties, published = _properties(root)
    return Book(tuple(chapters), properties, published, _identifiers(root))


def chapter_tree(package: Package, part: str) -> Element | None:
    """Return the tree of a chapter with plain names, or None where there is nothing to read."""
    raw = package.read(part)
    if not raw:
        return None
    text, _ = decode(raw, (_declared(raw),))
    # A book's reader knows the names of HTML; the XML of a chapter does not declare them.
    named = _ENTITY.sub(_entity, text)
    root, _ = read_xml(re.sub(r"^\s*<\?xml[^>]*\?>", "", named).encode("utf-8", "replace"))
    if root is None or child(root, "body") is None:
        return parse(text)
    for element in root.iter():
        if isinstance(element.tag, str):
            with suppress(ValueError):  # a broken name stays as it is
                element.tag = name(element)
            if element.tag == "a" and _is_note_sign(element):
                _blank(element)
    return root


def _is_note_sign(link: Element) -> bool:
    """Whether a link is the raised number that leads to a note; left in, it would be read as part of the word."""
    return "noteref" in attribute(link, "type") or "noteref" in attribute(link, "role")


def _blank(link: Element) -> None:
    for part in link.iter():
        part.text = ""
        if part is not link:
            part.tail = ""


def _entity(match: re.Match[str]) -> str:
    return match.group() if match.group(1) in _OWN else html.escape(html.unescape(match.group()), quote=False)


def _declared(raw: bytes) -> str:
    found = re.match(rb"""\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""", raw)
    return found.group(1).decode("ascii", "replace") if found else ""


def _check_rights(package: Package, called: str) -> None:
    root = package.xml("META-INF/encryption.xml")
    for one in below(root, "EncryptedData"):
        if attribute(child(one, "EncryptionMethod"), "Algorithm") not in _FONT_ONLY:
            raise SourceUnsupportedError(
                f"'{called}' is protected (DRM): its text is encrypted for one reader's device.",
                hint="Read it in the program it was bought for, or add a copy without protection.",
            )


def _package_part(package: Package) -> str:
    root = package.xml("META-INF/container.xml")
    stated_parts = [attribute(one, "full-path").lstrip("/") for one in below(root, "rootfile")]
    found = next((part for part in stated_parts if package.has(part)), "")
    return found or next((written for key, written in package.names.items() if key.endswith(".opf")), "")


def _is_markup(entry: Element) -> bool:
    kind = attribute(entry, "media-type").lower()
    return kind in _MARKUP or (not kind and attribute(entry, "href").lower().endswith((".xhtml", ".html", ".htm")))


Titles = dict[str, tuple[str, tuple[str, ...]]]
"""For a part in lower case: its title, and the titles of what it lies under."""


def _titles(package: Package, part: str, root: Element | None, files: list[Element]) -> Titles:
    found: Titles = {}
    nav = next((one for one in files if "nav" in attribute(one, "properties").split()), None)
    if nav is not None:
        target = resolve(part, attribute(nav, "href"))
        tree = chapter_tree(package, target)
        contents = [one for one in below(tree, "nav") if attribute(one, "type") in ("toc", "")]
        for entries in children(contents[0], "ol") if contents else ():
            _take_nav(entries, target, (), found)
    if found:
        return found
    ident = attribute(child(root, "spine"), "toc")
    ncx = next((one for one in files if attribute(one, "id") == ident and ident), None)
    ncx = ncx if ncx is not None else next((one for one in files if "dtbncx" in attribute(one, "media-type")), None)
    if ncx is not None:
        target = resolve(part, attribute(ncx, "href"))
        _take_ncx(child(package.xml(target), "navMap"), target, (), found)
    return found


def _take_nav(entries: Element, base: str, path: tuple[str, ...], found: Titles) -> None:
    for entry in children(entries, "li") if len(path) < DEPTH_LIMIT else ():
        link = child(entry, "a")
        title = text_below(link) or text_below(child(entry, "span"))
        if link is not None:
            _take(resolve(base, attribute(link, "href")), title, path, found)
        for inner in children(entry, "ol"):
            _take_nav(inner, base, (*path, title) if title else path, found)


def _take_ncx(points: Element | None, base: str, path: tuple[str, ...], found: Titles) -> None:
    for point in children(points, "navPoint") if len(path) < DEPTH_LIMIT else ():
        title = text_below(child(point, "navLabel"))
        _take(resolve(base, attribute(child(point, "content"), "src")), title, path, found)
        _take_ncx(point, base, (*path, title) if title else path, found)


def _take(target: str, title: str, path: tuple[str, ...], found: Titles) -> None:
    """The first title that leads to a file is the file's; later ones are those of its sections."""
    if target and title:
        found.setdefault(target.casefold(), (title, path))


def _properties(root: Element | None) -> tuple[Properties, str]:
    """What the book states, and when it came out: a day, or only a year."""
    metadata = child(root, "metadata")
    told = list(_metadata(metadata))
    authors = [words for tag, words, one in told if tag == "creator" and _is_author(one, metadata)]
    dates = [words for tag, words, _ in told if tag == "date"]
    title = next((words for tag, words, _ in told if tag == "title"), "")
    language = next((words for tag, words, _ in told if tag == "language"), "")
    subjects = [words for tag, words, _ in told if tag == "subject"]
    properties = replace(stated(title, authors, dates, language), tags=tags_of(subjects))
    year = next((one for one in dates if re.fullmatch(r"[12]\d{3}(?:-\d\d)?", one)), "")
    return properties, properties.published or year


def _metadata(metadata: Element | None) -> Iterator[tuple[str, str, Element]]:
    for one in children(metadata):
        yield name(one), text_below(one), one
    for one in children(child(metadata, "dc-metadata")):  # books of before 2007
        yield name(one).lower(), text_below(one), one


def _is_author(creator: Element, metadata: Element | None) -> bool:
    """Tell an author from an editor or translator, where the book says who is what."""
    role = attribute(creator, "role")
    ident = attribute(creator, "id")
    refined = (one for one in children(metadata, "meta") if attribute(one, "refines") == f"#{ident}")
    role = role or next((text_below(one) for one in refined if attribute(one, "property") == "role"), "")
    return role in ("", "aut")


def _identifiers(root: Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag, words, one in _metadata(child(root, "metadata")):
        if tag not in ("identifier", "source"):
            continue
        bare = re.sub(r"^(?:urn:)?(?:isbn|doi)[:\s]*", "", words.strip(), flags=re.IGNORECASE)
        scheme = "doi" if bare.startswith("10.") else "isbn"
        value = normalise(scheme, bare)
        if value and tag == "identifier" and attribute(one, "scheme").lower() != "uuid":
            found.setdefault(scheme, value)
    return found
