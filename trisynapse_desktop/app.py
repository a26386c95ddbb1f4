"""A command line in, the running app out; the only place that builds objects and hands them to each other.

Nothing heavy is imported before the first paint: this process never loads numpy, pymupdf or a model runtime at all.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import logging.handlers
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from trisynapse_desktop.actions import Actions
from trisynapse_desktop.bridge import Bridge
from trisynapse_desktop.navigation import Navigation
from trisynapse_desktop.operations.vault import is_vault
from trisynapse_desktop.pane import Context
from trisynapse_desktop.selection import Selection
from trisynapse_desktop.session import Session, config_folder
from trisynapse_desktop.theme import Theme, resources_folder
from trisynapse_desktop.watchdog import TickMeter, Watchdog
from trisynapse_desktop.window import Window

LOG_BYTES = 1_000_000
SETTLED_MS = 4000  # after the first paint; by then the panes she begins with are built
SELFCHECK_MODULE = "trisynapse_desktop.selfcheck"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app or the self-check; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    options = parse(words)
    if options.selfcheck is not None:
        return int(import_module(SELFCHECK_MODULE).main(options) or 0)
    return run_app(options)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="trisynapse", description="A memory for what you read.")
    parser.add_argument("vault", nargs="?", type=Path, help="the vault to open (default: the one opened last)")
    parser.add_argument("--offline", action="store_true", help="never use the network")
    parser.add_argument("--selfcheck", type=Path, metavar="VAULT", help="open a vault, ask, open a passage, report")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="with --selfcheck: save what the window shows")
    parser.add_argument("--json", action="store_true", help="with --selfcheck: report as JSON")
    return parser.parse_args(words)


def compose(application: QApplication, session: Session, bridge: Bridge) -> Window:
    """Build the window and everything it is made of, and connect the parts.

    The self-check and the tests call this too, each with their own session and bridge.
    """
    theme = Theme(application, session.state.appearance)
    window = Window()
    context = Context(
        bridge=bridge,
        selection=Selection(window),
        actions=Actions(window, theme.icon),
        theme=theme,
        navigation=Navigation(window),
        session=session,
        announce=window.announce,
    )
    window.furnish(context)
    window.setFocus()
    return window


def make_application(words: Sequence[str] = ()) -> QApplication:
    """Return the one QApplication, named and with its icon."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(["trisynapse", *words])
    application.setApplicationName("trisynapse")
    application.setApplicationDisplayName("Trisynapse")
    application.setDesktopFileName("trisynapse")
    application.setWindowIcon(QIcon(str(resources_folder() / "icons" / "trisynapse.svg")))
    return application


def run_app(options: argparse.Namespace) -> int:
    """Show the window and run its event loop until it is closed."""
    # qasync imports asyncio's whole stack; it is needed only by a window that runs.
    import qasync

    application = make_application()
    log_to(config_folder() / "trisynapse.log")
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    session = Session(config_folder() / "session.json")
    bridge = Bridge()
    window = compose(application, session, bridge)
    window.show()
    watchdog, meter = Watchdog(window), TickMeter(window)
    closed = asyncio.Event()
    application.aboutToQuit.connect(closed.set)
    # The engine starts after the first paint, so that a slow disk never keeps the window dark.
    QTimer.singleShot(0, window, lambda: open_first(window, session, options.vault, options.offline))
    # What is there by then stays; left to be looked through again, it kept the window still for 60 ms at a time.
    QTimer.singleShot(SETTLED_MS, window, gc.freeze)
    watchdog.start()
    with loop:
        loop.run_until_complete(closed.wait())
    watchdog.stop()
    meter.write()
    return 0


def open_first(window: Window, session: Session, named: Path | None, offline: bool) -> None:
    """Open the vault named on the command line, else the one opened last; without either the start page stays."""
    last = Path(session.state.last_vault) if session.state.last_vault else None
    if named is not None:
        window.open_vault(named.absolute(), create=not named.exists(), offline=offline)
    elif last is not None and is_vault(last):
        window.open_vault(last, offline=offline)
        window.reopen_tabs()


def log_to(path: Path) -> None:
    """Send warnings and the watchdog's stacks to a small file that turns over; exceptions in slots go there too."""
    logger = logging.getLogger()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        target: logging.Handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1)
    except OSError:
        target = logging.StreamHandler()
    target.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger.addHandler(target)
    logger.setLevel(logging.INFO)

    def note_exception(kind: type[BaseException], error: BaseException, stack: object) -> None:
        logger.error("A slot of the window failed.", exc_info=(kind, error, stack))  # type: ignore[arg-type]
        sys.__excepthook__(kind, error, stack)  # type: ignore[arg-type]

    sys.excepthook = note_exception
