r"""The ``file`` field of a bibliography in, the paths it names out. No path is opened or followed here.

Four programs write four shapes: a bare path, ``Description:path:type`` (JabRef, Zotero), several of them joined by
semicolons, and Mendeley's ``:C$\backslash$:/Users/...:pdf``. Windows drives and escaped signs occur in all of them.
"""

from __future__ import annotations

import re
from typing import Final

FILES_MAX: Final = 100

_SPLIT: Final = re.compile(r"(?<!\\);")
_COLON: Final = re.compile(r"(?<!\\):")
_TYPE: Final = re.compile(r"[\w.+-]{1,40}(?:/[\w.+-]{1,60})?|")
_WINDOWS: Final = re.compile(r"^[A-Za-z]:/")


def paths_of(value: str) -> tuple[str, ...]:
    """Return the paths of a ``file`` field, with forward slashes, in their order and once each."""
    plain = value.replace("$\\backslash$", "\\").replace("{\\_}", "_").replace("\\_", "_").replace("\\&", "&")
    found = [_path(part.strip()) for part in _SPLIT.split(plain)[:FILES_MAX] if part.strip()]
    return tuple(dict.fromkeys(path for path in found if path))


def _path(part: str) -> str:
    pieces = _joined(_COLON.split(part))
    path = pieces[0] if len(pieces) == 1 else _middle(pieces)
    return _slashed(path)


def _joined(pieces: list[str]) -> list[str]:
    """Put a drive letter back before its path."""
    joined: list[str] = []
    for piece in pieces:
        before = joined[-1].rstrip("\\") if joined else ""
        if re.fullmatch(r"[A-Za-z]", before) and piece[:1] in ("/", "\\"):
            joined[-1] = f"{before}:{piece}"
        else:
            joined.append(piece)
    return joined


def _middle(pieces: list[str]) -> str:
    """Of ``description:path:type``, of ``path:type`` and of ``description:path`` the path."""
    if len(pieces) >= 3:
        return ":".join(pieces[1:-1]) if _TYPE.fullmatch(pieces[-1]) else ":".join(pieces[1:])
    first, second = pieces
    return first if "/" in first or "." in first or not second else second


def _slashed(path: str) -> str:
    plain = re.sub(r"\\([:;{}])", r"\1", path.strip())
    slashed = re.sub(r"\\+", "/", plain)
    # A backslash is a letter of a name only where slashes part the folders already.
    return slashed if _WINDOWS.match(slashed) or "/" not in plain else plain.replace("\\\\", "\\")
