"""What a note says of itself in, its title, day, tags, other names and further properties out. Pure.

Three ways of writing it: front matter (Obsidian), ``key:: value`` (Logseq, and Obsidian in the text), and lines of
``Key: value`` below the title (Notion's export).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from trisynapse_memory.preprocessing.markdown import FrontMatter
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.notes.rewriting import Rewritten

_EXPORTED: Final = re.compile(r"\A\s*#[ \t]+(?P<title>.+)\n+(?P<rows>(?:[A-Z][\w /()-]{0,40}: .+\n?)+)(?=\n|\Z)")
_ROW: Final = re.compile(r"^([A-Z][\w /()-]{0,40}): (.+)$", re.MULTILINE)
_TITLE: Final = re.compile(r"\A\s*#[ \t]+(.+)$", re.MULTILINE)
_DAY_FORMS: Final = ("%B %d, %Y %I:%M %p", "%B %d, %Y", "%d/%m/%Y %H:%M", "%d/%m/%Y")
_DAYS: Final = ("date", "created", "created time", "created at")
_KNOWN: Final = frozenset({"title", "tags", "tag", "alias", "aliases", *_DAYS})
# How a program shows or publishes a note says nothing of it.
_SHOWN: Final = frozenset({"publish", "permalink", "mobile", "cssclass", "cssclasses", "banner", "icon", "public"})
MAX_OTHERS: Final = 20  # properties of one note; a form with more is a table
MAX_CHARS: Final = 200  # of one property; longer ones are text


@dataclass(frozen=True, slots=True)
class PageProperties:
    """What stands above a note; ``others`` are its further properties as they are written."""

    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    observed_at: datetime | None = None
    others: dict[str, str] = field(default_factory=dict[str, str])


def read_properties(made: Rewritten, front: FrontMatter, *, is_exported: bool) -> PageProperties:
    """Put together what front matter, properties and the lines of an export say of a note.

    Args:
        made: its first page, rewritten.
        front: its front matter.
        is_exported: Notion exported it: the lines below its title are properties.
    """
    body = made.text[front.end :]
    rows = _rows(body) if is_exported else {}
    said: Mapping[str, str] = {**rows, **made.properties, **front.properties}
    title = _TITLE.match(body) if is_exported else None
    return PageProperties(
        title=front.title or said.get("title", "") or (title[1].strip() if title else ""),
        tags=_once(*front.tags, *_names(said.get("tags", "")), *_names(said.get("tag", ""))),
        aliases=_once(*front.aliases, *_names(said.get("alias", "")), *_names(said.get("aliases", ""))),
        observed_at=front.observed_at or next((day for name in _DAYS if (day := _moment(said.get(name, "")))), None),
        others=_others(said),
    )


def _others(said: Mapping[str, str]) -> dict[str, str]:
    told = {name: value for name, value in said.items() if name not in _KNOWN | _SHOWN and 0 < len(value) <= MAX_CHARS}
    return dict(list(told.items())[:MAX_OTHERS])


def _rows(body: str) -> dict[str, str]:
    found = _EXPORTED.match(body[:8192])
    return {name.lower(): value.strip() for name, value in _ROW.findall(found["rows"])} if found else {}


def _moment(text: str) -> datetime | None:
    text = text.strip().strip("[]")
    if moment := from_iso(text):
        return moment
    for form in _DAY_FORMS:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip().strip("#[]").strip()))


def _once(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
