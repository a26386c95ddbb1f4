"""A real voice, a real model, a real worker: the words come back at their times, and nothing is made up of silence.

The model is the smallest there is (tiny.en), the voice a synthetic one: of such speech it hears nine words in ten.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.speech import RATE, SENTENCES, Said, model_folder, needs_voice, record, silence, speak, tone
from trisynapse_memory.config import Config
from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.preprocessing.transcribing import Minute, TranscribeWorker, Voice
from trisynapse_memory.providers.files.whisper_folders import read_whisper
from trisynapse_memory.types import PageVerdict

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.timeout(300), needs_voice]


@pytest.fixture(scope="module")
def spoken() -> tuple[np.ndarray, list[Said]]:
    """A minute and a half of speech, silence and a hum."""
    first, said = speak(SENTENCES)
    middle = np.concatenate([silence(6.0), tone(4.0, 100.0), silence(2.0)])
    again, later = speak(SENTENCES[::-1] * 2)
    shift_s = (len(first) + len(middle)) / RATE
    moved = [Said(one.start_s + shift_s, one.end_s + shift_s, one.text) for one in later]
    return np.concatenate([first, middle, again]), [*said, *moved]


@pytest.fixture(scope="module")
def voice() -> Voice:
    found = read_whisper(model_folder())
    return Voice("whisper", str(found.path), found.size_bytes, found.method)


def listen(voice: Voice, path: Path) -> list:
    worker = TranscribeWorker(Config(), "")
    try:
        loaded = worker.transcribe(voice, Minute(path, "recording", 1, path.name, "Talk"))
        pages = [loaded]
        if len(path.suffix) and path.stem == "long":
            pages.append(worker.transcribe(voice, Minute(path, "recording", 2, path.name, "Talk")))
    finally:
        worker.close()
    return pages


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


@pytest.mark.parametrize("suffix", [".mp3", ".mp4"])
def test_what_is_said_is_written_down_at_its_time(tmp_path, spoken, voice, suffix):
    samples, said = spoken
    pages = listen(voice, record(tmp_path / f"long{suffix}", samples))
    assert {loaded.page.verdict for loaded in pages} == {PageVerdict.TRANSCRIBED}
    assert pages[0].page.method == f"speech:{voice.method}"
    wanted = [word for one in said for word in words(one.text)]
    found = words(" ".join(loaded.page.text for loaded in pages))
    left = list(found)
    hits = sum(1 for word in wanted if word in left and (left.remove(word) or True))
    assert hits / len(wanted) >= 0.8
    assert hits / len(found) >= 0.8  # and little that nobody said
    spans = [(one.locator.start_s, one.locator.end_s) for loaded in pages for one in loaded.sections]
    assert spans == sorted(spans)
    starts = [one.start_s for one in said]
    ends = [one.end_s for one in said]
    for start_s, end_s in spans:
        assert min(abs(start_s - one) for one in starts) <= 1.0
        assert min(abs(end_s - one) for one in ends) <= 1.0
    chunk = pages[0].chunks[0]
    assert chunk.fields["title"] == "Talk"
    assert chunk.locator.start_s == spans[0][0]
    assert pages[0].page.text[chunk.locator.start : chunk.locator.end] == chunk.text


@pytest.mark.parametrize(
    "sound",
    [silence(20.0), tone(20.0), np.random.default_rng(1).normal(0, 2000, 20 * RATE).astype(np.int16)],
    ids=["silence", "tone", "noise"],
)
def test_where_nobody_speaks_no_word_is_written(tmp_path, voice, sound):
    (loaded,) = listen(voice, record(tmp_path / "quiet.mp3", sound))
    assert (loaded.page.text, loaded.chunks) == ("", ())
    assert (loaded.page.verdict, loaded.page.note) == (PageVerdict.EMPTY, "nobody speaks here")


def test_a_worker_that_is_killed_is_replaced(tmp_path, spoken, voice):
    path = record(tmp_path / "a.wav", spoken[0][: 20 * RATE])
    worker = TranscribeWorker(Config(), "")
    minute = Minute(path, "recording", 1, path.name, "")
    try:
        first = worker.transcribe(voice, minute)
        for child in psutil.Process(os.getpid()).children():
            if "preprocessing.worker" in " ".join(child.cmdline()):
                child.send_signal(signal.SIGKILL)
                child.wait(10)
        try:
            second = worker.transcribe(voice, minute)
        except WorkerDiedError:  # it may be noticed in the call, and the next one starts another
            second = worker.transcribe(voice, minute)
        assert second.page.text == first.page.text
    finally:
        worker.close()


def test_a_recording_that_came_too_early_is_looked_into_as_an_import_does(tmp_path):
    path = record(tmp_path / "a.mp3", tone(130.0))
    parts = list(TranscribeWorker(Config(), "").look_again(Minute(path, "recording", 1, "a.mp3", "Talk")))
    pages = [part.page for part in parts if isinstance(part, LoadedPage)]
    assert [(page.number, page.verdict) for page in pages] == [(n, PageVerdict.AUDIO_ONLY) for n in (1, 2)]


BEHIND_THE_WALL = """
import sys
from pathlib import Path
from trisynapse_memory.providers.offline import forbid_network
forbid_network()
from trisynapse_memory.preprocessing.loaders.recording import RecordingLoader
from trisynapse_memory.preprocessing.transcribers.whisper import WhisperTranscriber
sound = RecordingLoader().open(Path(sys.argv[1])).listen(1)
print(len(WhisperTranscriber(sys.argv[2]).transcribe(sound.samples).words))
"""


def test_the_model_needs_no_network_and_no_cache_of_a_hub(tmp_path, spoken):
    path = record(tmp_path / "a.wav", spoken[0][: 10 * RATE])
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    environment.pop("HF_HUB_OFFLINE", None)
    command = [sys.executable, "-c", BEHIND_THE_WALL, str(path), str(model_folder())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 10
    assert not list(home.rglob("*.bin"))


def test_a_talk_is_dropped_found_and_cited_at_its_second(tmp_path, spoken):
    samples, said = spoken
    path = record(tmp_path / "talk.m4a", samples, {"title": "The old cellar"})
    with MemoryEngine.open(tmp_path / "real.vault", offline=True) as engine:
        (result,) = engine.ingest(path).results
        assert result.status == "success"
        assert set(result.verdicts) == {"transcribed"}
        answer = engine.query("How many notebooks with his own handwriting does the library keep?")
        assert not answer.abstain
        place = answer.citations[0].locator
        moments = [one for one in said if "notebooks" in one.text]
        assert any(place.start_s - 1.0 <= one.start_s and one.end_s <= place.end_s + 1.0 for one in moments)
        assert engine.models.test("transcription").passed


UNTIL_ONE_IS_HEARD = """
import sys
from trisynapse_memory.memory_engine import MemoryEngine
engine = MemoryEngine.open(sys.argv[1], offline=True)
engine.ingest(sys.argv[2], wait=False)
while not engine.sources.list()[0].verdicts.get("transcribed"):
    engine.jobs.wait(0.2)
print("one", flush=True)
engine.jobs.wait(None)
"""


def test_an_engine_that_is_killed_in_the_middle_goes_on_with_the_next_minute(tmp_path, spoken):
    path = record(tmp_path / "talk.wav", np.concatenate([spoken[0]] * 5))
    vault = tmp_path / "one.vault"
    MemoryEngine.open(vault).close()
    command = [sys.executable, "-c", UNTIL_ONE_IS_HEARD, str(vault), str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "one\n"
        child.kill()
    with MemoryEngine.open(vault, offline=True) as engine:
        (source,) = engine.sources.list()
        before = [record.id for record in engine.list_records(kind="page")]
        assert source.verdicts["audio-only"] >= 1
        engine.jobs.wait(None)
        (source,) = engine.sources.list()
        assert source.verdicts == {"transcribed": source.page_count}
        after = [record.id for record in engine.list_records(kind="page", include_retracted=True)]
        assert set(before) < set(after)
        assert len(after) == 2 * source.page_count  # each minute once as it came, and once as it was heard
        assert engine.validate().ok
