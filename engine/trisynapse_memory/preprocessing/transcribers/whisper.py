"""Sound in, the words that a Whisper model hears in it out, by faster-whisper; nothing is downloaded or sent.

The extra ``speech``. Whisper makes up sentences where nobody speaks (Koenecke et al. 2024, "Careless Whisper"), so only
what a detector of speech (Silero, inside the package) finds is heard, and what the model itself doubts is left out.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

import numpy as np

from trisynapse_memory.contracts import FloatArray, SpokenWord, Transcript
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.providers.files.whisper_folders import read_whisper

EXTRA: Final = "pip install 'trisynapse-desktop[speech]'"
BEAM_COUNT: Final = 5  # of the reference decoder (Radford et al. 2022, section 4.5)
LEAST_LOG_PROBABILITY: Final = -1.0  # mean of a segment; the limits are those of the reference decoder
MOST_COMPRESSION: Final = 2.4  # a text that packs better repeats itself, which speech does not
MOST_NO_SPEECH: Final = 0.6
TEMPERATURES: Final = (0.0, 0.2, 0.4)  # tried in turn where a segment breaks a limit; higher ones make words up
SILENT_S: Final = 2.0  # words that stand in longer silences are made up
_SETTINGS: Final = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TOKENIZERS_PARALLELISM": "false"}


class _Word(Protocol):
    """One word of a segment, in seconds."""

    word: str
    start: float
    end: float


class _Segment(Protocol):
    """A stretch of some seconds, with what the model thinks of it."""

    start: float
    end: float
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float
    words: list[_Word] | None


class _Sounding(Protocol):
    """What was found out about the whole sound."""

    language: str
    duration_after_vad: float


class _Model(Protocol):
    def transcribe(self, audio: FloatArray, **wishes: object) -> tuple[Iterable[_Segment], _Sounding]: ...


class _Library(Protocol):
    """What is used of faster-whisper, which has no types that a checker accepts."""

    def WhisperModel(self, folder: str, **wishes: object) -> _Model: ...  # noqa: N802


class WhisperTranscriber:
    """Writes down speech with a Whisper model in CTranslate2's format, in a folder on this machine.

    Args:
        folder: holds ``model.bin``, ``config.json``, ``tokenizer.json`` and a vocabulary.
    """

    name = "whisper"

    def __init__(self, folder: str) -> None:
        self._folder = read_whisper(Path(folder))
        self.method = self._folder.method
        self._model: _Model | None = None

    def transcribe(self, samples: FloatArray) -> Transcript:
        """Write down a sound; see ``contracts.Transcriber``."""
        model = self._loaded()
        segments, sounding = model.transcribe(np.ascontiguousarray(samples, dtype=np.float32), **_wishes())
        words: list[SpokenWord] = []
        weights, left_out_s = list[tuple[int, float]](), 0.0
        for segment in segments:
            found = segment.words or []
            if _is_doubtful(segment) or not found:
                left_out_s += segment.end - segment.start
                continue
            words += (SpokenWord(one.word, float(one.start), float(one.end)) for one in found)
            weights.append((len(found), math.exp(min(0.0, segment.avg_logprob))))
        total = sum(count for count, _ in weights)
        confidence = sum(count * share for count, share in weights) / total if total else 0.0
        return Transcript(tuple(words), sounding.language, confidence, sounding.duration_after_vad, left_out_s)

    def _loaded(self) -> _Model:
        if self._model is None:
            os.environ.update(_SETTINGS)
            try:
                library = cast("_Library", import_module("faster_whisper"))
            except ModuleNotFoundError as error:
                raise BranchUnavailableError(f"A transcriber needs the package '{error.name}'.", hint=EXTRA) from error
            wishes: Mapping[str, object] = {"device": "cpu", "compute_type": "int8", "cpu_threads": 1, "num_workers": 1}
            try:
                self._model = library.WhisperModel(str(self._folder.path), local_files_only=True, **wishes)
            except (RuntimeError, ValueError, OSError) as error:
                raise ModelFileError(
                    f"The model in '{self._folder.name}' cannot be loaded: {error}.",
                    hint="Choose the folder of a Whisper model for CTranslate2.",
                ) from error
        return self._model


def _wishes() -> dict[str, object]:
    return {
        "beam_size": BEAM_COUNT,
        "temperature": TEMPERATURES,
        "log_prob_threshold": LEAST_LOG_PROBABILITY,
        "no_speech_threshold": MOST_NO_SPEECH,
        "compression_ratio_threshold": MOST_COMPRESSION,
        "condition_on_previous_text": False,  # one made-up sentence would bring the next ones along
        "word_timestamps": True,
        "hallucination_silence_threshold": SILENT_S,
        "vad_filter": True,
    }


def _is_doubtful(segment: _Segment) -> bool:
    return segment.avg_logprob < LEAST_LOG_PROBABILITY or segment.compression_ratio > MOST_COMPRESSION
