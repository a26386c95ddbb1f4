"""A Git working copy tells its branch, commit and remote, without credentials, and Git is not run for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from dulwich import porcelain

from trisynapse_memory.pipelines.admission import arrivals
from trisynapse_memory.preprocessing.working_copies import Standing, is_working_copy, standing_of, without_credentials
from trisynapse_memory.types import SourceInput


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    folder = tmp_path / "optics"
    folder.mkdir()
    repo = porcelain.init(str(folder))
    (folder / "light.py").write_text("C = 299_792_458\n")
    (folder / "run.log").write_text("x")
    (folder / ".gitignore").write_text("*.log\n")
    porcelain.add(repo, ["light.py"])
    porcelain.commit(repo, message=b"first", author=b"A <a@x.example>", committer=b"A <a@x.example>")
    porcelain.remote_add(repo, b"origin", b"https://ada:secret@git.example/optics.git")
    repo.close()
    return folder


def test_it_says_where_it_stands_without_credentials(copy: Path):
    standing = standing_of(copy)
    assert is_working_copy(copy)
    assert standing.branch in ("master", "main")
    assert len(standing.commit) == 40
    assert standing.remote == "https://git.example/optics.git"


def test_a_broken_one_stands_nowhere(tmp_path: Path):
    (tmp_path / ".git").mkdir()
    assert is_working_copy(tmp_path)
    assert standing_of(tmp_path) == Standing()
    assert not is_working_copy(tmp_path / "nothing")


def test_its_list_is_a_source_of_its_own_before_its_files(copy: Path):
    manifest, *files = arrivals((SourceInput(path=str(copy), collections=("Code",)),))
    assert manifest.input.source_key == f"{copy}#manifest"
    assert manifest.input.collections == ("Code",)
    lines = (manifest.input.text or "").splitlines()
    assert lines[0] == "Git working copy optics"
    assert lines[-2:] == ["", "light.py"]
    assert "secret" not in (manifest.input.text or "")
    assert {Path(file.label).name: file.skipped for file in files} == {
        ".git": "folder '.git' is left out",
        ".gitignore": "hidden",
        "light.py": "",
        "run.log": "named in an ignore file",
    }


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://token@x.example/a.git", "https://x.example/a.git"),
        ("https://x.example/a@b.git", "https://x.example/a@b.git"),
        ("git@x.example:a/b.git", "git@x.example:a/b.git"),
        ("/srv/a.git", "/srv/a.git"),
    ],
)
def test_credentials_are_taken_out_of_addresses(address: str, shown: str):
    assert without_credentials(address) == shown
