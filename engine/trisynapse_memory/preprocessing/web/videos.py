"""The page of a video in: whether it is one, and what is kept of it as one JSON text. Nothing is fetched here.

Kept is what stays the same when the page is fetched again: no counters, no addresses that expire. So a video that has
not changed is the same original.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

SIGN: Final = b'{"trisynapse_video":'
VERSION: Final = 1
NO_CAPTIONS: Final = "the video has no captions"
BLOCKED: Final = "the captions are there, but the site does not hand them out to this machine now"
DESCRIPTION_MAX_CHARS: Final = 50_000
_PAGES: Final[Mapping[str, re.Pattern[str]]] = {
    "youtube.com": re.compile(r"/(?:watch|shorts/[\w-]+|live/[\w-]+|embed/[\w-]+|v/[\w-]+)/?$"),
    "youtu.be": re.compile(r"/[\w-]{6,20}/?$"),
    "youtube-nocookie.com": re.compile(r"/embed/[\w-]+/?$"),
    "vimeo.com": re.compile(r"/(?:\d+|video/\d+|channels/[\w-]+/\d+)(?:/\w+)?/?$"),
    "ted.com": re.compile(r"/talks/[\w-]+/?$"),
    "dailymotion.com": re.compile(r"/video/\w+/?$"),
    "dai.ly": re.compile(r"/\w+/?$"),
    "media.ccc.de": re.compile(r"/v/[^/]+/?$"),
    "peertube.tv": re.compile(r"/(?:w|videos/watch)/[\w-]+/?$"),
}


class Chapter(Struct, frozen=True, kw_only=True):
    """A chapter as its page names it, from ``start_s`` on (seconds)."""

    start_s: float
    title: str


class Captions(Struct, frozen=True, kw_only=True):
    """One caption track, as WebVTT; ``is_automatic`` where a machine heard it."""

    language: str
    text: str
    is_automatic: bool = False


class Video(Struct, frozen=True, kw_only=True):
    """A video as it is kept; ``trouble`` says why there are no captions. ``published`` is an ISO date or empty."""

    trisynapse_video: int = VERSION
    url: str
    site: str = ""
    video_id: str = ""
    title: str = ""
    channel: str = ""
    published: str = ""
    duration_s: float = 0.0
    language: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    captions: Captions | None = None
    trouble: str = ""


class Track(Struct, frozen=True, kw_only=True):
    """Where the captions of one language lie."""

    language: str
    url: str
    is_automatic: bool


def is_video(url: str) -> bool:
    """Tell whether an address is that of a video on a site whose captions can be had."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    host = re.sub(r"^(?:www|m|music|player)\.", "", (parts.hostname or "").lower())
    pattern = _PAGES.get(host)
    return pattern is not None and pattern.match(parts.path) is not None


def file_stem(url: str) -> str:
    """Return what the file of a video is called: the last word of its address that names it."""
    parts = urlsplit(url)
    words = re.findall(r"[\w-]{3,60}", f"{parts.path}/{parts.query}")
    return words[-1] if words else "video"


def pack(video: Video) -> bytes:
    """Write a video as the JSON text that is stored."""
    return msgspec.json.encode(video)


def unpack(content: bytes) -> Video:
    """Read what ``pack`` wrote.

    Raises:
        ValueError: it is something else.
    """
    return msgspec.json.decode(content, type=Video)


def described(info: Mapping[str, Any], url: str) -> Video:
    """Return what is kept of what yt-dlp says of a video; captions are added by who fetched them."""
    day = str(info.get("release_date") or info.get("upload_date") or "")
    chapters = [
        Chapter(start_s=float(one.get("start_time") or 0.0), title=str(one.get("title") or ""))
        for one in _rows(info.get("chapters"))
    ]
    return Video(
        url=str(info.get("webpage_url") or url),
        site=str(info.get("extractor_key") or info.get("extractor") or ""),
        video_id=str(info.get("id") or ""),
        title=" ".join(str(info.get("title") or "").split()),
        channel=str(info.get("channel") or info.get("uploader") or info.get("creator") or ""),
        published=f"{day[:4]}-{day[4:6]}-{day[6:8]}" if re.fullmatch(r"\d{8}", day) else "",
        duration_s=float(info.get("duration") or 0.0),
        language=str(info.get("language") or ""),
        description=str(info.get("description") or "")[:DESCRIPTION_MAX_CHARS],
        tags=tuple(str(tag) for tag in cast("Sequence[Any]", info.get("tags") or ())[:50]),
        chapters=tuple(one for one in chapters if one.title)[:1000],
    )


def best_track(info: Mapping[str, Any]) -> Track | None:
    """Choose the captions to keep: written by people before heard by a machine, in the language of the video first."""
    spoken = str(info.get("language") or "").partition("-")[0]
    written = _tracks(info.get("subtitles"), is_automatic=False)
    heard = _tracks(info.get("automatic_captions"), is_automatic=True)

    def rank(track: Track) -> tuple[bool, bool, bool, bool, str]:
        language = track.language.lower()
        original = language.endswith("-orig")
        same = bool(spoken) and language.partition("-")[0] == spoken
        return (
            track.is_automatic,
            not original and track.is_automatic,
            not same,
            not language.startswith("en"),
            language,
        )

    return min((*written, *heard), key=rank, default=None)


def _tracks(languages: Any, *, is_automatic: bool) -> list[Track]:
    """The WebVTT file of each language; chats and pictures of a track are none."""
    found: list[Track] = []
    for language, formats in cast("Mapping[str, Any]", languages or {}).items():
        urls = [str(one.get("url")) for one in _rows(formats) if one.get("ext") == "vtt" and one.get("url")]
        if urls and language != "live_chat":
            found.append(Track(language=language, url=urls[-1], is_automatic=is_automatic))
    return found


def _rows(value: Any) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", one) for one in cast("list[Any]", value or []) if isinstance(one, dict)]
