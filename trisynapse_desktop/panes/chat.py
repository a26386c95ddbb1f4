"""Questions in, evidence and then answers with their places out, thread by thread; threads live in the log."""

from __future__ import annotations

import asyncio
from functools import partial
from uuid import uuid4

from PySide6.QtCore import QObject, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedWidget, QToolButton, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.models.conversation import ChatMessage, Conversation
from trisynapse_desktop.operations import ask, models, privacy, tuning, vault
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.citation import SourceNames, text_with_citations
from trisynapse_desktop.widgets.composer import Composer
from trisynapse_desktop.widgets.empty_state import EmptyState
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import boxed, column, row
from trisynapse_desktop.widgets.message import EVIDENCE_LIMIT, AnswerView, Passage, QuestionView
from trisynapse_desktop.widgets.message_list import MessageList
from trisynapse_memory.types import Citation, Fault, Hit, Notice, Sharing, Source, Thread

NAMES_DELAY_MS = 400  # an import changes sources many times a second
THREAD_LIMIT = 20  # conversations in the menu
TITLE_LENGTH = 36  # characters of a thread's title in the header
NEW_TITLE = "New conversation"


class ChatPane(QObject):
    """The sidebar's first page: one thread at a time."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._conversation = Conversation(self)
        self._thread: Thread | None = None
        self._threads: tuple[Thread, ...] = ()
        self._sources: dict[str, Source] = {}
        self._names = SourceNames()
        self._writers: tuple[tuple[str, str], ...] = ()
        self._scope: tuple[str, ...] = ()
        self._writer = ""
        self._wish: ask.Wish | None = None
        self._task: asyncio.Task[None] | None = None
        self._vault = context.bridge.vault
        self._title, self._menu = self._make_title()
        fresh = IconButton(context.theme, "plus", context.actions.tooltip("chat.new"))
        fresh.clicked.connect(self.start_new)
        self._list = MessageList(self._make_message)
        self._empty = EmptyState(context.theme, "message")
        self._composer = Composer(context.theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._list)
        head = boxed(row(self._title, None, fresh, gap=1, margins=(2, 1, 2, 1)), "paneHeader")
        whole = column(head, self._stack, self._composer, gap=0)
        whole.setStretch(1, 1)
        self._widget = boxed(whole)
        self._widget.setFocusProxy(self._composer)
        self.setParent(self._widget)
        self._names_timer = QTimer(self, singleShot=True, interval=NAMES_DELAY_MS)
        self._names_timer.timeout.connect(self._refresh_names)
        self._connect()
        self._follow_engine(context.bridge.state)
        return self._widget

    def open(self, target: Target) -> None:
        """Put the cursor into the question field; a target with a text is asked at once."""
        self._follow_source(target.source_id or self._context.selection.source_id)
        self._composer.field.setFocus(Qt.FocusReason.OtherFocusReason)
        if target.text:
            self.ask(target.text)

    @property
    def conversation(self) -> Conversation:
        """The messages of the thread shown."""
        return self._conversation

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._task is not None and not self._task.done()

    # -- asking

    def ask(self, question: str, share: tuple[str, ...] = ()) -> None:
        """Ask a question in the thread shown, or in a new one; ``share`` names collections shown to a model once."""
        if self.busy or not question.strip():
            return
        asked = self._conversation.append(ChatMessage("user", question))
        index = self._conversation.append(ChatMessage("assistant", "", "waiting"))
        self._list.anchor(asked)
        self._show_asking(True)
        self._wish = ask.Wish(question, self._scope, self._writer, share, uuid4().hex)
        self._task = self._context.bridge.run(self._ask(self._wish, index), partial(self._fail, index))

    def stop(self) -> None:
        """Let a model that writes stop, and show what stands; without one, do not wait for the answer any longer."""
        if not self.busy or self._task is None or self._wish is None:
            return
        index = len(self._conversation) - 1
        self._context.bridge.run(ask.stop(self._context, self._wish.ask_id), lambda _fault: None)
        if self._conversation[index].state != "writing":
            self._task.cancel()
            self._conversation.stop(index)
            self._show_asking(False)

    async def _ask(self, wish: ask.Wish, index: int) -> None:
        if self._thread is None:
            thread = await ask.start_thread(self._context, wish.question, self._scope)
            if self._writer:
                thread = await ask.choose_model(self._context, thread, self._writer)
            self._show_thread(thread)
        conversation = self._conversation
        exchange = await ask.ask(self._context, wish, self._thread, partial(conversation.show_step, index))
        conversation.answer(index, exchange.answer)
        self._show_asking(False)
        self._threads = await ask.threads(self._context)

    def _fail(self, index: int, fault: Fault) -> None:
        if index < len(self._conversation):
            self._conversation.fail(index, fault)
        self._show_asking(False)

    def _ask_again(self, index: int) -> None:
        self.ask(self._question_before(index))

    def _show_asking(self, asking: bool) -> None:
        self._composer.show_asking(asking)
        self._context.actions.set_condition("asking", asking)
        self._context.actions.set_condition("answer", self._last_answer() is not None)

    # -- threads

    def start_new(self) -> None:
        """Begin a new conversation; it is kept from its first question on."""
        self.stop()
        self._show_thread(None)
        self._conversation.show(())
        self._composer.field.setFocus(Qt.FocusReason.OtherFocusReason)

    async def _load_threads(self, wanted: str) -> None:
        self._threads = await ask.threads(self._context)
        for thread in self._threads:
            if thread.thread_id == wanted:
                await self._load_thread(thread)

    async def _load_thread(self, thread: Thread) -> None:
        turns = await ask.turns(self._context, thread.thread_id)
        self._show_thread(thread)
        self._conversation.show(turns)
        self._show_asking(False)

    def _show_thread(self, thread: Thread | None) -> None:
        self._thread = thread
        title = thread.title if thread is not None else NEW_TITLE
        short = title if len(title) <= TITLE_LENGTH else f"{title[: TITLE_LENGTH - 1].rstrip()}…"
        self._title.setText(f"{short}  ▾".replace("&", "&&"))
        self._title.setToolTip(hint_of(title))
        self._context.session.state.thread_id = thread.thread_id if thread is not None else ""
        self._writer = thread.model if thread is not None else self._writer
        self._show_writers()
        if thread is not None:
            self._choose_scope(thread.scope_source_ids)

    def _fill_menu(self) -> None:
        self._menu.clear()
        self._menu.addAction(self._context.actions.action("chat.new"))
        if self._threads:
            self._menu.addSeparator()
        for thread in self._threads[:THREAD_LIMIT]:
            action = QAction(thread.title.replace("&", "&&"), self._menu)
            action.setCheckable(True)
            action.setChecked(self._thread is not None and thread.thread_id == self._thread.thread_id)
            action.triggered.connect(partial(self._open_thread, thread))
            self._menu.addAction(action)

    def _open_thread(self, thread: Thread, _checked: bool = False) -> None:
        self.stop()
        self._context.bridge.run(self._load_thread(thread))

    # -- who writes

    def _choose_writer(self, writer: str) -> None:
        self._writer = writer
        self._show_writers()
        if self._thread is not None:
            self._context.bridge.run(self._keep_writer(self._thread, writer))

    async def _keep_writer(self, thread: Thread, writer: str) -> None:
        kept = await ask.choose_model(self._context, thread, writer)
        self._threads = tuple(kept if one.thread_id == kept.thread_id else one for one in self._threads)
        if self._thread is not None and self._thread.thread_id == kept.thread_id:
            self._thread = kept

    async def _load_writers(self) -> None:
        self._writers = await models.writers(self._context)
        self._show_writers()

    def _show_writers(self) -> None:
        self._composer.show_models(self._writers, self._writer)

    def _share(self, index: int, collections: tuple[str, ...], sharing: str) -> None:
        """Follow what she says to passages that were held back, and ask again where they may be shown now."""

        async def rule() -> None:
            for name in collections if sharing != Sharing.ASK else ():
                await privacy.set_rule(self._context, name, Sharing(sharing))
            if sharing != Sharing.NEVER:
                self.ask(self._question_before(index), collections if sharing == Sharing.ASK else ())

        self._context.bridge.run(rule())

    # -- scope and names

    def _choose_scope(self, source_ids: tuple[str, ...]) -> None:
        self._scope = tuple(source_ids)
        self._show_scopes()

    def _follow_source(self, _source_id: str) -> None:
        self._show_scopes()

    def _show_scopes(self) -> None:
        open_id = self._context.selection.source_id
        offered = list(self._scope) + [open_id] * (bool(open_id) and open_id not in self._scope)
        choices = [(name, self._sources[name].title if name in self._sources else "This document") for name in offered]
        self._composer.show_scopes(choices, self._scope)

    def _refresh_names(self) -> None:
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load_names())

    async def _load_names(self) -> None:
        sources = await vault.library(self._context)
        self._sources = {source.source_id: source for source in sources}
        self._names = SourceNames(sources)
        self._show_scopes()

    # -- messages

    def _make_message(self, index: int) -> QWidget:
        message = self._conversation[index]
        if message.role == "user":
            return QuestionView(self._context.theme, message.text)
        view = AnswerView(self._context.theme, self._question_before(index))
        view.passage_wanted.connect(partial(self._open_passage, index))
        view.judged.connect(partial(self._judge, index))
        view.link_wanted.connect(self._offer_link)
        view.copy_wanted.connect(partial(self.copy, index))
        view.retry_wanted.connect(partial(self._ask_again, index))
        view.share_chosen.connect(partial(self._share, index))
        self._fill(view, message)
        return view

    def _fill(self, view: AnswerView, message: ChatMessage) -> None:
        if message.state == "waiting":
            view.show_waiting()
        elif message.state == "evidence":
            view.show_evidence(message.evidence[:EVIDENCE_LIMIT], message.asked_as)
        elif message.state == "writing" and message.answer is not None:
            view.show_writing(message.answer, self._names)
        elif message.state == "failed" and message.fault is not None:
            view.show_fault(message.fault)
        elif message.state == "stopped":
            view.show_stopped()
        elif message.answer is not None:
            view.show_answer(message.answer, self._names)
        else:
            view.show_text(message.text)

    def _change_message(self, index: int) -> None:
        view = self._list.message(index)
        if isinstance(view, AnswerView):
            self._fill(view, self._conversation[index])

    def _show_messages(self) -> None:
        self._list.show_messages(len(self._conversation))
        self._stack.setCurrentWidget(self._list if len(self._conversation) else self._empty)

    def _append_message(self, index: int) -> None:
        self._stack.setCurrentWidget(self._list)
        self._list.append(index)

    def _question_before(self, index: int) -> str:
        earlier = (self._conversation[place] for place in range(index, -1, -1))
        return next((message.text for message in earlier if message.role == "user"), "")

    def _last_answer(self) -> int | None:
        places = range(len(self._conversation) - 1, -1, -1)
        return next((place for place in places if self._conversation[place].answer is not None), None)

    def copy(self, index: int) -> None:
        """Put an answer with its places and the list of its sources on the clipboard."""
        answer = self._conversation[index].answer
        if answer is not None:
            QGuiApplication.clipboard().setText(text_with_citations(answer, self._names))
            self._context.announce(Announcement("Copied with its citations.", tone="good"))

    def _copy_last(self) -> None:
        place = self._last_answer()
        if place is not None:
            self.copy(place)

    def _judge(self, index: int, helpful: bool) -> None:
        answer = self._conversation[index].answer
        if answer is not None:
            self._context.bridge.run(tuning.judge(self._context, answer.query_id, helpful))

    def _open_passage(self, index: int, passage: Passage) -> None:
        selection, answer = self._context.selection, self._conversation[index].answer
        record_id = passage.record.id if isinstance(passage, Hit) else passage.record_id
        if answer is not None and answer.query_id:
            tuning.note_opened(self._context, answer.query_id, record_id)
        if isinstance(passage, Citation):
            selection.open_citation(passage)
            return
        source_id = passage.record.source_id if isinstance(passage, Hit) else passage.source_id
        selection.select_record(record_id)
        if source_id is not None:
            selection.open_passage(source_id, passage.locator, passage.title)

    def _offer_link(self, address: str) -> None:
        def follow() -> None:
            QDesktopServices.openUrl(QUrl(address))

        if address.startswith(("http://", "https://")):
            text = "This link leads out of the vault."
            self._context.announce(Announcement(text, address, undo_text="Open in browser", undo=follow))

    # -- building

    def _make_title(self) -> tuple[QToolButton, QMenu]:
        title = QToolButton()
        title.setText(f"{NEW_TITLE}  ▾")
        title.setAccessibleName("Conversations")
        title.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        title.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(title)
        title.setMenu(menu)
        return title, menu

    def _connect(self) -> None:
        context, bind = self._context, self._context.actions.bind
        self._menu.aboutToShow.connect(self._fill_menu)
        self._composer.sent.connect(self.ask)
        self._composer.stopped.connect(self.stop)
        self._composer.scope_chosen.connect(self._choose_scope)
        self._composer.model_chosen.connect(self._choose_writer)
        self._conversation.reset.connect(self._show_messages)
        self._conversation.appended.connect(self._append_message)
        self._conversation.changed.connect(self._change_message)
        context.selection.source_selected.connect(self._follow_source)
        context.selection.question_proposed.connect(self._composer.propose)
        context.bridge.state_changed.connect(self._follow_engine)
        context.bridge.notice.connect(self._hear)
        bind("chat.new", self.start_new)
        bind("chat.stop", self.stop)
        bind("chat.copy", self._copy_last)

    def _hear(self, notice: Notice) -> None:
        if notice.topic in ("sources", "records") and not self._names_timer.isActive():
            self._names_timer.start()
        elif notice.topic in models.TOPICS and self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load_writers(), lambda _fault: None)

    def _follow_engine(self, state: EngineState) -> None:
        vault_open = self._context.bridge.vault is not None
        self._composer.setEnabled(vault_open and state is not EngineState.FAILED)
        if self._context.bridge.vault != self._vault:
            # Another vault: its own threads, and none of this one's scope.
            self._vault = self._context.bridge.vault
            self._scope = ()
            self.start_new()
        if vault_open:
            hint = (
                "Every sentence of an answer shows the page it stands on. What your sources do not say is not answered."
            )
            self._empty.show_empty("message", "Ask your sources", hint)
        else:
            self._empty.show_empty("message", "No vault is open", "Open or make one on the start page.")
        if state is EngineState.READY:
            self._refresh_names()
            self._context.bridge.run(self._load_writers(), lambda _fault: None)
            self._context.bridge.run(self._load_threads(self._wanted_thread()))

    def _wanted_thread(self) -> str:
        return "" if len(self._conversation) else self._context.session.state.thread_id
