from __future__ import annotations

from trisynapse_desktop.session import RECENT_COUNT, Session, config_folder


def test_the_state_comes_back_after_a_restart(tmp_path):
    session = Session(tmp_path / "deep" / "session.json")
    session.state.appearance = "dark"
    session.state.open_source_ids = ["s1", "s2"]
    session.save()
    again = Session(tmp_path / "deep" / "session.json")
    assert again.state == session.state


def test_a_broken_file_counts_as_a_first_start(tmp_path):
    (tmp_path / "session.json").write_text('{"appearance": 7')
    assert Session(tmp_path / "session.json").state.appearance == "system"


def test_keys_of_a_newer_version_are_ignored(tmp_path):
    (tmp_path / "session.json").write_text('{"appearance": "dark", "hologram": true}')
    assert Session(tmp_path / "session.json").state.appearance == "dark"


def test_the_newest_vault_leads_and_only_existing_ones_are_offered(tmp_path):
    session = Session(tmp_path / "session.json")
    for number in range(RECENT_COUNT + 3):
        vault = tmp_path / f"{number}.vault"
        vault.mkdir()
        (vault / "vault.toml").touch()
        session.remember_vault(vault)
    session.remember_vault(tmp_path / "5.vault")
    (tmp_path / "9.vault" / "vault.toml").unlink()
    names = [vault.name for vault in session.recent_vaults()]
    assert names[0] == "5.vault"
    assert len(set(names)) == len(names) == RECENT_COUNT - 1
    assert "9.vault" not in names


def test_a_disk_that_cannot_be_written_does_not_keep_the_window_from_closing(tmp_path):
    (tmp_path / "file").touch()
    Session(tmp_path / "file" / "session.json").save()


def test_the_environment_names_another_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TRISYNAPSE_CONFIG_DIR", str(tmp_path))
    assert config_folder() == tmp_path
