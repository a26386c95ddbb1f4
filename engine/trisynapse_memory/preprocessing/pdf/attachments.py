"""The files that lie inside a PDF, as their names and bytes, in; members of the source out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from trisynapse_memory.types import Listing

MAX_FILES: Final = 500
MAX_FILE_BYTES: Final = 64 << 20
MAX_TOTAL_BYTES: Final = 256 << 20


class Attachment(NamedTuple):
    """One embedded file: its stated name, what the author says of it, its size, and its bytes (None: unreadable)."""

    name: str
    description: str
    byte_size: int
    content: bytes | None


def list_attachments(attachments: Iterable[Attachment]) -> Iterator[Listing]:
    """Yield a member for each embedded file, the unreadable and the too large with the reason they are left out."""
    total = 0
    seen: dict[str, int] = {}
    for count, one in enumerate(attachments):
        if count == MAX_FILES:
            return
        name = PurePosixPath(one.name.replace("\\", "/")).name.strip() or f"attachment {count + 1}"
        seen[name] = seen.get(name, 0) + 1
        key = f"embedded:{name}" if seen[name] == 1 else f"embedded:{name}:{seen[name]}"
        size = len(one.content) if one.content is not None else one.byte_size
        total += size
        reason = (
            "The embedded file cannot be read." if one.content is None and one.byte_size <= MAX_FILE_BYTES
            else f"The embedded file is larger than {MAX_FILE_BYTES >> 20} MB." if size > MAX_FILE_BYTES
            else f"The embedded files are larger than {MAX_TOTAL_BYTES >> 20} MB together." if total > MAX_TOTAL_BYTES
            else ""
        )  # fmt: skip
        yield Listing(
            key=key,
            title=one.description.strip()[:200] or name,
            kind="file",
            filename=name,
            content=b"" if reason else one.content or b"",
            skipped=reason,
        )
