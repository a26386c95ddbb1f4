"""What a folder says of its cross-encoder, before any weight is loaded; what it lacks is said by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cross_encoders import write_cross_encoder
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers.files.reranker_folders import read_reranker, weights_among


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "tiny", ["a few words"])


def test_a_folder_is_known_by_its_name_and_the_state_of_its_files(folder: Path):
    found = read_reranker(folder)
    assert (found.name, found.max_tokens, found.weights.name) == ("tiny", 512, "model.onnx")
    assert found.size_bytes == (folder / "model.onnx").stat().st_size
    assert found.model_id == f"cross-encoder:tiny@{found.digest}"
    (folder / "tokenizer.json").write_text((folder / "tokenizer.json").read_text() + " ")
    assert read_reranker(folder).digest != found.digest


def test_a_folder_of_the_hub_is_called_by_the_models_name(tmp_path: Path):
    found = read_reranker(write_cross_encoder(tmp_path / "ann--tiny", [], weights="onnx/model.onnx"))
    assert found.name == "tiny"
    assert found.weights == tmp_path / "ann--tiny" / "onnx" / "model.onnx"


@pytest.mark.parametrize("lacking", ["config.json", "tokenizer.json", "model.onnx"])
def test_what_a_folder_lacks_is_named(folder: Path, lacking: str):
    (folder / lacking).unlink()
    with pytest.raises(ModelFileError, match=f"'tiny' lacks '{lacking}'"):
        read_reranker(folder)


def test_an_embedding_model_and_a_broken_file_are_no_cross_encoder(folder: Path, tmp_path: Path):
    (folder / "config.json").write_text(json.dumps({"architectures": ["BertModel"]}))
    with pytest.raises(ModelFileError, match="no cross-encoder"):
        read_reranker(folder)
    (folder / "config.json").write_text("[")
    with pytest.raises(ModelFileError, match=r"'config\.json' in 'tiny' cannot be read"):
        read_reranker(folder)
    with pytest.raises(ModelFileError, match="no folder 'gone'"):
        read_reranker(tmp_path / "gone")


@pytest.mark.parametrize(
    ("config", "tokenizer", "window"),
    [
        ({"max_position_embeddings": 512}, {}, 512),
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta"}, {"model_max_length": 1e30}, 512),
        ({"max_position_embeddings": 8194, "model_type": "xlm-roberta"}, {"model_max_length": 1024}, 1024),
        ({}, {}, 512),
    ],
)
def test_the_window_is_the_smallest_that_is_stated(folder: Path, config: dict, tokenizer: dict, window: int):
    (folder / "config.json").write_text(json.dumps({"architectures": ["XForSequenceClassification"], **config}))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    assert read_reranker(folder).max_tokens == window


def test_of_several_weights_the_most_exact_is_used_with_what_lies_beside_it():
    names = ("onnx/model_int8.onnx", "onnx/model.onnx", "onnx/model.onnx_data", "README.md")
    assert weights_among(names) == ("onnx/model.onnx", "onnx/model.onnx_data")
    assert weights_among(("onnx/model_quantized.onnx",)) == ("onnx/model_quantized.onnx",)
    assert weights_among(("pytorch_model.bin",)) == ()
