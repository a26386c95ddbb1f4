"""A real input in, exactly the pages, sections and members of ``expected.json`` out; empty fields are not told.

After a wanted change: ``TRISYNAPSE_WRITE_GOLDEN=1 pytest tests/golden`` writes the files anew; read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.registry import Registry

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/input.*"))


def read(path):
    registry = Registry(guests=False)
    name = choose_loader(path.read_bytes()[:65_536], path.name, registry)
    (row,) = (row for row in registry.rows("loader") if row.name == name)
    if row.extra and (missing := registry.missing(row)):
        pytest.skip(f"not installed: {', '.join(missing)}")
    document = registry.load("loader", name)().open(path)
    try:
        pages = [
            {
                "page": page,
                "sections": [{"text": page.text[one.start : one.end], **msgspec.to_builtins(one)} for one in sections],
            }
            for page, sections in document.pages(1)
        ]
        found = {"loader": name, "heading": document.heading, "pages": pages, "members": list(document.members())}
    finally:
        document.close()
    return told(json.loads(msgspec.json.encode(found)))


def told(value):
    """Leave out what says nothing, so that a new field of a type touches only the cases that fill it."""
    if isinstance(value, dict):
        return {key: told(one) for key, one in value.items() if one not in ("", None, [], {})}
    return [told(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_input_gives_what_is_expected(case):
    (path,) = case.glob("input.*")
    found = read(path)
    expected = case / "expected.json"
    if os.environ.get("TRISYNAPSE_WRITE_GOLDEN"):
        expected.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    assert found == json.loads(expected.read_text())
