"""The name of a file or folder in, why it is left out of an intake out; the same rule for folders and for archives.

Judged by name and place only; no file is opened here. What is left out is listed with its reason, never dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

# engine.md A5. Folders that tools fill, and files that hold secrets.
IGNORED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", "node_modules", "vendor", "dist", "build", "target", ".next", ".cache", "__pycache__",
     ".venv", "venv", "coverage", ".pytest_cache", ".mypy_cache"}
)  # fmt: skip
SECRET_NAMES: Final = frozenset(
    {".env", ".env.local", ".env.production", "id_rsa", "id_ed25519", "credentials.json", "secrets.json",
     "service-account.json"}
)  # fmt: skip
SECRET_SUFFIXES: Final = frozenset({".pem", ".key", ".p12", ".pfx", ".keystore"})
IGNORE_FILES: Final = (".gitignore", ".trisynapseignore")
IGNORE_FILE_BYTES: Final = 1_048_576  # a longer ignore file is no ignore file

# What systems, editors, browsers and sync programs leave beside documents.
LEFTOVER_FOLDERS: Final = frozenset(
    {"__macosx", ".ds_store", ".appledouble", ".lsoverride", ".spotlight-v100", ".trashes", ".fseventsd",
     ".temporaryitems", ".documentrevisions-v100", "$recycle.bin", "system volume information", ".trash-1000",
     ".ipynb_checkpoints", ".stfolder", ".stversions", ".dropbox.cache", ".tmp.drivedownload", "@eadir"}
)  # fmt: skip
LEFTOVER_NAMES: Final = frozenset(
    {".ds_store", "thumbs.db", "thumbs.db:encryptable", "ehthumbs.db", "desktop.ini", "icon\r", ".localized",
     ".apdisk", "iconcache.db", ".directory", ".dropbox", ".dropbox.attr", ".nomedia", "ntuser.dat"}
)  # fmt: skip
_UNFINISHED: Final = frozenset({".crdownload", ".part", ".partial", ".download", ".opdownload", ".!ut", ".aria2"})
_EDITORS: Final = re.compile(
    r"~\$.+|\.~lock\..+#|~.+\.tmp|.+~|#.+#|\.#.+|\._.+|.+\.sw[a-p]|\.goutputstream-.+|\.fuse_hidden.+|\.nfs[0-9a-f]+"
    r"|~wr[ldac]\d+\.tmp",
    re.IGNORECASE,
)


def reason_of_name(name: str, *, is_folder: bool) -> str:
    """Say why a file or folder of this name is left out; empty when it is not.

    Args:
        name: its own name, without the folders it lies in.
        is_folder: what it is; a folder named ``build`` is left out, a file of that name is not.
    """
    low, suffix = name.lower(), PurePosixPath(name).suffix.lower()
    if is_folder:
        if low in LEFTOVER_FOLDERS:
            return "left by a system or program"
        return f"folder '{name}' is left out" if name in IGNORED_FOLDERS else "hidden" if name[:1] == "." else ""
    if low in SECRET_NAMES or suffix in SECRET_SUFFIXES:
        return "may hold a secret"
    if suffix in _UNFINISHED:
        return "an unfinished download"
    if low in LEFTOVER_NAMES or low in LEFTOVER_FOLDERS or _EDITORS.fullmatch(name):
        return "left by a system or program"
    return "hidden" if name.startswith(".") else ""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files of one folder; ``folder`` is its path from the top, empty for the top itself."""

    folder: str
    spec: GitIgnoreSpec

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Return True for what is ignored, False for what ``!`` takes back in, None for what is not named."""
        if self.folder and not path.startswith(self.folder + "/"):
            return None
        relative = path[len(self.folder) + 1 :] if self.folder else path
        return self.spec.check_file(relative + "/" if is_folder else relative).include


def rules_of(folder: str, lines: Sequence[str]) -> IgnoreRules | None:
    """Read the lines of a folder's ignore files; None when they name nothing."""
    if not lines:
        return None
    # Only folders with ignore files need it.
    from pathspec import GitIgnoreSpec

    return IgnoreRules(folder, GitIgnoreSpec.from_lines(_valid(lines)))


def is_ignored(rules: Sequence[IgnoreRules], path: str, *, is_folder: bool) -> bool:
    """Tell whether the ignore files name a path (from the top, ``/`` between folders); the last word counts."""
    verdicts = [found for one in rules if (found := one.verdict(path, is_folder=is_folder)) is not None]
    return bool(verdicts) and verdicts[-1]


def _valid(lines: Sequence[str]) -> Iterator[str]:
    """Lines that are patterns: git passes over the others, pathspec would refuse the whole file."""
    from pathspec import GitIgnoreSpec

    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        yield line
