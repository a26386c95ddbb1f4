from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from trisynapse_desktop.bridge import EngineState


def words(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]


def test_one_press_makes_the_default_vault(make_window, find, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr("trisynapse_desktop.panes.welcome.default_vault_folder", lambda: tmp_path)
    window = make_window("--empty")
    qtbot.mouseClick(find(window, "Make a vault"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.context.bridge.state is EngineState.READY, timeout=10_000)
    assert window.context.bridge.vault == tmp_path / "My library.vault"
    assert window.tabs.current_key() == "sources"


def test_a_vault_opened_before_is_one_press_away(make_window, find, qtbot, tmp_path):
    known = tmp_path / "Thesis.vault"
    known.mkdir()
    (known / "vault.toml").write_text('format_version = 1\nvault_id = "x"\n')
    window = make_window()
    window.context.session.remember_vault(known)
    window.context.actions.action("go.start").trigger()
    qtbot.mouseClick(find(window, "Open Thesis"), Qt.MouseButton.LeftButton)
    assert window.context.bridge.vault == known


def test_with_a_vault_open_the_page_is_one_drop_target(window, find):
    page = find(window, "Start page")
    window.context.actions.action("go.start").trigger()
    shown = words(page)
    assert "tiny" in shown
    assert "Drop papers, folders or links anywhere on this window" in shown
    assert "Make a vault" not in shown


def test_a_folder_that_is_no_vault_is_refused_in_words(make_window, tmp_path):
    window = make_window()
    window.commands.choose_vault(tmp_path, create=False)
    assert window.toasts.showing()[-1].text == f"“{tmp_path.name}” is not a vault."
    assert window.context.bridge.vault is None


def test_only_the_sample_vault_offers_its_graph_and_its_second_version(make_window, window, find, qtbot, tmp_path):
    assert not find(window, "Drop version 2 of a paper").isVisibleTo(window)

    sample = make_window(folder=tmp_path / "The speed of light.vault")
    sample.context.actions.action("go.start").trigger()
    assert find(sample, "Drop version 2 of a paper").isVisible()
    qtbot.mouseClick(find(sample, "See the dispute"), Qt.MouseButton.LeftButton)
    assert sample.tabs.current_key() == "graph"
