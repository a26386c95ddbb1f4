"""A whole source in, the hash of what it says out, and which other sources say the same; nothing is appended here.

A paper as a PDF and its text as a note have other bytes and other line ends, marks and spaces, but the same letters. So
letters and digits alone are hashed, in compatibility form and without case.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections.abc import Sequence
from typing import Final

import msgspec

from trisynapse_memory.log.state import TEXT_HASH
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import CompletionDetails, Kind, MetadataDetails, Record, SameText, SourceId

MIN_CHARS: Final = 16  # letters and digits; shorter texts are the same by chance
_NO_LETTER: Final = re.compile(r"[\W_]+")


def text_digest(log: MemoryLog, source_id: str, stop: threading.Event | None = None) -> str:
    """Return the SHA-256 (hex) of everything a source says, page after page; empty where it says next to nothing.

    One page at a time is in memory. It ends at the next page once ``stop`` is set, with a hash of nothing whole.
    """
    digest, length = hashlib.sha256(), 0
    for seq in page_seqs(log, source_id).values():
        if stop is not None and stop.is_set():
            return ""
        (record,) = log.by_seqs([seq])
        letters = letters_of(record)
        digest.update(letters.encode())
        length += len(letters)
    return digest.hexdigest() if length >= MIN_CHARS else ""


def told_text(record: Record) -> tuple[str, str]:
    """Return of which source a record says what its whole text is, and its hash; two empty strings for any other."""
    match record.payload:
        case CompletionDetails() as details:
            return details.target_source_id, details.text_hash
        case MetadataDetails(name=name) as details if name == TEXT_HASH:
            return details.target_source_id, details.value
        case _:
            return "", ""


def page_seqs(log: MemoryLog, source_id: str) -> dict[int, int]:
    """Return where the pages of a source stand in the log, in page order; of a page read again, the last record."""
    sql = (
        "SELECT seq, plain(content) ->> '$.locator.page' FROM records"
        " WHERE source_id = ? AND kind = ? AND content IS NOT NULL ORDER BY seq"
    )
    with log.database.read() as connection:
        rows = connection.execute(sql, (source_id, Kind.PAGE.value)).fetchall()
    latest = {int(str(page or 1)): int(str(seq)) for seq, page in rows}
    return {page: latest[page] for page in sorted(latest)}


def letters_of(record: Record) -> str:
    """Return the letters and digits of a record's text in the form in which they are compared."""
    text = record.text.encode("utf-8", "replace").decode()
    return _NO_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def known_digest(log: MemoryLog, source_id: str) -> str:
    """Return the hash that the log has for what a source says; empty where it has none."""
    with log.database.read() as connection:
        return str(connection.execute("SELECT text_hash FROM sources WHERE source_id = ?", (source_id,)).get or "")


def same_texts(connection: Connection, source_ids: Sequence[str]) -> dict[str, tuple[SameText, ...]]:
    """Return, for each of these sources that has any, the other sources in use that say the same, oldest first.

    Versions of one source are not compared with each other, nor sources of different namespaces.
    """
    sql = (
        "SELECT a.source_id, b.source_id, b.source_key, b.title, b.seq < a.seq FROM sources a"
        " CROSS JOIN sources b ON b.text_hash = a.text_hash AND b.namespace_key = a.namespace_key"
        # Said of both, or SQLite does not take the index of those that have one (2,000 sources: 4.6 s, now 9 ms).
        " AND b.source_key != a.source_key AND b.status = 'active' AND b.text_hash != ''"
        " WHERE a.text_hash != '' AND a.source_id IN (SELECT value FROM json_each(?)) ORDER BY b.seq"
    )
    found: dict[str, tuple[SameText, ...]] = {}
    for asked, source_id, key, title, is_older in connection.execute(sql, (_as_json(source_ids),)):
        same = SameText(
            source_id=SourceId(str(source_id)), source_key=str(key), title=str(title), is_older=bool(is_older)
        )
        found[str(asked)] = (*found.get(str(asked), ()), same)
    return found


def _as_json(values: Sequence[str]) -> str:
    return msgspec.json.encode(list(values)).decode()
