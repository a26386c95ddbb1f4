"""An article in XML in, its blocks in reading order out: front, abstracts, sections, tables, captions, references.

What only serves machines (subject codes, object ids, permissions, counts) is left out. Nested parts are read to a depth
of 60; below it, as plain words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from trisynapse_memory.preprocessing.blocks import Block
from trisynapse_memory.preprocessing.jats.front import affiliations_of, authors_of, journal_of, meta_of, title_of
from trisynapse_memory.preprocessing.jats.wording import DEPTH, formula, identifiers_of, inline, reference, words
from trisynapse_memory.preprocessing.office.grids import COLUMNS_MAX, ROWS_SPAN_MAX, Cell, grid_block, spread
from trisynapse_memory.preprocessing.office.xml import below, child, children, name, text_below
from trisynapse_memory.preprocessing.trees import Element

_CELLS_MAX: Final = 500_000  # of one table; one that claims more is hostile
_LEVELS: Final = 6
_UNSEEN: Final = frozenset(
    {"label", "title", "subtitle", "sec-meta", "object-id", "graphic", "media", "permissions", "alt-text", "long-desc",
     "counts", "custom-meta-group", "self-uri", "article-categories", "title-group", "contrib-group", "aff",
     "front-stub", "x", "copyright-statement", "copyright-year", "license", "attrib", "processing-meta"}
)  # fmt: skip
_SINGLE: Final = frozenset({"p", "attrib", "verse-line", "speaker", "chem-struct", "uri", "ext-link", "td", "def"})
_ORDERED: Final = frozenset({"order", "ordered", "alpha-lower", "alpha-upper", "roman-lower", "roman-upper"})


def read_article(article: Element) -> list[Block]:
    """Read one article with all that belongs to it: abstracts, body, back matter, replies and parts."""
    meta = meta_of(article)
    journal = journal_of(article)
    title = title_of(article)
    fields = {"journal": journal} if journal else {}
    blocks = [Block(title, "heading", 1, fields=fields)] if title else []
    people, places = ", ".join(authors_of(meta)), "; ".join(affiliations_of(meta))
    blocks += [Block(line) for line in (people, places) if line]
    for abstract in children(meta, "abstract", "trans-abstract"):
        blocks += [Block(_titled(abstract, "Abstract"), "heading", 2), *_parts(abstract, 3, 0)]
    blocks += _keywords(meta)
    for part in children(article, "body", "back", "floats-group"):
        blocks += _parts(part, 2, 0)
    for part in children(article, "sub-article", "response"):
        blocks += read_article(part) if article is not part else []
    return [block for block in blocks if block.text.strip()]


def _titled(section: Element, default: str = "") -> str:
    label, title = text_below(child(section, "label")), words(child(section, "title"))
    return f"{label} {title or default}".strip() if label and not title.startswith(label) else title or default


def _keywords(meta: Element | None) -> Iterator[Block]:
    for group in children(meta, "kwd-group"):
        told = [word for one in below(group, "kwd") if (word := words(one))]
        if told:
            yield Block(f"{_titled(group, 'Keywords').rstrip(':')}: {', '.join(told)}")


def _parts(element: Element, level: int, depth: int) -> Iterator[Block]:
    """The blocks below an element whose own title is told already."""
    if depth > DEPTH:
        yield Block(text_below(element))
        return
    loose: list[str] = [element.text or ""]
    for part in element:
        kind = name(part)
        if kind and _is_inline(part, kind):
            loose += [inline(part), part.tail or ""]
            continue
        yield from _flushed(loose)
        loose = [part.tail or ""]
        yield from _part(part, kind, level, depth + 1)
    yield from _flushed(loose)


def _flushed(loose: list[str]) -> Iterator[Block]:
    text = " ".join("".join(loose).split())
    if text:
        yield Block(text)


def _is_inline(part: Element, kind: str) -> bool:
    return (
        kind not in _READERS and kind not in _UNSEEN and kind not in _SINGLE and not len(children(part, "p", "title"))
    )


def _part(part: Element, kind: str, level: int, depth: int) -> Iterator[Block]:
    if not kind or kind in _UNSEEN:
        return
    reader = _READERS.get(kind)
    if reader is not None:
        yield from reader(part, level, depth)
        return
    title = _titled(part)
    if title and kind not in _SINGLE:
        yield Block(title, "heading", min(level, _LEVELS))
        level += 1
    yield from _parts(part, level, depth)


def _default_title(title: str) -> Callable[[Element, int, int], Iterator[Block]]:
    def read(part: Element, level: int, depth: int) -> Iterator[Block]:
        yield Block(_titled(part, title), "heading", min(level, _LEVELS))
        yield from _parts(part, level + 1, depth)

    return read


def _captioned(part: Element, level: int, depth: int) -> Iterator[Block]:
    """A figure, or a table with its caption above it and its notes below."""
    label, caption = text_below(child(part, "label")), child(part, "caption")
    told = [words(one) for one in children(caption, "title", "p")] or [words(caption)]
    text = " ".join(part for part in (f"{label}." if label and label[-1:].isalnum() else label, *told) if part)
    if text:
        yield Block(text, "caption")
    for one in part:
        kind = name(one)
        if kind == "alternatives":
            table = next(iter(below(one, "table")), None)
            yield from _table(table, level, depth) if table is not None else ()
        elif kind not in ("caption", "label", ""):
            yield from _part(one, kind, level, depth + 1)


def _table(table: Element, _level: int, _depth: int) -> Iterator[Block]:
    rows = list(below(table, "tr"))
    widest = max(1, min(COLUMNS_MAX, _CELLS_MAX // max(1, len(rows))))
    cells = [[_cell(cell, widest) for cell in children(row, "td", "th")] for row in rows]
    heads = [_heads(row) for row in rows]
    block = grid_block(spread(cells), next((at for at, head in enumerate(heads) if not head), 1)) if cells else None
    if block is not None:
        yield block


def _heads(row: Element) -> bool:
    above = row.getparent()
    return (above is not None and name(above) == "thead") or not children(row, "td")


def _cell(cell: Element, widest: int) -> Cell:
    return Cell(words(cell), _span(cell.get("colspan"), widest), _span(cell.get("rowspan"), ROWS_SPAN_MAX))


def _span(written: str | None, most: int) -> int:
    digits = (written or "").strip()
    return max(1, min(int(digits), most)) if digits.isdecimal() and len(digits) < 10 else 1


def _list(part: Element, level: int, depth: int) -> Iterator[Block]:
    ordered = (part.get("list-type") or "") in _ORDERED
    title = _titled(part)
    if title:
        yield Block(title)
    for place, entry in enumerate(children(part, "list-item"), start=1):
        mark = text_below(child(entry, "label")) or (f"{place}." if ordered else "-")
        told = list(_parts(entry, level, depth + 1))
        for at, block in enumerate(told):
            yield Block(f"{mark} {block.text}", entry=True) if at == 0 and block.kind == "body" else block


def _definitions(part: Element, level: int, depth: int) -> Iterator[Block]:
    title = _titled(part)
    if title:
        yield Block(title, "heading", min(level, _LEVELS))
    for entry in children(part, "def-item"):
        meaning = " ".join(block.text for one in children(entry, "def") for block in _parts(one, level, depth + 1))
        yield Block(f"{words(child(entry, 'term'))}: {meaning}".strip(": "), entry=True)


def _references(part: Element, level: int, depth: int) -> Iterator[Block]:
    yield Block(_titled(part, "References"), "heading", min(level, _LEVELS))
    for entry in part:
        kind = name(entry)
        if kind == "ref":
            yield from _reference(entry)
        elif kind not in ("title", "label"):
            yield from _part(entry, kind, level + 1, depth + 1)


def _reference(entry: Element) -> Iterator[Block]:
    label = text_below(child(entry, "label")).strip("[]. ")
    cited = [reference(one) for one in below(entry, "mixed-citation", "element-citation", "citation", "nlm-citation")]
    text = " ".join(dict.fromkeys(part for part in cited if part)) or words(child(entry, "note"))
    if text:
        yield Block(f"{label}. {text}" if label else f"- {text}", entry=True, fields=identifiers_of(entry, "pub-id"))


def _formula(part: Element, _level: int, _depth: int) -> Iterator[Block]:
    text = formula(part)
    if text:
        yield Block(text, fields={"formula": "display"})


def _code(part: Element, _level: int, _depth: int) -> Iterator[Block]:
    text = "".join([part.text or "", *(inline(one) + (one.tail or "") for one in part)]).strip("\n").rstrip()
    if text:
        yield Block(text, code=True)


def _note(part: Element, level: int, depth: int) -> Iterator[Block]:
    label = text_below(child(part, "label"))
    for at, block in enumerate(_parts(part, level, depth + 1)):
        yield Block(f"{label} {block.text}") if at == 0 and label and not block.level else block


_READERS: Final[Mapping[str, Callable[[Element, int, int], Iterator[Block]]]] = MappingProxyType(
    {
        "fig": _captioned,
        "table-wrap": _captioned,
        "chem-struct-wrap": _captioned,
        "supplementary-material": _captioned,
        "table": _table,
        "list": _list,
        "def-list": _definitions,
        "ref-list": _references,
        "disp-formula": _formula,
        "code": _code,
        "preformat": _code,
        "fn": _note,
        "ack": _default_title("Acknowledgments"),
        "glossary": _default_title("Glossary"),
    }
)
