"""The tree of a source file in, its definitions with their names and bytes out; one walk for all languages.

Grammars name their nodes much alike, so one table serves them all. Inside a function nothing is looked for: what it
defines for itself belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX: Final = 30

# Definitions that have members, whose bodies are walked.
_CONTAINERS: Final = frozenset(
    {"class_definition", "class_declaration", "abstract_class_declaration", "interface_declaration",
     "record_declaration", "struct_declaration", "namespace_declaration", "file_scoped_namespace_declaration",
     "namespace_definition", "internal_module", "module", "class_specifier", "struct_specifier", "impl_item",
     "trait_item", "mod_item", "class", "object_definition", "trait_definition", "protocol_declaration",
     "object_declaration", "companion_object", "module_definition", "trait_declaration", "enum_declaration",
     "annotation_type_declaration", "enum_definition"}
)  # fmt: skip
_LEAVES: Final = frozenset(
    {"function_definition", "function_declaration", "generator_function_declaration", "method_definition",
     "method_declaration", "constructor_declaration", "destructor_declaration", "operator_declaration",
     "compact_constructor_declaration", "function_item", "function_signature_item", "method", "singleton_method",
     "macro_definition", "init_declaration", "deinit_declaration", "secondary_constructor", "anonymous_initializer",
     "abstract_method_signature", "method_signature", "protocol_function_declaration", "create_table", "create_view",
     "create_materialized_view", "create_function", "create_procedure", "create_trigger", "create_index", "create_type",
     "type_declaration", "struct_item", "enum_item", "union_item", "type_item", "type_alias_declaration",
     "struct_definition", "abstract_definition", "enum_specifier", "union_specifier", "type_definition",
     "delegate_declaration"}
)  # fmt: skip
# What stands around one definition and belongs to it.
_WRAPPERS: Final = frozenset(
    {"decorated_definition", "export_statement", "template_declaration", "ambient_declaration", "expression_statement",
     "statement", "lexical_declaration", "variable_declaration", "variable_declarator", "assignment_statement",
     "assignment", "declaration"}
)  # fmt: skip
# What stands around many, without a name that says anything.
_TRANSPARENT: Final = frozenset(
    {"preproc_ifdef", "preproc_if", "preproc_else", "preproc_elif", "linkage_specification", "ERROR", "package_clause",
     "declaration_list", "class_body", "interface_body", "enum_body", "enum_class_body", "protocol_body",
     "body_statement", "template_body", "block", "statement_block", "field_declaration_list", "enum_body_declarations",
     "extension_definition", "singleton_class", "program", "global_statement"}
)  # fmt: skip
_FUNCTION_VALUES: Final = frozenset({"arrow_function", "function_expression", "function", "function_definition"})
_NAME_FIELDS: Final = ("name", "declarator", "type", "left")
_COMMENT: Final = re.compile(r"comment|attribute_item|annotation$|marker_annotation")
_RECEIVER: Final = re.compile(r"\*?\s*(\w+)\s*(?:\[[^\]]*\])?\s*\)\s*$")
_FIRST_NAME: Final = re.compile(r"(?:function|macro|struct|mutable struct|abstract type|module)?\s*([\w.!:]+)")
NAME_MAX_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition: its bytes with the comments above it, its names outermost first, and whether it has members."""

    start: int
    end: int
    path: tuple[str, ...]
    has_members: bool


def symbols_of(root: Node, source: bytes) -> Iterator[Symbol]:
    """Yield the definitions of a file in order; a class before its members.

    Args:
        root: the tree of the whole file.
        source: the bytes it was made of.
    """
    yield from _inside(root, source, (), 0)


def _inside(node: Node, source: bytes, path: tuple[str, ...], depth: int) -> Iterator[Symbol]:
    begun: Node | None = None  # the first of the comments that stand right above what comes next
    previous: Node | None = None
    for child in node.children if depth < DEPTH_MAX else ():
        apart = previous is not None and child.start_point[0] - previous.end_point[0] > 1
        previous = child
        begun = None if apart else begun
        if _COMMENT.search(child.type):
            begun = begun or child
            continue
        found = _definition(child)
        if found is not None:
            names = (*path, _name(found, source))
            members = list(_members(found, source, names, depth)) if found.type in _CONTAINERS else []
            yield Symbol((begun or child).start_byte, child.end_byte, names, bool(members))
            yield from members
        elif child.type in _TRANSPARENT:
            yield from _inside(child, source, path, depth + 1)
        if child.is_named or found is not None:
            begun = None


def _members(node: Node, source: bytes, path: tuple[str, ...], depth: int) -> Iterator[Symbol]:
    body = node.child_by_field_name("body")
    if body is not None:
        yield from _inside(body, source, path, depth + 1)
    else:
        yield from _inside(node, source, path, depth + 1)


def _definition(node: Node) -> Node | None:
    """The definition that a node is, or stands around; None for other statements."""
    for _ in range(4):
        if node.type in _CONTAINERS | _LEAVES and node.is_named:
            return node if _is_told(node) else None
        if node.type not in _WRAPPERS:
            return None
        inner = next((child for child in node.children if _is_definition(child)), None)
        if inner is None:
            return node if _is_short_function(node) else None
        if inner.type == "expression_list" or (inner.type in _FUNCTION_VALUES and inner.type not in _LEAVES):
            return node
        node = inner
    return None


def _is_definition(node: Node) -> bool:
    if node.type == "expression_list":  # Lua: M.f = function() end
        return any(child.type in _FUNCTION_VALUES for child in node.children)
    return node.is_named and node.type in _CONTAINERS | _LEAVES | _WRAPPERS | _FUNCTION_VALUES


def _is_told(node: Node) -> bool:
    """Whether it says what it is; ``struct s x;`` only uses what is defined elsewhere."""
    if node.type in ("struct_specifier", "enum_specifier", "union_specifier", "class_specifier"):
        return node.child_by_field_name("body") is not None
    return True


def _is_short_function(node: Node) -> bool:
    """``f(x) = 2`` of Julia, and ``M.f = function() end`` of Lua."""
    if node.type == "assignment":
        return bool(node.children) and node.children[0].type == "call_expression"
    return node.type == "assignment_statement" and any(_is_definition(child) for child in node.children)


def _name(node: Node, source: bytes) -> str:
    words = _raw_name(node, source)
    return " ".join(words.split())[:NAME_MAX_CHARS] or node.type


def _raw_name(node: Node, source: bytes) -> str:
    if node.type == "impl_item":
        kind, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        told = _text(kind, source)
        return f"{told} as {_text(trait, source)}" if trait is not None else told
    if node.type == "type_declaration":  # Go: one or several types
        names = (child.child_by_field_name("name") for child in node.children)
        return ", ".join(_text(name, source) for name in names if name is not None)
    if node.type.startswith("create_"):
        named = next((child for child in node.children if child.type == "object_reference"), None)
        return _text(named, source)
    found = next((one for field in _NAME_FIELDS if (one := node.child_by_field_name(field)) is not None), None)
    if found is None:
        return _first_name(node, source)
    receiver = node.child_by_field_name("receiver")
    if receiver is not None and (match := _RECEIVER.search(_text(receiver, source))):
        return f"{match[1]}.{_text(found, source)}"
    return _text(_innermost(found), source)


def _innermost(node: Node) -> Node:
    """``*f(int a)`` is called f: a declarator of C holds another one, and at last the name."""
    for _ in range(8):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    return node


def _first_name(node: Node, source: bytes) -> str:
    for child in node.children:
        name = child.child_by_field_name("name")
        if name is not None and child.type in _WRAPPERS | {"variable_list"}:
            return _text(name, source)
    match = _FIRST_NAME.match(source[node.start_byte : node.start_byte + 200].decode("utf-8", "replace"))
    return match[1] if match else ""


def _text(node: Node | None, source: bytes) -> str:
    return "" if node is None else source[node.start_byte : node.end_byte][:400].decode("utf-8", "replace")
