"""Every loader, on damaged copies of its own golden input: pages with verdicts or a reason, never another error.

Here in one process, where an error that a worker would die of is seen. The benchmark does 2,000 through real workers.
"""

from __future__ import annotations

import json
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import pytest

from trisynapse_memory.bench.mutations import mutate
from trisynapse_memory.errors import SourceError
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import PageVerdict

REGISTRY = Registry(guests=False)
GOLDEN = Path(__file__).parents[2] / "golden"
COPIES = 8


def golden_inputs():
    cases = sorted(GOLDEN.glob("*/expected.json"))
    return [(json.loads(case.read_text())["loader"], next(case.parent.glob("input.*"))) for case in cases]


@pytest.mark.parametrize(("name", "path"), golden_inputs(), ids=lambda one: getattr(one, "parent", Path(str(one))).name)
def test_a_damaged_file_gives_pages_or_a_reason(name, path, tmp_path):
    row = next(row for row in REGISTRY.rows("loader") if row.name == name)
    if REGISTRY.missing(row):
        pytest.skip(f"not installed: {name}")
    for number in range(COPIES):
        way, content = mutate(path.read_bytes(), Random(f"{path.parent.name}:{number}"))
        damaged = tmp_path / f"{number}-{way}{path.suffix}"
        damaged.write_bytes(content)
        for other in REGISTRY.rows("loader"):
            if not REGISTRY.missing(other):
                assert 0 <= REGISTRY.load("loader", other.name)().suits(content[:65_536], damaged.name) <= 1
        read_or_refused(name, damaged)


def read_or_refused(name, path):
    with suppress(SourceError), ExitStack() as stack:
        document = REGISTRY.load("loader", name)().open(path, filename=path.name)
        stack.callback(document.close)
        verdicts = [page.verdict for page, _ in document.pages(1)]
        assert len(verdicts) == document.heading.page_count
        assert set(verdicts) <= set(PageVerdict)
        list(document.members())
