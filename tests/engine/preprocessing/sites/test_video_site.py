"""Pages of videos, read by the real yt-dlp through a door that answers like a site; no socket is opened."""

from __future__ import annotations

import json
import socket

import pytest

from trisynapse_memory.contracts import SiteReader
from trisynapse_memory.errors import (
    OfflineError,
    SourceDeniedError,
    SourceError,
    SourceMissingError,
    SourceTimedOutError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.sites.video import MAX_REQUESTS, VideoSite, trouble_of
from trisynapse_memory.preprocessing.web.videos import (
    BLOCKED,
    NO_CAPTIONS,
    Captions,
    Chapter,
    best_track,
    is_video,
    unpack,
)
from trisynapse_memory.providers.egress import Reply

URL = "https://www.youtube.com/watch?v=abcdefghijk"
VTT = b"WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nthe mirror turns\n"
TRACK = {
    "baseUrl": "https://www.youtube.com/api/timedtext?v=abcdefghijk&lang=en",
    "name": {"simpleText": "English"},
    "languageCode": "en",
    "kind": "asr",
    "vssId": "a.en",
}


def player(status="OK", reason="", tracks=(TRACK,)):
    captions = {
        "captionTracks": list(tracks),
        "audioTracks": [{"captionTrackIndices": [0]}],
        "translationLanguages": [],
    }
    return {
        "playabilityStatus": {"status": status, "reason": reason},
        "videoDetails": {
            "videoId": "abcdefghijk",
            "title": "The mirror",
            "lengthSeconds": "30",
            "channelId": "UCx",
            "shortDescription": "0:00 Start\n0:10 Middle\n0:20 End",
            "author": "Leon",
            "viewCount": "5",
            "isLiveContent": False,
        },
        "captions": {"playerCaptionsTracklistRenderer": captions} if tracks else {},
        "microformat": {"playerMicroformatRenderer": {"uploadDate": "2024-01-02T00:00:00Z"}},
    }


class Site:
    """Answers like YouTube; ``captions`` is what it says of the captions."""

    def __init__(self, said=None, captions=(200, VTT)):
        self.said = said or player()
        self.captions = captions
        self.asked = []

    def __call__(self, request):
        url = request.url
        self.asked.append((request.method, url.partition("?")[0]))
        if "timedtext" in url:
            return Reply(url, self.captions[0], {"content-type": "text/vtt"}, self.captions[1])
        if "youtubei/v1/player" in url:
            return self._json(url, self.said)
        if "youtubei/v1/next" in url:
            return self._json(url, {"contents": {"twoColumnWatchNextResults": {}}, "playerOverlays": {}})
        if "/watch" in url:
            script = f"var ytInitialPlayerResponse = {json.dumps(self.said)};"
            page = f"<html><script>{script}</script><script>var ytInitialData = {{}};</script></html>"
            return Reply(url, 200, {"content-type": "text/html"}, page.encode())
        return Reply(url, 404, {}, b"no")

    def _json(self, url, body):
        return Reply(url, 200, {"content-type": "application/json"}, json.dumps(body).encode())


@pytest.fixture(autouse=True)
def _no_sockets(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a way past the door was taken")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_it_reads_sites_as_the_contract_says():
    assert isinstance(VideoSite(), SiteReader)


def test_a_video_comes_with_its_chapters_and_captions_and_all_through_the_door():
    site = Site()
    video = unpack(VideoSite().read(URL, site))
    assert (video.title, video.published, video.duration_s, video.url) == ("The mirror", "2024-01-02", 30.0, URL)
    assert video.chapters == (
        Chapter(start_s=0.0, title="Start"),
        Chapter(start_s=10.0, title="Middle"),
        Chapter(start_s=20.0, title="End"),
    )
    assert video.captions == Captions(language="en", text=VTT.decode(), is_automatic=True)
    assert video.trouble == ""
    assert ("GET", "https://www.youtube.com/api/timedtext") in site.asked
    assert {method for method, _ in site.asked} == {"GET", "POST"}


def test_reading_it_again_gives_the_same_bytes():
    assert VideoSite().read(URL, Site()) == VideoSite().read(URL, Site())


def test_a_video_without_captions_says_so():
    video = unpack(VideoSite().read(URL, Site(player(tracks=()))))
    assert (video.captions, video.trouble) == (None, NO_CAPTIONS)


@pytest.mark.parametrize("captions", [(429, b"Too many"), (200, b""), (200, b"\n")])
def test_captions_that_are_not_handed_out_are_blocked_and_the_video_stays(captions):
    video = unpack(VideoSite().read(URL, Site(captions=captions)))
    assert (video.title, video.captions, video.trouble) == ("The mirror", None, BLOCKED)


def test_a_machine_that_is_blocked_is_told_so():
    said = player("LOGIN_REQUIRED", "Sign in to confirm you\u2019re not a bot", tracks=())
    with pytest.raises(SourceDeniedError, match="blocked"):
        VideoSite().read(URL, Site(said))


def test_a_video_that_is_gone_is_unavailable():
    said = {"playabilityStatus": {"status": "ERROR", "reason": "Video unavailable"}}
    with pytest.raises(SourceMissingError, match="unavailable"):
        VideoSite().read(URL, Site(said))


@pytest.mark.parametrize("error", [OfflineError("offline is on."), SourceTimedOutError("too slow.")])
def test_an_error_of_the_door_stays_what_it_is(error):
    def refuse(request):
        raise error

    with pytest.raises(type(error)):
        VideoSite().read(URL, refuse)


def test_a_site_that_leads_on_and_on_is_left():
    asked = []

    def endless(request):
        asked.append(request.url)
        return Reply(request.url, 500, {}, b"oops")

    with pytest.raises(SourceError):
        VideoSite().read(URL, endless)
    assert len(asked) <= MAX_REQUESTS


@pytest.mark.parametrize("content", [b"", b"<html>", b"{", b"\xff\xfe" * 100, b"[" * 5000])
def test_nonsense_from_a_site_is_an_error_of_ours(content):
    with pytest.raises(SourceError):
        VideoSite().read(URL, lambda request: Reply(request.url, 200, {}, content))


def test_a_list_of_videos_is_no_video():
    with pytest.raises((SourceUnsupportedError, SourceError)):
        VideoSite().read("https://www.youtube.com/playlist?list=PLabcdefghijklmnop", Site())


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("ERROR: [youtube] x: Sign in to confirm you're not a bot.", SourceDeniedError),
        ("HTTP Error 429: Too Many Requests", SourceDeniedError),
        ("The uploader has not made this video available in your country", SourceDeniedError),
        ("Video unavailable. This video has been removed by the uploader", SourceMissingError),
        ("Private video", SourceMissingError),
        ("Premieres in 3 hours", SourceMissingError),
        ("Unable to extract something", SourceError),
    ],
)
def test_the_words_of_yt_dlp_mean_one_of_three_things(words, error):
    assert type(trouble_of(words, "youtube.com")) is error


def vtt(language):
    return {language: [{"ext": "json3", "url": "j"}, {"ext": "vtt", "url": f"https://c/{language}"}]}


def test_captions_that_people_wrote_go_before_heard_ones_and_the_spoken_language_before_others():
    assert best_track({}) is None
    assert best_track({"subtitles": {"live_chat": [{"ext": "vtt", "url": "x"}], "en": [{"ext": "srt"}]}}) is None
    heard = {**vtt("fr"), **vtt("de-orig"), **vtt("en")}
    assert best_track({"automatic_captions": heard}).language == "de-orig"
    both = {"automatic_captions": heard, "subtitles": {**vtt("en"), **vtt("de")}, "language": "de"}
    assert best_track(both).language == "de"
    assert not best_track(both).is_automatic
    assert best_track({"subtitles": {**vtt("zh"), **vtt("en-GB")}}).language == "en-GB"


@pytest.mark.parametrize(
    ("url", "found"),
    [
        (URL, True),
        ("https://youtu.be/abcdefghijk?t=30", True),
        ("https://m.youtube.com/shorts/abcdefghijk", True),
        ("https://vimeo.com/123456", True),
        ("https://www.ted.com/talks/some_talk", True),
        ("https://media.ccc.de/v/39c3-x", True),
        ("https://www.youtube.com/@channel", False),
        ("https://www.youtube.com/", False),
        ("https://vimeo.com/about", False),
        ("https://example.org/watch?v=abc", False),
        ("https://evilyoutube.com/watch?v=abc", False),
        ("http://[x", False),
    ],
)
def test_addresses_of_videos_are_known_by_site_and_path(url, found):
    assert is_video(url) is found
