"""The bytes of a file in, the same file damaged out, as disks, mail gateways and ill will do it. Nothing is read.

Everything is drawn from the dice that are handed in, so the same dice damage a file in the same way again.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Final

_LONG: Final = 4_096  # bytes of the longest stretch that is moved, repeated or made up
_DEEP: Final = 3_000  # levels; a parser that calls itself for each of them does not come back
_NESTS: Final = (b"<div>", b"[", b'{"a":', b"(", b"<a><b>", b"> ", b"{\\b ", b"- ", b"\\[[")
_NUMBERS: Final = (b"0", b"-1", b"999999999999", b"2147483648", b"1e400", b"NaN", b"\xff\xff\xff\xff")

Mutation = Callable[[bytes, Random], bytes]


def mutate(content: bytes, dice: Random) -> tuple[str, bytes]:
    """Damage a file in one way.

    Args:
        content: the file; not empty.
        dice: say which way, where and how much.

    Returns:
        The name of the way, and the damaged bytes; they may be empty.
    """
    names = [name for name in MUTATIONS if name != "member" or content[:2] == b"PK"]
    # An archive is broken whole by almost any byte; most of its damage is done inside.
    name = "member" if "member" in names and dice.random() < 0.6 else dice.choice(names)
    return name, MUTATIONS[name](content, dice)


def _stretch(content: bytes, dice: Random) -> tuple[int, int]:
    start = dice.randrange(len(content))
    return start, min(len(content), start + dice.randint(1, _LONG))


def _flip(content: bytes, dice: Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(dice.choice((1, 3, 10, 100))):
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def _truncate(content: bytes, dice: Random) -> bytes:
    return content[: dice.randrange(len(content))]


def _insert(content: bytes, dice: Random) -> bytes:
    place = dice.randrange(len(content))
    return content[:place] + dice.randbytes(dice.randint(1, 64)) + content[place:]


def _remove(content: bytes, dice: Random) -> bytes:
    start, end = _stretch(content, dice)
    return content[:start] + content[end:]


def _repeat(content: bytes, dice: Random) -> bytes:
    start, end = _stretch(content, dice)
    return content[:end] + content[start:end] * dice.randint(1, 20) + content[end:]


def _swap(content: bytes, dice: Random) -> bytes:
    cuts = sorted(dice.randrange(len(content)) for _ in range(3))
    first, second, third = cuts
    return content[:first] + content[second:third] + content[first:second] + content[third:]


def _nest(content: bytes, dice: Random) -> bytes:
    place = dice.randrange(len(content))
    return content[:place] + dice.choice(_NESTS) * _DEEP + content[place:]


def _number(content: bytes, dice: Random) -> bytes:
    digits = [at for at, byte in enumerate(content[:1_000_000]) if 48 <= byte <= 57]
    if not digits:
        return _flip(content, dice)
    place = dice.choice(digits)
    return content[:place] + dice.choice(_NUMBERS) + content[place + 1 :]


def _blank(content: bytes, dice: Random) -> bytes:
    start, end = _stretch(content, dice)
    return content[:start] + bytes(end - start) + content[end:]


def _member(content: bytes, dice: Random) -> bytes:
    """Damage one member of an archive, and pack it again as if nothing had happened."""
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(entry.filename, archive.read(entry)) for entry in archive.infolist() if not entry.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError):
        return _flip(content, dice)
    if not members:
        return _flip(content, dice)
    chosen = dice.randrange(len(members))
    way = dice.choice((*_INNER, "drop", "twice", "rename"))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for at, (name, body) in enumerate(members):
            if at != chosen:
                archive.writestr(name, body)
            elif way == "rename":
                archive.writestr(f"../{name}", body)
            elif way == "twice":
                archive.writestr(name, body)
                archive.writestr(f"{name}.copy", body * 2)
            elif way != "drop":
                archive.writestr(name, MUTATIONS[way](body, dice) if body else b"\0")
    return packed.getvalue()


_INNER: Final = ("flip", "truncate", "insert", "remove", "repeat", "swap", "nest", "number", "blank")

MUTATIONS: Final[Mapping[str, Mutation]] = MappingProxyType(
    {
        "flip": _flip,
        "truncate": _truncate,
        "insert": _insert,
        "remove": _remove,
        "repeat": _repeat,
        "swap": _swap,
        "nest": _nest,
        "number": _number,
        "blank": _blank,
        "member": _member,
    }
)
