"""What a recording is, by its first bytes; pictures, archives and other songs in their clothes are none."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.recordings.sketches import sketch_of

MP3_FRAME = b"\xff\xfb\x90\x64" + bytes(60)


@pytest.mark.parametrize(
    ("head", "name", "container", "media_type"),
    [
        (b"RIFF\x24\0\0\0WAVEfmt ", "a.wav", "wav", "audio/wav"),
        (b"fLaC\0\0\0\x22", "a", "flac", "audio/flac"),
        (b"OggS\0\x02", "a.opus", "ogg", "audio/ogg"),
        (b"OggS\0\x02", "a.ogv", "ogg", "video/ogg"),
        (b"ID3\x04\0\0\0\0\0\x23TSSE\0", "a.mp3", "mp3", "audio/mpeg"),
        (MP3_FRAME, "talk.MP3", "mp3", "audio/mpeg"),
        (b"\xff\xf1\x50\x80" + bytes(9), "a.aac", "aac", "audio/aac"),
        (b"\0\0\0\x1cftypM4A \0\0\2\0", "a.m4a", "mov", "audio/mp4"),
        (b"\0\0\0\x1cftypisom\0\0\2\0", "a.mp4", "mov", "video/mp4"),
        (b"\0\0\0\x14ftypqt  \0\0\2\0", "a.mov", "mov", "video/quicktime"),
        (b"\0\0\0\x08wide\0\0\0\0mdat", "old.mov", "mov", "video/quicktime"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01webm", "a.webm", "matroska", "video/webm"),
        (b"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01matroska", "a.mka", "matroska", "audio/x-matroska"),
        (b"FORM\0\0\0\0AIFF", "a.aif", "aiff", "audio/aiff"),
        (b"RIFF\0\0\0\0AVI LIST", "a.avi", "avi", "video/x-msvideo"),
    ],
)
def test_a_recording_shows_itself(head, name, container, media_type):
    found = sketch_of(head, name)
    assert found is not None
    assert (found.container, found.media_type) == (container, media_type)
    assert 0.5 < found.sureness <= 1.0


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"", "a.mp3"),
        (b"#EXTM3U\n#EXTINF:9,\nhttp://a.example/1.ts\n", "a.mp3"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "a.mkv"),
        (b"\0\0\0\x1cftypheic\0\0\0\0", "photo.mp4"),
        (b"\0\0\0\x1cftypavif\0\0\0\0", "photo.avif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a.webp"),
        (b"%PDF-1.7\n", "a.mp3"),
        (MP3_FRAME, "unknown.bin"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a.mp3"),
        (b"\xff\xfea\0b\0", "utf16.txt"),
        ("Þetta er texti".encode("latin-1"), "a.mp3"),
    ],
)
def test_what_is_no_recording_is_not_taken_for_one_by_its_name(head, name):
    assert sketch_of(head, name) is None
