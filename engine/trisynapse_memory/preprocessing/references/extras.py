"""Notes as programs keep them in, their plain text and the identifiers they state out. The note itself stays."""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

_LINE: Final = re.compile(
    r"^\s*(arXiv|PMID|DOI|ISBN|ISSN|Citation Key)\s*:\s*([^\s][^\n]{0,300}?)\s*$", re.IGNORECASE | re.MULTILINE
)
_SCHEMES: Final = {"citation key": "citekey"}


def stated_in(note: str) -> dict[str, str]:
    """Return what the lines of a note state, by scheme; the first of each."""
    found: dict[str, str] = {}
    for match in _LINE.finditer(note):
        name = match[1].lower()
        found.setdefault(_SCHEMES.get(name, name), match[2])
    return found


def without_stated(note: str) -> str:
    """Return a note without the lines that only state an identifier, and those that Better BibTeX reads (``tex.``)."""
    lines = (line for line in note.splitlines() if not _LINE.match(line) and not line.lower().startswith("tex."))
    return "\n".join(lines).strip()


def note_text(markup: str) -> str:
    """Return a note in HTML as lines of plain text."""
    parted = re.sub(r"</(?:p|h[1-6]|li|div|blockquote|tr|pre)>|<br\s*/?>", "\n", markup, flags=re.IGNORECASE)
    bare = html.unescape(re.sub(r"<!--.{0,2000}?-->|</?[A-Za-z][^<>]{0,5000}>", "", parted, flags=re.DOTALL))
    lines = (" ".join(line.split()) for line in bare.splitlines())
    return "\n".join(line for line in lines if line)


def path_of_address(text: str) -> str:
    """Return the path of a ``file:`` address; any other text is a path already."""
    if not text.lower().startswith("file:"):
        return text
    path = unquote(urlsplit(text).path)
    # file:///C:/papers/x.pdf
    return path[1:] if re.match(r"/[A-Za-z]:/", path) else str(PurePosixPath(path))
