"""A file's name and first line in, its language and that language's grammar out; a grammar is loaded when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Parser


@dataclass(frozen=True, slots=True)
class CodeLanguage:
    """A language by the name a reader knows, and the package and function of its grammar."""

    name: str
    module: str
    function: str = "language"


_PYTHON: Final = CodeLanguage("python", "tree_sitter_python")
_JAVASCRIPT: Final = CodeLanguage("javascript", "tree_sitter_javascript")
_TYPESCRIPT: Final = CodeLanguage("typescript", "tree_sitter_typescript", "language_typescript")
_TSX: Final = CodeLanguage("typescript", "tree_sitter_typescript", "language_tsx")
_JAVA: Final = CodeLanguage("java", "tree_sitter_java")
_C: Final = CodeLanguage("c", "tree_sitter_c")
_CPP: Final = CodeLanguage("c++", "tree_sitter_cpp")
_C_SHARP: Final = CodeLanguage("c#", "tree_sitter_c_sharp")
_GO: Final = CodeLanguage("go", "tree_sitter_go")
_RUST: Final = CodeLanguage("rust", "tree_sitter_rust")
_RUBY: Final = CodeLanguage("ruby", "tree_sitter_ruby")
_PHP: Final = CodeLanguage("php", "tree_sitter_php", "language_php")
_BASH: Final = CodeLanguage("bash", "tree_sitter_bash")
_SCALA: Final = CodeLanguage("scala", "tree_sitter_scala")
_SWIFT: Final = CodeLanguage("swift", "tree_sitter_swift")
_KOTLIN: Final = CodeLanguage("kotlin", "tree_sitter_kotlin")
_LUA: Final = CodeLanguage("lua", "tree_sitter_lua")
_JULIA: Final = CodeLanguage("julia", "tree_sitter_julia")
_SQL: Final = CodeLanguage("sql", "tree_sitter_sql")

_BY_SUFFIX: Final = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), _PYTHON),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), _JAVASCRIPT),
    **dict.fromkeys((".ts", ".mts", ".cts"), _TYPESCRIPT),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".cu", ".cuh"), _CPP),
    **dict.fromkeys((".sh", ".bash", ".zsh"), _BASH),
    **dict.fromkeys((".scala", ".sc", ".sbt"), _SCALA),
    **dict.fromkeys((".kt", ".kts"), _KOTLIN),
    ".tsx": _TSX, ".java": _JAVA, ".c": _C, ".h": _C, ".cs": _C_SHARP, ".go": _GO, ".rs": _RUST, ".rb": _RUBY,
    ".php": _PHP, ".swift": _SWIFT, ".lua": _LUA, ".jl": _JULIA, ".sql": _SQL,
}  # fmt: skip
_BY_SHELL: Final = {
    "python": _PYTHON, "sh": _BASH, "bash": _BASH, "zsh": _BASH, "dash": _BASH, "node": _JAVASCRIPT, "ruby": _RUBY,
    "php": _PHP, "lua": _LUA, "julia": _JULIA,
}  # fmt: skip
LANGUAGES: Final = tuple(dict.fromkeys((*_BY_SUFFIX.values(), *_BY_SHELL.values())))
"""Every language with a grammar."""
_SHEBANG: Final = re.compile(r"#![^\n]*?\b([a-z]+)[\d.]*(?:[ \t][^\n]*)?\r?\n")
_ENV: Final = re.compile(r"#!\s*\S*/env\s+(?:-\S+\s+)*")
_CPP_MARKS: Final = re.compile(r"^\s*(?:class|namespace|template|using|public:|private:)\b", re.MULTILINE)


def language_of(filename: str, head: str) -> CodeLanguage | None:
    """Name the language of a file by its ending, or by the program its first line asks for.

    Args:
        filename: its name.
        head: its beginning, decoded; what a header file is written in stands there.
    """
    found = _BY_SUFFIX.get(PurePath(filename).suffix.lower())
    if found is _C and filename.lower().endswith(".h") and _CPP_MARKS.search(head):
        return _CPP
    if found is not None or not head.startswith("#!") or PurePath(filename).suffix:
        return found
    first = _ENV.sub("#!", head[:300])
    match = re.match(r"#!\s*(?:\S*/)?([a-z]+)", first)
    return _BY_SHELL.get(match[1]) if match else None


@cache
def parser_of(language: CodeLanguage) -> Parser:
    """Return a parser with the grammar of a language."""
    # 5 ms for the library, and each grammar 1 to 20.
    from tree_sitter import Language, Parser

    make = cast("Callable[[], object]", getattr(import_module(language.module), language.function))
    return Parser(Language(make()))
