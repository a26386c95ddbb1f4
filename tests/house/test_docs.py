"""Docs: every public name is described, the promised pages exist, links lead somewhere, no machine is named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import house_docs as rules
from house_files import ROOT, expect_none, project_files, python_files, read

PAGES = ("docs/flow.md", "docs/data.md", "docs/formulas.md", "docs/glossary.md")
BINARY = frozenset(
    {".pdf", ".png", ".svg", ".ico", ".ttf", ".otf", ".woff2", ".onnx", ".qm", ".zip", ".epub", ".db", ".gz"}
)


def test_every_public_name_of_the_engine_is_described():
    found = [v for name in python_files(("engine/",)) for v in rules.check_docstrings(name, read(name))]
    expect_none(found)


def test_the_contributor_finds_a_page():
    assert (ROOT / "docs/contributing.md").is_file()


@pytest.mark.parametrize("page", PAGES)
def test_the_promised_pages_are_there(page: str):
    if not any((ROOT / other).is_file() for other in PAGES):
        pytest.skip("none of the pages about flow, data, formulas and words is written yet")
    assert (ROOT / page).is_file()
    assert len(read(page).split()) > 100


def test_every_relative_link_leads_to_a_file():
    pages = [name for name in project_files() if name.endswith(".md")]
    assert pages
    expect_none([found for name in pages for found in rules.check_links(name, read(name))])


def test_no_file_names_this_machine_or_a_registry():
    names = [name for name in project_files() if Path(name).suffix.lower() not in BINARY]
    texts = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names}
    expect_none([found for name, text in texts.items() for found in rules.check_places(name, text)])


DESCRIBED = """'''M.'''
class C:
    '''C.'''
    def m(self):
        '''M.'''
    def _p(self): ...
def f():
    '''F.'''
"""


@pytest.mark.parametrize("gone", ["'''M.'''\nclass", "    '''C.'''", "        '''M.'''", "    '''F.'''"])
def test_a_missing_docstring_is_found(gone: str):
    assert rules.check_docstrings("m.py", DESCRIBED) == []
    undescribed = DESCRIBED.replace(gone, re.sub(r"'''.*'''", "1", gone), 1)
    assert len(rules.check_docstrings("m.py", undescribed)) == 1


def test_a_dead_link_is_found_but_not_in_code(tmp_path: Path):
    (tmp_path / "there.md").touch()
    code = "`[c](x.md)`\n```\n[d](y.md)\n```"
    text = f"[a](there.md#part) ![b](gone.png)\n{code}\n[e](#part) [f](mailto:a@b.c)\n[g](gone.md)"
    assert [found.line for found in rules.check_links("page.md", text, tmp_path)] == [1, 7]


@pytest.mark.parametrize(
    "parts", [("/ro", "ot/x"), (" /opt/wh", "eels"), ("see /work/ma", "in/a.py"), ("//pyp", "i.org/simple")]
)
def test_a_place_of_one_machine_is_found(parts: tuple[str, str]):
    assert len(rules.check_places("m.py", "".join(parts))) == 1
    assert rules.check_places("m.py", "a/root/x and work/main") == []
