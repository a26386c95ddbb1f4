"""A kept video in, what is said in it with times, under its chapters, out. Nothing is fetched, and no film is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.blocks import Block, compose
from trisynapse_memory.preprocessing.captions.cues import Cue, read_cues
from trisynapse_memory.preprocessing.captions.merging import merged
from trisynapse_memory.preprocessing.captions.passages import Chapter, Stretch, stretches
from trisynapse_memory.preprocessing.moments import from_iso
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.preprocessing.web.videos import NO_CAPTIONS, SIGN, Video, unpack
from trisynapse_memory.types import Heading, Listing, Modality, Page, PageVerdict, Section

DESCRIPTION: Final = "Description"
UNREADABLE: Final = "the captions of the video cannot be read"


class VideoLoader:
    """Reads videos as ``preprocessing/web/videos.py`` keeps them."""

    name = "video"
    version = 1
    modality = Modality.DOCUMENT.value
    container = False

    def suits(self, head: bytes, filename: str) -> float:
        """Say how sure this loader is: 1.0 for what was kept as a video, else 0."""
        return 1.0 if head.startswith(SIGN) else 0.0

    def open(self, path: Path, password: str | None = None, *, filename: str = "") -> VideoDocument:
        """Open a kept video; it has no password.

        Raises:
            SourceDamagedError: it is none.
            SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
        """
        name = filename or path.name
        raw = read_original(path, name, again="Add its address again.")
        try:
            video = unpack(raw)
        except ValueError as error:
            raise SourceDamagedError(f"'{name}' is no video as it was kept.", hint="Add its address again.") from error
        return VideoDocument(video, name)


class VideoDocument:
    """A video that is open: its description, then what is said in it."""

    def __init__(self, video: Video, name: str) -> None:
        self._observed_at = from_iso(video.published)
        cues, self._note = _said(video, name)
        self._pages = _pages(video, cues)
        self.heading = Heading(
            page_count=len(self._pages),
            title=video.title,
            authors=(video.channel,) if video.channel else (),
            published=video.published,
            language=(video.captions.language if video.captions else video.language).removesuffix("-orig"),
            media_type="application/json",
            method=_method(video),
            identifiers={"url": video.url},
        )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield the pages: some 64 KiB of words each, labelled by the times they cover."""
        for number, stretch in enumerate(self._pages[start - 1 :], start):
            text, sections = compose(list(stretch.blocks), self._observed_at)
            page = Page(
                number=number,
                text=text,
                label=stretch.label,
                verdict=PageVerdict.OK if text else PageVerdict.EMPTY,
                method=DESCRIPTION.lower() if stretch.label == DESCRIPTION else self.heading.method,
                note=self._note if number == 1 else "",
            )
            yield page, sections

    def members(self) -> Iterator[Listing]:
        """Yield nothing: a video holds no other sources."""
        yield from ()

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def _said(video: Video, name: str) -> tuple[tuple[Cue, ...], str]:
    """What is said, each word once, and why nothing is."""
    if video.captions is None:
        return (), video.trouble
    try:
        cues = merged(read_cues(video.captions.text, name))
    except SourceDamagedError:
        return (), UNREADABLE
    return cues, "" if cues else NO_CAPTIONS


def _pages(video: Video, cues: tuple[Cue, ...]) -> list[Stretch]:
    chapters = [Chapter(one.start_s, one.title) for one in video.chapters]
    said = stretches(cues, chapters)
    described = _description(video)
    pages = [*described, *said]
    return pages or [Stretch("", ())]


def _description(video: Video) -> list[Stretch]:
    paragraphs = [part.strip() for part in video.description.replace("\r\n", "\n").split("\n\n") if part.strip()]
    if not paragraphs:
        return []
    return [Stretch(DESCRIPTION, (Block(DESCRIPTION, "heading", level=1), *(Block(part) for part in paragraphs)))]


def _method(video: Video) -> str:
    if video.captions is None:
        return "description"
    return "automatic captions" if video.captions.is_automatic else "captions"
