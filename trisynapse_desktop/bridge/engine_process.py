"""A vault's path in, a running engine process out; what it says on its socket is not read here."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from trisynapse_memory.types import Fault

START_TIMEOUT_S = 60.0  # the first start of a large vault replays the log's tail; an idle one takes under a second
STOP_TIMEOUT_MS = 3000  # the engine commits what it holds, then ends
COMPLAINT_BYTES = 4000  # the end of its error output is kept, for the banner

Command = Callable[[Path, bool, bool], list[str]]

logger = logging.getLogger(__name__)


def engine_command(vault: Path, create: bool, offline: bool) -> list[str]:
    """Return the command line of the engine process, for a source tree and for a frozen bundle."""
    frozen = bool(getattr(sys, "frozen", False))
    # A frozen executable has no interpreter for -m; packaging/bundle/frozen.py reads this flag.
    head = [sys.executable, "--module" if frozen else "-m", "trisynapse_memory.service"]
    return [*head, str(vault), *(["--create"] if create else []), *(["--offline"] if offline else [])]


class EngineProcess(QObject):
    """One engine process: started once, watched, ended with the window.

    ``answering`` says that the vault's socket answers (this process owns it, or another one does); ``refused`` carries
    the ``Fault`` that kept it from starting; ``ended`` the exit status of a process that had been answering.
    """

    answering = Signal()
    refused = Signal(object)
    ended = Signal(int)

    def __init__(self, command: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._line = command
        self._output = bytearray()
        self._complaints = b""
        self._answers = False
        self._reason: Fault | None = None
        self._process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        environment.insert("PYTHONUNBUFFERED", "1")
        # From 1.30 on, onnxruntime tells its maker about each session, unless this is set before it is imported.
        environment.insert("ORT_DISABLE_TELEMETRY", "1")
        self._process.setProcessEnvironment(environment)
        self._process.readyReadStandardOutput.connect(self._hear)
        self._process.readyReadStandardError.connect(self._hear_complaint)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._fail_to_run)
        self._timer = QTimer(self, singleShot=True, interval=int(START_TIMEOUT_S * 1000))
        self._timer.timeout.connect(self._give_up)

    @property
    def process_id(self) -> int:
        """The operating system's number for the process, 0 when it does not run."""
        return self._process.processId()

    def start(self) -> None:
        """Start the process; returns at once."""
        self._timer.start()
        self._process.start(self._line[0], self._line[1:])

    def stop(self, wait: bool) -> None:
        """End the process: politely by closing its input, then by force. Nothing is signalled any more.

        Args:
            wait: return only when it is gone, because the program ends or the same vault is opened next.
        """
        self.blockSignals(True)
        self._timer.stop()
        # Closing its input is how the engine learns that its window is gone.
        self._process.closeWriteChannel()
        if self._process.state() == QProcess.ProcessState.NotRunning:
            self.deleteLater()
        elif wait:
            if not self._process.waitForFinished(STOP_TIMEOUT_MS):
                self._process.kill()
                self._process.waitForFinished(STOP_TIMEOUT_MS)
            self.deleteLater()
        else:
            self._process.finished.connect(self.deleteLater)
            QTimer.singleShot(STOP_TIMEOUT_MS, self._process, self._process.kill)

    def _hear(self) -> None:
        self._output += self._process.readAllStandardOutput().data()
        *lines, rest = bytes(self._output).split(b"\n")
        self._output = bytearray(rest)
        for line in lines:
            word, _space, rest = line.partition(b" ")
            if word in (b"READY", b"ATTACH") and not self._answers:
                self._answers = True
                self._timer.stop()
                self.answering.emit()
            elif word == b"FAILED":
                with contextlib.suppress(msgspec.DecodeError):
                    self._reason = msgspec.json.decode(rest, type=Fault)

    def _hear_complaint(self) -> None:
        text = bytes(self._process.readAllStandardError().data())
        logger.warning("engine: %s", text.decode(errors="replace").rstrip())
        self._complaints = (self._complaints + text)[-COMPLAINT_BYTES:]

    def _finish(self, status: int) -> None:
        self._hear()
        self._timer.stop()
        if not self._answers:
            self.refused.emit(self._last_words(status))
        else:
            self.ended.emit(status)

    def _fail_to_run(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            hint = "Install the program again; a part of it is missing."
            self.refused.emit(Fault(code="service.gone", message="The engine could not be started.", hint=hint))

    def _give_up(self) -> None:
        hint = "Another program may hold the vault; close it and try again."
        self.refused.emit(Fault(code="service.gone", message="The engine did not answer.", hint=hint))

    def _last_words(self, status: int) -> Fault:
        """Say why it ended: the fault it named, otherwise the last line of its error output."""
        if self._reason is not None:
            return self._reason
        lines = [line for line in self._complaints.splitlines() if line.strip()]
        last = lines[-1].decode(errors="replace") if lines else f"The engine ended with status {status}."
        return Fault(code="service.gone", message=f"The vault could not be opened. {last}", hint="")
