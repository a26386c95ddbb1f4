"""Keys in, a question out: Enter sends, Shift+Enter starts a line; the scope is chosen here too, nothing is asked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QToolButton

from trisynapse_desktop.theme import GRID, Theme
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import column, row

LINE_LIMIT = 7  # lines; then it scrolls
SCOPE_LENGTH = 24  # characters of a title on the scope button
MODEL_LENGTH = 16  # characters of a model's name on its button


class Composer(QFrame):
    """The question field. ``sent`` carries the text, ``stopped`` says that the answer is not wanted any more.

    ``scope_chosen`` carries the source ids that may answer; an empty tuple means the whole vault. ``model_chosen``
    carries who writes: ``service/model``, ``none``, or empty for what the settings say.
    """

    sent = Signal(str)
    stopped = Signal()
    scope_chosen = Signal(tuple)
    model_chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("paneFooter")
        self._asking = False
        self.field = QPlainTextEdit()
        self.field.setProperty("role", "field")
        self.field.setPlaceholderText("Ask your sources")
        self.field.setAccessibleName("Question")
        self.field.setTabChangesFocus(True)
        self.field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._fit)
        self._scope, self._menu = _menu_button("Which sources may answer")
        self._model, self._models = _menu_button("Who writes the answer")
        self._send = IconButton(theme, "send", "Send  (Enter)")
        self._send.clicked.connect(self._press)
        foot = row(self._scope, self._model, None, self._send, gap=1)
        self.setLayout(column(self.field, foot, gap=1, margins=(3, 3, 3, 2)))
        self.setFocusProxy(self.field)
        self.show_scopes((), ())
        self.show_models((), "")
        self._fit()

    def show_asking(self, asking: bool) -> None:
        """Turn the button into Stop while an answer is on its way."""
        self._asking = asking
        self._send.show_icon("square" if asking else "send")
        name = "Stop the answer" if asking else "Send  (Enter)"
        self._send.setToolTip(name)
        self._send.setAccessibleName(name)
        self._enable()

    def show_scopes(self, choices: Sequence[tuple[str, str]], chosen: tuple[str, ...]) -> None:
        """Offer the whole vault and some sources.

        Args:
            choices: (source id, title) of sources to offer.
            chosen: the source ids that may answer now.
        """
        self._menu.clear()
        group = QActionGroup(self._menu)
        shown = "Whole vault"
        for source_ids, title in [((), "Whole vault"), *(((name,), title) for name, title in choices)]:
            action = QAction(title.replace("&", "&&"), self._menu)
            action.setCheckable(True)
            action.setChecked(source_ids == chosen)
            action.setProperty("source_ids", list(source_ids))
            action.triggered.connect(self._choose_scope)
            group.addAction(action)
            self._menu.addAction(action)
            shown = title if source_ids == chosen else shown
        short = shown if len(shown) <= SCOPE_LENGTH else f"{shown[: SCOPE_LENGTH - 1].rstrip()}…"
        self._scope.setText(f"Ask: {short}  ▾".replace("&", "&&"))
        self._scope.setAccessibleName(f"Sources that may answer: {shown}")

    def show_models(self, choices: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer who may write the answers of this thread; nothing is offered where there is no choice.

        Args:
            choices: (``service/model``, ``none`` or empty; words) of everybody who could.
            chosen: which of them does.
        """
        self._models.clear()
        group = QActionGroup(self._models)
        shown = dict(choices).get(chosen, chosen.partition("/")[2] or "No model")
        for value, words in choices:
            action = QAction(words.replace("&", "&&"), self._models)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            action.triggered.connect(lambda _checked=False, value=value: self.model_chosen.emit(value))
            group.addAction(action)
            self._models.addAction(action)
        name = shown.partition(" (")[0]  # that it is the usual one, or where it runs, is said in the menu
        short = name if len(name) <= MODEL_LENGTH else f"{name[: MODEL_LENGTH - 1].rstrip()}…"
        self._model.setText(f"{short}  ▾".replace("&", "&&"))
        self._model.setAccessibleName(f"Who writes the answer: {shown}")
        self._model.setVisible(len(choices) > 1)

    def propose(self, text: str) -> None:
        """Put a text into the field with the cursor behind it; she sends it."""
        self.field.setPlainText(text)
        cursor = self.field.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        self.field.setTextCursor(cursor)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                if not self._asking:
                    self._press()
                return True
            if event.key() == Qt.Key.Key_Escape and self._asking:
                self.stopped.emit()
                return True
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self._fit()
        return super().eventFilter(watched, event)

    def _press(self) -> None:
        if self._asking:
            self.stopped.emit()
            return
        text = self.field.toPlainText().strip()
        if text:
            self.field.clear()
            self.sent.emit(text)

    def _choose_scope(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.scope_chosen.emit(tuple(action.property("source_ids")))

    def _enable(self) -> None:
        self._send.setEnabled(self._asking or bool(self.field.toPlainText().strip()))

    def _fit(self) -> None:
        """Grow with the question, up to a few lines."""
        lines = min(max(round(self.field.document().size().height()), 1), LINE_LIMIT)
        height = lines * self.field.fontMetrics().lineSpacing() + 6 * GRID
        if height != self.field.height():
            self.field.setFixedHeight(height)
        self._enable()


def _menu_button(hint: str) -> tuple[QToolButton, QMenu]:
    """A quiet button that opens a menu, and the menu."""
    made = QToolButton()
    made.setProperty("role", "quiet")
    made.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setToolTip(hint)
    menu = QMenu(made)
    made.setMenu(menu)
    return made, menu
