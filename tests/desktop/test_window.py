from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.pane import Announcement
from trisynapse_desktop.target import Target
from trisynapse_memory.errors import ServiceGoneError
from trisynapse_memory.types import Progress


def drop(window, mime):
    centre = QPointF(window.rect().center())
    enter = QDragEnterEvent(
        centre.toPoint(), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    event = QDropEvent(
        centre, Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(window, event)


def test_a_dropped_file_is_taken_in_and_can_be_taken_back(window, calls, qtbot, tmp_path, find):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path / "new paper.pdf"))])
    drop(window, mime)
    qtbot.waitUntil(lambda: find(window, "Sources").model().rowCount() == 9)
    assert calls("ingest")[0]["inputs"][0]["path"] == str(tmp_path / "new paper.pdf")
    toast = window.toasts.showing()[0]
    assert (toast.text, toast.undo_text) == ("Added “new paper”.", "Undo")
    toast.undo()
    qtbot.waitUntil(lambda: find(window, "Sources").model().rowCount() == 8)
    assert calls("sources.forget") == [{"source_id": "s8", "reason": "Undid adding it."}]


def test_dropped_text_becomes_a_text_of_its_own(window, calls, qtbot):
    mime = QMimeData()
    mime.setText("Light is fast.\nVery fast.")
    drop(window, mime)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()))
    entry = calls("ingest")[0]["inputs"][0]
    assert (entry["text"], entry["title"]) == ("Light is fast.\nVery fast.", "Light is fast.")


def test_a_dropped_link_names_its_host_and_waits_for_her_yes(window, calls, qtbot, find):
    mime = QMimeData()
    mime.setUrls([QUrl("https://example.org/a.html")])
    drop(window, mime)
    assert window.commands.sheet.isVisible()
    assert window.commands.sheet.note == "1 request will be sent to example.org."
    qtbot.wait(50)
    assert calls("ingest") == []
    qtbot.mouseClick(find(window, "Fetch from example.org"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(calls("ingest")))
    assert calls("ingest")[0]["fetch"] is True


def test_a_drop_without_a_vault_makes_the_default_one(make_window, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr("trisynapse_desktop.commands.default_vault_folder", lambda: tmp_path / "Trisynapse")
    window = make_window("--empty")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/papers/a.pdf")])
    drop(window, mime)
    qtbot.waitUntil(lambda: bool(window.toasts.showing()), timeout=10_000)
    assert window.context.bridge.vault == tmp_path / "Trisynapse" / "My library.vault"
    assert window.toasts.showing()[0].text == "Added “a”."


def test_back_and_forward_walk_over_every_jump(window, qtbot):
    window.show_target(Target("search", text="mirror"))
    window.context.selection.open_passage("s1", title="The toothed wheel")
    window.show_target(Target("activity"))
    back, forward = window.context.actions.action("go.back"), window.context.actions.action("go.forward")
    assert not forward.isEnabled()
    seen = []
    for _step in range(3):
        back.trigger()
        seen.append(window.tabs.current_key())
    assert seen == ["s1", "search", "sources"]
    forward.trigger()
    assert window.tabs.current_key() == "search"


def test_the_palette_reaches_every_action_of_the_table(window):
    window.commands.show_palette()
    shown = set(window.commands.palette.shown_ids())
    assert {row.id for row in window.context.actions.rows()} - shown == {"view.palette"}


def test_every_action_does_something_or_waits_for_its_pane(window):
    actions = window.context.actions
    waiting = {row.id for row in actions.rows() if not actions.is_bound(row.id)}
    assert all(name.startswith(("reader.", "chat.")) for name in waiting)


def test_the_keys_of_the_palette_open_it_and_enter_runs_the_choice(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = window.commands.palette
    assert palette.isVisible()
    field = palette.findChild(QLineEdit)
    qtbot.keyClicks(field, "activ")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert window.tabs.current_key() == "activity"
    window.commands.show_palette()
    assert palette.shown_ids()[0] == "go.activity"


def test_quick_open_jumps_to_a_source_by_its_title(window, qtbot):
    qtbot.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    palette = window.commands.palette
    qtbot.waitUntil(palette.isVisible)
    field = palette.findChild(QLineEdit)
    qtbot.keyClicks(field, "toothed")
    assert palette.shown_ids() == ("s1",)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.tabs.current_key() == "s1"
    assert window.tabs.title("s1") == "The toothed wheel"


def test_an_engine_that_dies_shows_a_banner_and_comes_back(window, qtbot, ask):
    assert not window.banner.isVisible()
    with pytest.raises(ServiceGoneError):
        ask(window.context.bridge.call("search", question="!die"))
    assert window.banner.isVisible()
    assert "started again" in window.banner.text
    qtbot.waitUntil(lambda: window.context.bridge.state is EngineState.READY, timeout=10_000)
    assert not window.banner.isVisible()


def test_a_vault_that_cannot_be_opened_says_why_and_offers_another_try(make_window, vault, qtbot, find):
    window = make_window("--refuse")
    window.open_vault(vault)
    qtbot.waitUntil(lambda: window.context.bridge.state is EngineState.FAILED)
    assert window.banner.text == "The log is damaged. Restore a backup."
    with qtbot.waitSignal(window.context.bridge.state_changed):
        qtbot.mouseClick(find(window, "Start again"), Qt.MouseButton.LeftButton)


def test_the_status_line_says_what_is_so(window, qtbot):
    # Two questions to the engine fill it, and either may be answered first.
    for words in ("214 to embed", "23 requests sent"):
        qtbot.waitUntil(lambda words=words: words in window.status.words(), timeout=5000)
    assert "tiny" in window.status.words()
    step = Progress(run_id="r", stage="reading", label="Lewis 2020", done=4, total=9)
    window.context.bridge.progress.emit(step)
    assert "Reading Lewis 2020 · 4 of 9 pages" in window.status.words()


def test_without_a_vault_only_what_needs_none_is_possible(make_window):
    window = make_window()
    actions = window.context.actions
    possible = {row.id for row in actions.rows() if actions.action(row.id).isEnabled()}
    assert {"vault.new", "vault.open", "vault.sample", "view.palette", "app.quit"} <= possible
    assert possible.isdisjoint({"add.files", "search.here", "chat.ask", "go.source", "source.open"})


def test_closing_a_reader_tab_leads_to_the_tab_beside_it_and_pinned_tabs_stay(window):
    window.context.selection.open_passage("s1", title="One")
    window.context.selection.open_passage("s2", title="Two")
    assert window.tabs.open_keys() == ("welcome", "sources", "s1", "s2")
    window.context.actions.action("tab.close").trigger()
    assert window.tabs.open_keys() == ("welcome", "sources", "s1")
    assert window.tabs.current_key() == "s1"
    window.show_target(Target("sources"))
    window.close_tab("sources")
    assert "sources" in window.tabs.open_keys()


def test_two_passages_of_one_source_share_a_tab(window):
    window.context.selection.open_passage("s1", title="One")
    window.context.selection.open_passage("s1", title="One")
    assert window.tabs.open_keys().count("s1") == 1


def test_opening_another_vault_closes_the_tabs_of_the_old_one(window, tmp_path, qtbot):
    window.context.selection.open_passage("s1", title="One")
    window.open_vault(tmp_path / "other.vault")
    assert window.tabs.open_keys() == ("welcome", "sources")
    assert window.context.selection.source_id == ""
    assert not window.context.navigation.can_go_back
    qtbot.waitUntil(lambda: window.context.bridge.state is EngineState.READY, timeout=10_000)


def test_the_sidebar_opens_at_the_page_it_showed_last(window):
    window.show_side("details")
    window.toggle_sidebar()
    assert not window.sidebar.isVisible()
    window.toggle_sidebar()
    assert window.sidebar.isVisible()
    assert window.context.session.state.sidebar_pane == "details"


def test_an_error_nobody_took_is_shown_with_its_hint(window, qtbot):
    window.context.bridge.run(window.context.bridge.call("search", question="!refuse"))
    qtbot.waitUntil(lambda: bool(window.toasts.showing()))
    toast = window.toasts.showing()[-1]
    assert (toast.text, toast.hint, toast.tone) == ("No.", "Ask nicely.", "bad")


def test_checking_the_vault_says_the_result(window, qtbot):
    window.context.actions.action("vault.check").trigger()
    qtbot.waitUntil(lambda: bool(window.toasts.showing()))
    assert window.toasts.showing()[-1].text == "The vault is sound."


def test_no_more_than_three_messages_cover_the_window(window):
    for number in range(5):
        window.announce(Announcement(f"Message {number}"))
    assert [toast.text for toast in window.toasts.showing()] == ["Message 2", "Message 3", "Message 4"]


def test_the_sample_vault_is_made_on_the_spot_and_filled(make_window, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr("trisynapse_desktop.operations.vault.default_vault_folder", lambda: tmp_path)
    window = make_window("--empty")
    window.context.actions.action("vault.sample").trigger()
    qtbot.waitUntil(lambda: len(window.toasts.showing()) >= 2, timeout=10_000)
    texts = [one.text for one in window.toasts.showing()]
    assert texts[:2] == ["Added 8 sources.", "2 bookmarks can be searched."]
    assert window.context.bridge.vault.name == "The speed of light.vault"


def test_the_appearance_she_chose_is_kept(window):
    window.context.actions.action("view.dark").trigger()
    assert window.context.theme.tones.name == "dark"
    assert window.context.session.state.appearance == "dark"
    window.context.theme.choose("light")


def test_closing_the_window_ends_what_still_waits(window):
    waiting = asyncio.ensure_future(window.context.bridge.call("search", question="!silence"))
    QApplication.processEvents()
    window.close()
    QApplication.processEvents()
    assert isinstance(waiting.exception(), ServiceGoneError)
