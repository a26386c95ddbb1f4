"""Caption files in (WebVTT, SubRip, SubViewer), passages with their times and speakers out; rolling lines once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.preprocessing.blocks import compose
from trisynapse_memory.preprocessing.captions.cues import read_cues
from trisynapse_memory.preprocessing.captions.merging import merged
from trisynapse_memory.preprocessing.captions.passages import Stretch, stretches
from trisynapse_memory.preprocessing.charsets import Reading, decode, looks_binary
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

NO_CUES: Final = "no captions in it"
NAMED, BY_CONTENT = 0.6, 0.9
_WEBVTT: Final = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)")
_SRT: Final = re.compile(rb"\s*\d+\s*\r?\n\d\d:\d\d:\d\d,\d{3}\s+-->")
_SBV_TIMES: Final = re.compile(r"^(\d+):(\d\d):(\d\d)\.(\d{3}),(\d+):(\d\d):(\d\d)\.(\d{3})[ \t]*$", re.MULTILINE)
_VTT_LANGUAGE: Final = re.compile(r"^Language:[ \t]*([\w-]{2,35})", re.MULTILINE)
_MEDIA_TYPES: Final = {".vtt": "text/vtt", ".srt": "application/x-subrip", ".sbv": "text/x-subviewer"}


class SubtitlesLoader:
    """Reads captions of recordings."""

    name = "subtitles"
    version = 1
    modality = Modality.CONVERSATION.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 0.9 for captions that show themselves, 0.6 for their name."""
        if not head or looks_binary(head):
            return 0.0
        if _WEBVTT.match(head) or _SRT.match(head.removeprefix(b"\xef\xbb\xbf")):
            return BY_CONTENT
        return NAMED if PurePath(filename).suffix.lower() in _MEDIA_TYPES else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> SubtitlesDocument:
        """Open a caption file; it has no password.

        Args:
            path: the file.
            password: not used.
            filename: the name it came under, where that is not the name of ``path``.

        Raises:
            SourceDamagedError: it is no caption file.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Download the captions again.")
        text, reading = decode(raw)
        text = text.replace("\0", "\ufffd")
        suffix = PurePath(name).suffix.lower()
        kind = ".vtt" if _WEBVTT.match(raw) else suffix if suffix in _MEDIA_TYPES else ".srt"
        words = _SBV_TIMES.sub(_as_srt, text) if kind == ".sbv" else text
        cues = merged(read_cues(words, name, is_srt=kind != ".vtt"))
        language = _VTT_LANGUAGE.search(text[:2000]) if kind == ".vtt" else None
        return SubtitlesDocument(stretches(cues), reading, _MEDIA_TYPES[kind], language[1] if language else "")


class SubtitlesDocument:
    """A caption file that is open: what is said, in passages of about half a minute."""

    def __init__(self, pages: tuple[Stretch, ...], reading: Reading, media_type: str, language: str) -> None:
        self._pages = pages
        self._reading = reading
        self.heading = Heading(
            page_count=max(1, len(pages)), language=language, media_type=media_type, method="captions"
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones; a section is a passage."""
        if not self._pages and start <= 1:
            yield Page(number=1, text="", verdict=PageVerdict.EMPTY, method="captions", note=NO_CUES), ()
        flags = ("charset-doubtful",) if self._reading.doubtful else ()
        note = f"read as {self._reading.encoding}; some letters may be wrong" if flags else ""
        for number in range(max(1, start), len(self._pages) + 1):
            stretch = self._pages[number - 1]
            text, sections = compose(list(stretch.blocks))
            yield (
                Page(
                    number=number,
                    text=text,
                    verdict=PageVerdict.OK,
                    label=stretch.label,
                    flags=flags,
                    method="captions",
                    note=note,
                ),
                sections,
            )

    def members(self) -> Iterator[Listing]:
        """Yield nothing: captions contain no other sources."""
        yield from ()

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def _as_srt(match: re.Match[str]) -> str:
    """A time line of SubViewer, in the words of SubRip."""
    begin_h, begin_m, begin_s, begin_ms, end_h, end_m, end_s, end_ms = match.groups()
    return f"{int(begin_h):02}:{begin_m}:{begin_s},{begin_ms} --> {int(end_h):02}:{end_m}:{end_s},{end_ms}"
