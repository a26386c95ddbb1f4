"""The model files of a machine: the curated list, her own, and downloads from a hub on loopback."""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.providers.hub_server import HubServer, running
from trisynapse_memory.errors import (
    InvalidInputError,
    ModelFileError,
    OfflineError,
    ProviderError,
    UnknownServiceError,
)
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files import curated, downloads, model_files
from trisynapse_memory.providers.files.curated import CuratedModel
from trisynapse_memory.providers.files.model_files import ModelFiles, models_folder
from trisynapse_memory.providers.machine import Machine

REPOSITORY, NAME = "ann/tiny-gguf", "tiny.gguf"


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def field(key: str, value: object) -> bytes:
    if isinstance(value, str):
        return text(key) + struct.pack("<I", 8) + text(value)
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(key) + struct.pack("<II", 4, value)


def gguf(name: str = "Tiny", weights: int = 4096, **more: object) -> bytes:
    """The smallest file that says it is a text model."""
    fields = {
        "general.architecture": "llama",
        "general.name": name,
        "llama.context_length": 4096,
        "llama.block_count": 2,
        "llama.embedding_length": 64,
        "llama.attention.head_count": 4,
        "tokenizer.ggml.tokens": ["a", "b"],
        **more,
    }
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(fields)) + b"".join(field(*pair) for pair in fields.items())
    head += text("w") + struct.pack("<IQIQ", 1, weights, 0, 0)
    return head + b"\0" * (-len(head) % 32) + b"\1" * (4 * weights)


CONTENT = gguf(weights=60_000)


def row(name: str = "tiny", file_name: str = NAME, sha256: str = "", size: int = len(CONTENT)) -> CuratedModel:
    return CuratedModel(
        name=name,
        label="Tiny",
        repository=REPOSITORY,
        file_name=file_name,
        size_bytes=size,
        sha256=sha256,
        licence="Apache-2.0",
        context_tokens=4096,
        kv_bytes=512,
        description="Good for nothing.",
    )


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running() as made:
        made.put(REPOSITORY, NAME, CONTENT)
        yield made


@pytest.fixture(autouse=True)
def _list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "curated_models", lambda: (row(),))
    monkeypatch.setattr(downloads, "TELL_S", 0.0)


def machine() -> Machine:
    return Machine(architecture="arm64", core_count=4, total_bytes=8 << 30, available_bytes=4 << 30)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "models"


def opened(server: HubServer | None, folder: Path, **settings: Any) -> ModelFiles:
    hub = None if server is None else server.hub
    return ModelFiles(settings.pop("door", None) or Egress(), folder, hub=hub, machine=machine, pauses_s=(0.0,))


def names(files: ModelFiles) -> dict[str, str]:
    return {model.name: model.state for model in files.local()}


def test_the_list_is_offered_with_fit_and_speed_before_anything_is_fetched(folder: Path):
    (model,) = opened(None, folder).local()
    assert (model.name, model.state, model.fit, model.path) == ("tiny", "offered", "good", "")
    assert model.speed > 0
    assert model.memory_bytes > model.size_bytes
    assert (model.licence, model.description) == ("Apache-2.0", "Good for nothing.")
    assert not folder.exists()


def test_a_download_makes_it_ready_and_its_header_is_told(server: HubServer, folder: Path):
    files = opened(server, folder)
    told: list[int] = []
    model = files.download("tiny", lambda done, total: told.append(done))
    assert (model.state, model.size_bytes, model.context_tokens) == ("ready", len(CONTENT), 4096)
    assert files.path_of("tiny") == folder / NAME == Path(model.path)
    assert told[-1] == len(CONTENT)
    server.asked.clear()
    assert files.download("tiny").state == "ready"
    assert server.asked == []


def test_a_stopped_download_is_offered_with_what_has_come_and_goes_on(server: HubServer, folder: Path):
    files = opened(server, folder)
    server.behave["hang"] = len(CONTENT) // 2
    states: list[str] = []

    def note(done: int, total: int) -> None:
        states.append(files.find("tiny").state)
        if done >= len(CONTENT) // 2:
            files.cancel_download("tiny")

    model = files.download("tiny", note)
    assert (model.state, model.done_bytes) == ("offered", len(CONTENT) // 2)
    assert set(states) == {"downloading"}
    server.behave.clear()
    assert files.download("tiny").state == "ready"
    assert server.ranges()[-1].startswith("bytes=")


def test_one_that_is_being_fetched_is_refused_to_others_and_cannot_be_removed(server: HubServer, folder: Path):
    files = opened(server, folder)
    server.behave["hang"] = 1000
    first = threading.Thread(target=files.download, args=("tiny",))
    first.start()
    try:
        assert server.started.wait(10)
        with pytest.raises(ProviderError, match="already"):
            files.download("tiny")
        with pytest.raises(ProviderError, match="already"):
            opened(server, folder).download("tiny")  # another process has its own list, but not its own disk
        with pytest.raises(ProviderError, match="being fetched"):
            files.remove_file("tiny")
    finally:
        files.cancel_download("tiny")
        first.join(10)
    assert names(files) == {"tiny": "offered"}


def test_a_file_that_is_not_the_listed_one_is_refused_before_it_is_fetched(
    server: HubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(model_files, "curated_models", lambda: (row(sha256="0" * 64),))
    with pytest.raises(ProviderError, match="another"):
        opened(server, folder).download("tiny")
    assert server.ranges() == []


def test_wrong_bytes_are_told_in_the_list_and_the_next_try_begins_anew(server: HubServer, folder: Path):
    files = opened(server, folder)
    original = model_files.list_files
    listing = original(Egress(), server.hub, REPOSITORY)
    server.put(REPOSITORY, NAME, b"x" * len(CONTENT))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(model_files, "list_files", lambda *_: listing)
        with pytest.raises(ProviderError, match="checksum"):
            files.download("tiny")
    model = files.find("tiny")
    assert (model.state, model.done_bytes) == ("offered", 0)
    assert "begins anew" in model.note
    server.put(REPOSITORY, NAME, CONTENT)
    assert files.download("tiny").state == "ready"


def test_what_the_hub_no_longer_has_and_what_nobody_listed_is_said(
    server: HubServer, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(UnknownServiceError, match="Known: tiny"):
        opened(server, folder).download("nothing")
    monkeypatch.setattr(model_files, "curated_models", lambda: (row(file_name="gone.gguf"),))
    with pytest.raises(UnknownServiceError, match="no longer"):
        opened(server, folder).download("tiny")


def test_offline_fetches_nothing_and_leaves_nothing(server: HubServer, folder: Path):
    with pytest.raises(OfflineError):
        opened(server, folder, door=Egress(offline=True)).download("tiny")
    assert server.asked == []
    assert names(opened(server, folder)) == {"tiny": "offered"}


def test_a_listed_file_put_there_by_hand_is_ready(folder: Path):
    folder.mkdir()
    (folder / NAME).write_bytes(CONTENT)
    assert names(opened(None, folder)) == {"tiny": "ready"}


def test_other_files_of_the_folder_are_offered_under_their_own_name(folder: Path):
    folder.mkdir()
    (folder / "mine.gguf").write_bytes(gguf())
    (folder / "notes.txt").write_text("x")
    (folder / "half.gguf.part").write_bytes(b"GGUF")
    assert names(opened(None, folder)) == {"tiny": "offered", "mine": "ready"}


def test_a_file_from_elsewhere_stays_there_and_is_remembered_and_forgotten(folder: Path, tmp_path: Path):
    place = tmp_path / "déjà vu" / 'a "good" one.gguf'
    place.parent.mkdir()
    place.write_bytes(gguf())
    files = opened(None, folder)
    added = files.add_file(place)
    assert (added.state, added.path) == ("ready", str(place))
    assert files.add_file(place) == added
    assert names(opened(None, folder)) == {"tiny": "offered", added.name: "ready"}
    files.remove_file(added.name)
    assert place.exists()
    assert names(opened(None, folder)) == {"tiny": "offered"}


def test_two_files_of_one_name_are_told_apart(folder: Path, tmp_path: Path):
    folder.mkdir()
    (folder / "same.gguf").write_bytes(gguf())
    other = tmp_path / "same.gguf"
    other.write_bytes(gguf())
    files = opened(None, folder)
    assert files.add_file(other).name == "same-2"
    assert files.path_of("same-2") == other
    assert files.path_of("same") == folder / "same.gguf"


def test_a_file_that_went_away_is_broken_and_can_be_forgotten(folder: Path, tmp_path: Path):
    place = tmp_path / "mine.gguf"
    place.write_bytes(gguf())
    files = opened(None, folder)
    files.add_file(place)
    place.unlink()
    model = files.find("mine")
    assert (model.state, "cannot be read" in model.note) == ("broken", True)
    with pytest.raises(ModelFileError, match="cannot be read"):
        files.path_of("mine")
    files.remove_file("mine")
    assert names(files) == {"tiny": "offered"}


@pytest.mark.parametrize("content", [b"", b"MZ this is no model", CONTENT[:-10]], ids=["empty", "foreign", "cut"])
def test_a_file_that_is_no_model_is_not_added_and_shown_as_broken_where_it_lies(
    folder: Path, tmp_path: Path, content: bytes
):
    place = tmp_path / "bad.gguf"
    place.write_bytes(content)
    files = opened(None, folder)
    with pytest.raises(ModelFileError):
        files.add_file(place)
    assert not folder.exists()
    folder.mkdir()
    (folder / "bad.gguf").write_bytes(content)
    model = files.find("bad")
    assert model.state == "broken"
    assert model.note


def test_what_is_no_file_is_not_added(folder: Path, tmp_path: Path):
    with pytest.raises(InvalidInputError, match="no file"):
        opened(None, folder).add_file(tmp_path / "nothing.gguf")
    with pytest.raises(InvalidInputError, match="no file"):
        opened(None, folder).add_file(tmp_path)


def test_a_model_in_parts_is_listed_once_and_removed_whole(folder: Path):
    folder.mkdir()
    first, second = folder / "big-00001-of-00002.gguf", folder / "big-00002-of-00002.gguf"
    first.write_bytes(gguf(**{"split.count": 2, "split.no": 0}))
    second.write_bytes(gguf(**{"split.count": 2, "split.no": 1}))
    files = opened(None, folder)
    model = files.find("big")
    assert (model.state, model.path) == ("ready", str(first))
    assert model.size_bytes == first.stat().st_size + second.stat().st_size
    assert files.add_file(second).path == str(first)
    second.unlink()
    model = files.find("big")
    assert (model.state, "big-00002-of-00002" in model.note) == ("broken", True)
    files.remove_file("big")
    assert not first.exists()


def test_removing_a_downloaded_file_offers_it_again(server: HubServer, folder: Path):
    files = opened(server, folder)
    files.download("tiny")
    files.remove_file("tiny")
    assert list(folder.iterdir()) == []
    assert names(files) == {"tiny": "offered"}


def test_a_damaged_list_is_set_aside_and_never_lost(folder: Path, tmp_path: Path):
    folder.mkdir()
    (folder / "models.toml").write_text("file = [broken")
    place = tmp_path / "mine.gguf"
    place.write_bytes(gguf())
    files = opened(None, folder)
    assert names(files) == {"tiny": "offered"}
    files.add_file(place)
    assert (folder / "models.toml.damaged").read_text() == "file = [broken"
    assert names(files) == {"tiny": "offered", "mine": "ready"}
    files.remove_file("mine")
    files.add_file(place)
    assert sorted(path.name for path in folder.iterdir()) == ["models.toml", "models.toml.damaged"]


def test_a_model_that_is_not_here_says_so(folder: Path):
    with pytest.raises(ModelFileError, match="not on this machine"):
        opened(None, folder).path_of("tiny")
    with pytest.raises(UnknownServiceError, match="Known: tiny"):
        opened(None, folder).path_of("nothing")


def test_the_folder_can_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("TRISYNAPSE_MODELS", str(tmp_path / "elsewhere"))
    assert models_folder() == tmp_path / "elsewhere"
    monkeypatch.delenv("TRISYNAPSE_MODELS")
    assert models_folder().name == "models"


def test_the_real_list_is_read_from_the_package():
    assert len(curated.curated_models()) > 1
