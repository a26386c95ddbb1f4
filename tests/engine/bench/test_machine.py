from __future__ import annotations

import pytest

from trisynapse_memory.bench import machine


def test_the_digest_of_a_corpus_depends_on_names_and_contents_and_not_on_the_order(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1")
    second.write_text("2")
    digest = machine.digest_of([first, second], tmp_path)
    assert machine.digest_of([second, first], tmp_path) == digest
    assert machine.digest_of([first], tmp_path) != digest
    second.write_text("3")
    assert machine.digest_of([first, second], tmp_path) != digest


def test_a_digest_is_that_of_the_list_sha256sum_prints():
    # printf 'aa  one\nbb  two\n' | sha256sum
    expected = "d3e43597bba34c8fb4f4b3bc01d19592c7f9c3ce09d99fea49bb1d2d966fb23c"
    assert machine.digest_of_lines({"two": "bb", "one": "aa"}) == expected


def test_a_lap_that_raises_is_not_kept():
    watch = machine.Stopwatch()
    with watch.lap():
        pass
    with pytest.raises(ValueError, match="broken"), watch.lap():
        raise ValueError("broken")
    assert len(watch.wall_ms) == len(watch.cpu_ms) == 1


def test_latency_is_told_by_middle_and_slow_end():
    watch = machine.Stopwatch(wall_ms=[1.0, 3.0], cpu_ms=[1.0, 1.0])
    assert watch.latency_ms() == {"p50": 2.0, "p95": 2.9, "cpu_p50": 1.0, "cpu_p95": 1.0}
    assert watch.wall_s == pytest.approx(0.004)


def test_the_machine_is_described_by_what_figures_depend_on():
    described = machine.describe_machine()
    assert {"system", "cpu", "cores", "load_1min", "python", "date", "numpy"} <= set(described)


def test_a_folder_weighs_what_its_files_hold(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a").write_bytes(b"12345")
    (tmp_path / "b").write_bytes(b"1")
    assert machine.folder_bytes(tmp_path) == 6
