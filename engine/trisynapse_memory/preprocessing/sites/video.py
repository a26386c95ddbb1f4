"""The address of a video in, what its page says of it and its captions out, as one file. No film is fetched.

yt-dlp knows the sites. It gets one way to the network, the door's; its own ones, its cache, its plug-ins and foreign
programs are turned off.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from msgspec import structs

from trisynapse_memory.contracts import AskSite, Outgoing, SiteReply
from trisynapse_memory.errors import (
    SourceDeniedError,
    SourceError,
    SourceMissingError,
    SourceUnsupportedError,
    TrisynapseError,
)
from trisynapse_memory.preprocessing.charsets import decode
from trisynapse_memory.preprocessing.web.videos import (
    BLOCKED,
    NO_CAPTIONS,
    Captions,
    Video,
    best_track,
    described,
    pack,
)

if TYPE_CHECKING:
    from yt_dlp.networking import Request

PURPOSE: Final = "fetch a source"
EXTRACTORS: Final = ("youtube", "vimeo", "ted.*", "dailymotion", "media.ccc.de", "peertube")
MAX_REQUESTS: Final = 40  # a page of YouTube takes 6; a site that leads on and on is not followed
CAPTIONS_MAX_BYTES: Final = 8_000_000  # ten hours of automatic captions have 5 MB
_BLOCKED: Final = re.compile(
    r"not a bot|sign in|log ?in|cookies|HTTP Error (?:401|403|429)|too many requests|rate.?limit|captcha|your country"
    r"|your location|geo.?restrict|age.?restrict|confirm your age|members.only|premium|purchase|subscri",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"unavailable|not available|private|removed|deleted|does not exist|no longer|terminated|HTTP Error (?:404|410)"
    r"|not (?:yet )?(?:started|premiered)|will begin|premieres in",
    re.IGNORECASE,
)
_ABOUT_FILMS: Final = re.compile(r"javascript runtime|po token|formats", re.IGNORECASE)


class VideoSite:
    """Reads pages of videos; it fulfils ``contracts.SiteReader``."""

    name = "video"

    def read(self, url: str, ask: AskSite) -> bytes:
        """Return a video as it is kept (``preprocessing/web/videos.py``). See ``contracts.SiteReader``.

        Raises:
            SourceMissingError: the video is unavailable.
            SourceDeniedError: the site does not show it to this machine: it is blocked.
            SourceUnsupportedError: that is a list of videos.
            SourceError: its page cannot be read.
            OfflineError: nothing may leave this machine.
        """
        asking = _Asking(ask)
        info = _look(url, asking)
        if info.get("entries") or info.get("_type", "video") not in ("video", None):
            raise SourceUnsupportedError("That is the address of a list of videos.", hint="Add the videos one by one.")
        return pack(_with_captions(described(info, url), info, asking))


class _Asking:
    """Counts the requests for one video, and remembers an error of ours that yt-dlp only repeats in its own words."""

    def __init__(self, ask: AskSite) -> None:
        self._ask = ask
        self._left = MAX_REQUESTS
        self.error: TrisynapseError | None = None

    def __call__(self, request: Outgoing) -> SiteReply:
        self._left -= 1
        try:
            if self._left < 0:
                raise SourceError(f"The page of the video asks for more than {MAX_REQUESTS} others.")
            return self._ask(request)
        except TrisynapseError as error:
            self.error = error
            raise


class _Ear:
    """Where yt-dlp says what it has to say; its words hold addresses, so nobody reads them but ``trouble_of``."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def debug(self, message: str) -> None: ...

    def info(self, message: str) -> None: ...

    def warning(self, message: str) -> None:
        self.warnings.append(message)

    def error(self, message: str) -> None: ...


def _look(url: str, asking: _Asking) -> Mapping[str, Any]:
    """Ask yt-dlp what the page of a video says.

    Raises:
        SourceError: as ``VideoSite.read``.
    """
    from yt_dlp.utils import YoutubeDLError

    ear = _Ear()
    settings: dict[str, Any] = {
        "quiet": True,
        "logger": ear,
        "cachedir": False,
        "noplaylist": True,
        "extract_flat": True,
        "skip_download": True,
        "ignore_no_formats_error": True,
        "allowed_extractors": list(EXTRACTORS),
        "js_runtimes": {},
        "ffmpeg_location": "/nonexistent",
        "writesubtitles": False,
    }
    host = urlsplit(url).hostname or "the site"
    try:
        found = _reader(settings, asking).extract_info(url, download=False)
    except YoutubeDLError as error:
        raise asking.error or trouble_of(str(error), host) from None
    except (TrisynapseError, RecursionError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        # What a site changed breaks its reader in any of these ways.
        raise asking.error or SourceError(f"The page of the video at '{host}' cannot be read now.", _LATER) from error
    if not isinstance(found, dict):
        raise SourceError(f"The page of the video at '{host}' cannot be read now.", _LATER)
    info = cast("dict[str, Any]", found)
    if not info.get("formats") and best_track(info) is None:
        _heed(ear.warnings, host)
    return info


def _heed(warnings: list[str], host: str) -> None:
    """Believe a warning that there is nothing to see; others are about ways to fetch a film, which nobody wants."""
    for words in warnings:
        of_site = words.startswith("[") and not _ABOUT_FILMS.search(words)
        if of_site and (_BLOCKED.search(words) or _GONE.search(words)):
            raise trouble_of(words, host)


_LATER: Final = "Try again later, or after the next release of the program."


def trouble_of(words: str, host: str) -> SourceError:
    """Return the error that yt-dlp's words mean: blocked, unavailable, or something else."""
    if _BLOCKED.search(words):
        return SourceDeniedError(
            f"'{host}' does not show this video to this machine now: it is blocked.",
            hint="Try again later, or save its captions in a browser and take that file in.",
        )
    if _GONE.search(words):
        return SourceMissingError(f"'{host}' says that this video is unavailable.", hint="Check it in a browser.")
    return SourceError(f"The page of the video at '{host}' cannot be read now.", hint=_LATER)


def _with_captions(video: Video, info: Mapping[str, Any], asking: _Asking) -> Video:
    """Fetch the captions that are worth most; without them the video stays, and says why."""
    track = best_track(info)
    if track is None:
        return structs.replace(video, trouble=NO_CAPTIONS)
    try:
        reply = asking(Outgoing(url=track.url, purpose=PURPOSE, method="GET"))
    except SourceError as error:
        return structs.replace(video, trouble=f"the captions could not be fetched: {error.problem}")
    # YouTube answers a machine that it blocks with an empty page.
    if reply.status != 200 or not reply.content.strip() or len(reply.content) > CAPTIONS_MAX_BYTES:
        return structs.replace(video, trouble=BLOCKED)
    text, _ = decode(reply.content, ("utf-8",))
    captions = Captions(language=track.language, text=text, is_automatic=track.is_automatic)
    return structs.replace(video, captions=captions)


def _reader(settings: dict[str, Any], asking: _Asking) -> Any:
    """Return yt-dlp with our door in the place of its own ways out."""
    import yt_dlp
    from yt_dlp.globals import plugin_dirs
    from yt_dlp.networking import RequestHandler, Response
    from yt_dlp.networking.exceptions import HTTPError, TransportError

    plugin_dirs.value = []

    class DoorRH(RequestHandler):
        """Sends what yt-dlp asks through the door."""

        _SUPPORTED_URL_SCHEMES = ("http", "https")
        _SUPPORTED_PROXY_SCHEMES = ()

        def _check_extensions(self, extensions: dict[str, Any]) -> None:
            extensions.clear()  # what it wishes beside the request (another browser's handshake) is not to be had

        def _send(self, request: Request) -> Any:
            own = cast("Any", self)
            cookies, headers = own._get_cookiejar(request), own._get_headers(request)
            try:
                reply = asking(_outgoing(request, headers, cookies.get_cookie_header(request.url)))
            except TrisynapseError as error:
                raise TransportError(error.problem) from None
            # The body came unpacked.
            told = {name: value for name, value in reply.headers.items() if name != "content-encoding"}
            answer = Response(io.BytesIO(reply.content), reply.url, told, reply.status)
            if not 200 <= reply.status < 300:
                raise HTTPError(answer)
            return answer

    class Reader(yt_dlp.YoutubeDL):
        def build_request_director(self, handlers: Any, preferences: Any = None) -> Any:
            return super().build_request_director(cast("Any", (DoorRH,)))

    return Reader(cast("Any", settings))


def _outgoing(request: Request, headers: Mapping[str, str], cookie: str | None) -> Outgoing:
    body: Any = request.data or b""
    return Outgoing(
        url=request.url,
        purpose=PURPOSE,
        method=request.method,
        headers={**headers, **({"Cookie": cookie} if cookie else {})},
        body=body if isinstance(body, bytes) else b"".join(body),
    )
