"""The text of a caption file in, its cues with their times out; nothing is merged, and no file is opened here."""

from __future__ import annotations

import html
import io
import re
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.errors import SourceDamagedError

# Markup that players draw and nobody says: position marks of SubStation, font and timing tags the library leaves.
_STYLING: Final = re.compile(r"\{\\[^}]{0,80}\}|</?[a-zA-Z][^<>]{0,200}>|<\d[\d:.]{3,14}>")
_TIMING: Final = re.compile(r"^[ \t]*\d[\d:.,]{3,14}[ \t]+-->[ \t]+\d[\d:.,]{3,14}")
_INVISIBLE: Final = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from ``start_s`` to ``end_s`` (seconds from the start of the recording), and who says it.

    ``text`` keeps the line breaks of the file; merged cues have none.
    """

    start_s: float
    end_s: float
    text: str
    speaker: str = ""


def read_cues(text: str, name: str, *, is_srt: bool = False) -> tuple[Cue, ...]:
    """Read a caption file, in the order of its times; cues without words are left out.

    Args:
        text: the whole file, decoded.
        name: what messages call it.
        is_srt: it is SubRip; otherwise WebVTT.

    Raises:
        SourceDamagedError: it is no caption file. One without cues is none that is damaged: it gives no cue.
    """
    # The library is light, but only caption files need it.
    import webvtt
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    buffer = io.StringIO(_separated(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), is_srt))
    try:
        found = webvtt.from_buffer(buffer, format="srt" if is_srt else "vtt")
    except (MalformedFileError, MalformedCaptionError, ValueError) as error:
        kind = "SubRip" if is_srt else "WebVTT"
        raise SourceDamagedError(
            f"'{name}' is no {kind} file that can be read.", hint="Download the captions again."
        ) from error
    cues = [
        Cue(one.start_time.in_milliseconds() / 1000, one.end_time.in_milliseconds() / 1000, words, (one.voice or ""))
        for one in found.captions
        if (words := _said(one.text))
    ]
    return tuple(sorted(cues, key=lambda cue: cue.start_s))


def _separated(text: str, is_srt: bool) -> str:
    """Put an empty line before each time line: many tools forget it, and a cue would swallow the next one."""
    separated: list[str] = []
    for line in text.split("\n"):
        if _TIMING.match(line):
            # The number of a SubRip cue belongs to the time that follows it, and the library asks for one.
            number = [separated.pop()] if separated and separated[-1].strip().isdecimal() else ["0"] * is_srt
            separated += ["", *number]
        separated.append(line)
    return "\n".join(separated).lstrip("\n")


def _said(text: str) -> str:
    """The words of a cue as a viewer reads them."""
    lines = html.unescape(_STYLING.sub("", text)).replace("\xa0", " ").split("\n")
    kept = (" ".join(_INVISIBLE.sub("", line).split()) for line in lines)
    return "\n".join(line for line in kept if line)
