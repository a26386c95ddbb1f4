"""A vault is a private folder with one owner; a dead owner blocks nobody, and no name of a folder breaks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from trisynapse_memory import vault as vault_module
from trisynapse_memory.errors import (
    VaultDamagedError,
    VaultError,
    VaultExistsError,
    VaultFormatError,
    VaultHeldError,
    VaultMissingError,
)
from trisynapse_memory.vault import (
    FORMAT_VERSION,
    Owner,
    Vault,
    default_vault_path,
    device_id,
    owner_of,
    read_manifest,
    same_name,
    wait_for_owner,
)

HOLD = """
import sys, time
from trisynapse_memory.vault import Owner, Vault
vault = Vault.open(sys.argv[1])
vault.publish(Owner(123, "address", "token"))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Vault.create(tmp_path / "v").close()
    return tmp_path / "v"


@pytest.fixture
def holder(path: Path):
    """Another process that owns the vault."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_new_vault_has_its_drawers_a_manifest_and_private_modes(path: Path):
    assert {entry.name for entry in path.iterdir()} >= {"vault.toml", "blobs", "notes", "boards", "wiki"}
    assert path.stat().st_mode & 0o777 == 0o700
    assert (path / "vault.toml").stat().st_mode & 0o777 == 0o600
    version, vault_id = read_manifest(path)
    assert version == FORMAT_VERSION
    assert len(bytes.fromhex(vault_id)) == 16


def test_a_vault_is_not_made_over_another_or_over_files(path: Path, tmp_path: Path):
    with pytest.raises(VaultExistsError, match="already"):
        Vault.create(path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(VaultExistsError, match="not empty"):
        Vault.create(tmp_path / "full")
    assert [entry.name for entry in (tmp_path / "full").iterdir()] == ["thesis.txt"]


def test_a_vault_is_not_made_inside_a_file(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(VaultError, match="No vault can be made"):
        Vault.create(tmp_path / "file" / "v")


def test_a_missing_vault_is_named_and_not_made(tmp_path: Path):
    with pytest.raises(VaultMissingError, match="nowhere"):
        Vault.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "text", ["", "format_version = 1", "not toml [", 'format_version = "x"\nvault_id = "y"', "\x00"]
)
def test_a_damaged_manifest_is_named(path: Path, text: str):
    (path / "vault.toml").write_text(text)
    with pytest.raises(VaultDamagedError, match=r"vault\.toml"):
        Vault.open(path)


def test_a_vault_of_a_newer_program_is_left_alone(path: Path):
    (path / "vault.toml").write_text(f'format_version = {FORMAT_VERSION + 1}\nvault_id = "x"\n')
    before = (path / "vault.toml").read_text()
    with pytest.raises(VaultFormatError, match=str(FORMAT_VERSION + 1)):
        Vault.open(path)
    assert (path / "vault.toml").read_text() == before


def test_an_older_vault_is_migrated_step_by_step_and_keeps_its_id(path: Path, monkeypatch: pytest.MonkeyPatch):
    vault_id = read_manifest(path)[1]
    done: list[int] = []
    monkeypatch.setattr(vault_module, "FORMAT_VERSION", FORMAT_VERSION + 2)
    steps = {FORMAT_VERSION + n: (lambda root, n=n: done.append(n)) for n in (0, 1)}
    monkeypatch.setattr(vault_module, "MIGRATIONS", steps)
    Vault.open(path).close()
    assert done == [0, 1]
    assert read_manifest(path) == (FORMAT_VERSION + 2, vault_id)


def test_a_migration_that_fails_leaves_the_version_and_frees_the_vault(path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(root: Path) -> None:
        raise RuntimeError("no")

    with monkeypatch.context() as patch:
        patch.setattr(vault_module, "FORMAT_VERSION", FORMAT_VERSION + 1)
        patch.setattr(vault_module, "MIGRATIONS", {FORMAT_VERSION: fail})
        with pytest.raises(RuntimeError):
            Vault.open(path)
    Vault.open(path).close()


def test_an_open_vault_is_held_until_it_is_closed(path: Path):
    first = Vault.open(path)
    with pytest.raises(VaultHeldError, match="open"):
        Vault.open(path)
    first.close()
    first.close()
    Vault.open(path).close()


def test_an_owner_says_how_it_can_be_reached_and_takes_its_word_back(path: Path):
    opened = Vault.open(path)
    owner = Owner(os.getpid(), "/tmp/a b#%.sock", "secret")
    assert owner_of(path) is None, "it has not said anything yet"
    opened.publish(owner)
    assert owner_of(path) == owner
    assert (path / ".lock").stat().st_mode & 0o777 == 0o600
    opened.close()
    assert owner_of(path) is None
    assert not (path / ".lock").exists()


def test_another_process_owns_the_vault_as_long_as_it_lives(path: Path, holder: subprocess.Popen[bytes]):
    with pytest.raises(VaultHeldError):
        Vault.open(path)
    assert wait_for_owner(path, 5) == Owner(123, "address", "token")
    holder.kill()
    holder.wait()
    assert (path / ".lock").exists(), "the dead owner could not take its word back"
    assert owner_of(path) is None
    assert wait_for_owner(path, 0) is None


def test_a_new_owner_does_not_speak_with_the_words_of_a_dead_one(path: Path):
    (path / ".lock").write_text(json.dumps({"pid": 1, "address": "gone", "token": "old"}))
    opened = Vault.open(path)
    assert owner_of(path) is None
    opened.close()


def test_an_owner_that_says_nothing_is_waited_for_and_then_given_up(path: Path):
    opened = Vault.open(path)
    with pytest.raises(VaultHeldError):
        wait_for_owner(path, 0)
    opened.close()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1}', '{"pid": "x", "address": "a", "token": "t"}'])
def test_a_lock_file_with_nonsense_in_it_names_nobody(path: Path, text: str):
    opened = Vault.open(path)
    (path / ".lock").write_text(text)
    assert owner_of(path) is None
    opened.close()


@pytest.mark.parametrize("name", ["a b", "a#b", "a%20b", "a?b", "é", "Releve\u0301", "file:x", "x" * 255, "日本"])
def test_no_name_of_a_folder_breaks_a_vault(tmp_path: Path, name: str):
    opened = Vault.create(tmp_path / name)
    opened.publish(Owner(1, "a", "t"))
    assert opened.log_path.parent.name == name
    opened.close()
    Vault.open(tmp_path / name).close()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_files_of_a_sync_program_are_named(path: Path):
    opened = Vault.open(path)
    assert opened.conflicts() == ()
    for name in ("log (conflicted copy 2026-01-01).db", "log.sync-conflict-1.db", "log.db"):
        (path / name).touch()
    assert opened.conflicts() == ("log (conflicted copy 2026-01-01).db", "log.sync-conflict-1.db")
    opened.close()


def test_the_device_id_is_made_once_and_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert device_id() == "dev_test"
    monkeypatch.delenv("TRISYNAPSE_DEVICE_ID")
    monkeypatch.setattr(vault_module.platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "home"))
    made = device_id()
    assert made.startswith("dev_")
    assert device_id() == made


def test_the_default_vault_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TRISYNAPSE_VAULT", str(tmp_path / "mine"))
    assert default_vault_path() == tmp_path / "mine"
    monkeypatch.delenv("TRISYNAPSE_VAULT")
    assert default_vault_path().name == "default.vault"


def test_composed_and_decomposed_names_are_the_same_to_a_person():
    assert same_name(unicodedata.normalize("NFC", "Relevé"), unicodedata.normalize("NFD", "Relevé"))
    assert not same_name("Releve", "Relevé")
