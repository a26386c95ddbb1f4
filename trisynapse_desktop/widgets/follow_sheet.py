"""The address of a feed or a search in, her yes to following it out: it names who is asked, for what and how often."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from trisynapse_desktop.theme import GRID
from trisynapse_desktop.widgets.layout import button, column, label, lift, row
from trisynapse_memory.types import FeedPlan

WIDTH = 560  # px
JUDGE_DELAY_MS = 150  # shorter than the gap between two words, longer than that between two letters
EXAMPLES = "https://example.org/feed.xml   or   cat:cs.CL AND abs:retrieval"
HINT = "The address of an RSS or Atom feed, or a search at arXiv in its own words."


class FollowSheet(QFrame):
    """A sheet over the window; its button is her consent, and says who is asked.

    ``judged`` carries what is typed and wants ``show_plan`` or ``show_refusal`` for it; ``agreed`` carries the address
    and the collection.
    """

    judged = Signal(str)
    agreed = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._offline = False
        self.setProperty("role", "palette")
        self.setAccessibleName("Follow a feed")
        self._address = _field("Address or search", EXAMPLES)
        self._collection = _field("Collection", "Collection (by default that of the feed's title)")
        self._note, self._kept = label("", wrap=True), label("", "small", wrap=True)
        self._follow, cancel = button("Follow", "primary"), button("Cancel")
        fields = column(label(HINT, "muted", wrap=True), self._address, self._collection, gap=2)
        self.setLayout(
            column(
                label("Follow a feed", "heading"),
                fields,
                self._note,
                self._kept,
                row(None, cancel, self._follow),
                gap=3,
                margins=(5, 4, 5, 4),
            )
        )
        self._timer = QTimer(self, singleShot=True, interval=JUDGE_DELAY_MS)
        self._timer.timeout.connect(lambda: self.judged.emit(self._typed))
        self._address.textChanged.connect(self._wait)
        for field in (self._address, self._collection):
            field.returnPressed.connect(self._agree)
        self._follow.clicked.connect(lambda _checked=False: self._agree())
        cancel.clicked.connect(lambda _checked=False: self._leave())
        lift(self)
        self.hide()

    def ask(self, address: str = "", offline: bool = False) -> None:
        """Show the sheet, with an address already in it or empty."""
        self._offline = offline
        self._collection.clear()
        self._address.setText(address)
        self._wait()
        self.show()
        self._place()
        self.raise_()
        self._address.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_plan(self, typed: str, plan: FeedPlan) -> None:
        """Say who would be asked; an answer about something she has typed over since is passed over."""
        if typed != self._typed:
            return
        if plan.is_followed:
            self._say("This feed is followed already.")
            return
        what = f"the newest papers for “{plan.query}”" if plan.query else "this feed"
        rhythm = "once a day" if plan.interval_h == 24 else f"every {plan.interval_h:g} hours"
        waits = " Offline is on: it waits until you lift it." if self._offline else ""
        self._say(
            f"{plan.host} is asked for {what} now, and {rhythm} while this window is open.{waits}",
            "It learns your network address and what is asked for. Nothing of yours is sent, and no page or paper"
            " behind an entry is fetched.",
            f"Follow, ask {plan.host}",
        )

    def show_refusal(self, typed: str, words: str) -> None:
        """Say why what is typed cannot be followed."""
        if typed == self._typed:
            self._say(words)

    @property
    def note(self) -> str:
        """What the sheet says about the network."""
        return self._note.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    @property
    def _typed(self) -> str:
        return self._address.text().strip()

    def _wait(self) -> None:
        """Agree to nothing before it is known what is meant."""
        self._say("Nothing is sent before you press Follow." if not self._typed else "")
        if self._typed:
            self._timer.start()
        else:
            self._timer.stop()

    def _say(self, note: str, kept: str = "", yes: str = "") -> None:
        self._note.setText(note)
        self._kept.setText(kept)
        self._kept.setVisible(bool(kept))
        self._follow.setEnabled(bool(yes))
        self._follow.setText(yes or "Follow")
        self._follow.setAccessibleName(self._follow.text())
        if self.isVisible():
            self._place()

    def _place(self) -> None:
        width = min(WIDTH, self._window.width() - 8 * GRID)
        height = self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
        self.setGeometry((self._window.width() - width) // 2, self._window.height() // 6, width, height)

    def _agree(self) -> None:
        if not self._follow.isEnabled():
            return
        address, collection = self._typed, self._collection.text().strip()
        self._leave()
        self.agreed.emit(address, collection)

    def _leave(self) -> None:
        self._timer.stop()
        self.hide()
        self._window.setFocus(Qt.FocusReason.PopupFocusReason)


def _field(name: str, placeholder: str) -> QLineEdit:
    made = QLineEdit()
    made.setAccessibleName(name)
    made.setPlaceholderText(placeholder)
    return made
