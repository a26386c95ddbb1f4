"""A recording's file and a stretch of it in, its sound as transcribers take it out; and where a stretch should end.

A stretch ends in the quietest moment of its last third, so that no word is cut. Where that is, is worked out from the
sound alone, in the same way for both sides of the border: any stretch can be heard without the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from trisynapse_memory.contracts import SAMPLE_RATE, FloatArray
from trisynapse_memory.preprocessing.recordings.media import opened, sound_of, start_of

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.audio.stream import AudioStream
    from av.container import InputContainer

STRETCH_S: Final = 60.0  # chosen: two windows of a speech model, some 5 s of one core with a small one
SEARCH_S: Final = 20.0  # before the end of a stretch; there is a pause in nearly any 20 s of speech
PAUSE_S: Final = 0.4  # how long the quietest moment is
_PREROLL_S: Final = 1.0  # decoded before a stretch: codecs need some packets to get going
_GAP_S: Final = 0.25  # a jump of the clock from which on what is missing is silence
_STEP: Final = SAMPLE_RATE // 50  # 20 ms


def stretch_count(length_s: float) -> int:
    """Return how many stretches a recording has, at least one; a short rest belongs to the last one."""
    return max(1, math.ceil((length_s - SEARCH_S) / STRETCH_S))


def decode(path: Path, container: str, span: tuple[float, float], name: str) -> tuple[FloatArray, float]:
    """Decode a stretch of a recording.

    Args:
        path: the file.
        container: what ``sketches`` says it is.
        span: start and end in seconds.
        name: what messages call it.

    Returns:
        Samples as in ``contracts.Sound``, silence where there is nothing, and how many seconds there was something.

    Raises:
        SourceDamagedError: it cannot be read as a recording.
    """
    start_s, end_s = span
    samples = np.zeros(max(0, round((end_s - start_s) * SAMPLE_RATE)), dtype=np.float32)
    filled = 0
    with opened(path, container, name) as media:
        sound = sound_of(media)
        if sound is None or not len(samples):
            return samples, 0.0
        for moment_s, piece in _pieces(media, sound, start_s, end_s):
            place = round((moment_s - start_s) * SAMPLE_RATE)
            piece, place = piece[max(0, -place) :], max(0, place)
            piece = piece[: max(0, len(samples) - place)]
            samples[place : place + len(piece)] = piece
            filled += len(piece)
    return samples, filled / SAMPLE_RATE


def border_s(path: Path, container: str, number: int, length_s: float, name: str) -> float:
    """Return where stretch ``number`` (from 1) ends, in seconds: in a pause; the last one at the end.

    Raises:
        SourceDamagedError: it cannot be read as a recording.
    """
    if number < 1:
        return 0.0
    if number >= stretch_count(length_s):
        return length_s
    span = (number * STRETCH_S - SEARCH_S, number * STRETCH_S)
    samples, _ = decode(path, container, span, name)
    return span[0] + _quietest_s(samples)


def _quietest_s(samples: FloatArray) -> float:
    """The middle of the quietest moment: the least energy over ``PAUSE_S``, the first of equals."""
    steps = np.square(samples[: len(samples) // _STEP * _STEP].reshape(-1, _STEP), dtype=np.float64).mean(axis=1)
    width = round(PAUSE_S * SAMPLE_RATE / _STEP)
    sums = np.convolve(steps, np.ones(width), "valid")
    return (int(np.argmin(sums)) + width / 2) * _STEP / SAMPLE_RATE


def _pieces(
    media: InputContainer, sound: AudioStream, start_s: float, end_s: float
) -> Iterator[tuple[float, FloatArray]]:
    """Resampled pieces of sound, each with the moment it begins."""
    from av import AudioResampler

    def fresh() -> AudioResampler:
        return AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)

    resampler, next_s = fresh(), math.nan
    for moment_s, frame in _frames(media, sound, start_s):
        if moment_s >= end_s:
            break
        if math.isnan(next_s) or abs(moment_s - next_s) > _GAP_S:
            resampler, next_s = fresh(), moment_s
        frame.pts = None  # the resampler would fill gaps by itself, from the start of the recording on
        for made in resampler.resample(frame):
            piece = made.to_ndarray().reshape(-1).astype(np.float32, copy=False)
            yield next_s, piece
            next_s += len(piece) / SAMPLE_RATE
    for made in () if math.isnan(next_s) else resampler.resample(None):
        yield next_s, made.to_ndarray().reshape(-1).astype(np.float32, copy=False)


def _frames(media: InputContainer, sound: AudioStream, start_s: float) -> Iterator[tuple[float, AudioFrame]]:
    """Decoded frames from a moment on, each with its time; packets that are damaged are left out."""
    from av.error import InvalidDataError

    began_s = start_of(media)
    if start_s > _PREROLL_S and sound.time_base:
        media.seek(int((began_s + start_s - _PREROLL_S) / sound.time_base), stream=sound)
    next_s = 0.0
    for packet in media.demux(sound):
        try:
            frames = packet.decode()
        except InvalidDataError:
            continue
        for frame in frames:
            moment_s = next_s if frame.time is None else frame.time - began_s
            next_s = moment_s + frame.samples / (frame.sample_rate or SAMPLE_RATE)
            if next_s > start_s:
                yield moment_s, frame
