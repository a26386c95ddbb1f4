"""A setting's words and its control in, one line or one card of the settings out; what a control does is not here."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QComboBox,
    QCompleter,
    QFrame,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from trisynapse_desktop.theme import GRID, Theme, draw_icon
from trisynapse_desktop.widgets.icon import IconLabel
from trisynapse_desktop.widgets.layout import Part, boxed, column, label, restyle, row

CONTROL_WIDTH = 300  # px; a column of controls stands under each other
TRACK_WIDTH, TRACK_HEIGHT = 34, 18  # px
ARROW_SIZE = 16  # px
FILTER_FROM = 20  # choices; more are looked through by typing a part of the name
ICONS = {"good": "check", "warning": "alert", "bad": "alert", "muted": "info"}


def section(title: str, hint: str, *parts: Part) -> QFrame:
    """Return a titled card of settings; the hint says in a sentence what they are for."""
    head = column(label(title, "heading"), *([label(hint, "muted", wrap=True)] if hint else []), gap=1)
    card = boxed(column(head, *parts, gap=3, margins=(5, 4, 5, 4)), role="card")
    card.setAccessibleName(title)
    return card


def setting(title: str, hint: str, control: QWidget) -> QFrame:
    """Return one line: what it is and what it does on the left, its control on the right."""
    words = column(label(title), *([label(hint, "small", wrap=True)] if hint else []), gap=0)
    layout = row(words, control, gap=4)
    layout.setStretch(0, 1)
    layout.setAlignment(control, Qt.AlignmentFlag.AlignVCenter)
    control.setAccessibleName(control.accessibleName() or title)
    control.setAccessibleDescription(hint)
    return boxed(layout)


class Switch(QCheckBox):
    """On or off, as a switch and in words. ``switched`` is told of what she does, never of what is shown."""

    switched = Signal(bool)

    def __init__(self, theme: Theme, name: str, on: str = "On", off: str = "Off") -> None:
        super().__init__(off)
        self._theme = theme
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self.switched)
        self.toggled.connect(lambda state: self.setText(on if state else off))

    def show_state(self, state: bool) -> None:
        """Show on or off, without telling anybody."""
        self.setChecked(state)

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(TRACK_WIDTH + 3 * GRID + words, max(TRACK_HEIGHT + GRID, self.fontMetrics().height() + GRID))

    def hitButton(self, place: QPoint) -> bool:
        return self.rect().contains(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        tones, on = self._theme.tones, self.isChecked()
        track = QRectF(2, (self.height() - TRACK_HEIGHT) / 2, TRACK_WIDTH, TRACK_HEIGHT)
        knob = track.adjusted(3, 3, TRACK_HEIGHT - TRACK_WIDTH - 3, -3)
        if on:
            knob.translate(TRACK_WIDTH - TRACK_HEIGHT, 0)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setOpacity(1.0 if self.isEnabled() else 0.4)
            edge = tones.text if on and self.hasFocus() else tones.accent if on or self.hasFocus() else tones.muted
            painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1.5))
            painter.setBrush(QColor(tones.accent if on else tones.surface))
            painter.drawRoundedRect(track, TRACK_HEIGHT / 2, TRACK_HEIGHT / 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tones.on_accent if on else tones.muted))
            painter.drawEllipse(knob)
            painter.setPen(QColor(tones.accent if self.hasFocus() else tones.text))
            words = self.rect().adjusted(TRACK_WIDTH + 3 * GRID, 0, 0, 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


class Choice(QComboBox):
    """One of several. ``chosen`` carries the value of what she picked, never of what is shown."""

    chosen = Signal(str)

    def __init__(self, name: str, width: int = CONTROL_WIDTH) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFixedWidth(width)
        # A wheel that passes over a list of settings must not change them.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(lambda place: self.chosen.emit(str(self.itemData(place))))
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)

    def show_choices(self, choices: list[tuple[str, str]], value: str) -> None:
        """Show (value, words) pairs, one of them chosen; a list that is the same stays open."""
        if choices != [(self.itemData(place), self.itemText(place)) for place in range(self.count())]:
            self.clear()
            for one, words in choices:
                self.addItem(words, one)
            self._filter(len(choices) > FILTER_FROM)
        self.setCurrentIndex(max(0, self.findData(value)))

    def _filter(self, wanted: bool) -> None:
        """Let her type a part of a name where the list is too long to look through: a service may offer 300 models."""
        if wanted == self.isEditable():
            return
        self.setEditable(wanted)
        if (line := self.lineEdit()) is not None:
            line.setPlaceholderText("Type a part of its name")
            line.setAccessibleName(self.accessibleName())
            line.editingFinished.connect(lambda: line.setText(self.itemText(self.currentIndex())))
            completer = QCompleter(self.model(), self)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            self.setCompleter(completer)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.isEditable():
            super().paintEvent(event)
            self._paint_arrow()
            return
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width()
        # Qt cuts a long name in the middle of a letter; the whole of it is in the tooltip.
        shown = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
        option.currentText = shown
        self.setToolTip("" if shown == self.currentText() else self.currentText())
        styled = QStylePainter(self)
        styled.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        styled.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        styled.end()
        self._paint_arrow()

    def _paint_arrow(self) -> None:
        # A style sheet's arrow is a picture in one colour; this one follows the appearance.
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText).name()
        arrow = draw_icon("chevron-down", colour, ARROW_SIZE, self.devicePixelRatio())
        place = QPoint(self.width() - ARROW_SIZE - 2 * GRID, (self.height() - ARROW_SIZE) // 2)
        with QPainter(self) as painter:
            painter.drawPixmap(place, arrow)


class StateLine(QFrame):
    """An icon and a sentence: how something is doing. Hidden while there is nothing to say."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._icon = IconLabel(theme, "info", "muted", 16)
        self._text = label("", "small", wrap=True, selectable=True)
        layout = row(self._icon, self._text, gap=2)
        layout.setStretch(1, 1)
        layout.setAlignment(self._icon, Qt.AlignmentFlag.AlignTop)
        self.setLayout(layout)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def say(self, text: str, tone: str = "muted") -> None:
        """Say something, or nothing."""
        self.setVisible(bool(text))
        self._text.setText(text)
        self._icon.show_icon(ICONS[tone], tone)
        restyle(self._text, role="small" if tone == "muted" else tone)
        self.setAccessibleName(text)


def name_button(button: QAbstractButton, name: str) -> None:
    """Give one of many like buttons the name of what it acts on, for screen readers."""
    button.setAccessibleName(f"{button.text().rstrip('…')} {name}".strip())
