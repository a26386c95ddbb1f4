"""A file's text in, missing docstrings, dead links and places of one machine out. Prose is not judged here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from house_files import ROOT, Violation, parse

UNDESCRIBED = frozenset({"overload", "override"})
"""Decorators of methods that are described where they were first declared."""

# Folders of the machines we work on, without their first slash: this file does not name what it forbids.
_FOLDERS = "work/(?:main|shared|[.])|root/|opt/(?:wheels|pypi)|tmp/(?:brief|bash_jobs)"
MACHINE_PATHS = re.compile(rf"(?<![\w.~])/(?:{_FOLDERS})")
_HOSTS = (("pypi", "org"), ("pythonhosted", "org"), ("registry", "npmjs"), ("deb", "debian", "org"))
REGISTRY_HOSTS = re.compile("|".join(re.escape(".".join(parts)) for parts in _HOSTS))
LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", flags=re.MULTILINE | re.DOTALL)


def check_docstrings(path: str, text: str) -> list[Violation]:
    """Whatever can be called from outside says why one would call it."""
    tree = parse(text)
    found = [] if ast.get_docstring(tree) else [Violation("docstring", path, 1, "the module has none")]
    pending: list[ast.stmt] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If | ast.Try):
            pending.extend(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node) and not _described_elsewhere(node):
            found.append(Violation("docstring", path, node.lineno, f"{node.name} has none"))
        if isinstance(node, ast.ClassDef):
            pending.extend(node.body)
    return found


def _described_elsewhere(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {ast.unparse(decorator).split("(")[0].split(".")[-1] for decorator in node.decorator_list}
    return bool(names & (UNDESCRIBED | {"setter", "deleter"}))


def check_links(path: str, text: str, root: Path = ROOT) -> list[Violation]:
    """A relative link in a Markdown page leads to a file that is there."""
    found: list[Violation] = []
    prose = CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in LINK.finditer(prose):
        target = match[1].split("#")[0]
        if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        if not (root / path).parent.joinpath(target).exists():
            line = prose.count("\n", 0, match.start()) + 1
            found.append(Violation("link", path, line, f"{target} is not there"))
    return found


def check_places(path: str, text: str) -> list[Violation]:
    """A file of ours works on every machine: it names no folder of one and no package registry."""
    return [
        Violation("place", path, number, f"'{match[0]}' belongs to one machine")
        for number, line in enumerate(text.splitlines(), start=1)
        for match in (*MACHINE_PATHS.finditer(line), *REGISTRY_HOSTS.finditer(line))
    ]
