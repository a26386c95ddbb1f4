"""How a recording is heard and how its words are written down; no implementation lives here."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol, runtime_checkable

from trisynapse_memory.contracts.models import FloatArray

SAMPLE_RATE: Final = 16_000
"""Samples a second of the sound that transcribers are given: what speech models are trained on."""


class Sound(NamedTuple):
    """One stretch of a recording: ``samples`` are ``(n,) float32`` in [-1, 1], one channel, ``SAMPLE_RATE`` a second.

    ``start_s`` and ``end_s`` count from the start of the recording; ``decoded_s`` is how much of that could be decoded.
    ``chapters`` are the headings of the whole recording: where each begins (seconds), and its title.
    """

    start_s: float
    end_s: float
    samples: FloatArray
    decoded_s: float
    chapters: tuple[tuple[float, str], ...] = ()


class SpokenWord(NamedTuple):
    """A word as it was heard, with its punctuation, and when: seconds from the start of the sound.

    ``text`` begins with a space where its script puts one between words, so that texts are joined as they are.
    """

    text: str
    start_s: float
    end_s: float


class Transcript(NamedTuple):
    """What was said in a sound.

    ``language`` is an ISO 639-1 code, ``confidence`` the mean of what the model gives its words, in [0, 1];
    ``speech_s`` is how much of the sound is speech, ``left_out_s`` how much of that gave no words that can be trusted.
    """

    words: tuple[SpokenWord, ...]
    language: str = ""
    confidence: float = 0.0
    speech_s: float = 0.0
    left_out_s: float = 0.0


@runtime_checkable
class Audible(Protocol):
    """A document whose pages can be listened to: each is a stretch of a recording."""

    def listen(self, number: int) -> Sound:
        """Return the sound of page ``number`` (from 1); two neighbours meet in a pause, without gap or overlap.

        Raises:
            SourceDamagedError: there is no such page, or it cannot be decoded.
        """
        ...


@runtime_checkable
class Transcriber(Protocol):
    """Writes down speech. Runs inside a worker that may be killed at any moment, and never reaches the network.

    ``__init__`` takes the folder of a model and loads nothing heavy; ``method`` names the model and its state.
    """

    name: str
    method: str

    def transcribe(self, samples: FloatArray) -> Transcript:
        """Write down a sound of ``SAMPLE_RATE``; no words for silence, music or noise.

        Raises:
            ModelFileError: the folder holds no model that can be used.
            BranchUnavailableError: a package it needs is not installed.
        """
        ...
