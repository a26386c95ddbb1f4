"""Markdown text in, its sections with heading paths and its front matter out; the text itself stays as it is.

markdown-it-py says on which lines each block stands; only offsets are taken from it, so a citation shows what the
author typed. Comments are not shown by any renderer: they are kept apart as hidden text (case R26).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

from msgspec import structs

from trisynapse_memory.preprocessing.blocks import header_line
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.types import Modality, Section

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_YAML_FENCE: Final = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML_FENCE: Final = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_YAML_KEY: Final = re.compile(r"([A-Za-z_][\w-]*)\s*:(?:\s+(.*))?$")
_YAML_ENTRY: Final = re.compile(r"\s*-\s+(.*)$")
_READ_KEYS: Final = frozenset(
    {"title", "date", "author", "authors", "tags", "keywords", "alias", "aliases", "cssclass", "cssclasses"}
)
_COMMENT_ONLY: Final = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.DOTALL)
_TELLING_MARKS: Final = (
    re.compile(r"^#{1,6} +\S.*\n(?:\s*\n|\Z)", re.MULTILINE),  # a comment in a program has no blank line below it
    re.compile(r"^(?:```|~~~)\w*\s*$", re.MULTILINE),
    re.compile(r"\[[^\]\n]+\]\((?:https?://|[./#])[^)\s]*\)"),
    re.compile(r"^\|?[ :]*-{3,}[ :]*\|[-| :]+$", re.MULTILINE),
)
_OTHER_MARKS: Final = (
    re.compile(r"^\s{0,3}(?:[-*+]|\d+\.) +\S", re.MULTILINE),
    re.compile(r"(?<!\w)\*{1,2}\w[^*\n]*\w\*{1,2}(?!\w)|`[^`\n]+`"),
    re.compile(r"^> ", re.MULTILINE),
    re.compile(r"^##+ +\S", re.MULTILINE),
)
_BLANK_LINES: Final = re.compile(r"\n(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What an author wrote above the text; ``end`` is the offset at which the text itself begins.

    ``aliases`` are further names of a note, ``properties`` everything else that has one plain value or a list of them.
    """

    end: int = 0
    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def observed_at(self) -> datetime | None:
        """The date as a moment, or None when it is none."""
        return from_iso(self.date)


@dataclass(frozen=True, slots=True)
class Outline:
    """The sections of one stretch of text, the headings open at its end (level, words), and what is not shown."""

    sections: tuple[Section, ...]
    open_headings: tuple[tuple[int, str], ...] = ()
    hidden_text: str = ""


def front_matter(text: str) -> FrontMatter:
    """Read title, date, authors, tags and further names from YAML or TOML front matter; broken keys are left alone.

    Only the shapes people write there are understood: plain or quoted values, ``[a, b]``, and lists of ``- a`` lines.
    """
    if match := _TOML_FENCE.match(text):
        values = _toml_values(match.group(1))
    elif match := _YAML_FENCE.match(text):
        values = _yaml_values(match.group(1))
    else:
        return FrontMatter()
    read = FrontMatter(end=match.end())
    if not values:
        # A rule, a line and another rule is a text that begins with a rule.
        return FrontMatter()
    authors = values.get("authors") or values.get("author") or ()
    tags = values.get("tags") or values.get("keywords") or ()
    first = {key: found[0] for key, found in values.items() if found}
    return replace(
        read,
        title=first.get("title", ""),
        date=first.get("date", ""),
        authors=authors,
        tags=_split(tags),
        aliases=values.get("aliases") or values.get("alias") or (),
        properties={key: ", ".join(found) for key, found in values.items() if found and key not in _READ_KEYS},
    )


def looks_like_markdown(text: str) -> bool:
    """Judge a text without a name by its marks: front matter, or two kinds of marks of which one is telling."""
    if front_matter(text).end:
        return True
    telling = sum(pattern.search(text) is not None for pattern in _TELLING_MARKS)
    return telling >= 1 and telling + sum(pattern.search(text) is not None for pattern in _OTHER_MARKS) >= 2


def outline(text: str, start: int = 0, open_headings: Sequence[tuple[int, str]] = ()) -> Outline:
    r"""Find the blocks of a Markdown text and the heading path of each.

    Args:
        text: line ends are ``\\n``.
        start: offset of the first character to read (behind the front matter).
        open_headings: headings under which the text begins, from the page before.
    """
    lines = [start, *(start + match.end() for match in re.finditer("\n", text[start:]))]
    headings = list(open_headings)
    sections: list[Section] = []
    hidden: list[str] = []
    tokens = _parser().parse(text[start:])
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0 or token.type == "hr":
            continue
        first, last = lines[token.map[0]], lines[token.map[1]] if token.map[1] < len(lines) else len(text)
        if token.type == "heading_open":
            level = int(token.tag[1])
            headings = [*(one for one in headings if one[0] < level), (level, _plain(tokens[index + 1]))]
        section = _section(text, first, last, tuple(words for _, words in headings if words))
        if section is None:
            continue
        if token.type == "html_block" and _COMMENT_ONLY.fullmatch(text, section.start, section.end):
            hidden.append(text[section.start : section.end])
            continue
        sections.append(_typed(section, token, tokens[index:]))
    return Outline(tuple(sections), tuple(headings), "\n".join(hidden))


def paragraphs(text: str, modality: Modality = Modality.DOCUMENT) -> tuple[Section, ...]:
    """Cut plain text at its blank lines."""
    borders = [0, *(match.end() for match in _BLANK_LINES.finditer(text)), len(text)]
    found = (_section(text, start, end, ()) for start, end in pairwise(borders))
    return tuple(structs.replace(section, modality=modality) for section in found if section)


@cache
def _parser() -> MarkdownIt:
    # 40 ms that plain text need not pay.
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _section(text: str, start: int, end: int, path: tuple[str, ...]) -> Section | None:
    piece = text[start:end]
    inner = piece.strip()
    start += len(piece) - len(piece.lstrip())
    return Section(start=start, end=start + len(inner), path=path) if inner else None


def _typed(section: Section, token: Token, following: Sequence[Token]) -> Section:
    if token.type == "heading_open":
        return structs.replace(section, kind="heading")
    if token.type in ("fence", "code_block"):
        language = token.info.split()[0] if token.info.strip() else ""
        return structs.replace(
            section, modality=Modality.CODE, fields={"language": language} if language else section.fields
        )
    if token.type == "table_open":
        headers = header_line(_table_headers(following))
        return structs.replace(
            section, kind="table", modality=Modality.TABLE, fields={"headers": headers} if headers else section.fields
        )
    return section


def _table_headers(tokens: Sequence[Token]) -> list[str]:
    headers: list[str] = []
    for index, token in enumerate(tokens):
        if token.type == "thead_close":
            break
        if token.type == "th_open":
            headers.append(_plain(tokens[index + 1]))
    return headers


def _plain(inline: Token) -> str:
    """The words of a heading or a cell without its marks."""
    parts = [" " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or ()]
    return " ".join("".join(parts).split())


def _toml_values(block: str) -> dict[str, tuple[str, ...]]:
    import tomllib  # 5 ms that notes with YAML, and without, need not pay

    try:
        table = tomllib.loads(block)
    except tomllib.TOMLDecodeError:
        return {}
    values: dict[str, tuple[str, ...]] = {}
    for key, value in table.items():
        if isinstance(value, list):
            entries = cast("list[object]", value)
            values[key.lower()] = tuple(one for one in entries if isinstance(one, str))
        elif isinstance(value, str | int | date):
            values[key.lower()] = (str(value),)
    return values


def _yaml_values(block: str) -> dict[str, tuple[str, ...]]:
    values: dict[str, tuple[str, ...]] = {}
    key = ""
    for line in block.splitlines():
        if match := _YAML_KEY.match(line):
            key = match.group(1).lower()
            values[key] = _yaml_list(match.group(2) or "")
        elif key and (match := _YAML_ENTRY.match(line)):
            values[key] = (*values[key], *_yaml_list(match.group(1)))
    return values


def _yaml_list(value: str) -> tuple[str, ...]:
    value = re.sub(r"\s+#.*$", "", value).strip()
    if value.startswith("[") and value.endswith("]"):
        return tuple(word for part in value[1:-1].split(",") if (word := _unquoted(part)))
    word = _unquoted(value)
    return (word,) if word else ()


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value


def _split(tags: tuple[str, ...]) -> tuple[str, ...]:
    """``tags: a, b`` is one value with two tags; hash marks belong to the notation."""
    return tuple(word for tag in tags for part in tag.split(",") if (word := part.strip().lstrip("#")))
