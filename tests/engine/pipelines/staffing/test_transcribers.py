"""Who writes down speech: the folder she chose, else one that lies here; and what is missing, said in her words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.branches import BRANCHES, Branch
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.pipelines.staffing.transcribers import Transcribers
from trisynapse_memory.providers.files import whisper_folders
from trisynapse_memory.providers.files.whisper_folders import SHELF, read_whisper
from trisynapse_memory.registry import Registry

INSTALLED = Registry((Branch("transcriber", "whisper", "json:JSONDecoder", ("json",), "speech"),), guests=False)
ABSENT = Registry((Branch("transcriber", "whisper", "json:JSONDecoder", ("no_such_package",), "speech"),), guests=False)


@pytest.fixture(autouse=True)
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whisper_folders, "PACKAGES", ())


def model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (folder / name).write_text("{}")
    (folder / "model.bin").write_bytes(weights)
    return folder


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Transcribers]:
    return lambda chosen="": Transcribers(INSTALLED, lambda: chosen, tmp_path / "models")


def test_the_folder_she_chose_is_taken_before_any_other(tmp_path, make):
    model(tmp_path / "models" / SHELF / "base")
    mine = model(tmp_path / "whisper-small")
    voice = make(str(mine)).voice()
    assert (voice.row, voice.folder, voice.size_bytes) == ("whisper", str(mine), 7)
    assert voice.method.startswith("whisper:whisper-small@")
    choice = make(str(mine)).choice()
    assert (choice.state, choice.service, choice.model) == ("ready", "whisper", str(mine))


def test_a_model_beside_the_model_files_is_found_by_itself(tmp_path, make):
    found = model(tmp_path / "models" / SHELF / "base")
    assert make("").voice().folder == str(found)
    choice = make("").choice()
    assert (choice.state, choice.service, choice.model) == ("ready", "", str(found))
    assert choice.note.startswith("found on this machine: whisper:base@")


def test_without_a_model_or_the_packages_it_is_said_what_to_do(tmp_path, make):
    with pytest.raises(ModelFileError, match="no Whisper model on this machine") as nothing:
        make("").voice()
    assert "models set transcription whisper FOLDER" in nothing.value.hint
    assert make("").choice().state == "off"
    with pytest.raises(BranchUnavailableError) as absent:
        Transcribers(ABSENT, lambda: "", tmp_path).voice()
    assert absent.value.hint == "Install it: pip install 'trisynapse-desktop[speech]'."


def test_a_chosen_folder_that_is_gone_is_missing_and_no_other_takes_its_place(tmp_path, make):
    model(tmp_path / "models" / SHELF / "base")
    choice = make(str(tmp_path / "gone")).choice()
    assert choice.state == "missing"
    assert "There is no folder 'gone'" in choice.note


def test_it_is_looked_up_once_until_told_to_look_again(tmp_path, make):
    transcribers = make("")
    assert transcribers.choice().state == "off"
    model(tmp_path / "models" / SHELF / "base")
    assert transcribers.choice().state == "off"
    transcribers.forget()
    assert transcribers.choice().state == "ready"


@pytest.mark.parametrize("lacking", ["model.bin", "config.json", "tokenizer.json", "vocabulary.txt"])
def test_a_folder_that_is_not_whole_is_refused_with_what_it_lacks(tmp_path, lacking):
    folder = model(tmp_path / "m")
    (folder / lacking).unlink()
    with pytest.raises(ModelFileError, match=f"lacks '{lacking}'"):
        read_whisper(folder)


def test_other_weights_are_another_model_and_a_snapshot_is_called_by_what_it_is_of(tmp_path):
    first = read_whisper(model(tmp_path / "models--a--faster-whisper-base" / "snapshots" / ("0" * 40)))
    second = read_whisper(model(tmp_path / "other" / "model", b"weights of another"))
    assert first.name == "models--a--faster-whisper-base"
    assert second.name == "other"
    assert first.digest != second.digest
    assert len(first.digest) == 12


def test_the_table_says_which_extra_brings_the_row():
    (row,) = (row for row in BRANCHES if row.kind == "transcriber")
    assert (row.extra, set(row.needs)) == ("speech", {"faster_whisper", "av"})
