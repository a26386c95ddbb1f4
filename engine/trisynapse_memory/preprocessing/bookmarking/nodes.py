"""Decoded JSON or a property list in, typed parts of it out, whatever it really holds. Nothing is decoded here.

A bookmark store is written by a program and read years later by another: a missing or mistyped part costs itself only.
"""

from __future__ import annotations

from typing import TypeGuard, cast

Node = dict[str, object]


def is_node(value: object) -> TypeGuard[Node]:
    """Tell whether a value is an object with named parts."""
    return isinstance(value, dict)


def node_at(node: Node, name: str) -> Node:
    """Return a part that is an object; an empty one where it is not there or something else."""
    value = node.get(name)
    return value if is_node(value) else {}


def nodes_at(node: Node, name: str) -> list[Node]:
    """Return the objects of a part that is a list, in order; what else is in it is left out."""
    return nodes_of(node.get(name))


def nodes_of(value: object) -> list[Node]:
    """Return the objects of a list, in order; an empty list for anything else."""
    return [one for one in cast("list[object]", value) if is_node(one)] if isinstance(value, list) else []


def words_at(node: Node, name: str) -> str:
    """Return a part as text: a string as it is, a number in digits, else an empty string."""
    value = node.get(name)
    if isinstance(value, bool):
        return ""
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
