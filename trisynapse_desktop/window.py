"""The pane table in, the one window out: rail, tabs, sidebar, status line; what panes do is not written here."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QSplitter

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.commands import Commands
from trisynapse_desktop.operations import ingest
from trisynapse_desktop.pane import PANES, Announcement, Context, PaneRow, pane_row
from trisynapse_desktop.standing import Standing
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.banner import Banner
from trisynapse_desktop.widgets.drop_veil import DropVeil
from trisynapse_desktop.widgets.layout import boxed, column, row
from trisynapse_desktop.widgets.pane_slot import PaneSlot
from trisynapse_desktop.widgets.rail import Rail
from trisynapse_desktop.widgets.sidebar import Sidebar
from trisynapse_desktop.widgets.status_line import StatusLine
from trisynapse_desktop.widgets.tabs import TabArea
from trisynapse_desktop.widgets.toast import ToastStack
from trisynapse_memory.types import Fault

PINNED = ("welcome", "sources")  # tabs that are always there
GO_ACTIONS = {row.id: "go.start" if row.id == "welcome" else f"go.{row.id}" for row in PANES if row.place == "centre"}


class Window(QMainWindow):
    """One calm window. ``furnish`` puts it together; until then it is an empty frame."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("window")
        self.setWindowTitle("Trisynapse")
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.resize(1280, 800)
        self._slots: dict[str, PaneSlot] = {}
        self._targets: dict[str, Target] = {}

    # -- building

    def furnish(self, context: Context) -> None:
        """Build everything from the tables; called once, before the window is shown."""
        self.context = context
        theme, actions = context.theme, context.actions
        self.banner = Banner(theme, context.bridge.restart)
        self.rail = self._make_rail()
        self.tabs = TabArea(
            theme,
            [actions.action("go.back"), actions.action("go.forward")],
            [actions.action("add.files"), actions.action("view.sidebar")],
        )
        self.sidebar = self._make_sidebar()
        self.status = StatusLine(theme, actions.action("go.settings"), actions.action("go.privacy"))
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(self.tabs)
        self.splitter.addWidget(self.sidebar)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setCollapsible(0, False)
        self.splitter.setCollapsible(1, False)
        body = row(self.rail, self.splitter, gap=0)
        body.setStretch(1, 1)
        whole = column(self.banner, body, self.status, gap=0)
        whole.setStretch(1, 1)
        self.setCentralWidget(boxed(whole))
        self.toasts = ToastStack(self, theme)
        self.veil = DropVeil(self)
        self.commands = Commands(self, self, context)
        self._standing = Standing(context, self.status)
        self._connect()
        if state := context.session.state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(state.encode()))
        self._follow_engine(context.bridge.state)
        self.show_target(Target("welcome"))

    def _make_rail(self) -> Rail:
        actions = self.context.actions
        rows = [one for one in PANES if one.place == "centre"]
        places = [(one.id, one.title, one.icon, actions.tooltip(GO_ACTIONS[one.id])) for one in rows]
        return Rail(self.context.theme, places, [actions.action("chat.ask"), actions.action("view.palette")])

    def _make_sidebar(self) -> Sidebar:
        rows = [one for one in PANES if one.place == "side"]
        sidebar = Sidebar([(one.id, one.title) for one in rows])
        for one in rows:
            self._slots[one.id] = PaneSlot(self.context, one)
            sidebar.add(self._slots[one.id])
        sidebar.hide()
        return sidebar

    def _connect(self) -> None:
        context = self.context
        context.selection.opened.connect(self.show_target)
        context.selection.vault_chosen.connect(self.open_vault)
        context.navigation.went.connect(self._bring)
        context.navigation.changed.connect(self._follow_history)
        context.bridge.state_changed.connect(self._follow_engine)
        context.bridge.failed.connect(self._tell_fault)
        context.theme.changed.connect(self._repaint_icons)
        self.rail.chosen.connect(self._go)
        self.tabs.switched.connect(self._switch)
        self.tabs.close_wanted.connect(self.close_tab)
        self.sidebar.chosen.connect(self.show_side)

    # -- places

    def show_target(self, target: Target) -> None:
        """Bring a place to the front and remember the way back."""
        if pane_row(target.pane).place == "side":
            self.show_side(target.pane, target)
            return
        self._bring(target)
        self.context.navigation.visit(target)

    def show_side(self, pane_id: str, target: Target | None = None) -> None:
        """Show a page of the sidebar."""
        slot = self._slots[pane_id]
        self.sidebar.show_page(pane_id, slot)
        self._open_sidebar()
        self.context.session.state.sidebar_pane = pane_id
        slot.open(target or Target(pane_id, source_id=self.context.selection.source_id))

    def toggle_sidebar(self) -> None:
        """Hide the sidebar, or show the page it showed last."""
        if self.sidebar.isVisible():
            self.sidebar.hide()
        else:
            self.show_side(self.context.session.state.sidebar_pane)

    def close_tab(self, key: str = "") -> None:
        """Close a tab, the one in front when none is named; it can be opened again from the rail or the library."""
        key = key or self.tabs.current_key()
        if key in PINNED or not self.tabs.has(key):
            return
        _slot, target = self._slots.pop(key), self._targets.pop(key)
        self.tabs.close_tab(key)
        if target.source_id:
            self.context.navigation.forget(target.source_id)
        self.show_target(self._targets.get(self.tabs.current_key(), Target("sources")))

    def step_tab(self, by: int) -> None:
        """Go to a neighbouring tab, round the end."""
        keys = self.tabs.open_keys()
        self._switch(keys[(keys.index(self.tabs.current_key()) + by) % len(keys)])

    def _bring(self, target: Target) -> None:
        one = pane_row(target.pane)
        key = target.source_id if one.place == "tab" else one.id
        if not self.tabs.has(key):
            self._add_tab(key, one, target)
        self._targets[key] = target
        self.tabs.show_tab(key)
        self.rail.show_chosen(one.id)
        self.context.actions.set_condition("reader", one.place == "tab")
        self.context.actions.set_condition("tab", key not in PINNED)
        self._slots[key].open(target)

    def _add_tab(self, key: str, one: PaneRow, target: Target) -> None:
        self._slots[key] = PaneSlot(self.context, one)
        title = target.title if one.place == "tab" and target.title else one.title
        self.tabs.add(key, self._slots[key], title, one.icon, closable=key not in PINNED)

    def _go(self, pane_id: str) -> None:
        self.show_target(self._targets.get(pane_id, Target(pane_id)))

    def _switch(self, key: str) -> None:
        self.show_target(self._targets[key])

    def _open_sidebar(self) -> None:
        if not self.sidebar.isVisible():
            self.sidebar.show()
            width = self.context.session.state.sidebar_width
            self.splitter.setSizes([max(1, self.splitter.width() - width), width])

    # -- the vault

    @property
    def is_offline(self) -> bool:
        """Whether nothing may leave, as far as the window knows."""
        return self.status.is_offline

    def open_vault(self, folder: Path, create: bool = False, offline: bool | None = None) -> None:
        """Open a vault in this window, or make it first; the one open before is closed."""
        if self.context.bridge.vault is not None and self.context.bridge.vault != folder:
            self._close_readers()
            self.context.selection.clear()
        chosen = self.context.bridge.offline if offline is None else offline
        self.context.bridge.open(folder, create=create, offline=chosen)
        self.context.session.remember_vault(folder)
        self.status.show_vault(folder.stem, str(folder))
        self.setWindowTitle(f"{folder.stem} — Trisynapse")
        self.show_target(Target("sources"))
        if self.context.session.state.sidebar_visible:
            self.show_side(self.context.session.state.sidebar_pane)

    def reopen_tabs(self) -> None:
        """Put back the reader tabs of the last session; their documents load when they are looked at."""
        state = self.context.session.state
        for source_id, title in zip(state.open_source_ids, state.open_titles, strict=False):
            if not self.tabs.has(source_id):
                self._targets[source_id] = Target("reader", source_id=source_id, title=title)
                self._add_tab(source_id, pane_row("reader"), self._targets[source_id])

    def _close_readers(self) -> None:
        for key in self.tabs.open_keys():
            if key not in GO_ACTIONS:
                self.close_tab(key)
        self.context.navigation.clear()

    def _follow_engine(self, state: EngineState) -> None:
        bridge, actions = self.context.bridge, self.context.actions
        actions.set_condition("vault", bridge.vault is not None and state is not EngineState.FAILED)
        for one in PANES:
            if one.needs_vault:
                self.rail.enable(one.id, bridge.vault is not None)
        if state is EngineState.LOST or (state is EngineState.STARTING and self.banner.isVisible()):
            self.banner.warn("The engine ended unexpectedly and is being started again. What was saved is safe.")
        elif state is EngineState.FAILED and bridge.fault is not None:
            self.banner.fail(f"{bridge.fault.message} {bridge.fault.hint}".strip())
        else:
            self.banner.hide()

    # -- what is going on

    def announce(self, announcement: Announcement) -> None:
        """Show one short message over the window."""
        self.toasts.show(announcement)

    def _tell_fault(self, fault: Fault) -> None:
        self.announce(Announcement(fault.message, fault.hint, "bad"))

    def _follow_history(self) -> None:
        navigation = self.context.navigation
        self.context.actions.set_condition("back", navigation.can_go_back)
        self.context.actions.set_condition("forward", navigation.can_go_forward)

    def _repaint_icons(self) -> None:
        self.context.actions.paint_icons(self.context.theme.icon)

    # -- the frame

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()
            self.veil.cover()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.veil.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.veil.hide()
        event.acceptProposedAction()
        self.commands.offer(ingest.inputs_of_mime(event.mimeData()))

    def closeEvent(self, event: QCloseEvent) -> None:
        self._remember_frame()
        self.context.session.save()
        self.context.bridge.close()
        super().closeEvent(event)

    def _remember_frame(self) -> None:
        state = self.context.session.state
        state.geometry = bytes(self.saveGeometry().toBase64().data()).decode()
        state.sidebar_visible = self.sidebar.isVisible()
        if self.sidebar.isVisible():
            state.sidebar_width = self.sidebar.width()
        state.open_source_ids = [key for key in self.tabs.open_keys() if key not in GO_ACTIONS]
        state.open_titles = [self.tabs.title(key) for key in state.open_source_ids]
