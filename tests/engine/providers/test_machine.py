"""What this machine offers a model."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest
from msgspec import structs

from trisynapse_memory.providers import machine
from trisynapse_memory.providers.machine import FEATURES, Machine, missing_features, read_machine

SMALL = Machine(architecture="x86_64", core_count=4, total_bytes=8 << 30, available_bytes=4 << 30)


def test_this_machine_has_cores_and_memory():
    found = read_machine()
    assert 1 <= found.core_count <= (os.cpu_count() or 1)
    assert 0 < found.available_bytes <= found.total_bytes <= psutil.virtual_memory().total
    assert found.features is None or found.features <= frozenset(FEATURES)


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (4, 3), (16, 15)])
def test_one_core_stays_free_for_the_window(cores: int, threads: int):
    assert structs.replace(SMALL, core_count=cores).thread_count == threads


def test_what_a_build_needs_and_the_processor_has_not_is_named():
    old = structs.replace(SMALL, features=frozenset({"avx", "ssse3"}))
    assert missing_features(frozenset({"avx", "fma", "avx2"}), old) == ("avx2", "fma")
    assert missing_features(frozenset({"avx2"}), SMALL) == ()


def test_features_are_read_as_linux_tells_them(tmp_path: Path):
    told = tmp_path / "cpuinfo"
    told.write_text("processor : 0\nflags\t\t: fpu pni ssse3 avx avx2 fma f16c bmi2 la57\n")
    assert machine._linux_features(told) == {"sse3", "ssse3", "avx", "avx2", "fma", "f16c", "bmi2"}
    told.write_text("processor : 0\nFeatures : fp asimd\n")
    assert machine._linux_features(told) is None
    assert machine._linux_features(tmp_path / "absent") is None


def test_a_control_group_bounds_memory(tmp_path: Path):
    assert machine._group_memory(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("5000\n")
    assert machine._group_memory(tmp_path) is None
    (tmp_path / "memory.max").write_text("8000\n")
    assert machine._group_memory(tmp_path) == (8000, 3000)
    (tmp_path / "memory.current").write_text("9000\n")
    assert machine._group_memory(tmp_path) == (8000, 0)


def test_a_control_group_of_the_first_version_bounds_memory_too(tmp_path: Path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("8000")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("1000")
    assert machine._group_memory(tmp_path) == (8000, 7000)
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("9223372036854771712")
    assert machine._group_memory(tmp_path) is None
