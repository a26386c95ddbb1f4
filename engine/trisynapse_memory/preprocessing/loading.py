"""The head and name of a file in, its loader out; or a folder in, its files out; no file is read whole here.

Content decides, the name only breaks ties: a page saved as ``paper.pdf`` is a web page, and the message says so.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, Protocol, cast

from trisynapse_memory.errors import (
    BranchUnavailableError,
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.charsets import looks_binary
from trisynapse_memory.preprocessing.exclusions import (
    IGNORE_FILE_BYTES,
    IGNORE_FILES,
    IgnoreRules,
    is_ignored,
    reason_of_name,
    rules_of,
)
from trisynapse_memory.registry import Registry

HEAD_BYTES: Final = 65_536  # contracts.Loader: suits judges the first 64 KiB

_MEDIA_TYPES: Final = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".mdx": "text/markdown",
    ".rst": "text/x-rst",
    ".csv": "text/csv",
    ".json": "application/json",
    ".xml": "application/xml",
    ".toml": "application/toml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}
_HTML_SIGNS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One entry of a folder: a file to take in, or one left out with its reason, or one that could not be read."""

    path: Path
    relative: str
    skipped: str = ""
    error: SourceError | None = None


def choose_loader(head: bytes, filename: str, registry: Registry) -> str:
    """Name the loader that is surest a file is its own; ties fall to the earlier row of the table.

    Args:
        head: the first 64 KiB of the file, or all of it.
        filename: its name, with or without folders.
        registry: where the loaders are looked up.

    Raises:
        SourceEmptyError: the file holds no byte.
        SourceUnsupportedError: no loader reads what it holds; the message says what it seems to be.
    """
    name = PurePath(filename).name or filename
    if not head:
        raise SourceEmptyError(f"'{name}' is empty: it holds no byte.", hint="Download or save it again.")
    best, score = "", 0.0
    missing: list[BranchUnavailableError] = []
    for row in registry.rows("loader"):
        try:
            sureness = registry.load("loader", row.name)().suits(head, name)
        except BranchUnavailableError as error:
            missing.append(error)
            continue
        if sureness > score:
            best, score = row.name, sureness
    if best:
        return best
    raise _unsupported(head, name, registry, missing)


def _unsupported(
    head: bytes, name: str, registry: Registry, missing: list[BranchUnavailableError]
) -> SourceUnsupportedError:
    kind = describe(head, name)
    suffix = PurePath(name).suffix.lower()
    if kind in (_PLAIN, _WEB) and suffix:
        problem = f"'{name}' is named like a {suffix[1:].upper()} file, but holds {kind}."
        return SourceUnsupportedError(problem, hint="Give it the right ending, or download it again.")
    hint = f"Loaders: {', '.join(registry.names('loader'))}."
    if missing:
        hint += f" Not installed: {'; '.join(error.hint for error in missing)}"
    return SourceUnsupportedError(f"'{name}' seems to be {kind}; no loader reads that.", hint=hint)


_PLAIN: Final = "plain text"
_WEB: Final = "a web page"


def describe(head: bytes, filename: str) -> str:
    """Say in words what a file seems to be, judged by its content; for messages only."""
    if _is_html(head):
        return _WEB
    if not looks_binary(head):
        return _PLAIN
    found = _signature(head, filename)
    return f"'{found[0]}'" if found else "an unknown binary format"


def media_type(head: bytes, filename: str) -> str:
    """Return the media type of a file, content first; ``application/octet-stream`` when nothing is known of it."""
    if not head:
        return "application/octet-stream"
    if head.lstrip()[:5] == b"%PDF-":
        return "application/pdf"
    if _is_html(head):
        return "text/html"
    if not looks_binary(head):
        return _MEDIA_TYPES.get(PurePath(filename).suffix.lower(), "text/plain")
    found = _signature(head, filename)
    return found[1] if found and found[1] else "application/octet-stream"


def _is_html(head: bytes) -> bool:
    start = head[:1024].replace(b"\0", b"").lower()
    return any(sign in start for sign in _HTML_SIGNS) or b"netscape-bookmark-file" in start


class _Match(Protocol):
    name: str
    mime_type: str
    confidence: float


class _PureMagic(Protocol):
    """What is used of puremagic, which has no types of its own."""

    PureError: type[Exception]

    def magic_string(self, string: bytes, filename: str) -> list[_Match]: ...


def _signature(head: bytes, filename: str) -> tuple[str, str] | None:
    """Name and media type of a binary format by its magic number."""
    # Its tables take 20 ms, which text files need not pay.
    import puremagic

    library = cast("_PureMagic", puremagic)
    try:
        matches = library.magic_string(head, filename)
    except (library.PureError, ValueError):
        return None
    # A match by file ending alone has a low confidence and says nothing about the content.
    sure = [match for match in matches if match.confidence >= 0.3]
    return (sure[0].name, sure[0].mime_type) if sure else None


def expand(path: Path) -> Iterator[FoundFile]:
    """List the files of a folder in a fixed order, so that two imports of it are the same; a file gives itself.

    Left out with a reason: symbolic links, hidden files, folders that tools fill, files that hold secrets, what
    systems and programs leave behind, and what ``.gitignore`` and ``.trisynapseignore`` (in any folder, gitignore
    rules) name. Ignored folders are one entry.

    Raises:
        SourceMissingError: there is nothing at that path.
    """
    if not path.exists():
        raise SourceMissingError(f"There is no file or folder '{path}'.", hint="Check the path.")
    if path.is_dir():
        yield from _walk(path, path, ())
    else:
        yield FoundFile(path, path.name)


def _walk(folder: Path, root: Path, rules: tuple[IgnoreRules, ...]) -> Iterator[FoundFile]:
    relative = folder.relative_to(root).as_posix()
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
        own = _read_ignore_files(folder, "" if folder == root else relative)
    except OSError as error:
        problem = f"The folder '{folder}' cannot be read: {error.strerror or 'no permission'}."
        yield FoundFile(folder, relative, error=SourceDeniedError(problem, hint="Check its permissions."))
        return
    rules = (*rules, own) if own else rules
    for entry in entries:
        name = entry.relative_to(root).as_posix()
        try:
            mode = entry.lstat().st_mode
        except OSError as error:
            denied = SourceDeniedError(f"'{entry}' cannot be read: {error.strerror}.", hint="Check its permissions.")
            yield FoundFile(entry, name, error=denied)
            continue
        reason = _reason_to_skip(entry, name, mode, rules)
        if reason:
            yield FoundFile(entry, name, skipped=reason)
        elif stat.S_ISDIR(mode):
            yield from _walk(entry, root, rules)
        else:
            yield FoundFile(entry, name)


def _reason_to_skip(entry: Path, relative: str, mode: int, rules: tuple[IgnoreRules, ...]) -> str:
    is_folder = stat.S_ISDIR(mode)
    if stat.S_ISLNK(mode):
        return "symbolic link"
    if is_folder and _is_vault(entry):
        return "a vault of its own"
    if reason := reason_of_name(entry.name, is_folder=is_folder):
        return reason
    if not is_folder and not stat.S_ISREG(mode):
        return "not a regular file"
    return "named in an ignore file" if is_ignored(rules, relative, is_folder=is_folder) else ""


def _is_vault(folder: Path) -> bool:
    try:
        return (folder / "vault.toml").is_file()
    except OSError:  # a folder nobody may look into is reported where it is walked
        return False


def _read_ignore_files(folder: Path, relative: str) -> IgnoreRules | None:
    lines: list[str] = []
    for name in IGNORE_FILES:
        file = folder / name
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= IGNORE_FILE_BYTES:
            lines += file.read_text("utf-8", "replace").splitlines()
    return rules_of(relative, lines)
