from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trisynapse_desktop import app

HEAVY = {"numpy", "pymupdf", "onnxruntime", "apsw", "trafilatura", "torch", "networkx", "httpx"}


def test_the_command_line_names_vault_and_offline():
    options = app.parse(["my.vault", "--offline"])
    assert (options.vault, options.offline, options.selfcheck) == (Path("my.vault"), True, None)
    check = app.parse(["--selfcheck", "v", "--screenshot", "s.png", "--json"])
    assert (check.selfcheck, check.screenshot, check.json) == (Path("v"), Path("s.png"), True)


def test_an_unknown_flag_ends_with_the_usage(capsys):
    with pytest.raises(SystemExit):
        app.parse(["--loud"])
    assert "usage: trisynapse" in capsys.readouterr().err


def test_the_first_paint_loads_nothing_heavy():
    script = """
import sys
from pathlib import Path
from trisynapse_desktop.app import Bridge, Session, compose, make_application
application = make_application()
window = compose(application, Session(Path("nowhere/session.json")), Bridge())
window.show()
application.processEvents()
print(*{name.partition(".")[0] for name in sys.modules})
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert HEAVY.isdisjoint(done.stdout.split())
    assert "PySide6" in done.stdout.split()


def test_the_last_vault_is_opened_again_with_its_tabs(make_window, vault, qtbot):
    window = make_window(folder=vault)
    window.context.selection.open_passage("s1", title="The toothed wheel")
    window.close()
    again = make_window()
    app.open_first(again, again.context.session, None, offline=False)
    assert again.context.bridge.vault == vault
    assert again.tabs.title("s1") == "The toothed wheel"
    assert again.tabs.current_key() == "sources"


def test_a_vault_named_on_the_command_line_wins_and_offline_is_kept(make_window, tmp_path):
    window = make_window()
    app.open_first(window, window.context.session, tmp_path / "named.vault", offline=True)
    assert window.context.bridge.vault == tmp_path / "named.vault"
    assert window.context.bridge.offline


def test_without_any_vault_the_start_page_stays(make_window):
    window = make_window()
    app.open_first(window, window.context.session, None, offline=False)
    assert window.tabs.current_key() == "welcome"
    assert window.context.bridge.vault is None
