"""Branches are found by kind and name, loaded only when asked for, and a missing package is named."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from trisynapse_memory import registry as registry_module
from trisynapse_memory.branches import BRANCHES, Branch
from trisynapse_memory.errors import BranchUnavailableError, UnknownBranchError
from trisynapse_memory.registry import Registry

HERE = "guest_module_of_test_registry"
ROWS = (
    Branch("loader", "one", f"{HERE}:One"),
    Branch("loader", "needy", f"{HERE}_needy:Needy", ("package_that_is_not_there",), "ocr"),
    Branch("index", "one", f"{HERE}:Two"),
)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Registry:
    module = ModuleType(HERE)
    module.One, module.Two = type("One", (), {}), type("Two", (), {})  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, HERE, module)
    return Registry(ROWS, guests=False)


class Point:
    """What an installed package says in its entry points."""

    def __init__(self, name: str, value: str) -> None:
        self.name = name
        self.value = value


def test_a_branch_is_loaded_by_kind_and_name(own: Registry):
    assert own.load("loader", "one").__name__ == "One"
    assert own.load("index", "one").__name__ == "Two"
    assert own.names("loader") == ("one", "needy")


def test_an_unknown_branch_lists_the_known_ones(own: Registry):
    with pytest.raises(UnknownBranchError, match=r"no loader named 'rtf'.*one, needy"):
        own.load("loader", "rtf")
    with pytest.raises(UnknownBranchError, match="Known: none"):
        own.load("wing", "left")


def test_a_missing_package_is_named_with_the_way_to_install_it(
    own: Registry, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / f"{HERE}_needy.py").write_text("import package_that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BranchUnavailableError, match=r"package_that_is_not_there.*trisynapse-desktop\[ocr\]"):
        own.load("loader", "needy")


def test_a_module_of_ours_that_is_missing_is_a_bug_and_not_a_missing_package():
    broken = Registry((Branch("loader", "x", "trisynapse_memory.no_such_module:X"),), guests=False)
    with pytest.raises(ModuleNotFoundError):
        broken.load("loader", "x")


def test_missing_packages_are_told_without_importing(own: Registry):
    one, needy, _ = ROWS
    assert own.missing(one) == ()
    assert own.missing(needy) == ("package_that_is_not_there",)


def test_guests_stand_behind_our_own_rows_and_never_in_their_place(own: Registry, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def points(group: str) -> list[Point]:
        asked.append(group)
        return [Point("one", "evil:Loader"), Point("epub", f"{HERE}:One")]

    monkeypatch.setattr(registry_module, "entry_points", points)
    guests = Registry(ROWS)
    assert guests.names("loader") == ("one", "needy", "epub")
    assert guests.load("loader", "one").__name__ == "One"
    assert guests.load("loader", "epub").__name__ == "One"
    assert set(asked) == {"trisynapse_memory.loader"}
    assert own.names("loader") == ("one", "needy")


@pytest.mark.parametrize("row", BRANCHES, ids=lambda row: f"{row.kind}:{row.name}")
def test_every_row_of_the_table_leads_to_something(row: Branch):
    registry = Registry(guests=False)
    assert callable(registry.load(row.kind, row.name))
    assert len([one for one in BRANCHES if (one.kind, one.name) == (row.kind, row.name)]) == 1
