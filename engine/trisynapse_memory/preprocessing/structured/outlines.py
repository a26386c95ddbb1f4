"""Files of settings in (YAML, TOML, INI), their stretches with the keys they stand under out; the text stays as it is.

Comments say why a value is what it is, so the file is read as it was typed. Nothing is constructed from YAML: only
where its keys stand is asked for, so that no tag runs and no alias grows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise, zip_longest
from typing import Final, Protocol, cast

from msgspec import structs

from trisynapse_memory.preprocessing.plaintext import UnreadableError
from trisynapse_memory.types import Locator, Modality, Section

PART_CHARS: Final = 800  # a longer value is told by its own keys
DEPTH_MAX: Final = 12
BORDERS_MAX: Final = 50_000  # of one file; aliases of aliases could name more keys than there are
_TABLE: Final = re.compile(r"^[ \t]*\[\[?[ \t]*([^\]\n]{1,200}?)[ \t]*\]\]?[ \t]*(?:[#;].*)?$", re.MULTILINE)
_COMMENT: Final = re.compile(r"\s*(?:[#;!].*)?$")

Border = tuple[int, tuple[str, ...]]
"""A line (from 0), and the keys that what follows stands under."""


class NotYamlError(UnreadableError):
    """A text is not YAML; the message says what and where."""


class _Mark(Protocol):
    line: int


class _Node(Protocol):
    id: str
    value: object
    start_mark: _Mark
    end_mark: _Mark


class _Yaml(Protocol):
    """What is used of PyYAML, which has no types of its own."""

    def compose_all(self, stream: str, Loader: object) -> Iterator[_Node | None]: ...  # noqa: N803 - its name


def sections_of(text: str, borders: Iterable[Border]) -> tuple[Section, ...]:
    """Cut a text at its borders; comments above a key belong to it."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    starts: dict[int, tuple[str, ...]] = {}
    for line, path in (*islice(borders, BORDERS_MAX), (0, ())):
        starts.setdefault(_with_comments(text, lines, line), path)  # the outer one, where two begin on one line
    places = [*sorted(starts), len(lines)]
    sections: list[Section] = []
    for first, last in pairwise(places):
        start, end = lines[first], lines[last] if last < len(lines) else len(text)
        piece = text[start:end]
        if piece.strip():
            begin = start + len(piece) - len(piece.lstrip())
            # A column of spaces belongs to the first line of a block.
            begin = text.rfind("\n", 0, begin) + 1
            section = Section(
                start=max(begin, start), end=start + len(piece.rstrip()), path=starts[first],
                modality=Modality.STRUCTURED, locator=Locator(kind="section"),
            )  # fmt: skip
            sections.append(section)
    return tuple(_announcing(section, text, after) for section, after in zip_longest(sections, sections[1:]))


def _announcing(section: Section, text: str, after: Section | None) -> Section:
    """A key whose whole value follows under keys of its own is their heading."""
    alone = "\n" not in text[section.start : section.end]
    if after is not None and alone and section.path and after.path[: len(section.path)] == section.path:
        return structs.replace(section, kind="heading")
    return section


def toml_fault(text: str) -> str:
    """Say what is wrong with a TOML text, or nothing."""
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return f"not valid TOML: {error}"
    except RecursionError:
        return "nested too deep to be read as TOML"
    return ""


def table_borders(text: str) -> Iterator[Border]:
    """Yield where the tables of a TOML file or the sections of an INI file begin."""
    for match in _TABLE.finditer(text):
        yield text.count("\n", 0, match.start()), tuple(part.strip(" \"'") for part in match[1].split("."))


def yaml_borders(text: str) -> Iterator[Border]:
    """Yield where the keys of a YAML text stand, the inner ones of long values too.

    Raises:
        NotYamlError: it is none.
    """
    import yaml

    lines = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    loader = yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader
    try:
        found = cast("_Yaml", yaml).compose_all(text, Loader=loader)
        documents = [node for node in found if node is not None]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise NotYamlError(f"not valid YAML at line {line}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise NotYamlError("not valid YAML") from error
    for number, node in enumerate(documents):
        path = (f"[{number}]",) if len(documents) > 1 else ()
        if path:
            yield node.start_mark.line, path
        yield from _inner(node, path, lines)


def _inner(node: _Node, path: tuple[str, ...], lines: Sequence[int]) -> Iterator[Border]:
    """The keys of a node, and of each long value below it; an alias stands where it was named, and is not followed."""
    if len(path) >= DEPTH_MAX:
        return
    floor = node.start_mark.line
    for place, name, value in _children(node):
        if value.start_mark.line < floor:  # an alias of something further up
            continue
        yield place, (*path, name)
        last = min(value.end_mark.line, len(lines) - 1)
        if lines[last] - lines[min(place, len(lines) - 1)] > PART_CHARS:
            yield from _inner(value, (*path, name), lines)


def _children(node: _Node) -> Iterator[tuple[int, str, _Node]]:
    if node.id == "mapping":
        for key, value in cast("list[tuple[_Node, _Node]]", node.value):
            yield key.start_mark.line, str(key.value) if key.id == "scalar" else "?", value
    elif node.id == "sequence":
        for number, value in enumerate(cast("list[_Node]", node.value)):
            yield value.start_mark.line, f"[{number}]", value


def _with_comments(text: str, lines: Sequence[int], line: int) -> int:
    while line > 0 and _is_comment(text[lines[line - 1] : lines[line]]):
        line -= 1
    return line


def _is_comment(line: str) -> bool:
    return bool(line.strip()) and _COMMENT.match(line) is not None
