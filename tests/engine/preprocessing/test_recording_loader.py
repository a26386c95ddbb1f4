"""A recording is a source at once: its length, its tags and its chapters, and a page for each minute that waits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.speech import CODECS, captioned_film, needs_media, record, tone
from trisynapse_memory.contracts import Audible
from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError, SourceTooLargeError
from trisynapse_memory.preprocessing.loaders import recording
from trisynapse_memory.preprocessing.loaders.recording import RecordingLoader
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.preprocessing.recordings import media
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import PageVerdict

TAGS = {"title": "The turning mirror", "artist": "Ada Byron", "date": "1862-05-01"}


def pages(path):
    return [page for page, _ in RecordingLoader().open(path).pages(1)]


@needs_media
@pytest.mark.parametrize("suffix", sorted(CODECS))
def test_every_kind_of_file_is_a_recording_with_its_tags(tmp_path, suffix):
    path = record(tmp_path / f"a{suffix}", tone(130.0), TAGS)
    assert choose_loader(path.read_bytes()[:65_536], path.name, Registry(guests=False)) == "recording"
    document = RecordingLoader().open(path)
    assert isinstance(document, Audible)
    heading = document.heading
    assert (heading.page_count, heading.title, heading.authors) == (2, "The turning mirror", ("Ada Byron",))
    assert heading.published in ("1862-05-01", "")  # some containers have no place for a day
    assert heading.media_type.startswith(("audio/", "video/"))
    found = pages(path)
    assert [page.verdict for page in found] == [PageVerdict.AUDIO_ONLY] * 2
    assert [page.label for page in found] == ["0:00\u20131:00", "1:00\u20132:10"]
    assert "transcriber" in found[0].note


@needs_media
def test_pages_start_where_they_are_asked_for(tmp_path):
    document = RecordingLoader().open(record(tmp_path / "a.mp3", tone(200.0)))
    assert [page.number for page, _ in document.pages(3)] == [3]


@needs_media
def test_captions_inside_a_film_are_its_words(tmp_path):
    captions = tmp_path / "c.srt"
    captions.write_text(
        "1\n00:00:02,000 --> 00:00:04,000\nThe mirror {\\i1}turned{\\i0}.\n\n"
        "2\n00:01:30,500 --> 00:01:33,000\nNobody, truly,\nbelieved it.\n"
    )
    film = captioned_film(tmp_path / "film.mkv", captions, tone(190.0), [(0.0, "Start"), (80.0, "The doubt")])
    found = list(RecordingLoader().open(film).pages(1))
    assert [page.verdict for page, _ in found] == [PageVerdict.OK, PageVerdict.OK, PageVerdict.EMPTY]
    assert found[2][0].note == "no captions here"
    page, sections = found[1]
    told = [(page.text[one.start : one.end], one.path, one.locator) for one in sections if one.kind == "body"]
    assert told[0][:2] == ("Nobody, truly, believed it.", ("The doubt",))
    assert (told[0][2].start_s, told[0][2].end_s) == (90.5, 93.0)


@needs_media
def test_a_film_without_sound_is_empty(tmp_path):
    import av

    silent = tmp_path / "silent.mp4"
    with av.open(str(silent), "w") as out:
        film = out.add_stream("mpeg4", rate=1)
        film.width = film.height = 64
        film.pix_fmt = "yuv420p"
        out.mux(film.encode(av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), dtype=np.uint8), format="rgb24")))
        out.mux(film.encode(None))
    (page,) = pages(silent)
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, "there is no sound in it")


@needs_media
def test_a_wav_of_no_samples_is_empty(tmp_path):
    import wave

    path = tmp_path / "nothing.wav"
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(8000)
    (page,) = pages(path)
    assert (page.verdict, page.note) == (PageVerdict.EMPTY, "there is no sound in it")


@needs_media
def test_what_is_damaged_is_said_and_what_is_left_of_it_is_kept(tmp_path):
    film = record(tmp_path / "a.mp4", tone(100.0))
    cut = tmp_path / "cut.mp4"
    cut.write_bytes(film.read_bytes()[:-2000])  # its table of contents stands at the end
    with pytest.raises(SourceDamagedError, match=r"'cut\.mp4' cannot be read as a recording"):
        RecordingLoader().open(cut)
    song = record(tmp_path / "b.mp3", tone(100.0))
    half = tmp_path / "half.mp3"
    half.write_bytes(song.read_bytes()[: song.stat().st_size // 2])
    assert pages(half)[0].verdict is PageVerdict.AUDIO_ONLY
    empty = tmp_path / "empty.mp3"
    empty.touch()
    with pytest.raises(SourceEmptyError):
        RecordingLoader().open(empty)
    lied = tmp_path / "lied.mp3"
    lied.write_text("This is a letter.")
    with pytest.raises(SourceDamagedError):
        RecordingLoader().open(lied)


@needs_media
def test_a_minute_that_is_not_there_cannot_be_heard(tmp_path):
    document = RecordingLoader().open(record(tmp_path / "a.wav", tone(2.0)))
    for number in (0, 2):
        with pytest.raises(SourceDamagedError):
            document.listen(number)


@needs_media
def test_a_length_that_nobody_states_is_counted_and_a_day_is_the_most(tmp_path, monkeypatch):
    path = record(tmp_path / "a.webm", tone(90.0))
    with media.opened(path, "matroska", "a") as opened:
        sound = media.sound_of(opened)
        assert sound is not None
        assert media._counted_s(opened, sound) == pytest.approx(90.0, abs=0.1)
    monkeypatch.setattr(
        media, "LONGEST_S", 60.0
    )  # what is stated is too much to be believed, and so is what is counted
    with pytest.raises(SourceTooLargeError):
        RecordingLoader().open(path)


def test_without_the_extra_it_is_a_source_that_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "can_look", lambda: False)
    path = tmp_path / "a.mp3"
    path.write_bytes(b"ID3\x04\0\0\0\0\0\x23TSSE" + bytes(100))
    document = RecordingLoader().open(path)
    ((page, sections),) = document.pages(1)
    assert (page.verdict, sections) == (PageVerdict.AUDIO_ONLY, ())
    assert page.note == "No transcriber is installed: pip install 'trisynapse-desktop[speech]'"
    assert document.heading.page_count == 1
    with pytest.raises(SourceDamagedError):
        document.listen(1)
