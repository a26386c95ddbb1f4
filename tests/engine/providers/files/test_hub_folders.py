"""Embedders and cross-encoders from a hub on loopback: a folder is whole or not there, and nothing of it can run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cross_encoders import write_cross_encoder
from tests.engine.providers.hub_server import HubServer, running
from trisynapse_memory.errors import InvalidInputError, ModelFileError, UnknownServiceError
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files import downloads
from trisynapse_memory.providers.files.hub_folders import folder_for, folders_in, is_repository
from trisynapse_memory.providers.files.model_files import ModelFiles
from trisynapse_memory.providers.files.model_folders import read_folder
from trisynapse_memory.providers.files.reranker_folders import read_reranker

NAME = "ann/tiny-embedder"
RERANKER = "ann/tiny-reranker"
WEIGHTS = bytes(range(256)) * 800


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setattr(downloads, "TELL_S", 0.0)
    with running() as made:
        modules = [{"idx": 0, "path": "", "type": "T"}, {"idx": 1, "path": "1_Pooling", "type": "P"}]
        made.put(NAME, "modules.json", json.dumps(modules).encode())
        made.put(NAME, "config.json", b'{"hidden_size": 384}')
        made.put(NAME, "1_Pooling/config.json", b'{"word_embedding_dimension": 384}')
        made.put(NAME, "vocab.txt", b"a\nb\n")
        made.put(NAME, "model.safetensors", WEIGHTS)
        made.put(NAME, "README.md", b"hello")
        made.put(NAME, "onnx/model.onnx", b"other")
        made.put(NAME, "pytorch_model.bin", b"pickled")
        yield made


@pytest.fixture
def files(server: HubServer, tmp_path: Path) -> ModelFiles:
    return ModelFiles(Egress(), tmp_path / "models", hub=server.hub, pauses_s=(0.0,))


def test_only_what_the_library_reads_is_fetched_and_the_folder_is_a_model(server: HubServer, files: ModelFiles):
    told: list[tuple[int, int]] = []
    model = files.download(NAME, lambda done, total: told.append((done, total)))
    folder = Path(model.path)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == ["1_Pooling/config.json", "config.json", "model.safetensors", "modules.json", "vocab.txt"]
    assert (model.state, model.size_bytes) == ("ready", told[-1][1])
    assert told[-1][0] == told[-1][1]
    assert read_folder(folder).dimension == 384
    assert [one.name for one in files.embedders()] == [NAME]
    assert NAME not in {one.name for one in files.local()}
    server.asked.clear()
    assert files.download(NAME) == model
    assert server.asked == []


def test_a_stopped_fetch_is_no_model_yet_and_goes_on(server: HubServer, files: ModelFiles):
    def note(done: int, total: int) -> None:
        if done > len(WEIGHTS) // 2:
            files.cancel_download(NAME)

    server.behave["hang"] = len(WEIGHTS) // 2
    model = files.download(NAME, note)
    assert (model.state, model.path, files.embedders()) == ("offered", "", ())
    server.behave.clear()
    server.asked.clear()
    assert files.download(NAME).state == "ready"
    assert [path for path, *_ in server.asked if path.startswith("/content")] == [f"/content/{NAME}/model.safetensors"]


def test_what_is_no_such_model_is_said(server: HubServer, files: ModelFiles):
    with pytest.raises(UnknownServiceError):
        files.download("ann/nothing")
    server.put("ann/plain", "config.json", b"{}")
    with pytest.raises(ModelFileError, match="neither a sentence-transformers model nor a cross-encoder"):
        files.download("ann/plain")
    server.put("ann/pickled", "modules.json", b"[]")
    server.put("ann/pickled", "pytorch_model.bin", b"x")
    with pytest.raises(ModelFileError, match="safe to read"):
        files.download("ann/pickled")
    assert files.embedders() == ()


@pytest.mark.parametrize(
    "name", ["../x.json", "../../x.json", "/etc/x.json", "a/../../x.json", "a\\b.json", "a/b/c.json"]
)
def test_a_name_that_leads_out_of_the_folder_is_not_fetched(server: HubServer, files: ModelFiles, name: str):
    server.put(NAME, name, b"{}")
    folder = Path(files.download(NAME).path)
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == [
        "config.json",
        "model.safetensors",
        "modules.json",
        "vocab.txt",
    ]


def put_cross_encoder(server: HubServer, made: Path) -> None:
    for path in made.rglob("*"):
        if path.is_file():
            server.put(RERANKER, path.relative_to(made).as_posix(), path.read_bytes())
    for other in ("README.md", "model.safetensors", "pytorch_model.bin", "onnx/model_quantized.onnx", "vocab.txt"):
        server.put(RERANKER, other, b"other")


def test_of_a_cross_encoder_the_graph_and_what_it_needs_are_fetched(
    server: HubServer, files: ModelFiles, tmp_path: Path
):
    put_cross_encoder(server, write_cross_encoder(tmp_path / "made", ["a few words"], weights="onnx/model.onnx"))
    told: list[tuple[int, int]] = []
    model = files.download(RERANKER, lambda done, total: told.append((done, total)))
    folder = Path(model.path)
    assert folder.parent.name == "rerankers"
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == ["config.json", "onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"]
    assert (model.state, told[-1]) == ("ready", (model.size_bytes, model.size_bytes))
    assert read_reranker(folder).name == "tiny-reranker"
    assert files.embedders() == ()
    server.asked.clear()
    assert files.download(RERANKER) == model
    assert server.asked == []
    assert all("authorization" not in seen for seen in server.headers_seen)
    files.remove_file(RERANKER)
    assert not folder.exists()


def test_a_model_of_another_kind_is_refused_before_its_weights_are_fetched(
    server: HubServer, files: ModelFiles, tmp_path: Path
):
    put_cross_encoder(server, write_cross_encoder(tmp_path / "made", [], weights="onnx/model.onnx"))
    server.put(RERANKER, "config.json", b'{"architectures": ["BertModel"]}')
    with pytest.raises(ModelFileError, match="no cross-encoder"):
        files.download(RERANKER)
    assert [path for path, *_ in server.asked if "onnx" in path] == []
    assert list((files.folder / "rerankers").iterdir()) == []


def test_removing_one_deletes_its_folder(files: ModelFiles):
    files.download(NAME)
    files.remove_file(NAME)
    assert files.embedders() == ()


def test_names_are_those_of_the_hub(tmp_path: Path):
    assert is_repository("sentence-transformers/all-MiniLM-L6-v2")
    for name in ("minilm", "a/b/c", "../b", "a/..", "/a/b", "C:/x y", "a/"):
        assert not is_repository(name)
    with pytest.raises(InvalidInputError):
        folder_for(tmp_path, "../x")
    assert list(folders_in(tmp_path)) == []
