"""A process in, the same without network sockets out, by order of the Linux kernel; elsewhere nothing happens.

Python's audit hook sees what Python code does. A parser or a model library written in C or Rust goes past it, so on
Linux a seccomp filter refuses ``socket`` for every network family. It cannot be lifted, and child processes inherit it.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
import sys
from typing import Final, NamedTuple


class _Abi(NamedTuple):
    """What differs between processors: the audit name of the machine and the numbers of three system calls."""

    audit_name: int
    socket: int
    seccomp: int
    io_uring_setup: int


# linux/audit.h and the system call tables of the kernel.
_ABIS: Final = {
    "x86_64": _Abi(0xC000003E, 41, 317, 425),
    "aarch64": _Abi(0xC00000B7, 198, 277, 425),
}
_NO_NEW_PRIVILEGES: Final = 38  # linux/prctl.h
_SET_FILTER, _ALL_THREADS = 1, 1  # linux/seccomp.h
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | errno.EACCES
# linux/filter.h: load a word, jump if equal, return; linux/seccomp.h: where the words of a call lie.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER_AT, _MACHINE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_X32_CALLS: Final = 0x40000000  # from here on they are the same calls again, for programs with small pointers
_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6, 17)  # 17: AF_PACKET, which other systems do not name


def raise_wall() -> bool:
    """Let the kernel refuse network sockets to this process and its children for good; tell whether it does now."""
    abi = _ABIS.get(platform.machine()) if sys.platform == "linux" else None
    if abi is None:
        return False
    steps = _program(abi)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = struct.pack("HL" if struct.calcsize("P") == 4 else "HxxxxxxQ", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return libc.syscall(abi.seccomp, _SET_FILTER, _ALL_THREADS, ctypes.c_char_p(program)) == 0


def _program(abi: _Abi) -> list[tuple[int, int, int, int]]:
    """The filter: code, jump if true, jump if false, value. A call of another machine's kind is refused as a whole."""
    families = [(_IF_EQUAL, len(_FAMILIES) - number, 0, family) for number, family in enumerate(_FAMILIES)]
    return [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_IF_EQUAL, 0, len(families) + 6, abi.audit_name),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_IF_AT_LEAST, len(families) + 4, 0, _X32_CALLS),
        # io_uring makes sockets without the call that is watched here.
        (_IF_EQUAL, len(families) + 3, 0, abi.io_uring_setup),
        (_IF_EQUAL, 0, len(families) + 1, abi.socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        *families,
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
