"""A module's text or a whole tree in, forbidden imports out. The contracts themselves stand in pyproject.toml."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from house_files import ROOT, Violation, parse

HEAVY = frozenset(
    {
        "torch",
        "sentence_transformers",
        "llama_cpp",
        "pymupdf",
        "fitz",
        "trafilatura",
        "yt_dlp",
        "onnxruntime",
        "rapidocr",
        "faster_whisper",
        "ctranslate2",
    }
)
"""Libraries that cost a tenth of a second or tens of megabytes each; only a leaf branch pays, at first use."""

TARGET = re.compile(r"^(trisynapse_memory(?:\.\w+)+):\w+$")


def module_name(path: str) -> str:
    """Turn a path below a source root into the module's dotted name."""
    parts = PurePosixPath(path).with_suffix("").parts
    parts = parts[1:] if parts[0] == "engine" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def leaf_modules(table_text: str) -> frozenset[str]:
    """Return the modules that the table of branches names; surfaces too, since nothing may import those either."""
    strings = (node.value for node in ast.walk(parse(table_text)) if isinstance(node, ast.Constant))
    found = (TARGET.match(value) for value in strings if isinstance(value, str))
    return frozenset(match[1] for match in found if match)


def imports(text: str, module: str) -> Iterator[tuple[ast.stmt, str]]:
    """Yield every import statement with each dotted name that it may mean."""
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*module.split(".")[: -node.level], *([base] if base else [])])
            yield node, base
            for alias in node.names:
                yield node, f"{base}.{alias.name}"


def check_leaf_imports(path: str, text: str, leaves: frozenset[str]) -> list[Violation]:
    """A leaf branch is loaded by name: who imports it pays for its libraries and cannot be without it."""
    module = module_name(path)
    return [
        Violation("leaf", path, node.lineno, f"{name} is a leaf branch; ask the registry for it")
        for node, name in imports(text, module)
        if name in leaves and not (module == name or module.startswith(f"{name}."))
    ]


def check_heavy_imports(path: str, text: str, leaf_folders: frozenset[str]) -> list[Violation]:
    """A heavy library is imported inside a function of a leaf branch; for type checkers anywhere in it."""
    inside_leaf = str(PurePosixPath(path).parent) in leaf_folders or any(
        path.startswith(f"{folder}/") for folder in leaf_folders
    )
    tree = parse(text)
    lazy = {child for node in ast.walk(tree) if isinstance(node, _FUNCTION) for child in ast.walk(node)}
    lazy |= {child for node in ast.walk(tree) if _is_type_checking(node) for child in ast.walk(node)}
    lazy_lines = {node.lineno for node in lazy if isinstance(node, ast.Import | ast.ImportFrom)}
    found: list[Violation] = []
    for node, name in imports(text, module_name(path)):
        if name in HEAVY or (name.split(".")[0] in HEAVY and isinstance(node, ast.Import)):
            if not inside_leaf:
                found.append(Violation("heavy", path, node.lineno, f"{name} is imported outside a leaf branch"))
            elif node.lineno not in lazy_lines:
                found.append(Violation("heavy", path, node.lineno, f"{name} is imported before first use"))
    return found


_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).split(".")[-1] == "TYPE_CHECKING"


def broken_contracts(root: Path, *source_roots: Path) -> tuple[set[str], str]:
    """Run import-linter over a tree; return the names of the broken contracts, and all that it said.

    Raises:
        RuntimeError: import-linter itself failed, so that nothing was checked.
    """
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, source_roots)),
        "COLUMNS": "200",
        "NO_COLOR": "1",
    }
    code = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    command = [sys.executable, "-c", code, "--no-logo", "--no-cache", "--config", str(root / "pyproject.toml")]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if "Contracts:" not in done.stdout:
        raise RuntimeError(f"import-linter did not finish:\n{done.stdout}\n{done.stderr}")
    return set(re.findall(r"^(.+) BROKEN", done.stdout, flags=re.MULTILINE)), done.stdout


def heavy_modules_after(code: str) -> set[str]:
    """Run some code in a fresh interpreter and return the heavy libraries that it loaded."""
    program = f"{code}\nimport sys\nprint('\\nloaded:', *(set({sorted(HEAVY)!r}) & sys.modules.keys()))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT)])}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"The child failed:\n{done.stdout}\n{done.stderr}")
    return set(done.stdout.rsplit("loaded:", 1)[1].split())
