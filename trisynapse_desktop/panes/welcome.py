"""Nothing in yet, or a vault of hers; what she can start with out: one screen, no account, no form, no tour."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.operations import models
from trisynapse_desktop.operations import vault as vaults
from trisynapse_desktop.pane import Context
from trisynapse_desktop.session import default_vault_folder
from trisynapse_desktop.target import Target
from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, restyle, row
from trisynapse_memory.types import Notice

WIDTH = 640  # px
FIRST_VAULT = "My library.vault"


class WelcomePane(QObject):
    """The start page: make a vault, open one, or look at the sample; then one drop target."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        mark = IconLabel(context.theme, "trisynapse", "accent", 48)
        self._title, self._lead = label("", "title"), label("", "muted", wrap=True)
        self._drop = self._make_drop()
        self._starts = self._make_starts()
        self._sample = self._make_sample()
        self._model = self._make_model()
        self._recent = QVBoxLayout()
        self._recent.setSpacing(GRID)
        self._recent_title = label("Opened before", "section")
        head = row(mark, column(self._title, self._lead, gap=1), gap=4)
        head.setStretch(1, 1)
        promise = row(
            IconLabel(context.theme, "lock", "muted", 16),
            label("Everything stays on this computer. No account, no telemetry, no request without your yes.", "small"),
            None,
            gap=2,
        )
        page = boxed(
            column(
                None,
                head,
                6,
                self._starts,
                self._sample,
                self._drop,
                self._model,
                4,
                self._recent_title,
                self._recent,
                4,
                promise,
                None,
                gap=2,
                margins=(6, 6, 6, 6),
            )
        )
        page.setFixedWidth(WIDTH)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(boxed(row(None, page, None)))
        scroll.setAccessibleName("Start page")
        context.bridge.state_changed.connect(self._follow_engine)
        context.bridge.notice.connect(self._hear)
        self._follow_engine(context.bridge.state)
        return scroll

    def open(self, target: Target) -> None:
        """Bring the list of vaults up to date."""
        self._follow_engine(self._context.bridge.state)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The window takes every drop; the frame only shows where it goes.
        if event.type() in (QEvent.Type.DragEnter, QEvent.Type.DragLeave):
            restyle(self._drop, over="true" if event.type() == QEvent.Type.DragEnter else "false")
        return super().eventFilter(watched, event)

    def _follow_engine(self, state: EngineState) -> None:
        vault = self._context.bridge.vault
        opened = vault is not None and state is not EngineState.CLOSED
        self._title.setText(vault.stem if opened and vault is not None else "Trisynapse")
        lead = (
            "Now yours: drop what you read below."
            if opened
            else "A memory for what you read. Every answer shows its page."
        )
        self._lead.setText(lead)
        self._starts.setVisible(not opened)
        self._sample.setVisible(opened and vaults.is_sample(vault))
        self._fill_recent(vault)
        self._model.hide()
        if state is EngineState.READY:
            self._context.bridge.run(self._offer_model(), lambda _fault: None)

    def _hear(self, notice: Notice) -> None:
        if notice.topic in models.TOPICS and self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._offer_model(), lambda _fault: None)

    async def _offer_model(self) -> None:
        self._model.setVisible(not await models.writer(self._context))

    def _fill_recent(self, current: Path | None) -> None:
        clear(self._recent)
        vaults = [vault for vault in self._context.session.recent_vaults() if vault != current]
        self._recent_title.setVisible(bool(vaults))
        for vault in vaults[:5]:
            made = button(f"{vault.stem}    {_short(vault.parent)}", "link", str(vault))
            made.setAccessibleName(f"Open {vault.stem}")
            made.setProperty("vault", str(vault))
            made.clicked.connect(self._open_recent)
            self._recent.addWidget(made, 0, Qt.AlignmentFlag.AlignLeft)

    def _open_recent(self) -> None:
        sender = self.sender()
        if isinstance(sender, QPushButton):
            self._context.selection.choose_vault(Path(str(sender.property("vault"))))

    def _make_first(self) -> None:
        vault = default_vault_folder() / FIRST_VAULT
        self._context.selection.choose_vault(vault, create=not (vault / "vault.toml").is_file())

    def _make_starts(self) -> QFrame:
        actions = self._context.actions
        first = default_vault_folder() / FIRST_VAULT
        make = _card(
            "Make a vault", f"In {_short(first.parent)}. It is a folder; move or copy it as you like.", "primary"
        )
        make.clicked.connect(self._make_first)
        choose = _card("Open a vault", "One you have on this computer.")
        choose.clicked.connect(actions.action("vault.open").trigger)
        sample = _card("Look at a sample", "The speed of light: a real dispute, 1862–1983.")
        sample.clicked.connect(actions.action("vault.sample").trigger)
        return boxed(column(make, row(choose, sample, gap=2), gap=2))

    def _make_sample(self) -> QFrame:
        """What only the sample vault offers: its contested graph, and a paper that changes."""
        graph = _card("See the dispute", "The graph around the speed of light; the amber edges are contested.")
        graph.clicked.connect(lambda: self._context.selection.open(Target("graph", text="speed of light")))
        self._version = _card("Drop version 2 of a paper", "One sentence of the wiki goes stale; you see it as a diff.")
        self._version.clicked.connect(self._drop_version)
        return boxed(row(graph, self._version, gap=2))

    def _make_model(self) -> QFrame:
        """The quiet offer of a model; it goes once one writes."""
        hint = "If you like: answers in sentences, each checked against its page. Without one they are quotes."
        card = _card("Connect a model", hint)
        card.clicked.connect(self._context.actions.action("go.settings").trigger)
        return boxed(row(card))

    def _drop_version(self) -> None:
        self._version.setEnabled(False)  # a second press while the first is read would take the same file in again
        self._context.bridge.run(self._take_version())

    async def _take_version(self) -> None:
        try:
            await vaults.drop_second_version(self._context)
        finally:
            self._version.setEnabled(True)

    def _make_drop(self) -> QFrame:
        words = column(
            row(None, IconLabel(self._context.theme, "inbox", "accent", 28), None),
            row(None, label("Drop papers, folders or links anywhere on this window", "heading"), None),
            row(None, label("PDF, web pages, Markdown, text, bookmarks. Ctrl+Shift+V pastes.", "small"), None),
            gap=1,
            margins=(4, 6, 4, 6),
        )
        frame = boxed(words, role="drop")
        frame.setAcceptDrops(False)
        return frame


def _card(title: str, hint: str, role: str = "") -> QPushButton:
    """Return a large button of two lines; the second is smaller but part of the same press."""
    made = button("", role or "card")
    made.setAccessibleName(title)
    made.setAccessibleDescription(hint)
    lines = (label(title, "heading"), label(hint, "small", wrap=True))
    for one in lines:
        one.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    words = column(*lines, gap=0, margins=(4, 3, 4, 3))
    made.setLayout(words)
    made.setProperty("role", "card")
    made.setMinimumHeight(17 * GRID)
    return made


def _short(folder: Path) -> str:
    """Show a folder as she knows it, from her home on."""
    home = Path.home()
    return f"~/{folder.relative_to(home).as_posix()}" if folder.is_relative_to(home) else str(folder)
