"""Model services in, one line each out: whether there is a key, whether it may be used, and a place to give a key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.inline_form import Entry, InlineForm
from trisynapse_desktop.widgets.layout import boxed, button, clear, column, label, line, restyle, row
from trisynapse_desktop.widgets.setting_parts import StateLine, Switch, name_button, section
from trisynapse_memory.types import KeyringState, ServiceState

SESSION_HINT = "Keep it until Trisynapse is closed, and nowhere else"


class ModelServices(QFrame):
    """Every place where models can be asked.

    ``key_given`` carries a service, the key and whether it is for this run only; ``added`` a name and an address;
    ``models_wanted`` a service whose list she asks for; the others the name of a service.
    """

    key_given = Signal(str, str, bool)
    key_removed = Signal(str)
    allowed = Signal(str)
    disallowed = Signal(str)
    models_wanted = Signal(str)
    added = Signal(str, str)
    removed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines: dict[str, ServiceLine] = {}
        self._keyring = KeyringState(name="", is_usable=True)
        self._keyring_line = StateLine(theme)
        self._keyed, self._servers = column(gap=3), column(gap=3)
        entries = (Entry("Name", "What to call it, for example Ollama"), Entry("Address", "http://127.0.0.1:11434/v1"))
        self._own = InlineForm("Add a server of yours…", entries, "Any server that speaks OpenAI's language")
        self._own.submitted.connect(self._add)
        hint = "Each wants a key of yours. It is kept in this computer's keyring and nowhere else."
        with_key = section("Services with your key", hint, self._keyring_line, self._keyed)
        hint = "A server that runs in this computer sends nothing anywhere. Any other is asked for first."
        self.setLayout(column(with_key, section("Servers of yours", hint, self._servers, self._own), gap=3))

    def show_services(self, services: Sequence[ServiceState], keyring: KeyringState) -> None:
        """Show every service as she has set it up."""
        self._keyring = keyring
        problem = "" if keyring.is_usable else f"{keyring.problem} {keyring.hint}".strip()
        self._keyring_line.say(problem, "warning")
        remote = [one for one in services if one.service.base_url]
        if [one.service.name for one in remote] != list(self._lines):
            self._rebuild(remote)
        for one in remote:
            self._lines[one.service.name].show_service(one, keyring)

    def say(self, name: str, text: str, tone: str = "bad") -> None:
        """Say under a service what became of what she asked for."""
        if name in self._lines:
            self._lines[name].say(text, tone)

    def _add(self, texts: list[str]) -> None:
        self._own.fold()
        self.added.emit(texts[0], texts[1])

    def _rebuild(self, services: Sequence[ServiceState]) -> None:
        clear(self._keyed)
        clear(self._servers)
        self._lines = {}
        for one in services:
            place = self._keyed if one.service.needs_key else self._servers
            if place.count():
                place.addWidget(line())
            made = ServiceLine(self._theme, one)
            for name in ("key_given", "key_removed", "allowed", "disallowed", "models_wanted", "removed"):
                getattr(made, name).connect(getattr(self, name))
            self._lines[one.service.name] = made
            place.addWidget(made)


class ServiceLine(QFrame):
    """One service: where it is, its key, her permission. The key is shown as dots, and never shown again."""

    key_given = Signal(str, str, bool)
    key_removed = Signal(str)
    allowed = Signal(str)
    disallowed = Signal(str)
    models_wanted = Signal(str)
    removed = Signal(str)

    def __init__(self, theme: Theme, state: ServiceState) -> None:
        super().__init__()
        service = state.service
        self._name = service.name
        self._where = label("", "small", wrap=True)
        self._badge = label("", "small")
        self._field = QLineEdit()
        self._field.setEchoMode(QLineEdit.EchoMode.Password)
        self._field.setPlaceholderText("Paste the key, then Enter")
        self._field.setAccessibleName(f"Key for {service.label}")
        self._field.installEventFilter(self)
        self._field.returnPressed.connect(self._give)
        self._session = Switch(theme, "Keep for this session only", "For this session only", "For this session only")
        self._session.setToolTip(SESSION_HINT)
        self._session.setAccessibleDescription(SESSION_HINT)
        self._give_up, self._keep = button("Cancel"), button("Keep the key", "primary")
        self._give_up.clicked.connect(self._fold)
        self._keep.clicked.connect(self._give)
        source = label(f"You get one at {service.key_url}", "small", wrap=True, selectable=True)
        keep = row(self._session, None, self._give_up, self._keep)
        self._entry = boxed(column(self._field, *([source] if service.key_url else []), keep, gap=2))
        self._key, self._drop_key = button("Give a key…"), button("Remove the key", "link")
        self._allow, self._disallow = button("Allow…"), button("Do not allow any more", "link")
        self._list, self._remove = button("Which models?", "link"), button("Remove", "link")
        self._note = StateLine(theme)
        self._key.clicked.connect(self._unfold)
        for one, signal in (
            (self._drop_key, self.key_removed),
            (self._allow, self.allowed),
            (self._disallow, self.disallowed),
            (self._list, self.models_wanted),
            (self._remove, self.removed),
        ):
            one.clicked.connect(lambda _checked=False, signal=signal: signal.emit(self._name))
        for one in (self._key, self._drop_key, self._allow, self._disallow, self._list, self._remove):
            name_button(one, service.label)
        words = column(row(label(service.label), self._badge, None, gap=2), self._where, gap=0)
        head = row(words, self._key, self._allow, gap=2)
        head.setStretch(0, 1)
        self._links = row(self._list, self._drop_key, self._disallow, self._remove, None, gap=1)
        self.setLayout(column(head, self._links, self._entry, self._note, gap=1))
        self._fold()

    def say(self, text: str, tone: str) -> None:
        """Say what became of what she asked for."""
        self._note.say(text, tone)

    def show_service(self, state: ServiceState, keyring: KeyringState) -> None:
        """Show the key's place and her permission; buttons that would do nothing are not there."""
        service = state.service
        self._where.setText(host_of(state) if service.needs_key else service.base_url)
        words, tone = badge_of(state)
        self._badge.setText(words)
        restyle(self._badge, role=tone)
        self._session.setChecked(not keyring.is_usable)
        self._session.setEnabled(keyring.is_usable)
        takes_key = service.needs_key or service.is_remote
        self._key.setText("Change the key…" if state.has_key else "Give a key…")
        name_button(self._key, service.label)
        self._key.setVisible(takes_key and not self._entry.isVisibleTo(self))
        self._drop_key.setVisible(state.has_key)
        is_ready = state.has_key or not service.needs_key
        self._allow.setVisible(service.is_remote and not state.is_allowed and is_ready)
        self._disallow.setVisible(service.is_remote and state.is_allowed)
        self._list.setVisible(is_ready and (state.is_allowed or not service.is_remote))
        self._remove.setVisible(state.is_own)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self._fold()
            self._key.setFocus()
            return True
        return super().eventFilter(watched, event)

    def _unfold(self) -> None:
        self._entry.show()
        self._key.hide()
        self._field.setFocus()

    def _fold(self) -> None:
        self._field.clear()
        self._entry.hide()
        self._key.show()

    def _give(self) -> None:
        key, session_only = self._field.text().strip(), self._session.isChecked()
        if key:
            self._fold()
            self.key_given.emit(self._name, key, session_only)


def badge_of(state: ServiceState) -> tuple[str, str]:
    """Say in two words how a service stands, with a tone."""
    if state.service.needs_key and not state.has_key:
        return "No key", "small"
    if state.service.is_remote and not state.is_allowed:
        return "Not allowed yet", "warning"
    if not state.service.is_remote and not state.has_key:
        return "In this computer", "small"  # whether it runs is found out when it is asked
    if state.is_session_key:
        return "Ready, key for this session", "good"
    return "Ready", "good"


def host_of(state: ServiceState) -> str:
    """Name the host that prompts would go to."""
    return state.service.base_url.partition("://")[2].partition("/")[0]
