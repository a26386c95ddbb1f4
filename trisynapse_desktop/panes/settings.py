"""Her choices of models, of what may leave this computer, of folders and feeds in, the engine's word on them out."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QPushButton, QScrollArea, QStackedWidget, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.models.requests import RequestTable
from trisynapse_desktop.operations import feeds, models, privacy, tuning, vault, watching
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.consent_sheet import ConsentPanel
from trisynapse_desktop.widgets.followed_feeds import FollowedFeeds
from trisynapse_desktop.widgets.layout import boxed, button, column, counted, follow_by_tab, label, row
from trisynapse_desktop.widgets.learning import Learning
from trisynapse_desktop.widgets.ledger import Ledger
from trisynapse_desktop.widgets.local_models import LocalModels
from trisynapse_desktop.widgets.model_roles import FOLDER, ModelRoles, Offer
from trisynapse_desktop.widgets.model_services import ModelServices
from trisynapse_desktop.widgets.permissions import Permissions
from trisynapse_desktop.widgets.setting_parts import StateLine, Switch, section, setting
from trisynapse_desktop.widgets.sharing import Budget, SharingRules
from trisynapse_desktop.widgets.watched_folders import WatchedFolders
from trisynapse_memory.types import (
    WRITING_ROLES,
    Fault,
    LocalModel,
    ModelCard,
    ModelService,
    Notice,
    Role,
    ServiceState,
    Sharing,
)

NEWS_DELAY_MS = 400  # a model that reads in the background sends requests many times a minute
WIDTH = 880  # px; a line of settings that is wider sends the eye from left to right and back
TOPICS = models.TOPICS | {"requests", "tuning"}
FEEDS = "feed"  # what the subject of a notice about feeds begins with
PAGES = (("models", "Models"), ("privacy", "Privacy"), ("folders", "Folders and feeds"))


class SettingsPane(QObject):
    """Three pages: Models, Privacy, Folders and feeds. Every change is kept at once; there is nothing to save."""

    def build(self, context: Context) -> QWidget:
        """Return the pane's widget."""
        self._context = context
        self._services: tuple[ServiceState, ...] = ()
        self._local: tuple[LocalModel, ...] = ()
        self._cards: dict[str, tuple[ModelCard, ...]] = {}
        self._make_parts()
        ruling = (self._offline_card, self._permissions, self._rules, self._budget, self._ledger, self._learning)
        self._pages = (
            _page("Models", self._trouble, self._roles, self._local_list, self._service_list),
            _page("Privacy", *ruling),
            _page("Folders and feeds", self._folders, self._feeds),
        )
        self._stack = QStackedWidget()
        for page in self._pages:
            self._stack.addWidget(page)
        self._heads = QButtonGroup(self)
        heads = [self._head(place, words) for place, (_, words) in enumerate(PAGES)]
        head = boxed(row(label("Settings", "heading"), 3, *heads, None, gap=1, margins=(6, 2, 6, 2)), "paneHeader")
        whole = column(head, self._stack, gap=0)
        whole.setStretch(1, 1)
        self._widget = boxed(whole)
        self._consent: ConsentPanel | None = None
        self.setParent(self._widget)
        self._news = QTimer(self, singleShot=True, interval=NEWS_DELAY_MS)
        self._news.timeout.connect(self.refresh_quietly)
        self._connect()
        self._follow_engine(context.bridge.state)
        return self._widget

    def open(self, target: Target) -> None:
        """Show the page that the target names, Models without one."""
        names = [name for name, _ in PAGES]
        place = names.index(target.text) if target.text in names else self._stack.currentIndex()
        self._heads.button(place).click()
        self._heads.button(place).setFocus(Qt.FocusReason.OtherFocusReason)
        self.refresh()

    def refresh(self) -> None:
        """Ask the engine how everything stands."""
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load(), self._tell)

    # -- what is shown

    async def _load(self) -> None:
        try:
            await self._load_models()
        finally:  # what may leave is shown even where a keyring or a model file is in trouble
            await self._load_privacy()
        await self._load_folders()
        self._trouble.say("")
        for place, page in enumerate(self._pages):
            follow_by_tab(self._heads.button(place), page)  # lines that came later, too

    async def _load_models(self) -> None:
        context = self._context
        keyring = await models.keyring(context)
        self._services = await models.services(context)
        self._service_list.show_services(self._services, keyring)
        await self._load_local()
        await self._load_roles()

    async def _load_privacy(self) -> None:
        context = self._context
        self._offline.show_state(await privacy.is_offline(context))
        self._permissions.show_services(self._services)
        self._rules.show_rules(await privacy.rules(context))
        self._budget.show_spending(await privacy.spending(context))
        self._learning.show_state(await tuning.state(context))
        titles = {str(source.source_id): source.title for source in await vault.library(context)}
        self._ledger.show_rows(await privacy.requests(context), titles)

    async def _load_folders(self) -> None:
        self._folders.show_folders(await watching.folders(self._context))
        self._feeds.show_feeds(await feeds.feeds(self._context))

    async def _load_local(self) -> None:
        self._local = await models.local(self._context)
        self._local_list.show_models(self._local)

    async def _load_roles(self) -> None:
        self._roles.show_roles(await models.roles(self._context), self._offered())

    def _offered(self) -> list[Offer]:
        """Everything that could be chosen now: files that are here, and models of services she has set up."""
        offers = [
            Offer(f"{models.LOCAL}/{one.name}", f"{one.label} (this computer)", WRITING_ROLES)
            for one in self._local
            if one.state == "ready"
        ]
        for state in self._services:
            service = state.service
            if service.base_url and (state.has_key or not service.needs_key):
                offers += offers_of(service, self._cards.get(service.name, ()))
        return [*offers, Offer(FOLDER, "A folder of yours…", tuple(models.FOLDERS))]

    # -- what she does

    def _do(self, work: Coroutine[Any, Any, Any], fail: Any = None) -> None:
        async def change() -> None:
            await work
            await self._load()

        self._context.bridge.run(change(), fail or self._tell)

    def _choose(self, role: str, value: str) -> None:
        service, _, model = value.partition("/")
        if value == FOLDER:
            self._choose_folder(Role(role))
        elif value:
            self._context.bridge.run(self._fill(role, service, model), self._tell)
        else:
            self._do(models.clear(self._context, role))

    async def _fill(self, role: str, service: str, model: str) -> None:
        """Let a model fill a role; of a service that may not be sent that yet, she is asked first."""
        choice = await models.choose(self._context, role, service, model)
        await self._load()
        if choice.state == "not-allowed":
            await self._show_consent(service)

    def _choose_folder(self, role: Role) -> None:
        service, what = models.FOLDERS[role]
        if chosen := QFileDialog.getExistingDirectory(self._widget.window(), f"Choose the folder of {what}"):
            self._context.bridge.run(self._fill(role, service, chosen), self._tell)
        else:
            self.refresh()

    def _test(self, role: str) -> None:
        async def test() -> None:
            self._roles.show_test(await models.test(self._context, role))

        self._context.bridge.run(test(), self._tell)

    def _give_key(self, service: str, key: str, session_only: bool) -> None:
        self._do(models.set_key(self._context, service, key, session_only), partial(self._tell_service, service))

    def _ask_models(self, service: str) -> None:
        async def ask() -> None:
            cards = await models.cards(self._context, service, refresh=True)
            self._cards[service] = cards
            self._service_list.say(service, list_words(len(cards)), "good" if cards else "warning")
            await self._load_roles()

        self._context.bridge.run(ask(), partial(self._tell_service, service))

    def _ask_consent(self, service: str) -> None:
        self._context.bridge.run(self._show_consent(service), self._tell)

    async def _show_consent(self, service: str) -> None:
        sheet = await privacy.sheet(self._context, service)
        if self._consent is None:
            self._consent = ConsentPanel(self._widget.window(), self._context.theme)
            self._consent.agreed.connect(lambda name: self._do(privacy.allow(self._context, name)))
        self._consent.ask(sheet)

    def _fetch(self, name: str) -> None:
        async def fetch() -> None:
            await models.download(self._context, name)
            await self._load()

        self._context.bridge.run(fetch(), partial(self._tell_local, name))
        self._context.bridge.run(self._load_local(), self._tell)

    def _pick_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self._widget.window(), "Choose a model file", "", "Models (*.gguf)")
        if chosen:
            self._do(models.add_file(self._context, Path(chosen)))

    def _pick_folder(self) -> None:
        if chosen := QFileDialog.getExistingDirectory(self._widget.window(), "Choose a folder to watch"):
            self._change_folders(watching.add(self._context, Path(chosen)))

    def _change_folders(self, work: Coroutine[Any, Any, None]) -> None:
        async def change() -> None:
            await work
            await self._load_folders()

        self._context.bridge.run(change(), self._tell)

    async def _switch_offline(self, on: bool) -> None:
        if await privacy.set_offline(self._context, on) and not on:
            hint = "It was started with --offline. Close and start it without, to lift it."
            self._context.announce(Announcement("Offline holds for this whole run of the program.", hint))

    def _set_rule(self, collection: str, value: str) -> None:
        self._do(privacy.set_rule(self._context, collection, Sharing(value)))

    # -- what the engine says

    def _tell(self, fault: Fault) -> None:
        self._context.announce(Announcement(fault.message, fault.hint, "bad"))
        self.refresh_quietly()

    def refresh_quietly(self) -> None:
        """Show what is so after something failed; a second failure says nothing new."""
        if self._context.bridge.state is EngineState.READY:
            self._context.bridge.run(self._load(), lambda _fault: None)

    def _tell_service(self, service: str, fault: Fault) -> None:
        self._service_list.say(service, f"{fault.message} {fault.hint}".strip())

    def _tell_local(self, name: str, fault: Fault) -> None:
        self._local_list.say(name, f"{fault.message} {fault.hint}".strip())

    def _hear(self, notice: Notice) -> None:
        concerns = notice.topic in TOPICS or notice.subject.startswith(FEEDS)
        if concerns and self._widget.isVisible() and not self._news.isActive():
            self._news.start()

    def _follow_engine(self, state: EngineState) -> None:
        has_vault = self._context.bridge.vault is not None and state is not EngineState.FAILED
        self._stack.setEnabled(has_vault)
        self._trouble.say("" if has_vault else "Open a vault first: its models and rules are kept with it.", "warning")
        self.refresh()

    # -- building

    def _make_parts(self) -> None:
        theme = self._context.theme
        self._trouble = StateLine(theme)
        self._roles = ModelRoles(theme)
        self._local_list = LocalModels(theme)
        self._service_list = ModelServices(theme)
        self._offline = Switch(theme, "Offline", "Nothing may leave", "Off")
        hint = "Forbids the network to the whole program, whatever is allowed below. What waits is kept."
        self._offline_card = section("Network", "", setting("Offline", hint, self._offline))
        self._permissions = Permissions(theme)
        self._rules = SharingRules(theme)
        self._budget = Budget(theme)
        self._ledger = Ledger(theme, RequestTable())
        self._learning = Learning(theme)
        self._folders = WatchedFolders(theme)
        self._feeds = FollowedFeeds(theme)

    def _head(self, place: int, words: str) -> QPushButton:
        made = button(words)
        made.setCheckable(True)
        made.setChecked(place == 0)
        made.clicked.connect(lambda _checked=False: self._stack.setCurrentIndex(place))
        self._heads.addButton(made, place)
        return made

    def _connect(self) -> None:
        context = self._context
        self._roles.chosen.connect(self._choose)
        self._roles.tested.connect(self._test)
        listed = self._local_list
        listed.wanted.connect(lambda: context.bridge.run(self._load_local(), self._tell))
        listed.file_wanted.connect(self._pick_file)
        listed.fetched.connect(self._fetch)
        listed.stopped.connect(lambda name: self._do(models.cancel_download(context, name)))
        listed.used.connect(lambda name: self._choose(models.EVERYTHING, f"{models.LOCAL}/{name}"))
        listed.removed.connect(lambda name: self._do(models.remove_file(context, name)))
        services = self._service_list
        services.key_given.connect(self._give_key)
        services.key_removed.connect(lambda name: self._do(models.remove_key(context, name)))
        services.allowed.connect(self._ask_consent)
        services.disallowed.connect(lambda name: self._do(privacy.disallow(context, name)))
        services.models_wanted.connect(self._ask_models)
        services.added.connect(lambda name, url: self._do(models.add_service(context, name, url)))
        services.removed.connect(lambda name: self._do(models.remove_service(context, name)))
        self._offline.switched.connect(lambda on: self._do(self._switch_offline(on)))
        self._permissions.disallowed.connect(lambda name: self._do(privacy.disallow(context, name)))
        self._rules.ruled.connect(self._set_rule)
        self._budget.limited.connect(lambda dollars: self._do(privacy.set_budget(context, dollars)))
        folders = self._folders
        folders.add_wanted.connect(self._pick_folder)
        folders.look_wanted.connect(lambda: self._change_folders(watching.look(context)))
        folders.stopped.connect(lambda path: self._change_folders(watching.remove(context, path)))
        learning = self._learning
        learning.switched.connect(lambda on: self._do(tuning.switch(context, on)))
        learning.learn_wanted.connect(lambda: self._do(tuning.learn(context)))
        learning.applied.connect(lambda: self._do(tuning.apply(context)))
        learning.reverted.connect(lambda: self._do(tuning.revert(context)))
        learning.cleared.connect(lambda: self._do(tuning.clear(context)))
        self._connect_feeds()
        context.bridge.notice.connect(self._hear)
        context.bridge.state_changed.connect(self._follow_engine)

    def _connect_feeds(self) -> None:
        context, listed = self._context, self._feeds
        listed.follow_wanted.connect(context.actions.action("feeds.follow").trigger)
        listed.look_wanted.connect(context.actions.action("feeds.refresh").trigger)
        listed.looked.connect(lambda feed: self._change_folders(feeds.refresh(context, feed.feed_id)))
        listed.paused.connect(lambda feed: self._change_folders(feeds.pause(context, feed)))
        listed.stopped.connect(lambda feed: self._change_folders(feeds.unfollow(context, feed)))


def offers_of(service: ModelService, cards: Sequence[ModelCard]) -> list[Offer]:
    """Return what a service could be chosen for: the models it named, or the one it is known by."""
    if not cards:
        texts = tuple(role for role in service.roles if role is not Role.EMBEDDING)
        cards = (ModelCard(service=service.name, name=service.default_model, roles=texts),)
    return [
        Offer(f"{service.name}/{card.name}", f"{card.name} ({service.label})", card.roles or service.roles)
        for card in cards
        if card.name
    ]


def list_words(count: int) -> str:
    """Say how many models a service named."""
    return f"{counted(count, 'model')}; choose one under “Which model writes”." if count else "It offers no model."


def _page(name: str, *parts: QWidget) -> QScrollArea:
    """A page of cards in the middle, which scrolls."""
    middle = boxed(column(*parts, None, gap=3, margins=(6, 5, 6, 5)))
    middle.setMaximumWidth(WIDTH)
    across = row(None, middle, None)
    across.setStretch(1, 1000)
    inner = QWidget()
    inner.setLayout(across)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setWidget(inner)
    scroll.setAccessibleName(name)
    scroll.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab goes to what can be changed, and that scrolls
    return scroll
