"""The name of a file in an archive in, a path that is safe to show and to key by out; no file is touched.

Old zip programs wrote names in whatever code page their system had. Names are told apart by what they read as: UTF-8
where they are valid, Japanese where nearly all of it is kana and kanji, else the code page of DOS that zip names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

DEFAULT_PAGE: Final = "cp437"  # APPNOTE.TXT, appendix D
_ASIAN: Final = ("cp932", "cp949", "gb18030", "big5")
_WRITING: Final = {
    "cp932": re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uff66-\uff9d]{2,}"),
    "gb18030": re.compile(r"[\u4e00-\u9fff]{2,}"),
    "cp949": re.compile(r"[\uac00-\ud7a3]{2,}"),
    "big5": re.compile(r"[\u4e00-\u9fff]{2,}"),
}
# Of the letters beyond ASCII, in words of two or more: "Übung" read as Chinese has one such letter, beside Latin ones.
_WRITING_SHARE: Final = 0.7
_KANA: Final = re.compile(r"[\u3040-\u30ff]")
_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=[\\/])")
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
MAX_PATH_CHARS: Final = 1000


def clean_path(name: str) -> tuple[str, str]:
    """Return a path with ``/`` between its folders, and why it is not to be trusted, if so.

    Args:
        name: as the archive has it: perhaps with backslashes, a drive, dots, or characters that nobody sees.

    Returns:
        The path to show (never empty, never absolute, no control characters, at most 1,000 characters), and an empty
        string or the reason to leave the file out.
    """
    told = name.replace("\\", "/")
    drive = _DRIVE.match(told)
    parts = [part for part in told[2 if drive else 0 :].split("/") if part not in ("", ".")]
    shown = _CONTROLS.sub("\ufffd", "/".join(parts)).encode("utf-8", "replace").decode() or "(no name)"
    unsafe = ""
    if drive or told.startswith("/"):
        unsafe = "its name is absolute"
    elif ".." in parts:
        unsafe = "its name leads out of the archive"
    elif len(shown) > MAX_PATH_CHARS:
        unsafe = "its name is too long"
    return shown[:MAX_PATH_CHARS], unsafe


def commit_in(comment: str) -> str:
    """Return the commit that ``git archive`` wrote into the comment of an archive, or nothing."""
    return comment if _COMMIT.fullmatch(comment) else ""


def top_folder(names: Sequence[str]) -> str:
    """Return the one folder that all names lie in, with its slash, or nothing.

    Forges name it after the commit; the files of the next commit would be others if it counted.
    """
    first = names[0].partition("/")[0] if names else ""
    top = f"{first}/"
    return top if first and all(name == first or name.startswith(top) for name in names) else ""


def code_page_of(names: Sequence[bytes]) -> str:
    """Return the encoding of names whose archive does not tell it; all of one archive have the same."""
    telling = [name for name in names if not name.isascii()]
    if all(_reads(name, "utf-8") for name in telling):
        return "utf-8"
    found = [page for page in _ASIAN if _is_written_in(telling, page)]
    if not found:
        return DEFAULT_PAGE
    # Chinese code pages read nearly everything; Japanese names mostly hold kana, Korean ones only their own letters.
    japanese = "cp932" in found and any(_KANA.search(name.decode("cp932")) for name in telling)
    return "cp932" if japanese else next((page for page in found if page != "cp932"), found[0])


def decode_name(raw: bytes, page: str) -> str:
    """Return a name as text; what its code page cannot read becomes a question mark in a box."""
    return raw.decode(page, "replace")


def _reads(name: bytes, page: str) -> bool:
    try:
        name.decode(page)
    except UnicodeDecodeError:
        return False
    return True


def _is_written_in(names: Sequence[bytes], page: str) -> bool:
    if not all(_reads(name, page) for name in names):
        return False
    text = "\n".join(name.decode(page) for name in names)
    letters = sum(letter > "\x7f" for letter in text)
    return sum(map(len, _WRITING[page].findall(text))) >= max(2, _WRITING_SHARE * letters)
