"""Folders and streams in, the bytes of a compound file ([MS-CFB]) out: what the tests of Outlook messages read."""

from __future__ import annotations

import struct
from dataclasses import dataclass

SECTOR, SMALL, CUTOFF = 512, 64, 4096
END, NOTHING, OF_FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
Folder = dict[str, "bytes | Folder"]


def compound(root: Folder) -> bytes:
    """Write a file of version 3: one FAT, one mini FAT, every folder's entries as one chain to the right."""
    written = _Writer()
    written.add(root, 0)
    return written.file()


@dataclass
class _Entry:
    name: str
    kind: int
    content: bytes = b""
    right: int = NOTHING
    child: int = NOTHING
    start: int = END


class _Writer:
    def __init__(self) -> None:
        self.entries = [_Entry("Root Entry", 5)]
        self.fat: list[int] = []
        self.body = b""

    def add(self, folder: Folder, parent: int) -> None:
        previous = None
        for name, value in folder.items():
            number = len(self.entries)
            is_stream = isinstance(value, bytes)
            self.entries.append(_Entry(name, 2 if is_stream else 1, value if is_stream else b""))
            if previous is None:
                self.entries[parent].child = number
            else:
                self.entries[previous].right = number
            previous = number
            if not is_stream:
                self.add(value, number)

    def chain(self, content: bytes) -> int:
        if not content:
            return END
        start, count = len(self.fat), -(-len(content) // SECTOR)
        self.fat += [start + step + 1 for step in range(count - 1)] + [END]
        self.body += content.ljust(count * SECTOR, b"\0")
        return start

    def file(self) -> bytes:
        mini, mini_fat = b"", list[int]()
        for entry in self.entries:
            if len(entry.content) >= CUTOFF:
                entry.start = self.chain(entry.content)
            elif entry.content:
                entry.start, count = len(mini_fat), -(-len(entry.content) // SMALL)
                mini_fat += [entry.start + step + 1 for step in range(count - 1)] + [END]
                mini += entry.content.ljust(count * SMALL, b"\0")
        self.entries[0].start = self.chain(mini)
        packed = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
        mini_fat_start = self.chain(packed.ljust(-(-len(packed) // SECTOR) * SECTOR, b"\xff"))
        directory = self.chain(b"".join(_row(entry, len(mini)) for entry in self.entries))
        return self._head(directory, mini_fat_start, len(mini_fat)) + self.body + self._table()

    def _fat_count(self) -> int:
        return -(-(len(self.fat) + 1) // (SECTOR // 4))

    def _table(self) -> bytes:
        count = self._fat_count()
        return struct.pack(f"<{len(self.fat) + count}I", *self.fat, *[OF_FAT] * count).ljust(count * SECTOR, b"\xff")

    def _head(self, directory: int, mini_fat: int, mini_count: int) -> bytes:
        count, start = self._fat_count(), len(self.fat)
        head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
        head += struct.pack("<IIIII", 0, count, directory, 0, CUTOFF)
        head += struct.pack("<IIII", mini_fat, -(-mini_count * 4 // SECTOR), END, 0)
        return head + struct.pack(f"<{count}I", *range(start, start + count)).ljust(436, b"\xff")


def _row(entry: _Entry, mini_bytes: int) -> bytes:
    raw = entry.name.encode("utf-16-le")
    row = raw.ljust(64, b"\0") + struct.pack("<HBB", len(raw) + 2, entry.kind, 1)
    size = mini_bytes if entry.kind == 5 else len(entry.content)
    row += struct.pack("<III", NOTHING, entry.right, entry.child) + bytes(36)
    return row + struct.pack("<IQ", 0 if entry.kind == 1 else entry.start, size)


def properties(values: dict[int, object], head: int) -> Folder:
    """Write MAPI properties as streams with their table: strings as UTF-16, bytes, moments as FILETIME, numbers."""
    table, streams = bytes(head), {}
    for number, value in values.items():
        if isinstance(value, str):
            raw, kind = value.encode("utf-16-le"), 0x1F
        elif isinstance(value, bytes):
            raw, kind = value, 0x102
        else:
            kind = 0x40 if isinstance(value, float) else 3
            told = struct.pack("<Q", int((value + 11_644_473_600) * 10**7) if kind == 0x40 else value)
            table += struct.pack("<HHI", kind, number, 6) + told
            continue
        table += struct.pack("<HHI", kind, number, 6) + struct.pack("<II", len(raw) + (2 if kind == 0x1F else 0), 0)
        streams[f"__substg1.0_{number:04X}{kind:04X}"] = raw
    return {"__properties_version1.0": table, **streams}
