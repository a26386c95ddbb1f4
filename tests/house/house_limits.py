"""One module's text in, the limits it breaks out. No file is read and no excuse is looked up here.

How things are counted:
- a file: all its lines;
- a function: from ``def`` to its last line, without its docstring; what it encloses counts for it too;
- a class: methods without a leading underscore, properties once;
- parameters: all of a signature but ``self`` and ``cls``, ``*args`` and ``**kwargs`` one each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from house_files import Violation, parse

FILE_LINES = 400
FUNCTION_LINES = 50
PUBLIC_METHODS = 20
PARAMETERS = 7

MUTABLE_MAKERS = frozenset({"list", "dict", "set", "bytearray", "defaultdict", "deque", "OrderedDict", "Counter"})
MUTATORS = frozenset(
    {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add", "discard"}
)
BROAD = frozenset({"Exception", "BaseException"})

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield every function and method of a module."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def check_file_lines(path: str, text: str, limit: int = FILE_LINES) -> list[Violation]:
    """A file that takes more than one sitting to read is two files."""
    count = len(text.splitlines())
    return [Violation("lines", path, count, f"{count} lines; at most {limit}")] if count > limit else []


def check_function_lines(path: str, text: str) -> list[Violation]:
    """A function is read without scrolling."""
    found: list[Violation] = []
    for node in functions(parse(text)):
        count = (node.end_lineno or node.lineno) - node.lineno + 1
        if ast.get_docstring(node, clean=False) is not None:
            count -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
        if count > FUNCTION_LINES:
            found.append(Violation("function", path, node.lineno, f"{node.name} has {count} lines"))
    return found


def check_public_methods(path: str, text: str) -> list[Violation]:
    """A class with many doors is several rooms."""
    found: list[Violation] = []
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.ClassDef):
            names = {
                part.name
                for part in node.body
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and not part.name.startswith("_")
            }
            if len(names) > PUBLIC_METHODS:
                found.append(Violation("methods", path, node.lineno, f"{node.name} has {len(names)} public methods"))
    return found


def check_parameters(path: str, text: str) -> list[Violation]:
    """More than a handful of arguments is a value that wants a name."""
    found: list[Violation] = []
    for node in functions(parse(text)):
        signature = node.args
        named = [*signature.posonlyargs, *signature.args]
        if named and named[0].arg in {"self", "cls"}:
            named = named[1:]
        count = len(named) + len(signature.kwonlyargs) + bool(signature.vararg) + bool(signature.kwarg)
        if count > PARAMETERS:
            found.append(Violation("parameters", path, node.lineno, f"{node.name} has {count} parameters"))
    return found


def check_module_state(path: str, text: str) -> list[Violation]:
    """State at module level outlives every vault and every test.

    The rule: at module level a list, dict or set is bound to an UPPER_CASE, dunder or ``Final`` name only, nothing in
    the module writes to such a name afterwards, and no function says ``global``.
    """
    tree = parse(text)
    found: list[Violation] = []
    constants: set[str] = set()
    for statement in _module_level(tree.body):
        for name, value, final in _bindings(statement):
            if not _is_mutable(value):
                continue
            constants.add(name)
            if not (final or name.isupper() or (name.startswith("__") and name.endswith("__"))):
                found.append(Violation("state", path, statement.lineno, f"{name} is mutable; make it a constant"))
    for function in functions(tree):
        found.extend(
            Violation("state", path, line, f"{problem} in {function.name}")
            for line, problem in _writes(function, constants)
        )
    return found


def _module_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _module_level([*statement.body, *statement.orelse])
        elif isinstance(statement, ast.Try):
            yield from _module_level([*statement.body, *statement.orelse, *statement.finalbody])


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, ast.expr, bool]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield target.id, statement.value, False
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
        yield statement.target.id, statement.value, "Final" in ast.unparse(statement.annotation)


def _is_mutable(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    return isinstance(value, ast.Call) and _last_name(value.func) in MUTABLE_MAKERS


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _writes(function: Function, constants: set[str]) -> Iterator[tuple[int, str]]:
    local = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    local |= {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    shared = constants - local
    for node in ast.walk(function):
        if isinstance(node, ast.Global):
            yield node.lineno, f"global {', '.join(node.names)}"
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            if isinstance(node.value, ast.Name) and node.value.id in shared:
                yield node.lineno, f"{node.value.id}[...] is written"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in shared:
                yield node.lineno, f"{owner.id}.{node.func.attr}() is called"


def check_broad_catches(path: str, text: str) -> list[Violation]:
    """Who catches everything hides bugs: ``except:``, ``except Exception`` and ``suppress(Exception)`` alike.

    A handler that ends with a bare ``raise`` cleans up and hides nothing (a transaction rolled back), so it may stand.
    """
    found: list[Violation] = []
    for node in ast.walk(parse(text)):
        names: list[ast.expr] = []
        if isinstance(node, ast.ExceptHandler):
            last = node.body[-1]
            if isinstance(last, ast.Raise) and last.exc is None:
                continue
            if node.type is None:
                found.append(Violation("catch", path, node.lineno, "a bare except catches everything"))
                continue
            names = list(node.type.elts) if isinstance(node.type, ast.Tuple) else [node.type]
        elif isinstance(node, ast.Call) and _last_name(node.func) == "suppress":
            names = node.args
        found.extend(
            Violation("catch", path, name.lineno, f"{_last_name(name)} is caught; name the errors meant")
            for name in names
            if _last_name(name) in BROAD
        )
    return found


def check_any(path: str, text: str) -> list[Violation]:
    """``Any`` switches the type checker off for whatever it touches."""
    return [
        Violation("any", path, node.lineno, "Any is used outside a JSON border")
        for node in ast.walk(parse(text))
        if (isinstance(node, ast.Name) and node.id == "Any")
        or (isinstance(node, ast.Attribute) and node.attr == "Any" and _last_name(node.value) in {"typing", "t"})
    ]
