"""Kinds, verdicts, days and sizes as the engine names them in, the words and icons she knows them by out.

A kind is the name of the loader that read a source, or ``bookmark``, ``reference`` or ``chat`` for what has no file;
many kinds share a word.
"""

from __future__ import annotations

from datetime import datetime

from trisynapse_memory.types import Novelty, PageVerdict

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
    "audio": ("Recording", "microphone"),
    "recording": ("Recording", "microphone"),
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


GOOD = (PageVerdict.OK, PageVerdict.OCR, PageVerdict.TRANSCRIBED, PageVerdict.EMPTY)
VERDICT_WORDS = {
    "ok": "readable",
    "ocr": "read from the picture",
    "transcribed": "written down by a transcriber",
    "empty": "blank",
    "image-only": "picture only",
    "audio-only": "not written down yet",
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


def clock_text(seconds: float) -> str:
    """Say a place in a recording as players do: ``4:46``, ``1:02:03``."""
    hours, rest = divmod(int(max(0.0, seconds)), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


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
    if container.startswith(("http://", "https://")):  # a feed: its host tells more than "rss.xml"
        return container.partition("://")[2].partition("?")[0].rstrip("/")
    return container.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1].removesuffix("!")


NOVELTY_WORDS = {"new": "Mostly new", "mixed": "Partly new", "known": "Little new"}


def novelty_text(novelty: Novelty) -> str:
    """Say how new a source was to the vault in two or three words: ``Mostly new · 2 disputed``."""
    words = NOVELTY_WORDS.get(novelty.level, novelty.level)
    return f"{words} · {novelty.contradicting_count:,} disputed" if novelty.contradicting_count else words


def novelty_short(novelty: Novelty) -> str:
    """Say it in the two words a table has room for: what contradicts another source says so first."""
    count = novelty.contradicting_count
    return f"{count:,} disputed" if count else NOVELTY_WORDS.get(novelty.level, novelty.level)


def novelty_tone(novelty: Novelty) -> str:
    """Return the tone of ``novelty_text``: ``warning`` where it contradicts another source, else good or muted."""
    if novelty.contradicting_count:
        return "warning"
    return "good" if novelty.level == "new" else "muted"


def novelty_hint(novelty: Novelty) -> str:
    """Say in whole sentences what the words rest on."""
    if novelty.median >= 1.0:
        like = "When it came, there was nothing like it in the library."
    else:
        like = (
            f"When it came, its typical passage was {_percent(1 - novelty.median)} like the nearest one in the library,"
            f" its newest {_percent(1 - novelty.highest)}."
        )
    parts = [like, _claims_words(novelty)]
    if (count := novelty.contradicting_count) > 0:
        parts.append(f"{count:,} {'is' if count == 1 else 'are'} in dispute with other sources.")
    return " ".join(filter(None, parts))


def _claims_words(novelty: Novelty) -> str:
    count, new = novelty.claim_count, novelty.new_claim_count
    if not count:
        return ""
    if count == 1:
        return "Its one claim was new." if new else "Its one claim was known."
    return f"{new:,} of its {count:,} claims were new." if new else f"None of its {count:,} claims was new."


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
