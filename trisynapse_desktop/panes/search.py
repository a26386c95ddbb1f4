"""Typed words in, passages with those words marked out, as fast as she types; no answer is written here."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QProgressBar, QStackedWidget, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.operations import curate, tuning
from trisynapse_desktop.pane import Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.answer_text import PART_WORDS as OFF_WORDS
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.hit_list import HitList
from trisynapse_desktop.widgets.layout import boxed, button, centred, clear, column, label, row
from trisynapse_memory.types import Fault, Hit, Notice, SearchResult

DELAY_MS = 40  # between the last letter and the search; under the 50 ms at which a wait is felt
HIT_LIMIT = 30  # passages; three screens
PART_WORDS = {
    "lexical": "words",
    "semantic": "meaning",
    "vector": "meaning",
    "graph": "connections",
    "temporal": "time",
    "exact": "exact term",
    "reranker": "read with the question",
}


class SearchPane(QObject):
    """One field, the passages below it. At most one search is under way; when it returns, the newest text is next."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = ""
        self._query_id = ""
        self._busy = False

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._field = QLineEdit()
        self._field.setProperty("role", "large")
        self._field.setPlaceholderText('Search every passage: words, "an exact phrase"')
        self._field.setAccessibleName("Search every passage")
        self._field.setClearButtonEnabled(True)
        self._field.installEventFilter(self)
        self._summary = label("", "small")
        self._why = button("Why this passage?", "link", "How the chosen passage got its score")
        self._why.setCheckable(True)
        self._why.setObjectName("why")
        self._list = HitList(context.theme)
        self._empty = EmptyState(context.theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._list)
        self._stack.addWidget(self._empty)
        self._forget = button("Forget this passage", "link", "No answer uses it any more; it can be brought back")
        self._forget.clicked.connect(lambda _checked=False: self._forget_hit(self._list.current()))
        self._forget.hide()
        self._right = button("Right for this question", "link", "Kept as a note for learning a better order")
        self._right.clicked.connect(lambda _checked=False: self._mark_hit(self._list.current()))
        self._right.hide()
        self._explanation = self._make_explanation()
        head = column(self._field, row(self._summary, None, self._right, self._forget, self._why), gap=1)
        self._widget = boxed(column(centred(head, "paneHeader"), self._stack, self._explanation, gap=0))
        self._widget.setFocusProxy(self._field)
        self._timer = QTimer(self._widget, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._search)
        self._connect()
        self._show_nothing_asked()
        return self._widget

    def open(self, target: Target) -> None:
        """Put the cursor into the field; with a text, search for it."""
        if target.text:
            self._field.setText(target.text)
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._list.hits():
            if event.key() == Qt.Key.Key_Down:
                self._list.setFocus(Qt.FocusReason.TabFocusReason)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._open_hit(self._list.current())
                return True
        return super().eventFilter(watched, event)

    # -- searching

    def _type(self) -> None:
        if self._field.text().strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._asked = ""
            self._show_nothing_asked()

    def _search(self) -> None:
        question = self._field.text().strip()
        if question and not self._busy and question != self._asked:
            self._busy, self._asked = True, question
            self._context.bridge.run(self._ask(question), self._show_fault)

    async def _ask(self, question: str) -> None:
        began = time.perf_counter()
        try:
            result: SearchResult = await self._context.bridge.call("search", question=question, top_k=HIT_LIMIT)
        finally:
            self._busy = False
        if self._field.text().strip():
            self._show(result, (time.perf_counter() - began) * 1000)
            self._search()

    def _show(self, result: SearchResult, duration_ms: float) -> None:
        found = (*result.hits, *result.descriptions)
        self._query_id = result.query_id
        count = len(found)
        parts = ", ".join(OFF_WORDS.get(name, name) for name in result.coverage.parts_off)
        off = f" · without {parts}" if parts else ""
        lag = result.coverage.not_embedded
        waiting = f" · {lag:,} not embedded yet, found by words only" if lag else ""
        self._summary.setText(f"{count:,} passage{'s' * (count != 1)} · {duration_ms:.0f} ms{off}{waiting}")
        self._list.show_hits(found, result.question)
        self._why.setVisible(count > 0)
        self._forget.setVisible(count > 0)
        self._right.setVisible(count > 0)
        if count:
            self._stack.setCurrentWidget(self._list)
        else:
            hint = "Try fewer words, or a word as it stands in the text."
            self._empty.show_empty("search", f"Nothing about “{result.question}”", hint)
            self._stack.setCurrentWidget(self._empty)
            self._explanation.hide()

    def _show_nothing_asked(self) -> None:
        self._summary.setText("")
        self._why.setVisible(False)
        self._forget.hide()
        self._right.hide()
        self._list.show_hits((), "")
        self._explanation.hide()
        hint = "Results come as you type, with the page they stand on. Ask a question in the sidebar for an answer."
        self._empty.show_empty("search", "Find the passage you remember", hint)
        self._stack.setCurrentWidget(self._empty)

    def _show_fault(self, fault: Fault) -> None:
        self._asked = ""
        self._list.show_hits((), "")
        self._why.setVisible(False)
        self._forget.hide()
        self._right.hide()
        self._explanation.hide()
        self._empty.show_fault(fault)
        self._stack.setCurrentWidget(self._empty)

    def _follow_engine(self, state: EngineState) -> None:
        # A question that failed with the engine is asked again by itself.
        if state is EngineState.READY:
            self._ask_again()

    # -- a hit

    def _open_hit(self, hit: Hit | None) -> None:
        if hit is not None and hit.record.source_id is not None:
            tuning.note_opened(self._context, self._query_id, hit.record.id)
            self._context.selection.select_record(hit.record.id)
            self._context.selection.open_passage(hit.record.source_id, hit.locator, hit.title)

    def _forget_hit(self, hit: Hit | None) -> None:
        if hit is not None:
            self._context.bridge.run(curate.forget_passage(self._context, hit.record.id, hit.title))

    def _mark_hit(self, hit: Hit | None) -> None:
        if hit is not None:
            self._context.bridge.run(tuning.mark(self._context, self._query_id, hit.record.id, hit.title))

    def _ask_again(self) -> None:
        self._asked = ""
        self._search()

    def _hear(self, notice: Notice) -> None:
        """Show what is found now when a passage was forgotten or brought back."""
        if notice.topic == "records" and notice.subject in ("forget", "reinstate") and self._widget.isVisible():
            self._ask_again()

    def _follow_hit(self, hit: Hit | None) -> None:
        if hit is not None and hit.record.source_id is not None:
            self._context.selection.select_source(hit.record.source_id)
        self._explain()

    def _explain(self) -> None:
        hit = self._list.current()
        self._explanation.setVisible(self._why.isChecked() and hit is not None)
        if hit is None or not self._why.isChecked():
            return
        clear(self._parts)
        self._parts.addWidget(label(f"Score {hit.score:.2f}", "section"))
        top = max((abs(value) for value in hit.parts.values()), default=1.0) or 1.0
        for name, value in sorted(hit.parts.items(), key=lambda pair: -pair[1]):
            self._parts.addLayout(self._part(PART_WORDS.get(name, name.replace("_", " ")), value, top))

    @staticmethod
    def _part(name: str, value: float, top: float) -> QHBoxLayout:
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setRange(0, 1000)
        bar.setValue(round(1000 * max(0.0, value) / top))
        bar.setFixedWidth(240)
        bar.setAccessibleName(f"{name}: {value:.2f}")
        words = label(name.capitalize(), "small")
        words.setFixedWidth(140)
        return row(words, bar, label(f"{value:.2f}", "small"), None, gap=3)

    # -- building

    def _make_explanation(self) -> QFrame:
        self._parts = column(gap=1)
        frame = centred(self._parts, "paneFooter")
        frame.hide()
        return frame

    def _connect(self) -> None:
        self._field.textChanged.connect(self._type)
        self._list.opened.connect(self._open_hit)
        self._list.chosen.connect(self._follow_hit)
        self._list.left.connect(self._field.setFocus)
        self._why.toggled.connect(self._explain)
        self._context.bridge.notice.connect(self._hear)
        self._context.bridge.state_changed.connect(self._follow_engine)
