"""The name of a note's file in, what its program calls the note, and the day it stands for, out. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Final
from urllib.parse import unquote

# Notion puts the 32 hex digits of a page behind its name; a database view adds "_all".
_NOTION: Final = re.compile(r"[ _-]+(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=(?:_all)?$)")
_JOURNAL: Final = re.compile(r"(\d{4})[-_.](\d{2})[-_.](\d{2})")


def note_name(filename: str) -> str:
    """Return what a note is called: its file's name without ending and id, Logseq's signs for ``/`` read back.

    A journal page (``2024_01_05.md``) is called after its day, ``2024-01-05``.
    """
    stem = without_id(PurePath(filename).stem)
    if day := _JOURNAL.fullmatch(stem):
        return "-".join(day.groups())
    if "___" in stem or "%" in stem:
        stem = unquote(stem.replace("___", "/"))
    return " ".join(stem.split())


def without_id(name: str) -> str:
    """Return a name without the id that Notion puts behind it; ``_all`` (every row of a database) goes with it."""
    found = _NOTION.search(name)
    return name[: found.start()].rstrip() or name if found else name


def has_id(filename: str) -> bool:
    """Tell whether a file's name ends in an id of Notion."""
    return _NOTION.search(PurePath(filename).stem) is not None


def journal_day(filename: str) -> datetime | None:
    """Return the day of a journal page by its file's name (``2024_01_05.md``, ``2024-01-05.md``); None for others."""
    day = _JOURNAL.fullmatch(PurePath(filename).stem)
    if day is None:
        return None
    try:
        return datetime(int(day[1]), int(day[2]), int(day[3]), tzinfo=UTC)
    except ValueError:
        return None
