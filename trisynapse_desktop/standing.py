"""What the engine says in, a status line that is true out: work, backlog, the model in use, and what has left."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.operations import models, privacy, vault
from trisynapse_desktop.pane import Context
from trisynapse_desktop.widgets.progress import sentence_of
from trisynapse_desktop.widgets.status_line import StatusLine
from trisynapse_memory.types import Notice, Progress

NEWS_DELAY_MS = 1000  # the line may lag a second; asking more often would cost the engine
WORK_SHOWN_MS = 4000  # after its last sign of life a run leaves the line


class Standing(QObject):
    """Keeps the status line up to date, and asks the engine at most once a second."""

    def __init__(self, context: Context, line: StatusLine) -> None:
        super().__init__(line)
        self._context, self._line = context, line
        self._model_may_differ = True
        self._news = QTimer(self, singleShot=True, interval=NEWS_DELAY_MS)
        self._rest = QTimer(self, singleShot=True, interval=WORK_SHOWN_MS)
        self._news.timeout.connect(self._ask)
        self._rest.timeout.connect(self._show_rest)
        context.bridge.notice.connect(self._hear)
        context.bridge.progress.connect(self._show_work)
        context.bridge.state_changed.connect(self._follow_engine)

    def _follow_engine(self, state: EngineState) -> None:
        if state is EngineState.READY:
            self._model_may_differ = True
            self._line.show_network(self._context.bridge.offline, self._line.request_count)
            self._news.start()

    def _hear(self, notice: Notice) -> None:
        self._model_may_differ = self._model_may_differ or notice.topic in models.TOPICS
        if not self._news.isActive():
            self._news.start()

    def _ask(self) -> None:
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load())

    async def _load(self) -> None:
        self._line.show_backlog(await vault.backlog(self._context))
        offline = await privacy.is_offline(self._context)
        self._line.show_network(offline, await privacy.request_count(self._context))
        if self._model_may_differ:
            self._model_may_differ = False
            self._line.show_model(await models.writer(self._context))

    def _show_work(self, progress: Progress) -> None:
        self._line.show_work(sentence_of(progress))
        self._rest.start()

    def _show_rest(self) -> None:
        self._line.show_work("")
        self._news.start()
