"""What the small files of a sentence-transformers folder say, in the ways several versions wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers.files import model_folders
from trisynapse_memory.providers.files.model_folders import read_folder


def write(folder: Path, name: str, values: Any) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")


def model(folder: Path, pooling: dict[str, Any], **more: Any) -> Path:
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), *more.pop("modules", [])]
    write(folder, "modules.json", [{"idx": n, "path": path, "type": kind} for n, (path, kind) in enumerate(modules)])
    write(folder, "config.json", {"hidden_size": 384, "max_position_embeddings": 512, **more})
    write(folder, "1_Pooling/config.json", pooling)
    return folder


@pytest.mark.parametrize(
    ("pooling", "dimension"),
    [
        ({"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}, 384),
        ({"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, 768),
        ({"embedding_dimension": 384, "pooling_mode": "mean"}, 384),
        ({"embedding_dimension": 384, "pooling_mode": ["mean", "cls"]}, 768),
        ({}, 384),
    ],
)
def test_the_length_of_its_vectors_is_what_pooling_makes_it(tmp_path: Path, pooling: dict[str, Any], dimension: int):
    assert read_folder(model(tmp_path, pooling)).dimension == dimension


def test_a_dense_layer_at_the_end_decides_and_one_that_only_normalises_does_not(tmp_path: Path):
    folder = model(tmp_path, {"word_embedding_dimension": 384}, modules=[("2_Dense", "Dense"), ("3_Norm", "Normalize")])
    write(folder, "2_Dense/config.json", {"in_features": 384, "out_features": 128})
    write(folder, "3_Norm/config.json", {"module_input_name": "sentence_embedding"})
    assert read_folder(folder).dimension == 128


def test_the_window_is_the_first_that_is_stated(tmp_path: Path):
    folder = model(tmp_path, {})
    assert read_folder(folder).max_tokens == 512
    write(folder, "tokenizer_config.json", {"model_max_length": 1e30})
    assert read_folder(folder).max_tokens == 512
    write(folder, "tokenizer_config.json", {"model_max_length": 256})
    assert read_folder(folder).max_tokens == 256
    write(folder, "sentence_bert_config.json", {"max_seq_length": 128})
    assert read_folder(folder).max_tokens == 128


def test_changed_weights_are_another_model_and_a_read_me_or_another_place_is_not(tmp_path: Path):
    folder = model(tmp_path / "one", {})
    (folder / "model.safetensors").write_bytes(b"a" * 100)
    before = read_folder(folder).digest
    (folder / "README.md").write_text("hello")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "config.json").write_text("{}")
    assert read_folder(folder).digest == before
    folder.rename(tmp_path / "two")
    assert read_folder(tmp_path / "two").digest == before
    (tmp_path / "two" / "model.safetensors").write_bytes(b"b" * 100)
    assert read_folder(tmp_path / "two").digest != before


def test_of_large_weights_both_ends_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(model_folders, "_SMALL_BYTES", 1000)
    monkeypatch.setattr(model_folders, "_EDGE_BYTES", 100)
    folder = model(tmp_path, {})
    weights = folder / "model.safetensors"
    seen: set[str] = set()
    for content in (b"a" * 2000, b"b" + b"a" * 1999, b"a" * 1999 + b"b", b"a" * 2001):
        weights.write_bytes(content)
        seen.add(read_folder(folder).digest)
    assert len(seen) == 4


@pytest.mark.parametrize("broken", ["[", "{}", "[1]", '[{"path": 3}]'])
def test_a_folder_that_is_no_model_is_said(tmp_path: Path, broken: str):
    with pytest.raises(ModelFileError, match="no folder"):
        read_folder(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match="no sentence-transformers model"):
        read_folder(tmp_path)
    (tmp_path / "modules.json").write_text(broken)
    with pytest.raises(ModelFileError, match="no sentence-transformers model"):
        read_folder(tmp_path)
