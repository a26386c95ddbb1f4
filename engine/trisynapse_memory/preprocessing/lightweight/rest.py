"""A reStructuredText document in, its blocks out; docutils reads it, and may insert no file and no raw markup.

Directives and roles of Sphinx are unknown to docutils: what they hold is text all the same, and is read as such.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, cast

from trisynapse_memory.preprocessing.blocks import Block, table_block
from trisynapse_memory.preprocessing.plaintext import UnreadableError

if TYPE_CHECKING:
    from docutils import nodes

NESTED_MAX: Final = 6  # directives inside directives
_ROLE: Final = re.compile(r":[\w+.:-]{1,40}:`([^`<]*?)(?:\s*<[^`>]*>)?`")
_DIRECTIVE: Final = re.compile(r"\.\.\s+(?:\|[^|]*\|\s+)?([\w:+.-]+)::[ \t]*([^\n]*)\n?(.*)", re.DOTALL)
_OPTION: Final = re.compile(r"^\s*:[\w-]+:[^\n]*$")
_SILENT: Final = re.compile(r"toctree|index|highlight|currentmodule|include|raw|only|contents|auto\w+|autosummary")
_VERSIONS: Final = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}
_CODE: Final = frozenset(
    {"code-block", "sourcecode", "code", "prompt", "ipython", "doctest", "testcode", "parsed-literal"}
)
_ADMONITIONS: Final = frozenset(
    {"note", "warning", "tip", "hint", "important", "caution", "danger", "error", "attention"}
)  # fmt: skip


class NotRestError(UnreadableError):
    """A text that docutils cannot read; the message says why."""


@dataclass(slots=True)
class RestText:
    """What a document says: its blocks, what it says of itself, and the comments nobody sees."""

    blocks: list[Block] = field(default_factory=list[Block])
    title: str = ""
    authors: list[str] = field(default_factory=list[str])
    published: str = ""
    hidden: list[str] = field(default_factory=list[str])


class _Core(Protocol):
    """What is used of docutils, whose types name too little."""

    def publish_doctree(self, source: str, *, settings_overrides: dict[str, object]) -> nodes.document: ...


def read_rest(text: str) -> RestText:
    """Read a document.

    Raises:
        NotRestError: docutils gives up, as it does on texts nested too deep.
    """
    found = RestText()
    try:
        _Walk(found, 0).read(text)
    except RecursionError as error:
        raise NotRestError("nested too deep to be read as reStructuredText") from error
    return found


def _tree(text: str) -> nodes.document:
    # 0.2 s that only these texts pay.
    from docutils import core
    from docutils.utils import SystemMessage

    settings: dict[str, object] = {
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "report_level": 5,
        "halt_level": 5,
        "warning_stream": False,
        "doctitle_xform": False,
        "sectsubtitle_xform": False,
        "smart_quotes": False,
        "syntax_highlight": "none",
        "line_length_limit": 100_000,
        "input_encoding": "unicode",
        "traceback": True,  # else it ends the process where it cannot go on
    }
    try:
        return cast("_Core", core).publish_doctree(text, settings_overrides=settings)
    except (SystemMessage, ValueError, TypeError, AttributeError, KeyError, IndexError, AssertionError) as error:
        # docutils has open bugs on broken input; a text must not fail for them.
        raise NotRestError("docutils cannot read it") from error


class _Walk:
    """Goes through a tree and writes blocks."""

    def __init__(self, found: RestText, nested: int, level: int = 0) -> None:
        self._found = found
        self._nested = nested
        self._base = level
        self._level = level
        self._by_name: dict[str, Callable[[nodes.Element], None]] = {
            "section": self._section,
            "title": self._title,
            "subtitle": self._title,
            "rubric": self._paragraph,
            "paragraph": self._paragraph,
            "caption": self._paragraph,
            "attribution": self._paragraph,
            "math_block": self._paragraph,
            "literal_block": self._code,
            "doctest_block": self._code,
            "bullet_list": self._list,
            "enumerated_list": self._list,
            "definition_list_item": self._definition,
            "field": self._field,
            "option_list_item": self._definition,
            "line_block": self._lines,
            "table": self._table,
            "image": self._image,
            "footnote": self._footnote,
            "citation": self._footnote,
            "comment": self._comment,
            "system_message": self._message,
            "docinfo": self._docinfo,
        }

    def read(self, text: str) -> None:
        """Read a text, or what a directive holds."""
        self._children(_tree(text))

    def _children(self, node: nodes.Element) -> None:
        for child in _elements(node):
            self._node(child)

    def _node(self, node: nodes.Element) -> None:
        name = node.tagname
        if name in self._by_name:
            self._by_name[name](node)
        elif name in _ADMONITIONS:
            self._admonition(name.capitalize(), node)
        elif name not in ("substitution_definition", "target", "pending", "meta", "decoration"):
            self._children(node)

    def _add(self, words: str, **told: object) -> None:
        if words.strip():
            block = Block(words)
            self._found.blocks.append(_with(block, told))

    def _section(self, node: nodes.Element) -> None:
        self._level += 1
        self._children(node)
        self._level -= 1

    def _title(self, node: nodes.Element) -> None:
        words = _words(node)
        if self._level > self._base:
            self._found.title = self._found.title or words
            self._add(words, kind="heading", level=min(self._level, 6))
        else:
            self._add(words)  # the title of a topic or a sidebar

    def _paragraph(self, node: nodes.Element) -> None:
        self._add(_words(node))

    def _code(self, node: nodes.Element) -> None:
        known = [name for name in cast("list[str]", node.get("classes", [])) if name != "code"]
        self._add(node.astext(), code=True, fields={"language": known[0]} if known else {})

    def _list(self, node: nodes.Element) -> None:
        number = int(node.get("start", 1))
        for entry in _elements(node):
            mark = f"{number}. " if node.tagname == "enumerated_list" else "- "
            self._marked(entry, mark)
            number += 1

    def _marked(self, entry: nodes.Element, mark: str) -> None:
        """One entry of a list: its first paragraph bears the mark, what follows stands below."""
        first = len(self._found.blocks)
        self._children(entry)
        made = self._found.blocks[first:]
        for place, block in enumerate(made):
            plain = block.kind == "body" and not block.code
            words = (mark if place == 0 and plain else "") + block.text
            self._found.blocks[first + place] = _with(block, {"text": words, "entry": plain})

    def _definition(self, node: nodes.Element) -> None:
        parts = list(_elements(node))
        terms = [_words(part) for part in parts if part.tagname in ("term", "option_group", "classifier")]
        self._marked(
            _holder([part for part in parts if part.tagname in ("definition", "description")]), f"{' : '.join(terms)}: "
        )

    def _field(self, node: nodes.Element) -> None:
        name, body = next(_elements(node)), list(_elements(node))[1:]
        self._marked(_holder(body), f"{_words(name)}: ")

    def _lines(self, node: nodes.Element) -> None:
        self._add("\n".join(line for part in node.astext().split("\n") if (line := part.strip())))

    def _table(self, node: nodes.Element) -> None:
        for child in _elements(node):
            if child.tagname == "title":
                self._add(_words(child), kind="caption")
        rows: list[list[str]] = []
        headers: list[str] = []
        for row in node.findall(lambda one: getattr(one, "tagname", "") == "row"):
            cells = [_words(cell) for cell in _elements(cast("nodes.Element", row))]
            head = getattr(row.parent, "tagname", "") == "thead"
            headers = cells if head else headers
            rows.append(cells)
        block = table_block(rows, headers)
        self._found.blocks += [block] if block else []

    def _image(self, node: nodes.Element) -> None:
        alt = " ".join(str(node.get("alt", "")).split())
        self._add(f"[image: {alt}]" if alt else "")

    def _footnote(self, node: nodes.Element) -> None:
        parts = list(_elements(node))
        labels = [_words(part) for part in parts if part.tagname == "label"]
        self._marked(_holder([part for part in parts if part.tagname != "label"]), f"[{' '.join(labels)}] ")

    def _comment(self, node: nodes.Element) -> None:
        if node.astext().strip():
            self._found.hidden.append(node.astext().strip())

    def _docinfo(self, node: nodes.Element) -> None:
        for child in _elements(node):
            words = _words(child)
            if child.tagname in ("author", "authors"):
                names = list(_elements(child)) if child.tagname == "authors" else [child]
                self._found.authors += [_words(name) for name in names]
            elif child.tagname == "date":
                self._found.published = words
            if child.tagname == "field":
                self._field(child)
            else:
                self._add(f"{child.tagname.capitalize()}: {words}", entry=True)

    def _admonition(self, label: str, node: nodes.Element) -> None:
        first = len(self._found.blocks)
        self._children(node)
        if len(self._found.blocks) > first:
            block = self._found.blocks[first]
            self._found.blocks[first] = _with(block, {"text": f"{label}: {block.text}"})

    def _message(self, node: nodes.Element) -> None:
        """What docutils did not understand: a directive of Sphinx, most often."""
        for literal in _elements(node):
            match = _DIRECTIVE.match(literal.astext()) if literal.tagname == "literal_block" else None
            if match is None or _SILENT.fullmatch(match[1]) or self._nested >= NESTED_MAX:
                continue
            name, argument, body = match[1], match[2].strip(), textwrap.dedent(match[3])
            lines = body.split("\n")
            while lines and (_OPTION.match(lines[0]) or not lines[0].strip()):
                lines.pop(0)
            held = "\n".join(lines).strip("\n")
            if name in _CODE:
                self._add(held, code=True, fields={"language": argument} if argument else {})
                continue
            self._add(f"{_VERSIONS[name]} {argument}" if name in _VERSIONS else argument)
            if held:
                _Walk(self._found, self._nested + 1, self._level).read(held)


class _Tagged(Protocol):
    """What is used of a node of docutils; leaves of text bear the name ``#text``."""

    tagname: str


def _elements(node: nodes.Element) -> Iterator[nodes.Element]:
    for child in node.children:
        if cast("_Tagged", child).tagname != "#text":
            yield cast("nodes.Element", child)


def _holder(parts: list[nodes.Element]) -> nodes.Element:
    from docutils import nodes as kinds

    holder = kinds.container()
    for part in parts:
        holder += part
    return holder


def _words(node: nodes.Element) -> str:
    """The words of a paragraph; a role nobody knows gives what it marks."""
    return " ".join(_ROLE.sub(r"\1", node.astext()).split())


def _with(block: Block, told: dict[str, object]) -> Block:
    from dataclasses import replace

    return replace(block, **cast("dict[str, str]", told))
