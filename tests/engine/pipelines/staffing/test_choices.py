"""What she chose survives, a file that was spoilt makes everything more cautious, and no key is ever in it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from msgspec import structs

from trisynapse_memory.errors import VaultError
from trisynapse_memory.pipelines.staffing.choices import (
    FILE_NAME,
    ChoiceFile,
    Choices,
    OwnService,
    Pick,
    with_permission,
    with_role,
    with_rule,
    with_service,
    without_service,
)
from trisynapse_memory.types import Role, Sharing

LAB = OwnService("lab", "Lab", "http://lab.test/v1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


def full(choices: Choices) -> Choices:
    chosen = with_role(with_service(choices, LAB), Role.ANSWER, Pick("lab", "m1"))
    chosen = with_rule(with_permission(chosen, "dev_1", "lab", (Role.ANSWER,)), 'A "quoted" name', Sharing.NEVER)
    return structs.replace(chosen, budget_usd=2.5, offline=True)


def test_everything_chosen_is_there_after_a_restart_and_only_for_her(path: Path):
    kept = ChoiceFile(path).change(full)
    assert ChoiceFile(path).choices == kept == full(Choices())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == [FILE_NAME]


def test_nothing_is_written_before_something_is_chosen(path: Path):
    file = ChoiceFile(path)
    assert file.choices == Choices()
    file.change(lambda choices: choices)
    assert not path.exists()


def test_what_a_newer_program_wrote_is_kept_and_its_unknown_rule_is_no_permission(path: Path):
    path.write_text('new = 1\n[roles.singing]\nservice = "x"\n[sharing]\nA = "perhaps"\n')
    file = ChoiceFile(path)
    assert (file.choices.roles, file.choices.sharing) == ({}, {"A": Sharing.NEVER})
    file.change(lambda choices: structs.replace(choices, offline=True))
    assert "new = 1" in path.read_text()


@pytest.mark.parametrize(
    "text",
    ["offline = tru", "budget_usd = -1", "budget_usd = nan", "allowed = 3", '[roles]\nanswer = "x"', "\ud800"],
)
def test_a_spoilt_file_is_set_aside_and_nothing_is_allowed_any_more(path: Path, text: str):
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    file = ChoiceFile(path)
    assert file.choices == Choices(offline=True)
    assert "set aside" in file.note
    assert path.with_name(f"{FILE_NAME}.damaged").read_bytes() == text.encode("utf-8", "surrogatepass")
    file.change(lambda choices: structs.replace(choices, offline=False))
    assert (ChoiceFile(path).choices, file.note) == (Choices(), "")


def test_a_disk_that_cannot_be_written_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch):
    file = ChoiceFile(path)
    kept = file.change(full)

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(VaultError, match="nothing was changed"):
        file.change(lambda choices: structs.replace(choices, offline=False))
    assert file.choices == kept == ChoiceFile(path).choices
    assert [one.name for one in path.parent.iterdir()] == [FILE_NAME]


def test_whoever_listens_is_told_of_a_change_and_of_nothing_else(path: Path):
    heard: list[Choices] = []
    file = ChoiceFile(path)
    file.listen(heard.append)
    file.change(lambda choices: choices)
    kept = file.change(full)
    assert (heard, file.revision) == ([kept], 1)


def test_a_server_that_is_removed_takes_its_roles_and_its_permissions_along():
    left = without_service(full(Choices()), "lab")
    assert (left.services, left.roles, left.allowed) == ((), {}, {"dev_1": {}})


def test_a_permission_is_that_of_one_machine():
    roles = (Role.ANSWER,)
    both = with_permission(with_permission(Choices(), "dev_1", "a", roles), "dev_2", "a", roles)
    assert with_permission(both, "dev_1", "a", ()).allowed == {"dev_1": {}, "dev_2": {"a": roles}}
