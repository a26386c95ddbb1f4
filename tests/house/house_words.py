"""A module's path or text in, banned words in its names out. What the words should be is in docs/glossary.md."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from house_files import Violation, parse

BANNED = frozenset(
    {"delta", "trace", "recall", "episode", "formation", "item", "object", "data", "info"}
    | {"manager", "helper", "util", "handler"}
)
"""Each is either empty (data, info, item) or hides what a thing does (manager, helper, handler)."""


def words(name: str) -> list[str]:
    """Split a snake_case or CamelCase name into lower-case words; ``PDFLoader2`` gives pdf, loader.

    A plural is as bad as its singular, so a trailing ``s`` falls where a banned word is left.
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+", name)
    lower = [part.lower() for part in parts]
    return [word[:-1] if word.endswith("s") and word[:-1] in BANNED else word for word in lower]


def check_words(path: str, text: str) -> list[Violation]:
    """Names say what a thing is in the field's own word; folders, modules and classes are looked at."""
    found: list[Violation] = []
    for part in PurePosixPath(path).with_suffix("").parts:
        found.extend(
            Violation("word", path, 1, f"'{word}' in the name {part}") for word in words(part) if word in BANNED
        )
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.ClassDef):
            found.extend(
                Violation("word", path, node.lineno, f"'{word}' in the class {node.name}")
                for word in words(node.name)
                if word in BANNED
            )
    return found
