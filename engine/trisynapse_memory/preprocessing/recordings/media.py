"""A recording's file in, what its container says out: length, tags, chapters, captions. No sound is decoded here.

The containers are read by PyAV (FFmpeg), of the extra ``speech``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.captions.cues import Cue
from trisynapse_memory.preprocessing.captions.merging import merged
from trisynapse_memory.preprocessing.captions.passages import Chapter

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.subtitles.stream import SubtitleStream

PACKAGE: Final = "av"
LONGEST_S: Final = 24 * 3600.0  # a day; a header that says more is not believed, and nobody cites an hour of it
_AGAIN: Final = "Copy or download it again."
_MICROSECONDS: Final = 1_000_000
_ARTISTS: Final = ("artist", "album_artist", "author", "performer", "composer")
_DATES: Final = ("date", "year", "originaldate", "creation_time")
_DATE: Final = re.compile(r"(?:18|19|20)\d\d(?:-\d\d(?:-\d\d)?)?(?!\d)")
_TAG_CHARS: Final = 300
_DIALOGUE_COMMAS: Final = 8  # fields of a line of SubStation as FFmpeg hands it out, before its words
_OVERRIDES: Final = re.compile(r"\{[^}]{0,200}\}")


class Survey(Struct, frozen=True, kw_only=True):
    """What a container says of its recording; ``length_s`` is 0 where it holds no sound."""

    length_s: float = 0.0
    has_sound: bool = False
    has_film: bool = False
    title: str = ""
    artist: str = ""
    published: str = ""
    language: str = ""
    chapters: tuple[Chapter, ...] = ()
    captions: tuple[Cue, ...] = ()


def can_look() -> bool:
    """Tell whether the package that opens recordings is installed."""
    return find_spec(PACKAGE) is not None


@contextlib.contextmanager
def opened(path: Path, container: str, name: str) -> Generator[InputContainer]:
    """Open a recording for reading.

    Args:
        path: the file.
        container: what ``sketches`` says it is; nothing else is tried.
        name: what messages call it.

    Raises:
        SourceDamagedError: it cannot be read as one; also where reading it on breaks off.
    """
    # Only recordings pay for FFmpeg.
    import av
    from av.error import FFmpegError

    try:
        # A container may name other files and addresses to go on with; only this one is opened.
        with av.open(str(path), format=container, options={"protocol_whitelist": "file"}) as media:
            yield media
    except (FFmpegError, ValueError, OSError) as error:
        raise SourceDamagedError(f"'{name}' cannot be read as a recording.", hint=_AGAIN) from error


def survey(path: Path, container: str, name: str) -> Survey:
    """Look a recording over, without decoding it.

    Raises:
        SourceDamagedError: it cannot be read as one.
        SourceTooLargeError: it lasts more than a day.
    """
    with opened(path, container, name) as media:
        sound = sound_of(media)
        told = {**(sound.metadata if sound else {}), **media.metadata}
        tags = {key.lower(): str(value) for key, value in told.items()}
        return Survey(
            length_s=_length_s(media, sound, name) if sound else 0.0,
            has_sound=sound is not None,
            has_film=bool(media.streams.video),
            title=_tag(tags, ("title",)),
            artist=_tag(tags, _ARTISTS),
            published=_published(tags),
            language=_language(sound),
            chapters=tuple(_chapters(media)),
            captions=merged(sorted(_captions(media), key=lambda cue: cue.start_s)),
        )


def sound_of(media: InputContainer) -> AudioStream | None:
    """Return the stream of sound that a player would play, if there is any."""
    streams = media.streams.audio
    best = media.streams.best("audio")
    return next((one for one in streams if best is not None and one.index == best.index), next(iter(streams), None))


def start_of(media: InputContainer) -> float:
    """Return where the clock of a recording starts (seconds): players count from there."""
    return (media.start_time or 0) / _MICROSECONDS


def _length_s(media: InputContainer, sound: AudioStream, name: str) -> float:
    """As it is stated; counted where nothing is stated (films that a browser recorded) or nothing likely."""
    stated = (media.duration or 0) / _MICROSECONDS
    if not 0 < stated <= LONGEST_S:
        stated = _counted_s(media, sound)
    if stated > LONGEST_S:
        raise SourceTooLargeError(f"'{name}' lasts more than a day.", hint="Cut it into parts.")
    return stated


def _counted_s(media: InputContainer, sound: AudioStream) -> float:
    from av.error import FFmpegError

    end = 0.0
    with contextlib.suppress(FFmpegError):  # what is broken off ends where it breaks
        for packet in media.demux(sound):
            if packet.pts is not None:
                end = max(end, float((packet.pts + (packet.duration or 0)) * packet.time_base))
        media.seek(0)
    return max(0.0, end - start_of(media))


def _tag(tags: Mapping[str, str], names: tuple[str, ...]) -> str:
    found = (" ".join(tags.get(name, "").replace("\0", " ").split()) for name in names)
    return next((words[:_TAG_CHARS] for words in found if words), "")


def _published(tags: Mapping[str, str]) -> str:
    """The day, month or year it is from, as ISO 8601 writes it."""
    match = _DATE.match(_tag(tags, _DATES))
    return match[0] if match else ""


def _language(sound: AudioStream | None) -> str:
    named = "" if sound is None else str(sound.metadata.get("language", ""))
    return "" if named == "und" else named


def _chapters(media: InputContainer) -> Iterator[Chapter]:
    for chapter in media.chapters():
        title = " ".join(str(chapter["metadata"].get("title", "")).split())[:_TAG_CHARS]
        if title and chapter["time_base"] is not None:
            yield Chapter(float(chapter["start"] * chapter["time_base"]), title)


def _captions(media: InputContainer) -> Iterator[Cue]:
    """The first text track of captions; tracks of pictures hold no words."""
    from av.error import FFmpegError

    track = next(iter(media.streams.subtitles), None)
    if track is None:
        return
    with contextlib.suppress(FFmpegError):
        for packet in media.demux(track):
            if packet.pts is None or not packet.size:
                continue
            start_s = float(packet.pts * packet.time_base) - start_of(media)
            words = _words_of(track, packet)
            if words:
                yield Cue(max(0.0, start_s), start_s + float((packet.duration or 0) * packet.time_base), words)
    media.seek(0)


def _words_of(track: SubtitleStream, packet: object) -> str:
    # The library types its packets by codecs that it has no names for.
    decode = cast("Callable[[object], Iterable[object] | None]", getattr(track.codec_context, "decode2"))  # noqa: B009
    lines: list[str] = []
    for one in decode(packet) or ():
        raw: object = getattr(one, "ass", b"")
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
        said = text.split(",", _DIALOGUE_COMMAS)[-1]
        lines.append(_OVERRIDES.sub("", said).replace("\\N", "\n").replace("\\h", " ").strip())
    return "\n".join(line for line in lines if line)
