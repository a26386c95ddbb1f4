"""The first bytes of a file in, what kind of recording it is out; nothing is decoded here.

The kind is handed to the decoder, which would otherwise guess anew: a playlist that is named like a song could then
make it open other files.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, NamedTuple

BY_CONTENT, LIKELY = 1.0, 0.8


class Sketch(NamedTuple):
    """What a file seems to be: the name its container has for the decoder, its media type, how sure that is."""

    container: str
    media_type: str
    sureness: float = BY_CONTENT


_FILM_SUFFIXES: Final = frozenset({".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".wmv", ".ogv", ".3gp"})
_SIGNS: Final = (
    (b"fLaC", Sketch("flac", "audio/flac")),
    (b"OggS", Sketch("ogg", "audio/ogg")),
    (b"caff", Sketch("caf", "audio/x-caf")),
    (b"#!AMR", Sketch("amr", "audio/amr")),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", Sketch("asf", "audio/x-ms-wma")),
)
_FORMS: Final = {  # a container that says in bytes 8 to 12 what it holds
    (b"RIFF", b"WAVE"): Sketch("wav", "audio/wav"),
    (b"RF64", b"WAVE"): Sketch("wav", "audio/wav"),
    (b"RIFF", b"AVI "): Sketch("avi", "video/x-msvideo"),
    (b"FORM", b"AIFF"): Sketch("aiff", "audio/aiff"),
    (b"FORM", b"AIFC"): Sketch("aiff", "audio/aiff"),
}
_PICTURES: Final = (b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1", b"jxl ", b"crx ")
_OLD_QUICKTIME: Final = (b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
_QUICKTIME_SUFFIXES: Final = frozenset({".mov", ".mp4", ".m4a", ".m4v", ".m4b", ".qt"})
_MATROSKA: Final = b"\x1a\x45\xdf\xa3"
_MPEG_SUFFIXES: Final = frozenset({".mp3", ".mp2", ".mpga"})


def sketch_of(head: bytes, filename: str) -> Sketch | None:
    """Say what kind of recording a file is, or that it is none.

    Args:
        head: its first bytes; 64 are enough.
        filename: its name, which decides only where the bytes leave it open.
    """
    suffix = PurePath(filename).suffix.lower()
    found = _by_sign(head) or _by_box(head, suffix) or _matroska(head, suffix) or _mpeg(head, suffix)
    if found is None or not found.media_type.startswith("audio/") or suffix not in _FILM_SUFFIXES:
        return found
    return found._replace(media_type=found.media_type.replace("audio/", "video/", 1))


def _by_sign(head: bytes) -> Sketch | None:
    form = _FORMS.get((head[:4], head[8:12]))
    return form or next((sketch for sign, sketch in _SIGNS if head.startswith(sign)), None)


def _by_box(head: bytes, suffix: str) -> Sketch | None:
    """MP4 and QuickTime are boxes; a picture in the same boxes says so in its brand."""
    box, brand = head[4:8], head[8:12]
    if box == b"ftyp" and brand not in _PICTURES:
        if brand == b"qt  ":
            return Sketch("mov", "video/quicktime")
        return Sketch("mov", "audio/mp4")
    if box in _OLD_QUICKTIME and suffix in _QUICKTIME_SUFFIXES:
        return Sketch("mov", "video/quicktime", LIKELY)
    return None


def _matroska(head: bytes, suffix: str) -> Sketch | None:
    if not head.startswith(_MATROSKA):
        return None
    kind = "webm" if b"webm" in head[:64] else "x-matroska"
    return Sketch("matroska", f"{'audio' if suffix in ('.mka', '.weba') else 'video'}/{kind}")


def _mpeg(head: bytes, suffix: str) -> Sketch | None:
    """MP3 and raw AAC have two telling bytes at most, so a name has to agree, or a tag to stand before them."""
    if head.startswith(b"ID3") and len(head) > 10:
        return Sketch("aac", "audio/aac") if suffix == ".aac" else Sketch("mp3", "audio/mpeg")
    if len(head) < 4 or head[0] != 0xFF:
        return None
    if head[1] & 0xF6 == 0xF0 and suffix in (".aac", ".adts"):
        return Sketch("aac", "audio/aac", LIKELY)
    is_frame = head[1] & 0xE0 == 0xE0 and head[1] & 0x06 and head[2] & 0xF0 != 0xF0 and head[2] & 0x0C != 0x0C
    return Sketch("mp3", "audio/mpeg", LIKELY) if is_frame and suffix in _MPEG_SUFFIXES else None
