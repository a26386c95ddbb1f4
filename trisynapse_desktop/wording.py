"""Kinds, verdicts, days and sizes as the engine names them in, the words and icons she knows them by out.

A kind is the name of the loader that read a source, or ``bookmark``, ``reference`` or ``chat`` for what has no file;
many kinds share a word.
"""

from __future__ import annotations

from datetime import datetime

from trisynapse_memory.types import PageVerdict

WEB, DOCUMENT, TEXT, NOTE, TABLE, MAIL, CHAT, PICTURE = (
    ("Web page", "globe"),
    ("Document", "file-text"),
    ("Text", "file-text"),
    ("Note", "note"),
    ("Table", "table"),
    ("Mail", "mail"),
    ("Chat", "message"),
    ("Picture", "image"),
)
KINDS: dict[str, tuple[str, str]] = {
    "pdf": ("PDF", "file-pdf"),
    "docx": DOCUMENT,
    "odf": DOCUMENT,
    "rtf": DOCUMENT,
    "office": DOCUMENT,
    "pptx": ("Slides", "slides"),
    "spreadsheet": TABLE,
    "delimited": TABLE,
    "epub": ("E-book", "book"),
    "jats": ("Article", "newspaper"),
    "html": WEB,
    "url": WEB,
    "web": WEB,
    "bookmark": ("Bookmark", "bookmark"),
    "reference": ("Reference", "quote"),
    "text": TEXT,
    "lightweight": TEXT,
    "markdown": NOTE,
    "note": NOTE,
    "notes": NOTE,
    "code": ("Code", "code"),
    "notebook": ("Notebook", "notebook"),
    "structured": ("Data file", "braces"),
    "mail": MAIL,
    "mbox": MAIL,
    "outlook": MAIL,
    "archive": ("Archive", "archive"),
    "chat": CHAT,
    "chats": CHAT,
    "conversation": CHAT,
    "subtitles": ("Captions", "captions"),
    "video": ("Video", "video"),
    "audio": ("Recording", "video"),
    "feed": ("Feed", "rss"),
    "image": PICTURE,
}
UNKNOWN_ICON = "file-text"


def kind_text(kind: str) -> str:
    """Name a kind of source as she would."""
    return KINDS[kind][0] if kind in KINDS else kind.replace("_", " ").capitalize() or "Unknown"


def kind_icon(kind: str) -> str:
    """Return the icon of a kind of source."""
    return KINDS[kind][1] if kind in KINDS else UNKNOWN_ICON


GOOD = (PageVerdict.OK, PageVerdict.OCR, PageVerdict.EMPTY)
VERDICT_WORDS = {
    "ok": "readable",
    "ocr": "read from the picture",
    "empty": "blank",
    "image-only": "picture only",
    "garbled": "garbled",
    "order-uncertain": "order uncertain",
    "hidden-text": "hidden text",
    "needs-password": "needs a password",
    "timed-out": "took too long",
    "damaged": "damaged",
    "unsupported": "not supported",
    "skipped": "left out",
}


def verdict_words(verdict: str) -> str:
    """Say a verdict in her words, in the middle of a sentence."""
    return VERDICT_WORDS.get(verdict, verdict)


def day_text(moment: datetime | None) -> str:
    """Say a day shortly and the same everywhere: ``14 Mar 2026``."""
    return f"{moment.day} {moment:%b %Y}" if moment is not None else ""


def size_text(byte_count: int) -> str:
    """Say a size in the unit that fits, e.g. ``1.2 MB``."""
    if byte_count <= 0:
        return ""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if byte_count >= size:
            return f"{byte_count / size:.1f} {unit}"
    return f"{byte_count} bytes"


def container_name(container: str) -> str:
    """Name what a source lies in by its last part: ``/mails/2019.zip!/week 3/budget.msg`` is ``budget.msg``."""
    return container.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1].removesuffix("!")
