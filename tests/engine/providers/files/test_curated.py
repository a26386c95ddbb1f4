"""The list that comes with the program: well formed, honest about what is known, and what fits where."""

from __future__ import annotations

import re

import pytest

from trisynapse_memory.providers.files.curated import curated_models, fit_of, memory_need, speed_of
from trisynapse_memory.providers.machine import Machine

GB = 10**9


def machine(total: int = 16 * GB, cores: int = 4, architecture: str = "x86_64", features: str = "avx avx2") -> Machine:
    return Machine(
        architecture=architecture,
        core_count=cores,
        total_bytes=total,
        available_bytes=total // 2,
        features=frozenset(features.split()),
    )


def test_names_and_files_are_unique_and_the_smallest_comes_first():
    rows = curated_models()
    assert len({row.name for row in rows}) == len({row.file_name for row in rows}) == len(rows) >= 10
    assert [row.size_bytes for row in rows] == sorted(row.size_bytes for row in rows)


@pytest.mark.parametrize("row", curated_models(), ids=lambda row: row.name)
def test_every_row_says_what_she_must_know(row):
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", row.repository)
    assert re.fullmatch(r"[\w.-]+\.gguf", row.file_name)
    assert row.licence
    assert row.description.endswith(".")
    assert row.context_tokens >= 8192
    assert row.kv_bytes > 0
    assert not row.sha256 or re.fullmatch(r"[0-9a-f]{64}", row.sha256)


@pytest.mark.parametrize(("total", "fit"), [(64 * GB, "good"), (6 * GB, "tight"), (4 * GB, "too-large")])
def test_a_model_of_four_billion_fits_or_not(total: int, fit: str):
    row = next(row for row in curated_models() if row.name == "qwen3-4b")
    assert fit_of(memory_need(row), machine(total)) == fit


@pytest.mark.parametrize(("size", "measured"), [(98_362_432, 53), (491_400_064, 22), (1_117_320_768, 15)])
def test_the_estimate_is_near_what_was_measured_with_one_thread(size: int, measured: float):
    assert speed_of(size, machine(cores=2)) == pytest.approx(measured, rel=0.2)


def test_a_larger_file_is_slower_and_more_cores_help_until_memory_is_the_limit():
    assert speed_of(10**8, machine()) > speed_of(10**9, machine()) > 0
    assert speed_of(10**9, machine(cores=4)) > speed_of(10**9, machine(cores=2))
    assert speed_of(10**10, machine(cores=64)) < 40e9 / 10**10


def test_no_estimate_is_made_where_none_is_honest():
    assert speed_of(10**9, machine(features="avx")) == 0
    assert speed_of(0, machine()) == 0
    assert speed_of(10**9, machine(architecture="arm64", features="")) > 0
