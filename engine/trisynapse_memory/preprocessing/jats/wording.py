"""Running text of an article in XML in, the words its reader sees out: formulas, citations and names written plainly.

No block is made here. Names that are marked up without white space between their parts get it back.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.preprocessing.hypertext.formulas import formula_of, tex_of
from trisynapse_memory.preprocessing.office.xml import below, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element

DEPTH: Final = 60  # levels; what lies deeper is written as plain words
_UNSEEN: Final = frozenset({"object-id", "graphic", "inline-graphic", "media", "fn-group", "contrib-id", "index-term"})
_NAMES: Final = frozenset({"name", "string-name"})
_IDENTIFIERS: Final = frozenset({"doi", "pmid", "pmcid", "pmc", "isbn", "issn", "arxiv"})


def words(element: Element | None) -> str:
    """Return what an element says on one line; empty for nothing."""
    return " ".join(_inner(element, 0).split()) if element is not None else ""


def inline(element: Element, depth: int = 0) -> str:
    """Return an element that stands inside a sentence, without its tail."""
    kind = name(element)
    if depth > DEPTH:
        return text_below(element)
    if kind in _UNSEEN or not kind:
        return ""
    if kind in ("inline-formula", "disp-formula", "math", "tex-math"):
        return formula(element)
    if kind in _NAMES:
        return person(element) or _inner(element, depth)
    if kind == "etal":
        return text_below(element) or "et al."
    if kind == "break":
        return " "
    if kind == "sup":
        # A raised number that points to a reference is none of the word before it.
        marks = [one for one in children(element, "xref") if one.get("ref-type") == "bibr"]
        return f" [{_inner(element, depth).strip(' []')}]" if marks else _inner(element, depth)
    return _inner(element, depth)


def _inner(element: Element, depth: int) -> str:
    parts = [element.text or ""]
    for part in element:
        parts += [inline(part, depth + 1) if isinstance(part.tag, str) else "", part.tail or ""]
    return "".join(parts)


def formula(element: Element) -> str:
    """Write a formula with its number: as TeX where it is given, else as it is read aloud, else as it is lettered."""
    label = text_below(child(element, "label"))
    tex = next((found for one in below(element, "tex-math") if (found := tex_of("".join(_texts(one))))), "")
    if not tex:
        math = next(iter(below(element, "math")), None)
        written = formula_of(math) if math is not None else ""
        tail = text_below(element).removeprefix(label).strip() if math is None else ""
        return " ".join(part for part in (written or tail, label) if part)
    return f"${tex}$ {label}".strip()


def _texts(element: Element) -> list[str]:
    return [one.text or "" for one in element.iter()]


def person(element: Element) -> str:
    """Write a name as it is cited where it stands in a reference: the family name first."""
    family, given = text_below(child(element, "surname")), text_below(child(element, "given-names"))
    return " ".join(part for part in (family, given, text_below(child(element, "suffix"))) if part)


def reference(citation: Element) -> str:
    """Write one entry of a list of references.

    A ``mixed-citation`` holds its own punctuation. An ``element-citation`` is data only, and is set in this order:
    authors, title, source, year, volume, pages, identifiers.
    """
    if name(citation) != "element-citation":
        return _spaced(citation)
    people = [words(one) if name(one) == "collab" else person(one) for one in below(citation, "name", "collab")]
    people += [text_below(one) or "et al." for one in below(citation, "etal")]
    titles = [words(child(citation, kind)) for kind in ("article-title", "chapter-title", "data-title")]
    volume, issue = (text_below(child(citation, kind)) for kind in ("volume", "issue"))
    first, last = (text_below(child(citation, kind)) for kind in ("fpage", "lpage"))
    place = volume + (f"({issue})" if issue else "")
    pages = f"{first}-{last}" if last else first or text_below(child(citation, "elocation-id"))
    year = text_below(child(citation, "year"))
    where = ": ".join(part for part in (place, pages) if part)
    tail = [f"{one.get('pub-id-type') or 'id'}: {text_below(one)}" for one in children(citation, "pub-id")]
    links = [words(one) for one in children(citation, "ext-link", "uri", "comment", "publisher-name")]
    parts = (", ".join(people), *titles, words(child(citation, "source")), "; ".join(filter(None, (year, where))))
    return ". ".join(part.rstrip(".") for part in (*parts, *links, *tail) if part) + "."


def _spaced(citation: Element) -> str:
    """A citation with its own punctuation; an identifier that is glued to the word before it gets a space."""
    parts = [citation.text or ""]
    for part in citation:
        told = inline(part) if isinstance(part.tag, str) else ""
        before = parts[-1][-1:]
        glued = (before.isalnum() and name(part) in ("name", "year")) or (
            bool(before.strip()) and before not in "(/:" and name(part) in ("pub-id", "ext-link", "uri")
        )
        parts += [" " if glued and told else "", told, part.tail or ""]
        parts = ["".join(parts)]
    return " ".join("".join(parts).split())


def identifiers_of(element: Element, *tags: str) -> dict[str, str]:
    """Return the identifiers that stand in an element, by their scheme; as they are written there."""
    found: dict[str, str] = {}
    for one in below(element, *tags):
        scheme = (one.get("pub-id-type") or "").lower()
        value = text_below(one)
        if scheme in _IDENTIFIERS and value:
            found.setdefault(scheme, value)
    return found
