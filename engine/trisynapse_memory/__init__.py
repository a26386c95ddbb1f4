"""Trisynapse Memory: an append-only memory of sources that answers with citations. Public names, loaded on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from trisynapse_memory.client import EngineClient, attach
    from trisynapse_memory.config import Config
    from trisynapse_memory.errors import TrisynapseError
    from trisynapse_memory.memory_engine import MemoryEngine
    from trisynapse_memory.types import MemoryNamespace, Message, SourceInput

_HOMES = {
    "Config": "trisynapse_memory.config",
    "EngineClient": "trisynapse_memory.client",
    "MemoryEngine": "trisynapse_memory.memory_engine",
    "MemoryNamespace": "trisynapse_memory.types",
    "Message": "trisynapse_memory.types",
    "SourceInput": "trisynapse_memory.types",
    "TrisynapseError": "trisynapse_memory.errors",
    "attach": "trisynapse_memory.client",
}

__all__ = [
    "Config",
    "EngineClient",
    "MemoryEngine",
    "MemoryNamespace",
    "Message",
    "SourceInput",
    "TrisynapseError",
    "__version__",
    "attach",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trisynapse_memory' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
