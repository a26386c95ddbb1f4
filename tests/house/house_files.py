"""A root folder in, the project's own files out, as git sees them. Nothing is parsed or judged here."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("engine/", "trisynapse_desktop/")
SKIPPED_FOLDERS = frozenset({".git", ".venv", "__pycache__", "build", "dist", ".pytest_cache", ".ruff_cache"})


@dataclass(frozen=True, slots=True)
class Violation:
    """One place that breaks one rule; ``rule`` is the word an excuse names."""

    rule: str
    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.problem}"


def project_files(root: Path = ROOT) -> list[str]:
    """List tracked and not yet ignored files, relative to the root; a copy without git is walked instead."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        names = {name for name in done.stdout.split("\0") if name}
    else:
        names = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
        names = {name for name in names if not SKIPPED_FOLDERS.intersection(name.split("/"))}
    return sorted(name for name in names if (root / name).is_file())


def python_files(prefixes: tuple[str, ...] = ("",), root: Path = ROOT) -> list[str]:
    """List the Python files under any of some folders."""
    return [name for name in project_files(root) if name.endswith(".py") and name.startswith(prefixes)]


def read(name: str, root: Path = ROOT) -> str:
    """Return a file's text."""
    return (root / name).read_text(encoding="utf-8")


@cache
def parse(text: str) -> ast.Module:
    """Return a module's tree, parsed once for all rules; nobody changes it."""
    return ast.parse(text)


def matches(path: str, patterns: list[str]) -> bool:
    """Say whether a path is named by one of some patterns."""
    return any(fnmatch(path, pattern) for pattern in patterns)


def expect_none(found: list[Violation]) -> None:
    """Fail with every violation in full, one a line, so that one run is enough to mend them all.

    Raises:
        AssertionError: something was found.
    """
    if found:
        raise AssertionError("\n".join(["", *map(str, found)]))
