"""A file in the older container of Office (OLE) in, what lies in it out; its streams are not read.

Word, Excel and PowerPoint of before 2007 wrote such files, Outlook still does, and an encrypted docx is one too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

COMPOUND_KINDS: Final = {
    "word": ("a Word document of before 2007 (.doc)", "Save it as .docx and add that."),
    "slides": ("a PowerPoint presentation of before 2007 (.ppt)", "Save it as .pptx and add that."),
    "sheet": ("an Excel workbook of before 2007 (.xls)", "Save it as .xlsx and add that."),
    "mail": ("an Outlook message (.msg)", "Save it as .eml and add that."),
}
"""What each kind is called, and what to do about one that is not read."""

# Names of streams as the directory holds them, most telling first.
_NAMES: Final = tuple(
    (kind, stream.encode("utf-16-le") + b"\0\0")
    for stream, kind in (
        ("EncryptedPackage", "encrypted"),
        ("WordDocument", "word"),
        ("PowerPoint Document", "slides"),
        ("Workbook", "sheet"),
        ("Book", "sheet"),
        ("__properties_version1.0", "mail"),
    )
)
_BLOCK_BYTES: Final = 1024**2
_BLOCKS_MAX: Final = 512


def compound_kinds(path: Path) -> tuple[str, ...]:
    """Name what a compound file holds, most telling first: encrypted, word, slides, sheet, mail.

    A workbook with a letter inside holds both.
    The names of its streams are looked for in its bytes, because the list of them may lie anywhere and be broken.
    """
    found: set[str] = set()
    rest = b""
    try:
        with path.open("rb") as file:
            for _ in range(_BLOCKS_MAX):
                block = file.read(_BLOCK_BYTES)
                if not block:
                    break
                found.update(kind for kind, name in _NAMES if name in rest + block)
                rest = block[-64:]
    except OSError:  # whoever opened it before says so
        return ()
    return _in_order(found)


def sketched_kinds(head: bytes) -> tuple[str, ...]:
    """The same from the first 64 KiB alone, where the directory may lie; none where it lies further down."""
    return _in_order({kind for kind, name in _NAMES if name in head}) if head.startswith(COMPOUND) else ()


def _in_order(kinds: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kind for kind, _ in _NAMES if kind in kinds))
