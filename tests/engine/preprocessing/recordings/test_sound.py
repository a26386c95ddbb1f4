"""Stretches of a recording meet in pauses, without gap or overlap, in every kind of file."""

from __future__ import annotations

import numpy as np
import pytest

from tests.speech import CODECS, RATE, needs_media, record, silence, tone
from trisynapse_memory.contracts import SAMPLE_RATE
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.recording import RecordingLoader
from trisynapse_memory.preprocessing.recordings.sound import SEARCH_S, STRETCH_S, border_s, decode, stretch_count

CONTAINERS = {".wav": "wav", ".mp3": "mp3", ".m4a": "mov", ".mp4": "mov", ".mov": "mov", ".flac": "flac"}
CONTAINERS |= {".mkv": "matroska", ".webm": "matroska", ".ogg": "ogg", ".opus": "ogg"}


def beeps(pauses: dict[float, float], length_s: float) -> np.ndarray:
    """A tone that changes every second, with pauses: start in seconds to how long."""
    samples = np.concatenate([tone(1.0, 300 + 20 * (n % 30)) for n in range(round(length_s))])
    for start_s, long_s in pauses.items():
        samples[round(start_s * RATE) : round((start_s + long_s) * RATE)] = 0
    return samples


def test_a_recording_has_a_stretch_for_each_minute_and_a_short_rest_joins_the_last():
    assert [stretch_count(length) for length in (0, 3, STRETCH_S, STRETCH_S + SEARCH_S, STRETCH_S + SEARCH_S + 1)] == [
        1,
        1,
        1,
        1,
        2,
    ]
    assert stretch_count(7200.0) == 120


@needs_media
@pytest.mark.parametrize("suffix", sorted(CODECS))
def test_stretches_end_in_pauses_and_nothing_is_lost_between_them(tmp_path, suffix):
    path = record(tmp_path / f"a{suffix}", beeps({47.0: 0.8, 113.0: 0.8}, 150.0))
    document = RecordingLoader().open(path)
    heard = [document.listen(number) for number in range(1, document.heading.page_count + 1)]
    borders = [one.end_s for one in heard]
    assert borders[:2] == [pytest.approx(47.4, abs=0.3), pytest.approx(113.4, abs=0.3)]
    assert [one.start_s for one in heard] == [0.0, *borders[:-1]]
    whole, _ = decode(path, CONTAINERS[suffix], (0.0, borders[-1]), "a")
    joined = np.concatenate([one.samples for one in heard])
    assert abs(len(joined) - len(whole)) <= len(heard)
    for start_s in (1.0, 46.0, 48.5, 112.0, 115.0, 148.0):  # loudness and pitch are the same at the same moments
        piece = slice(round(start_s * SAMPLE_RATE), round((start_s + 0.5) * SAMPLE_RATE))
        pitches = [np.argmax(np.abs(np.fft.rfft(sound[piece]))) for sound in (joined, whole)]
        assert abs(pitches[0] - pitches[1]) <= 1
        assert np.std(joined[piece]) == pytest.approx(np.std(whole[piece]), rel=0.1)


@needs_media
def test_a_stretch_is_decoded_at_its_time(tmp_path):
    path = record(tmp_path / "a.mp3", np.concatenate([silence(90.0), tone(1.0), silence(9.0)]))
    samples, decoded_s = decode(path, "mp3", (80.0, 100.0), "a")
    loud = np.nonzero(np.abs(samples) > 0.05)[0] / SAMPLE_RATE
    assert loud[0] == pytest.approx(10.0, abs=0.1)
    assert loud[-1] == pytest.approx(11.0, abs=0.1)
    assert decoded_s == pytest.approx(20.0, abs=0.1)


@needs_media
def test_what_is_not_there_any_more_is_silence_that_says_so(tmp_path):
    whole = record(tmp_path / "a.wav", tone(100.0))
    cut = tmp_path / "cut.wav"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 4])
    samples, decoded_s = decode(cut, "wav", (50.0, 60.0), "cut.wav")
    assert decoded_s == 0.0
    assert not samples.any()


@needs_media
def test_a_border_is_the_same_from_both_sides_and_the_last_is_the_end(tmp_path):
    path = record(tmp_path / "a.m4a", beeps({51.0: 0.6}, 100.0))
    assert border_s(path, "mov", 1, 100.0, "a") == border_s(path, "mov", 1, 100.0, "a")
    assert border_s(path, "mov", 0, 100.0, "a") == 0.0
    assert border_s(path, "mov", 2, 100.0, "a") == 100.0


@needs_media
def test_only_the_kind_that_was_seen_is_tried(tmp_path):
    secret = tmp_path / "secret.wav"
    record(secret, tone(1.0))
    playlist = tmp_path / "list.mp3"
    playlist.write_text(f"ffconcat version 1.0\nfile '{secret}'\n")
    with pytest.raises(SourceDamagedError):
        decode(playlist, "matroska", (0.0, 1.0), "list.mp3")
