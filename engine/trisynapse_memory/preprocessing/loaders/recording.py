"""A sound or film file in, its length, tags and chapters out, and a page for each minute, which a transcriber hears.

There is no text in a recording: its verdict is ``audio-only`` until somebody (``pipelines/transcription.py``) has
written down what is said. A film that brings captions along has its words already.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.contracts import Sound
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.recordings.media import Survey, can_look, survey
from trisynapse_memory.preprocessing.recordings.sketches import Sketch, sketch_of
from trisynapse_memory.preprocessing.recordings.sound import STRETCH_S, border_s, decode, stretch_count
from trisynapse_memory.preprocessing.recordings.transcripts import MEASURED, UNMEASURED, label_of, passages_of
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

_HEAD_BYTES: Final = 4096
_WAITS: Final = "a recording: what is said in it is written down once there is a transcriber (settings, under Models)"
_NOT_INSTALLED: Final = "No transcriber is installed: pip install 'trisynapse-desktop[speech]'"
_SILENT: Final = "there is no sound in it"


class RecordingLoader:
    """Reads MP3, M4A, WAV, Ogg, Opus, FLAC, AAC, AIFF and WMA, and the sound of MP4, MOV, MKV, WebM and AVI."""

    name = "recording"
    version = 1
    modality = Modality.CONVERSATION.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1.0 for a recording that shows itself, 0.8 where its name has to help."""
        sketch = sketch_of(head, filename)
        return sketch.sureness if sketch else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> RecordingDocument:
        """Open a recording; it has no password. Without the extra ``speech`` it is one page that nobody looked into.

        Raises:
            SourceDamagedError: it cannot be read as a recording.
            SourceTooLargeError: it lasts more than a day.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        head = read_original(path, name, again="Copy or download it again.", first_bytes=_HEAD_BYTES)
        sketch = sketch_of(head, name)
        if sketch is None:
            raise SourceDamagedError(f"'{name}' is no recording that can be read.", hint="Copy or download it again.")
        found = survey(path, sketch.container, name) if can_look() else None
        return RecordingDocument(path, name, sketch, found)


class RecordingDocument:
    """A recording that is looked over; a page is a stretch of about a minute.

    Args:
        path: the file; it is opened anew for each stretch that is listened to.
        name: what messages call it.
        sketch: what it is.
        found: what its container says; None where nothing here can read that.
    """

    def __init__(self, path: Path, name: str, sketch: Sketch, found: Survey | None) -> None:
        self._path = path
        self._name = name
        self._sketch = sketch
        self._measured = found is not None
        self._found = found or Survey()
        self._count = stretch_count(self._found.length_s)
        self.heading = Heading(
            page_count=self._count,
            title=self._found.title,
            authors=(self._found.artist,) if self._found.artist else (),
            published=self._found.published,
            language=self._found.language,
            media_type=sketch.media_type,
            method="captions" if self._found.captions else MEASURED,
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield page ``start`` and the following ones: with the captions of that minute, or waiting to be heard."""
        for number in range(max(1, start), self._count + 1):
            yield self._captioned(number) if self._found.captions else (self._waiting(number), ())

    def listen(self, number: int) -> Sound:
        """Return the sound of page ``number`` (from 1), from the pause before it to the one at its end.

        Raises:
            SourceDamagedError: there is no such page, or it cannot be decoded.
        """
        if not 1 <= number <= self._count or not self._measured:
            raise SourceDamagedError(f"'{self._name}' has no minute {number} that can be heard.")
        length_s, container = self._found.length_s, self._sketch.container
        start_s, end_s = (border_s(self._path, container, one, length_s, self._name) for one in (number - 1, number))
        samples, decoded_s = decode(self._path, container, (start_s, end_s), self._name)
        chapters = tuple((chapter.start_s, chapter.title) for chapter in self._found.chapters)
        return Sound(start_s, end_s, samples, decoded_s, chapters)

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a recording contains no other sources."""
        yield from ()

    def close(self) -> None:
        """Do nothing: no file is held open."""

    def _waiting(self, number: int) -> Page:
        if not self._measured:
            return Page(number=1, text="", verdict=PageVerdict.AUDIO_ONLY, method=UNMEASURED, note=_NOT_INSTALLED)
        if not self._found.length_s:
            return Page(number=1, text="", verdict=PageVerdict.EMPTY, method=MEASURED, note=_SILENT)
        return Page(
            number=number,
            text="",
            verdict=PageVerdict.AUDIO_ONLY,
            label=label_of(*self._span(number)),
            method=MEASURED,
            note=_WAITS,
        )

    def _captioned(self, number: int) -> tuple[Page, tuple[Section, ...]]:
        """The captions that begin in a minute; some minutes have none."""
        start_s, end_s = self._span(number)
        last = number == self._count
        cues = [cue for cue in self._found.captions if start_s <= cue.start_s and (last or cue.start_s < end_s)]
        text, sections = passages_of(cues, self._found.chapters, start_s)
        page = Page(
            number=number,
            text=text,
            verdict=PageVerdict.OK if text else PageVerdict.EMPTY,
            label=label_of(start_s, end_s),
            method="captions",
            note="" if text else "no captions here",
        )
        return page, sections

    def _span(self, number: int) -> tuple[float, float]:
        """From when to when a stretch goes, but for the pauses, which are looked for when it is heard."""
        return (number - 1) * STRETCH_S, self._found.length_s if number == self._count else number * STRETCH_S
