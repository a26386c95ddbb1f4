"""What is said in a recording is written down in the background: askable, at its time, and never twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.speech import needs_media, record, tone
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Sound, SpokenWord, Transcript
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError, SourceDamagedError, WorkerDiedError
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines import jobs
from trisynapse_memory.pipelines.staffing.transcribers import Transcribers
from trisynapse_memory.preprocessing.chunking import chunk_page
from trisynapse_memory.preprocessing.loaders import recording
from trisynapse_memory.preprocessing.recordings.transcripts import Hearing, page_of
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.preprocessing.transcribing import Minute, TranscribeWorker, Voice
from trisynapse_memory.preprocessing.worker import Session
from trisynapse_memory.types import PageVerdict

WORDS = "Foucault measured the speed of light with a rotating mirror in 1862."
WAIT_S = 60.0
EAR = Voice("whisper", "/nowhere", 1, "whisper:ear@0123")
pytestmark = needs_media


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Three minutes of a tone: two thirds of it will be heard as a sentence, the last as nothing."""
    return record(tmp_path / "talk.mp3", tone(180.0), {"title": "The turning mirror"})


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let an ear that hears the sentence in the first minutes listen; the pages it listened to."""
    listened: list[int] = []

    def transcribe(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
        listened.append(minute.page)
        return hear(minute, WORDS if minute.page < 3 else "")

    monkeypatch.setattr(Transcribers, "voice", lambda self: EAR)
    monkeypatch.setattr(TranscribeWorker, "transcribe", transcribe)
    monkeypatch.setattr(jobs, "BACKOFF_S", 0.02)
    return listened


def hear(minute: Minute, text: str) -> LoadedPage:
    start_s = 60.0 * (minute.page - 1)
    sound = Sound(start_s, start_s + 60.0, np.zeros(10, dtype=np.float32), 60.0)
    words = tuple(SpokenWord(f" {word}", 10.0 + n, 10.5 + n) for n, word in enumerate(text.split()))
    page, sections = page_of(Hearing(minute.page, EAR.method), sound, Transcript(words, "en", 0.8, 15.0))
    return LoadedPage(page=page, sections=sections, chunks=chunk_page(page, sections, _lengths, Config()))


def _lengths(texts):
    return [len(text.split()) + 2 for text in texts]


@pytest.fixture
def reopen(tmp_path: Path, in_process: None) -> Iterator[Callable[[], MemoryEngine]]:
    opened: list[MemoryEngine] = []

    def make() -> MemoryEngine:
        for one in opened:
            one.close()
        opened.append(MemoryEngine.open(tmp_path / "one.vault"))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def waiting(engine: MemoryEngine) -> int:
    return sum(task.pending for task in engine.jobs.list() if task.name == "recordings")


def test_a_recording_becomes_askable_at_its_time_and_its_first_reading_stays(reopen, talk, heard):
    engine = reopen()
    run = engine.ingest(talk)
    (result,) = run.results
    assert (run.counts["success"], run.counts["partial"], run.counts["records"]) == (1, 0, 2)
    assert (result.status, result.kind, result.title) == ("success", "recording", "The turning mirror")
    assert result.verdicts == {"transcribed": 2, "empty": 1}
    assert [(note.verdict, note.method) for note in result.pages][::2] == [
        (PageVerdict.TRANSCRIBED, "speech:whisper:ear@0123"),
        (PageVerdict.EMPTY, "speech:whisper:ear@0123"),
    ]
    answer = engine.query("Who measured the speed of light with a rotating mirror?")
    assert not answer.abstain
    place = answer.citations[0].locator
    assert (place.kind, place.start_s, place.end_s) in (("time", 10.0, 21.5), ("time", 70.0, 81.5))
    pages = engine.sources.text(result.source_id)
    assert [page.text for page in pages] == [WORDS, WORDS, ""]
    assert len(engine.list_records(kind="page", include_retracted=True)) == 6
    assert engine.validate().ok


def test_no_minute_is_heard_twice_and_a_restart_goes_on_with_the_next(reopen, talk, heard, monkeypatch):
    listened: list[int] = []

    def once(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
        if listened:
            raise ModelFileError("The disk with the model was taken away.")
        listened.append(minute.page)
        return hear(minute, WORDS)

    monkeypatch.setattr(TranscribeWorker, "transcribe", once)
    engine = reopen()
    engine.ingest(talk)
    assert engine.sources.list()[0].verdicts == {"transcribed": 1, "audio-only": 2}
    (task,) = (task for task in engine.jobs.list() if task.name == "recordings")
    assert (task.pending, "taken away" in task.trouble) == (2, True)

    def go_on(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
        listened.append(minute.page)
        return hear(minute, WORDS)

    monkeypatch.setattr(TranscribeWorker, "transcribe", go_on)
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    assert listened == [1, 2, 3]
    assert engine.sources.list()[0].verdicts == {"transcribed": 3}
    found = [hit.record.id for hit in engine.search("rotating mirror").hits]
    assert found
    engine.reindex()
    assert [hit.record.id for hit in engine.search("rotating mirror").hits] == found
    assert engine.validate().ok


def _dies(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
    raise WorkerDiedError("The worker died: signal 9.")


def test_a_model_that_takes_its_worker_down_costs_no_recording_its_turn(reopen, talk, heard, monkeypatch):
    monkeypatch.setattr(TranscribeWorker, "transcribe", _dies)
    engine = reopen()
    engine.ingest(talk)
    assert engine.sources.list()[0].verdicts == {"audio-only": 3}
    assert waiting(engine) == 3
    (task,) = (task for task in engine.jobs.list() if task.name == "recordings")
    assert "signal 9" in task.trouble


def test_a_minute_that_kills_a_worker_that_works_is_settled_with_the_reason(reopen, talk, heard, monkeypatch):
    def transcribe(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
        return _dies(self, voice, minute) if minute.page == 2 else hear(minute, WORDS)

    monkeypatch.setattr(TranscribeWorker, "transcribe", transcribe)
    engine = reopen()
    (result,) = engine.ingest(talk).results
    assert result.verdicts == {"transcribed": 2, "audio-only": 1}
    assert "could not be listened to: The worker died" in result.pages[1].note
    assert waiting(engine) == 0
    assert (result.status, result.reason) == ("partial", "1 of 3 pages cannot be read: 1 audio-only")


def test_what_cannot_be_decoded_is_settled_at_once(reopen, talk, heard, monkeypatch):
    def refuse(self: TranscribeWorker, voice: Voice, minute: Minute) -> LoadedPage:
        raise SourceDamagedError("It is broken.")

    monkeypatch.setattr(TranscribeWorker, "transcribe", refuse)
    engine = reopen()
    (result,) = engine.ingest(talk).results
    assert {page.note for page in result.pages} == {"could not be listened to: It is broken."}
    assert waiting(engine) == 0


@pytest.mark.parametrize(
    "error",
    [
        BranchUnavailableError(
            "No transcriber is installed.", hint="Install it: pip install 'trisynapse-desktop[speech]'."
        ),
        ModelFileError("There is no Whisper model on this machine.", hint="Choose a folder."),
    ],
)
def test_where_nobody_can_listen_it_is_said_and_nobody_waits(reopen, talk, heard, monkeypatch, error):
    def refuse(self: Transcribers) -> Voice:
        raise error

    monkeypatch.setattr(Transcribers, "voice", refuse)
    engine = reopen()
    assert "recordings" not in {task.name for task in engine.jobs.list()}
    (result,) = engine.ingest(talk).results
    assert (result.status, result.verdicts) == ("partial", {"audio-only": 3})
    (task,) = (task for task in engine.jobs.list() if task.name == "recordings")
    assert task.pending == 3
    assert task.trouble == str(error)
    monkeypatch.setattr(Transcribers, "voice", lambda self: EAR)
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    assert engine.sources.list()[0].verdicts == {"transcribed": 2, "empty": 1}


def test_a_recording_that_came_before_the_extra_is_looked_into_and_heard_later(reopen, talk, heard, monkeypatch):
    monkeypatch.setattr(recording, "can_look", lambda: False)
    monkeypatch.setattr(Transcribers, "voice", _nobody)
    engine = reopen()
    (result,) = engine.ingest(talk).results
    assert result.verdicts == {"audio-only": 1}
    assert "trisynapse-desktop[speech]" in result.pages[0].note
    assert engine.validate().ok
    looked: list[int] = []
    monkeypatch.setattr(recording, "can_look", lambda: True)
    monkeypatch.setattr(Transcribers, "voice", lambda self: EAR)
    monkeypatch.setattr(TranscribeWorker, "transcribe", lambda self, voice, minute: hear(minute, WORDS))
    monkeypatch.setattr(TranscribeWorker, "look_again", _look_in_process(looked))
    engine = reopen()
    engine.jobs.wait(WAIT_S)
    (source,) = engine.sources.list()
    assert looked == [1]
    assert (source.page_count, source.verdicts) == (3, {"transcribed": 3})
    assert len(engine.sources.text(source.source_id)) == 3
    assert engine.search("rotating mirror").hits
    assert engine.validate().ok
    engine.reindex()
    assert engine.sources.list()[0].verdicts == {"transcribed": 3}


def _nobody(self: Transcribers) -> Voice:
    raise BranchUnavailableError("No transcriber is installed.")


def _look_in_process(looked: list[int]) -> Callable[..., Iterator[LoadedPage]]:
    def look(self: TranscribeWorker, minute: Minute) -> Iterator[LoadedPage]:
        from trisynapse_memory.preprocessing.messages import LoadRequest

        looked.append(minute.page)
        request = LoadRequest(path=str(minute.path), loader=minute.loader, config=Config(), filename=minute.filename)
        yield from (reply for reply in Session().load(request) if isinstance(reply, LoadedPage))

    return look


def test_the_same_talk_in_another_kind_of_file_is_known_as_its_copy(reopen, talk, heard, tmp_path):
    engine = reopen()
    (first,) = engine.ingest(talk).results
    (second,) = engine.ingest(record(tmp_path / "copy.flac", tone(180.0))).results
    found = {source.source_id: source.same_text_as for source in engine.sources.list()}
    assert found == {first.source_id: None, second.source_id: first.source_id}
    assert engine.validate().ok


def test_what_was_heard_goes_with_its_source(reopen, talk, heard, tmp_path):
    engine = reopen()
    (result,) = engine.ingest(talk).results
    engine.sources.forget(result.source_id, reason="wrong talk")
    assert engine.search("rotating mirror").hits == ()
    engine.sources.reinstate(result.source_id, reason="right after all")
    assert engine.search("rotating mirror").hits
    engine.sources.remove(result.source_id, reason="private")
    engine.close()
    held = b"".join(path.read_bytes() for path in sorted((tmp_path / "one.vault").rglob("*")) if path.is_file())
    assert b"Foucault" not in held
