"""Headers of model files: what is read of a sound one, and what is said of every other."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from tests.engine.providers.gguf_files import TEXT_MODEL, WEIGHT_BYTES, write_gguf
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers.gguf import (
    CONTEXT_CAP_TOKENS,
    ModelHeader,
    fitting_context,
    memory_bytes,
    read_header,
)


def test_a_header_says_what_kind_of_model_it_is_and_what_its_window_costs(tmp_path: Path):
    header = read_header(write_gguf(tmp_path / "tiny.gguf"))
    assert (header.architecture, header.name, header.context_tokens, header.layer_count) == ("llama", "Tiny", 4096, 2)
    assert header.vocabulary_count == 3
    assert header.parameter_count == 64 * 3 + 256 * 2
    assert header.template == "{{ messages[0]['content'] }}"
    # 2 layers, 2 shared heads of 64 / 4 numbers, keys and values, 2 bytes each
    assert header.cache_bytes_per_token == 2 * 2 * (16 + 16) * 2
    assert header.size_bytes == (tmp_path / "tiny.gguf").stat().st_size


def test_heads_that_differ_from_layer_to_layer_are_added_up(tmp_path: Path):
    values = TEXT_MODEL | {"llama.attention.head_count_kv": [1, 3], "llama.attention.key_length": 8}
    header = read_header(write_gguf(tmp_path / "uneven.gguf", values))
    assert header.cache_bytes_per_token == (1 + 3) * (8 + 16) * 2


@pytest.mark.real
def test_the_header_of_a_real_model_is_the_published_one(smollm: Path):
    header = read_header(smollm)
    assert header.architecture == "llama"
    assert (header.layer_count, header.embedding_length, header.vocabulary_count) == (30, 576, 49152)
    assert header.parameter_count == 134_515_008
    assert header.context_tokens == 8192
    assert header.cache_bytes_per_token == 30 * 3 * (64 + 64) * 2
    assert "<|im_start|>" in header.template


def test_a_file_without_its_end_is_cut_short(tmp_path: Path):
    whole = write_gguf(tmp_path / "whole.gguf")
    body = whole.read_bytes()
    cut = tmp_path / "cut.gguf"
    for length in (len(body) - 1, len(body) - WEIGHT_BYTES, 200, 30, 6):
        cut.write_bytes(body[:length])
        with pytest.raises(ModelFileError, match=r"'cut\.gguf' is cut short"):
            read_header(cut)


@pytest.mark.real
def test_a_real_model_without_its_last_byte_is_cut_short(altered_model: Callable[..., Path]):
    with pytest.raises(ModelFileError, match="cut short"):
        read_header(altered_model(missing_bytes=1))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"general.type": "adapter"}, "is adapter data for a model"),
        ({"general.type": "imatrix"}, "is imatrix data for a model"),
        ({"general.type": "mmproj"}, "holds the picture half"),
        ({"general.architecture": "clip"}, "holds the picture half"),
        ({"general.architecture": "nomic-bert"}, "is an embedding model"),
        ({"llama.pooling_type": 3}, "is an embedding model"),
        ({"general.architecture": ""}, "does not say what kind"),
    ],
)
def test_what_is_no_text_model_is_named(changed: dict[str, object], said: str, tmp_path: Path):
    with pytest.raises(ModelFileError, match=said):
        read_header(write_gguf(tmp_path / "other.gguf", TEXT_MODEL | changed))


def test_a_vocabulary_is_no_model(tmp_path: Path):
    with pytest.raises(ModelFileError, match="holds a vocabulary only"):
        read_header(write_gguf(tmp_path / "words.gguf", tensors=(), data_bytes=0))
    without = {key: value for key, value in TEXT_MODEL.items() if key != "tokenizer.ggml.tokens"}
    with pytest.raises(ModelFileError, match="has no vocabulary"):
        read_header(write_gguf(tmp_path / "weights.gguf", without))


def test_a_file_of_another_format_is_no_model(tmp_path: Path):
    other = tmp_path / "paper.gguf"
    other.write_bytes(b"%PDF-1.7 and more")
    with pytest.raises(ModelFileError, match=r"'paper\.gguf' is no GGUF"):
        read_header(other)
    other.write_bytes(b"")
    with pytest.raises(ModelFileError, match="is empty"):
        read_header(other)
    other.unlink()
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_header(other)


def test_an_old_version_and_the_other_byte_order_are_named(tmp_path: Path):
    with pytest.raises(ModelFileError, match="has version 1"):
        read_header(write_gguf(tmp_path / "old.gguf", version=1))
    with pytest.raises(ModelFileError, match="another kind of processor"):
        read_header(write_gguf(tmp_path / "big.gguf", order=">"))


def test_counts_that_no_file_can_hold_are_refused_without_taking_memory(tmp_path: Path):
    hostile = tmp_path / "hostile.gguf"
    for body in (
        struct.pack("<IQQ", 3, 2**63, 1),
        struct.pack("<IQQ", 3, 1, 2**63),
        struct.pack("<IQQQ", 3, 1, 1, 2**62),
        struct.pack("<IQQQ1sIIQ", 3, 1, 1, 1, b"k", 9, 8, 2**61),
        struct.pack("<IQQQ1sIIQ", 3, 1, 1, 1, b"k", 9, 4, 2**61),
    ):
        hostile.write_bytes(b"GGUF" + body + b"\0" * 64)
        with pytest.raises(ModelFileError):
            read_header(hostile)


def test_lists_of_lists_are_refused(tmp_path: Path):
    nested = tmp_path / "nested.gguf"
    nested.write_bytes(b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 1, 1, 1, b"k", 9, 9, 1) + b"\0" * 64)
    with pytest.raises(ModelFileError, match="a type nobody knows"):
        read_header(nested)


def test_a_model_in_parts_is_as_large_as_all_of_them(tmp_path: Path):
    first = write_gguf(tmp_path / "big-00001-of-00002.gguf", TEXT_MODEL | {"split.count": 2, "split.no": 0})
    later = {"general.architecture": "llama", "split.count": 2, "split.no": 1}
    second = write_gguf(tmp_path / "big-00002-of-00002.gguf", later)
    assert read_header(first).size_bytes == first.stat().st_size + second.stat().st_size
    with pytest.raises(ModelFileError, match="is a later part"):
        read_header(second)
    second.write_bytes(second.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r"of-00002\.gguf' is cut short"):
        read_header(first)
    second.unlink()
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_header(first)


LARGE = ModelHeader(
    architecture="llama",
    name="",
    size_bytes=10**9,
    part_count=1,
    context_tokens=32768,
    layer_count=28,
    embedding_length=1536,
    vocabulary_count=150_000,
    parameter_count=1_500_000_000,
    cache_bytes_per_token=100_000,
)


def test_the_window_is_the_longest_that_memory_allows():
    assert fitting_context(LARGE, 10**11) == CONTEXT_CAP_TOKENS
    half = memory_bytes(LARGE, CONTEXT_CAP_TOKENS) - 1
    assert fitting_context(LARGE, half) == CONTEXT_CAP_TOKENS // 2
    assert fitting_context(LARGE, 10**9) == 0


def test_the_window_is_never_longer_than_the_model_was_trained_for():
    assert fitting_context(structs.replace(LARGE, context_tokens=1024), 10**11) == 1024
    assert fitting_context(structs.replace(LARGE, context_tokens=0), 10**11) == CONTEXT_CAP_TOKENS
