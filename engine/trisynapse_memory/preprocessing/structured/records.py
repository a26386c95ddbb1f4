"""Values in, stretches of text with their key paths out: each small enough to be one thought, none lost. Pure.

The elements of a short list are records with a line for each key. A long list is told with one line for each element,
as many to a record as a chunk has room for: the rule of ``tabular.lines``, for the same reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.preprocessing.structured.values import DEPTH_MAX, Line, Pairs, Value, joined_list, lines_of
from trisynapse_memory.types import Locator, Modality, Section

RECORD_CHARS: Final = 1_000  # a value of fewer is one record; about a chunk
PART_CHARS: Final = 300  # below it a part of a larger value stands with its neighbours
LIST_MAX: Final = 1_000  # elements; a longer list is told line by line
_NAMES: Final = ("name", "title", "label", "id", "key")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some lines of one record: where they stand in the file, and what the record is called if it has several.

    ``number`` is set where the stretch is one line for one element of a long list: its place, from 1.
    """

    text: str
    path: tuple[str, ...] = ()
    label: str = ""
    number: int | None = None


def stretches(value: Value, path: tuple[str, ...] = ()) -> Iterator[Stretch]:
    """Yield a value in stretches, in order.

    Args:
        value: what was read.
        path: the keys that lead to it, outermost first.
    """
    lines = None if _has_records(value, path) else _few_lines(value)
    if lines is not None:
        yield from _told(lines, path, "")
    elif isinstance(value, Pairs) and len(path) < DEPTH_MAX:
        yield from _parts(value, path)
    elif isinstance(value, list) and len(path) < DEPTH_MAX and joined_list(value) is None:
        for place, inner in enumerate(value):
            yield from (
                element(inner, place + 1, path) if len(value) > LIST_MAX else stretches(inner, (*path, f"[{place}]"))
            )
    else:
        yield from _told(list(lines_of(value)), path, "")


def element(value: Value, number: int, path: tuple[str, ...] = ()) -> Iterator[Stretch]:
    """Yield one element of a long list as one line; one that is too long for that, as a record."""
    lines = _few_lines(value)
    if lines is None:
        yield from stretches(value, (*path, f"[{number - 1}]"))
    elif words := "; ".join(" ".join(str(line).split()) for line in lines):
        yield Stretch(words, path, number=number)


def write(told: Sequence[Stretch]) -> tuple[str, tuple[Section, ...]]:
    """Write stretches as the text of one page, and say where each record lies."""
    parts: list[str] = []
    sections: list[Section] = []
    length = 0
    previous: Stretch | None = None
    for stretch in told:
        joint = "" if previous is None else "\n" if _is_run(previous, stretch) else "\n\n"
        parts += [joint, stretch.text]
        start = length + len(joint)
        length = start + len(stretch.text)
        if previous is not None and _is_run(previous, stretch):
            sections[-1] = _section(stretch, sections[-1].start, length, sections[-1].locator)
        else:
            place = Locator(kind="section") if stretch.number is None else Locator(kind="row", row=stretch.number)
            sections.append(_section(stretch, start, length, place))
        previous = stretch
    return "".join(parts), tuple(sections)


def _section(stretch: Stretch, start: int, end: int, place: Locator | None) -> Section:
    fields = {"record": stretch.label} if stretch.label else {}
    return Section(start=start, end=end, path=stretch.path, modality=Modality.STRUCTURED, fields=fields, locator=place)


def _is_run(previous: Stretch, stretch: Stretch) -> bool:
    """Whether two elements of one long list follow each other, so that lines and numbers go together."""
    return previous.number is not None and stretch.number == previous.number + 1 and previous.path == stretch.path


def _few_lines(value: Value) -> list[Line] | None:
    """The lines of a value that is one record, else None; a large value is not walked to its end."""
    lines: list[Line] = []
    size = 0
    for line in lines_of(value):
        lines.append(line)
        size += len(line.key) + len(line.words) + 2
        if size > RECORD_CHARS and len(lines) > 1:
            return None
    return lines if size <= RECORD_CHARS or isinstance(value, str) else None


def _parts(value: Pairs, path: tuple[str, ...]) -> Iterator[Stretch]:
    """What belongs to a large record itself in order, and each large part under a path of its own."""
    label = _label(value)
    own: list[Line] = []
    for name, inner in value.entries:
        if _is_small(inner, (*path, name)):
            own += lines_of(Pairs(((name, inner),)))
            continue
        yield from _told(own, path, label)
        own = []
        yield from stretches(inner, (*path, name))
    yield from _told(own, path, label)


def _is_small(value: Value, path: tuple[str, ...]) -> bool:
    """Whether a part stands with its neighbours: a text, a list of those, or a few lines."""
    if isinstance(value, str) or (isinstance(value, list) and joined_list(value) is not None):
        return True
    lines = None if _has_records(value, path) else _few_lines(value)
    return lines is not None and sum(len(str(line)) for line in lines) < PART_CHARS


def _has_records(value: Value, path: tuple[str, ...]) -> bool:
    """Whether a value is, or has right below it, a list of records; the small lists inside a record are part of it."""
    if any(key.startswith("[") for key in path):
        return False
    inner = [value, *(one for _, one in value.entries)] if isinstance(value, Pairs) else [value]
    return any(isinstance(one, list) and sum(isinstance(part, Pairs) for part in one) > 1 for one in inner)


def _told(lines: Sequence[Line], path: tuple[str, ...], label: str) -> Iterator[Stretch]:
    """Lines as stretches of about a record's size."""
    run: list[str] = []
    for line in map(str, lines):
        if run and sum(map(len, run)) + len(run) + len(line) > RECORD_CHARS:
            yield Stretch("\n".join(run), path, label)
            run = []
        if line:
            run.append(line)
    if run:
        yield Stretch("\n".join(run), path, label)


def _label(value: Pairs) -> str:
    """What a record calls itself, so that each of its parts can be found by it."""
    named = {name.casefold(): inner for name, inner in value.entries if isinstance(inner, str) and inner.strip()}
    found = next((named[name] for name in _NAMES if name in named), "")
    return " ".join(found.split())[:120]
