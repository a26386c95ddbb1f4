"""One table of everything she can do in, Qt actions out; what an action does is bound by the window and the panes.

Menus, the command palette, tooltips and the shortcut list read this table; a command that is not here does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import QWidget

ALWAYS = ""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One command: ``when`` names the condition under which it is possible; ``menu`` is where it lives.

    ``icon`` is a file name in ``resources/icons`` without its ending.
    """

    id: str
    text: str
    menu: str
    shortcut: str = ""
    icon: str = ""
    when: str = ALWAYS
    hint: str = ""


MENUS = ("File", "Edit", "View", "Go", "Source", "Ask", "Help")

ROWS: tuple[ActionRow, ...] = (
    ActionRow("vault.new", "New vault…", "File", "Ctrl+Shift+N", "folder-plus", hint="Make a new, empty vault"),
    ActionRow("vault.open", "Open vault…", "File", "Ctrl+O", "folder-open", hint="Open a vault on this computer"),
    ActionRow("vault.sample", "Open the sample vault", "File", icon="sparkle", hint="The speed of light, 1862–1983"),
    ActionRow("add.files", "Add files…", "File", "Ctrl+N", "plus", "vault", "Add documents to the vault"),
    ActionRow("add.folder", "Add a folder…", "File", "", "folder-plus", "vault", "Add a folder and all it holds"),
    ActionRow(
        "add.link", "Add a link or text…", "File", "Ctrl+Shift+L", "link", "vault", "Add a web address or a text"
    ),
    ActionRow("add.paste", "Paste into the vault", "File", "Ctrl+Shift+V", "clipboard", "vault", "Add what was copied"),
    ActionRow("feeds.follow", "Follow a feed…", "File", "", "rss", "vault", "RSS, Atom, or a search at arXiv"),
    ActionRow("feeds.refresh", "Ask all feeds now", "File", "", "refresh", "vault", "New entries become sources"),
    ActionRow("links.read", "Read the pages of bookmarks…", "File", "", "globe", "vault", "Says which sites first"),
    ActionRow("sources.export", "Export sources…", "File", "", "external", "vault", "As BibTeX, CSL JSON or bookmarks"),
    ActionRow("vault.check", "Check the vault", "File", "", "shield", "vault", "Prove that every record is as written"),
    ActionRow("app.quit", "Quit", "File", "Ctrl+Q", "power"),
    ActionRow("search.here", "Search", "Edit", "Ctrl+F", "search", "vault", "Search every passage in the vault"),
    ActionRow("search.all", "Search everywhere", "Edit", "Ctrl+Shift+F", "search", "vault"),
    ActionRow("view.palette", "Command palette…", "View", "Ctrl+K", "command", hint="Everything you can do"),
    ActionRow("view.sidebar", "Show or hide the sidebar", "View", "Ctrl+\\", "sidebar", "vault"),
    ActionRow("view.details", "Show details", "View", "Ctrl+I", "info", "vault"),
    ActionRow("view.light", "Light appearance", "View", "", "sun"),
    ActionRow("view.dark", "Dark appearance", "View", "", "moon"),
    ActionRow("view.contrast", "High contrast appearance", "View", "", "contrast"),
    ActionRow("view.system", "Follow the system's appearance", "View", "", "monitor"),
    ActionRow("view.refresh", "Refresh", "View", "F5", "refresh", "vault"),
    ActionRow("tab.close", "Close tab", "View", "Ctrl+W", "x", "tab"),
    ActionRow("tab.next", "Next tab", "View", "Ctrl+PgDown", "chevron-right", "vault"),
    ActionRow("tab.previous", "Previous tab", "View", "Ctrl+PgUp", "chevron-left", "vault"),
    ActionRow("go.back", "Back", "Go", "Alt+Left", "arrow-left", "back"),
    ActionRow("go.forward", "Forward", "Go", "Alt+Right", "arrow-right", "forward"),
    ActionRow("go.source", "Open a source…", "Go", "Ctrl+P", "file-text", "vault", "Jump to any source by its title"),
    ActionRow("go.sources", "Library", "Go", "Ctrl+1", "library", "vault"),
    ActionRow("go.search", "Search pane", "Go", "Ctrl+2", "search", "vault"),
    ActionRow("go.graph", "Concept graph", "Go", "Ctrl+4", "network", "vault", "What the sources say about each other"),
    ActionRow("go.wiki", "Wiki", "Go", "Ctrl+5", "layers", "vault", "Pages compiled from claims, with their evidence"),
    ActionRow("go.activity", "Activity", "Go", "Ctrl+3", "activity", "vault"),
    ActionRow("go.settings", "Settings", "Go", "Ctrl+,", "settings", "vault", "Models, keys, and what may leave"),
    ActionRow("go.privacy", "What has left this computer", "Go", "Ctrl+Shift+,", "shield", "vault", "Privacy settings"),
    ActionRow("go.start", "Start page", "Go", "Ctrl+0", "home"),
    ActionRow("source.open", "Open", "Source", "", "book-open", "source", "Read the chosen source"),
    ActionRow("source.page", "Read its page…", "Source", "", "globe", "source", "Of a bookmark or an entry of a feed"),
    ActionRow("source.forget", "Forget", "Source", "Ctrl+Backspace", "eye-off", "source", "Hide it from every answer"),
    ActionRow("source.reinstate", "Bring back", "Source", "", "undo", "source", "Let a forgotten source answer again"),
    ActionRow("source.graph", "Show in the graph", "Source", "Ctrl+Shift+4", "network", "source"),
    ActionRow("source.wiki", "Show its wiki page", "Source", "Ctrl+Shift+5", "layers", "source"),
    ActionRow("source.original", "Show the original file", "Source", "", "external", "source"),
    ActionRow("reader.find", "Find in this document", "Source", "Ctrl+G", "search", "reader"),
    ActionRow("reader.zoom_in", "Zoom in", "Source", "Ctrl++", "zoom-in", "reader"),
    ActionRow("reader.zoom_out", "Zoom out", "Source", "Ctrl+-", "zoom-out", "reader"),
    ActionRow("reader.fit", "Fit the page", "Source", "Ctrl+9", "maximize", "reader"),
    ActionRow("reader.highlight", "Highlight the selection", "Source", "Ctrl+H", "highlighter", "reader"),
    ActionRow("reader.copy_citation", "Copy as citation", "Source", "Ctrl+Shift+C", "quote", "reader"),
    ActionRow("chat.ask", "Ask", "Ask", "Ctrl+L", "message", "vault", "Ask the vault a question"),
    ActionRow("chat.new", "New conversation", "Ask", "Ctrl+Shift+K", "plus", "vault"),
    ActionRow("chat.stop", "Stop the answer", "Ask", "", "square", "asking"),
    ActionRow("chat.copy", "Copy the answer with citations", "Ask", "", "copy", "answer"),
    ActionRow("help.shortcuts", "Keyboard shortcuts", "Help", "F1", "keyboard"),
    ActionRow("help.about", "About Trisynapse", "Help", "", "info"),
)


class Actions(QObject):
    """The table come alive: one ``QAction`` per row, added to the window so that its shortcut works everywhere.

    ``used`` carries the id of an action each time it runs, for the palette's order.
    """

    used = Signal(str)

    def __init__(self, window: QWidget, icons: Callable[[str], QIcon], rows: Iterable[ActionRow] = ROWS) -> None:
        super().__init__(window)
        self._rows = {row.id: row for row in rows}
        self._actions = {row.id: self._make(row, window) for row in self._rows.values()}
        self._bound: dict[str, Callable[[], object]] = {}
        self._true: set[str] = {ALWAYS}
        self.paint_icons(icons)
        self._update()

    def bind(self, action_id: str, do: Callable[[], object]) -> None:
        """Say what an action does; a later binding takes over from an earlier one (the reader in front).

        Raises:
            KeyError: the table has no such row.
        """
        if action_id not in self._rows:
            raise KeyError(action_id)
        self._bound[action_id] = do
        self._update()

    def action(self, action_id: str) -> QAction:
        """Return the Qt action of a row, to put into a menu or on a button."""
        return self._actions[action_id]

    def rows(self) -> tuple[ActionRow, ...]:
        """Return every row, in table order."""
        return tuple(self._rows.values())

    def is_bound(self, action_id: str) -> bool:
        """Tell whether somebody said what the action does."""
        return action_id in self._bound

    def set_condition(self, name: str, holds: bool) -> None:
        """Say whether a condition (``vault``, ``source``, ``back``, ``reader``, ..) holds; actions follow."""
        if holds != (name in self._true):
            (self._true.add if holds else self._true.discard)(name)
            self._update()

    def tooltip(self, action_id: str) -> str:
        """Return what a button with this action says when pointed at: its hint and its shortcut."""
        row = self._rows[action_id]
        keys = QKeySequence(row.shortcut).toString(QKeySequence.SequenceFormat.NativeText) if row.shortcut else ""
        text = (row.hint or row.text).rstrip("…")
        return f"{text}  ({keys})" if keys else text

    def paint_icons(self, icons: Callable[[str], QIcon]) -> None:
        """Give every action its icon again, in the colours of the theme."""
        for row in self._rows.values():
            if row.icon:
                self._actions[row.id].setIcon(icons(row.icon))

    def _make(self, row: ActionRow, window: QWidget) -> QAction:
        action = QAction(row.text, window)
        action.setObjectName(row.id)
        if row.shortcut:
            action.setShortcut(QKeySequence(row.shortcut))
        action.setToolTip(self.tooltip(row.id))
        action.setStatusTip(row.hint)
        action.setMenuRole(QAction.MenuRole.NoRole)
        action.triggered.connect(self._run)
        window.addAction(action)
        return action

    def _run(self) -> None:
        action = self.sender()
        if isinstance(action, QAction) and action.objectName() in self._bound:
            self.used.emit(action.objectName())
            self._bound[action.objectName()]()

    def _update(self) -> None:
        for row in self._rows.values():
            self._actions[row.id].setEnabled(row.id in self._bound and row.when in self._true)
