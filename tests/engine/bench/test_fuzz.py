"""Damaged copies are counted by what became of them; what dies, hangs or gets out is told one by one."""

from __future__ import annotations

import pytest

from trisynapse_memory.bench import fuzz
from trisynapse_memory.errors import InvalidInputError, SourceDamagedError, WorkerDiedError
from trisynapse_memory.preprocessing.sandbox import LoadedPage
from trisynapse_memory.types import Heading, Page, PageVerdict


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "_GOLDEN", tmp_path / "none")
    (tmp_path / "intake").mkdir()
    (tmp_path / "intake" / "a.txt").write_text("Words of a note about birds.\n" * 40)
    (tmp_path / "intake" / "page.html").write_text(f"<html><body>{'<p>Words of a page.</p>' * 40}</body></html>")
    (tmp_path / "intake" / "empty.txt").write_text("")
    return tmp_path


class Scripted:
    """A sandbox that does what is said of each file, one after the other."""

    def __init__(self, deeds):
        self.deeds = deeds
        self.count = -1

    def load(self, *_, **__):
        self.count += 1
        deed = self.deeds[self.count % len(self.deeds)]
        if isinstance(deed, BaseException):
            raise deed
        yield Heading(page_count=2)
        for number, verdict in enumerate(deed, start=1):
            yield LoadedPage(page=Page(number=number, text="", verdict=verdict))

    def close(self):
        return None


def test_every_copy_of_every_kind_gets_its_verdict(folder, sandbox, monkeypatch):
    monkeypatch.setattr(fuzz, "Sandbox", lambda *_, **__: sandbox)
    sandbox.close = lambda: None
    report = fuzz.run(folder, 20, lambda _: None)
    assert report.metrics["with_a_verdict"] == 1.0
    assert {row.category: row.count for row in report.by_category} == {"html": 10, "text": 10}
    assert report.ingest["copies"] == 20


def test_what_must_not_be_is_counted_and_told(folder, monkeypatch):
    ok, damaged, late = PageVerdict.OK, PageVerdict.DAMAGED, PageVerdict.TIMED_OUT
    deeds = [
        (ok, ok), (damaged, damaged), (ok, late), (ok,), SourceDamagedError("x"), WorkerDiedError("x"), KeyError("k"),
    ]  # fmt: skip
    monkeypatch.setattr(fuzz, "Sandbox", lambda *_, **__: Scripted(deeds))
    report = fuzz.run(folder, 14, lambda _: None)
    total = {}
    for row in report.by_category:
        for name, count in row.metrics.items():
            total[name] = total.get(name, 0) + count
    assert total == {
        "read": 2, "damaged": 2, "timed-out": 2, "miscounted": 2, "refused": 2, "died": 2, "escaped": 2,
    }  # fmt: skip
    assert report.metrics["with_a_verdict"] == round(10 / 14, 4)
    assert sum("KeyError" in finding.reason for finding in report.skipped) == 2
    assert {finding.reason.split()[0] for finding in report.skipped} == {"timed-out", "miscounted", "died", "escaped"}


def test_without_a_corpus_there_is_nothing_to_damage(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz, "_GOLDEN", tmp_path / "none")
    with pytest.raises(InvalidInputError):
        fuzz.run(tmp_path, None, lambda _: None)
