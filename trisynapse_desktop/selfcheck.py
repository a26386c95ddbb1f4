"""A vault's folder in, a report on whether the real window answers with a marked page out; nothing is faked here.

``trisynapse --selfcheck VAULT`` is what an installer's smoke test runs: it starts the window and the engine as a user
would, drops a paper on it, asks a question, clicks the first citation, and waits until the words are marked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from trisynapse_desktop.app import compose, make_application
from trisynapse_desktop.bridge import Bridge, EngineState
from trisynapse_desktop.panes.chat import ChatPane
from trisynapse_desktop.panes.reader import ReaderPane
from trisynapse_desktop.session import Session
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import resources_folder
from trisynapse_desktop.widgets.page_view import PageView
from trisynapse_desktop.widgets.pane_slot import PaneSlot
from trisynapse_desktop.window import Window
from trisynapse_memory.errors import TrisynapseError
from trisynapse_memory.types import Answer, Citation, Source

QUESTION_ID = "rotating-mirror-first"
WORDS_TIMEOUT_S = 60.0
STEP_TIMEOUT_S = 30.0
POLL_S = 0.002
SETTLE_S = 1.2  # the pulse on the passage ends before the picture is taken

Result = TypeVar("Result")


class SelfcheckError(TrisynapseError):
    """A step of the check did not end as it must."""

    code = "selfcheck.failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the check and how long it took, in milliseconds."""

    name: str
    ms: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage as it stands on the screen: page from 1, (left, top, width, height) of each line, and its words."""

    page: int
    rects: list[list[float]]
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """What a citation of the answer names."""

    title: str
    page: int | None


@dataclass(slots=True)
class Report:
    """What the check found. ``ok`` only if every step ran and the marked words are those of the answer."""

    steps: list[Step] = field(default_factory=list)
    highlighted: list[Mark] = field(default_factory=list)
    answer: str = ""
    abstain: bool = True
    citations: list[Place] = field(default_factory=list)
    problem: str = ""
    ok: bool = False


def main(options: argparse.Namespace) -> int:
    """Run the check with the command line's options, print the report, return 0 when all is well and 1 otherwise."""
    report = run(options.selfcheck, options.screenshot, offline=options.offline)
    if options.json:
        sys.stdout.write(json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(human_text(report))
    return 0 if report.ok else 1


def run(vault: Path, screenshot: Path | None = None, offline: bool = False) -> Report:
    """Start the window on a vault, walk the journey, and close it again.

    Args:
        vault: the vault's folder; made if it is not there.
        screenshot: where to save what the window shows at the end.
        offline: never use the network.
    """
    import qasync

    application = make_application()
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="trisynapse-selfcheck-") as folder, loop:
        journey = _Journey(application, report, Path(folder))
        try:
            loop.run_until_complete(journey.walk(vault.absolute(), offline))
        except TrisynapseError as error:
            report.problem = str(error)
        finally:
            if screenshot is not None and journey.window is not None:
                loop.run_until_complete(journey.picture(screenshot))
            loop.run_until_complete(journey.close())
    report.ok = not report.problem and bool(report.highlighted) and not report.abstain
    return report


def human_text(report: Report) -> str:
    """Return the report as lines for a person."""
    lines = [f"{step.name:<36}{step.ms:>9,.0f} ms" for step in report.steps]
    lines.append(f"Answer: {report.answer or 'none'}")
    for mark in report.highlighted:
        lines.append(f"Marked: page {mark.page}, {len(mark.rects)} line(s): {mark.text}")
    lines.append(
        f"Problem: {report.problem}" if report.problem else "All is well." if report.ok else "Nothing was marked."
    )
    return "\n".join(lines) + "\n"


class _Journey:
    """One walk through the window. Every wait has an end; what takes too long is named."""

    def __init__(self, application: QApplication, report: Report, folder: Path) -> None:
        self._application, self._report, self._folder = application, report, folder
        self.window: Window | None = None

    async def walk(self, vault: Path, offline: bool) -> None:
        """Do what a user does, step by step."""
        sample = resources_folder() / "sample"
        questions = json.loads((sample / "questions.json").read_text("utf-8"))["questions"]
        case = next(entry for entry in questions if entry["id"] == QUESTION_ID)
        window = await self._timed("window shown", self._show())
        await self._timed("vault open", self._open(window, vault, offline))
        papers = sorted({evidence["file"] for evidence in case["evidence"]})
        await self._timed("drop to askable by words", self._drop(window, [sample / name for name in papers]))
        answer = await self._timed("question to answer", self._ask(window, case["question"]))
        self._report.answer, self._report.abstain = answer.answer, answer.abstain
        self._report.citations = [
            Place(one.title, one.locator.page if one.locator else None) for one in answer.citations
        ]
        _demand(bool(answer.citations), "The question was not answered, so there is no citation to open.")
        first = answer.citations[0]
        await self._timed("citation click to marked page (new)", self._open_citation(window, first))
        await self._away(window)
        await self._timed("citation click to marked page (open)", self._open_citation(window, first))
        self._note_marks(window, first)
        missing = [word for word in case["answer_contains"] if word not in answer.answer]
        _demand(not missing, f"The answer does not say {', '.join(missing)}.")
        await self._timed(
            "same question again, models loaded", self._ask(window, case["question"], "again: first evidence card")
        )

    async def picture(self, path: Path) -> None:
        """Save what the window shows."""
        if self.window is None:
            return
        await asyncio.sleep(SETTLE_S)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self.window.grab().save(str(path)):
            self._report.problem = self._report.problem or f"The picture could not be saved as {path.name}."

    async def close(self) -> None:
        """Close the window and the engine it started."""
        if self.window is not None:
            self.window.close()
            self.window.deleteLater()
            self.window = None
        await asyncio.sleep(0)
        self._application.processEvents()

    # -- steps

    async def _show(self) -> Window:
        session = Session(self._folder / "session.json")
        self.window = compose(self._application, session, Bridge())
        self.window.show()
        handle = self.window.windowHandle()
        await self._until(lambda: handle.isExposed(), STEP_TIMEOUT_S, "The window did not appear.")
        return self.window

    async def _open(self, window: Window, vault: Path, offline: bool) -> None:
        window.open_vault(vault, create=not (vault / "vault.toml").is_file(), offline=offline)
        bridge = window.context.bridge
        done = (EngineState.READY, EngineState.FAILED)
        await self._until(lambda: bridge.state in done, STEP_TIMEOUT_S, "The engine did not answer.")
        fault = bridge.fault
        _demand(bridge.state is EngineState.READY, fault.message if fault else "The vault could not be opened.")

    async def _drop(self, window: Window, papers: list[Path]) -> None:
        """Drop files as a file manager does: the same events, with the same kind of content."""
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(self._copy(paper))) for paper in papers])
        spot = QPointF(window.rect().center())
        copy, left, plain = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(spot.toPoint(), copy, mime, left, plain)
        drop = QDropEvent(spot, copy, mime, left, plain, QEvent.Type.Drop)
        QApplication.sendEvent(window, enter)
        _demand(enter.isAccepted(), "The window does not take files.")
        QApplication.sendEvent(window, drop)
        deadline = time.monotonic() + WORDS_TIMEOUT_S
        names = {paper.name for paper in papers}
        while time.monotonic() < deadline:
            sources: tuple[Source, ...] = await window.context.bridge.call("sources.list")
            ready = {source.filename for source in sources if source.record_count > 0}
            if names <= ready:
                return
            await asyncio.sleep(0.02)
        raise SelfcheckError("The dropped paper could not be asked in time.")

    async def _ask(self, window: Window, question: str, evidence: str = "question to first evidence card") -> Answer:
        window.show_side("chat", Target("chat"))
        slot = window.sidebar.findChild(PaneSlot, "slot-chat")
        chat = slot.pane if slot is not None else None
        if not isinstance(chat, ChatPane):
            raise SelfcheckError("The chat could not be loaded.")
        conversation = chat.conversation
        started = time.perf_counter()
        chat.ask(question)
        last = len(conversation) - 1
        states = ("evidence", "answered", "failed")
        await self._until(lambda: conversation[last].state in states, STEP_TIMEOUT_S, "No evidence came.")
        self._note(evidence, started)
        await self._until(lambda: not chat.busy, STEP_TIMEOUT_S, "No answer came.")
        message = conversation[last]
        if message.answer is None:
            raise SelfcheckError(message.fault.message if message.fault else "There is no answer.")
        return message.answer

    async def _open_citation(self, window: Window, citation: Citation) -> None:
        window.context.selection.open_citation(citation)
        painted = asyncio.Event()
        reader = self._reader(window)

        def note(_page: int) -> None:
            painted.set()

        reader.passage_painted.connect(note)
        try:
            await asyncio.wait_for(painted.wait(), STEP_TIMEOUT_S)
        except TimeoutError:
            raise SelfcheckError("The passage was not painted in time.") from None
        finally:
            reader.passage_painted.disconnect(note)

    async def _away(self, window: Window) -> None:
        """Leave the passage, so that the second click has to go back to it."""
        view = self._reader(window).view
        if isinstance(view, PageView):
            view.show_page(view.document.pageCount() - 1)
        await asyncio.sleep(0.3)

    def _note_marks(self, window: Window, citation: Citation) -> None:
        view = self._reader(window).view
        if not isinstance(view, PageView):
            raise SelfcheckError("The paper is not shown as pages.")
        rects = [[rect.x(), rect.y(), rect.width(), rect.height()] for rect in view.passage_rects()]
        rects = [[round(value, 1) for value in rect] for rect in rects]
        _demand(bool(rects), "The page is open, but no word on it is marked.")
        self._report.highlighted.append(Mark(view.page + 1, rects, citation.excerpt))

    # -- tools

    def _reader(self, window: Window) -> ReaderPane:
        slot = window.tabs.findChild(PaneSlot, "slot-reader")
        pane = slot.pane if slot is not None else None
        if not isinstance(pane, ReaderPane):
            raise SelfcheckError("The citation opened no reader.")
        return pane

    def _copy(self, paper: Path) -> Path:
        return Path(shutil.copy(paper, self._folder / paper.name))

    async def _timed(self, name: str, step: Coroutine[object, object, Result]) -> Result:
        started = time.perf_counter()
        result = await step
        self._note(name, started)
        return result

    def _note(self, name: str, started: float) -> None:
        self._report.steps.append(Step(name, round((time.perf_counter() - started) * 1000, 1)))

    async def _until(self, holds: Callable[[], bool], timeout_s: float, problem: str) -> None:
        deadline = time.monotonic() + timeout_s
        while not holds():
            if time.monotonic() > deadline:
                raise SelfcheckError(problem)
            await asyncio.sleep(POLL_S)


def _demand(holds: bool, problem: str) -> None:
    if not holds:
        raise SelfcheckError(problem)
