"""A module's name in, the command line that runs it as a process of its own out, and frames to talk to it over a pipe.

A frame is four bytes of length (little endian) and a body. Nothing is started here, and what a body means is not known.
"""

from __future__ import annotations

import struct
import sys
from typing import IO, Final

from trisynapse_memory import errors
from trisynapse_memory.errors import TrisynapseError

MODULE_FLAG: Final = "--module"
"""First argument of a frozen executable that is to be one of our modules: it has no interpreter for ``-m``."""

_LENGTH: Final = struct.Struct("<I")


def module_command(module: str) -> list[str]:
    """Return what starts a module, from a source tree, an installation or a frozen bundle; arguments follow it."""
    if getattr(sys, "frozen", False):
        return [sys.executable, MODULE_FLAG, module]
    # -P: a module in the folder the program happens to run in must not shadow ours.
    return [sys.executable, "-P", "-m", module]


def send_frame(pipe: IO[bytes], body: bytes) -> None:
    """Write one frame; blocks while the other side is slow, which is what bounds the memory of what is on its way."""
    pipe.write(_LENGTH.pack(len(body)))
    pipe.write(body)
    pipe.flush()


def receive_frame(pipe: IO[bytes], max_bytes: int) -> bytes | None:
    """Read one frame; None when the other side is gone, or announces more than ``max_bytes``."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > max_bytes:
        return None
    body = pipe.read(length)
    return body if len(body) == length else None


def error_named(name: str, problem: str, hint: str, otherwise: type[TrisynapseError]) -> TrisynapseError:
    """Return an error that travelled as its class's name and words; a name nobody knows becomes ``otherwise``."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, TrisynapseError):
        return kind(problem, hint)
    return otherwise(problem, hint)
