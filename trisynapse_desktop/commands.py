"""The action table and the window in, each action bound to what it does out; panes bind their own actions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from trisynapse_desktop.bridge import EngineState
from trisynapse_desktop.operations import exports, feeds, ingest, links, vault
from trisynapse_desktop.pane import Announcement, Context
from trisynapse_desktop.session import default_vault_folder
from trisynapse_desktop.target import Target
from trisynapse_desktop.widgets.add_sheet import AddSheet
from trisynapse_desktop.widgets.follow_sheet import FollowSheet
from trisynapse_desktop.widgets.link_sheet import LinkSheet
from trisynapse_desktop.widgets.palette import Choice, Palette
from trisynapse_memory.types import Notice, SourceInput

USED_LIMIT = 12  # recently used actions on top of the palette


class Places(Protocol):
    """What commands need of the window."""

    @property
    def is_offline(self) -> bool: ...

    def show_target(self, target: Target) -> None: ...
    def show_side(self, pane_id: str) -> None: ...
    def toggle_sidebar(self) -> None: ...
    def close_tab(self, key: str = "") -> None: ...
    def step_tab(self, by: int) -> None: ...
    def open_vault(self, folder: Path, create: bool = False) -> None: ...
    def close(self) -> bool: ...


class Commands(QObject):
    """Everything that belongs to the window as a whole: vaults, adding, palettes, appearance, moving about."""

    def __init__(self, window: QWidget, places: Places, context: Context) -> None:
        super().__init__(window)
        self._window, self._places, self._context = window, places, context
        self.palette = Palette(window, context.theme)
        self.sheet = AddSheet(window, ingest.inputs_of_text, ingest.hosts_of)
        self.sheet.accepted.connect(self.take_in)
        self.links = LinkSheet(window, context.theme)
        self.links.agreed.connect(lambda plan: context.bridge.run(links.read(context, plan)))
        self.follow = FollowSheet(window)
        self.follow.judged.connect(self._judge_feed)
        self.follow.agreed.connect(lambda *agreed: context.bridge.run(feeds.follow(context, *agreed)))
        self._sample_wanted = False
        context.bridge.state_changed.connect(self._follow_engine)
        context.actions.used.connect(self._note_use)
        self._bind_places()
        self._bind_vaults()
        self._bind_adding()
        self._bind_views()

    # -- taking things in

    def offer(self, inputs: Sequence[SourceInput]) -> None:
        """Take things in at once; where hosts would be contacted, ask first by naming them."""
        if self._context.bridge.vault is None and inputs:
            first = default_vault_folder() / "My library.vault"
            self._places.open_vault(first, create=not vault.is_vault(first))
        if ingest.hosts_of(inputs):
            links = "\n".join(entry.url for entry in inputs if entry.url)
            self.take_in([entry for entry in inputs if not entry.url])
            self.sheet.ask(links, offline=self._places.is_offline)
        else:
            self.take_in(inputs)

    def take_in(self, inputs: Sequence[SourceInput], fetch: bool = False) -> None:
        """Start a run; Activity shows it."""
        if inputs:
            self._context.bridge.run(ingest.ingest(self._context, inputs, fetch))

    async def _ask_links(self, *source_ids: str) -> None:
        plan = await links.plan(self._context, source_ids)
        if plan.total:
            self.links.ask(plan, offline=self._places.is_offline)
        elif source_ids:
            self._context.announce(Announcement("Behind this source is no page that is left to read."))
        else:
            self._context.announce(Announcement("No page of a bookmark is left to read."))

    def _judge_feed(self, typed: str) -> None:
        async def judge() -> None:
            self.follow.show_plan(typed, await feeds.plan(self._context, typed))

        self._context.bridge.run(
            judge(), lambda fault: self.follow.show_refusal(typed, f"{fault.message} {fault.hint}")
        )

    def _pick_export(self) -> None:
        dialog = QFileDialog(self._window, "Export sources", str(Path.home()))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(exports.FILTERS))
        dialog.selectFile(exports.FIRST_NAME)
        dialog.fileSelected.connect(lambda name: self._context.bridge.run(exports.export(self._context, name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # -- palettes

    def show_palette(self) -> None:
        """Offer every action, those used lately first."""
        self._offer_actions("What do you want to do?", with_keys=False)

    def action_choices(self) -> tuple[Choice, ...]:
        """Return one choice per row of the action table."""
        actions = self._context.actions
        used = {name: place for place, name in enumerate(self._context.session.state.used_action_ids)}
        choices = [
            Choice(
                row.id,
                row.text,
                row.menu,
                actions.action(row.id).shortcut().toString(),
                row.icon,
                actions.action(row.id).isEnabled(),
            )
            for row in actions.rows()
            if row.id != "view.palette"
        ]
        choices.sort(key=lambda choice: (not choice.enabled, used.get(choice.id, USED_LIMIT)))
        return tuple(choices)

    def _offer_actions(self, prompt: str, with_keys: bool) -> None:
        choices = [choice for choice in self.action_choices() if choice.keys or not with_keys]
        self.palette.ask(prompt, choices, lambda name: self._context.actions.action(name).trigger())

    async def _ask_source(self) -> None:
        sources = {str(source.source_id): source for source in await vault.library(self._context)}
        choices = [
            Choice(str(source.source_id), source.title, ", ".join(source.authors), source.published[:4], "file-text")
            for source in sources.values()
        ]
        selection = self._context.selection
        self.palette.ask(
            "Open a source…", choices, lambda name: selection.open_passage(name, title=sources[name].title)
        )

    # -- vaults

    def _pick_vault(self, create: bool) -> None:
        default_vault_folder().mkdir(parents=True, exist_ok=True)
        title = "New vault" if create else "Open a vault"
        dialog = QFileDialog(self._window, title, str(default_vault_folder()))
        dialog.setFileMode(QFileDialog.FileMode.AnyFile if create else QFileDialog.FileMode.Directory)
        if create:
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.selectFile("My library.vault")
        dialog.fileSelected.connect(lambda name: self.choose_vault(Path(name), create))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_vault(self, folder: Path, create: bool) -> None:
        """Open or make the vault she picked; say so where the folder is not what she meant."""
        if not create and not vault.is_vault(folder):
            hint = "A vault is a folder with a file vault.toml inside."
            self._context.announce(Announcement(f"“{folder.name}” is not a vault.", hint, "bad"))
            return
        self._places.open_vault(folder, create=create and not vault.is_vault(folder))

    def open_sample(self) -> None:
        """Open the sample vault, made on the spot the first time."""
        folder = vault.sample_vault()
        self._sample_wanted = True
        self._places.open_vault(folder, create=not vault.is_vault(folder))

    def _follow_engine(self, state: EngineState) -> None:
        if state is EngineState.READY and self._sample_wanted:
            self._sample_wanted = False
            if vault.is_sample(self._context.bridge.vault):
                self._context.bridge.run(self._fill_sample())

    async def _fill_sample(self) -> None:
        """Take the start page in first and open it; the papers follow while she reads, then what is made of them."""
        if await vault.is_finished(self._context.bridge.call):
            return  # made before; one that was interrupted goes on where it stopped
        start_page, *others = vault.sample_inputs()
        run = await self._context.bridge.call("ingest", inputs=[start_page], wait=False)
        source_id = next((result.source_id for result in run.results if result.source_id), None)
        if source_id is not None:
            self._context.selection.open_passage(source_id, title="Start here")
        await ingest.ingest(self._context, others)
        await vault.finish_sample(self._context.bridge.call)

    # -- binding

    def _bind_places(self) -> None:
        bind, places = self._context.actions.bind, self._places
        for name, pane_id in (
            ("go.sources", "sources"),
            ("go.activity", "activity"),
            ("go.start", "welcome"),
            ("go.search", "search"),
            ("go.graph", "graph"),
            ("go.wiki", "wiki"),
            ("go.settings", "settings"),
            ("search.here", "search"),
            ("search.all", "search"),
        ):
            bind(name, lambda pane_id=pane_id: places.show_target(Target(pane_id)))
        bind("go.privacy", lambda: places.show_target(Target("settings", text="privacy")))
        chosen = self._context.selection
        for name, pane_id in (("source.graph", "graph"), ("source.wiki", "wiki")):
            bind(name, lambda pane_id=pane_id: places.show_target(Target(pane_id, source_id=chosen.source_id)))
        bind("go.back", self._context.navigation.back)
        bind("go.forward", self._context.navigation.forward)
        bind("go.source", lambda: self._context.bridge.run(self._ask_source()))
        bind("chat.ask", lambda: places.show_side("chat"))
        bind("view.details", lambda: places.show_side("details"))
        bind("view.sidebar", places.toggle_sidebar)
        bind("tab.close", places.close_tab)
        bind("tab.next", lambda: places.step_tab(1))
        bind("tab.previous", lambda: places.step_tab(-1))
        bind("app.quit", places.close)

    def _bind_vaults(self) -> None:
        bind, context = self._context.actions.bind, self._context
        bind("vault.new", lambda: self._pick_vault(create=True))
        bind("vault.open", lambda: self._pick_vault(create=False))
        bind("vault.sample", self.open_sample)
        bind("vault.check", lambda: context.bridge.run(vault.check(context)))
        bind(
            "source.original",
            lambda: context.bridge.run(vault.show_original(context, context.selection.source_id)),
        )

    def _bind_adding(self) -> None:
        context, bind = self._context, self._context.actions.bind
        bind("add.files", lambda: self._pick_inputs("Add files", QFileDialog.FileMode.ExistingFiles))
        bind("add.folder", lambda: self._pick_inputs("Add a folder", QFileDialog.FileMode.Directory))
        bind("add.link", lambda: self.sheet.ask(offline=self._places.is_offline))
        bind("links.read", lambda: self._context.bridge.run(self._ask_links()))
        bind("feeds.follow", lambda: self.follow.ask(offline=self._places.is_offline))
        bind("feeds.refresh", lambda: self._context.bridge.run(feeds.refresh(self._context)))
        bind("source.page", lambda: context.bridge.run(self._ask_links(context.selection.source_id)))
        bind("sources.export", self._pick_export)
        bind("add.paste", lambda: self.offer(ingest.inputs_of_mime(QGuiApplication.clipboard().mimeData())))

    def _bind_views(self) -> None:
        bind = self._context.actions.bind
        for name in ("light", "dark", "contrast", "system"):
            bind(f"view.{name}", lambda name=name: self._choose_appearance(name))
        bind("view.palette", self.show_palette)
        bind("view.refresh", self._refresh)
        bind("help.shortcuts", lambda: self._offer_actions("Keyboard shortcuts", with_keys=True))
        bind("help.about", self._tell_about)

    def _choose_appearance(self, name: str) -> None:
        self._context.theme.choose(name)
        self._context.session.state.appearance = name

    def _tell_about(self) -> None:
        hint = "Free software under the AGPL, version 3 or later. Every answer shows its page."
        self._context.announce(Announcement("Trisynapse Desktop", hint))

    def _refresh(self) -> None:
        # The panes listen to the engine's notices; F5 says the same thing.
        for topic in ("sources", "runs", "backlog"):
            self._context.bridge.notice.emit(Notice(topic=topic))

    def _pick_inputs(self, title: str, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self._window, title)
        dialog.setFileMode(mode)
        dialog.filesSelected.connect(lambda names: self.offer(ingest.inputs_of_paths(names)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _note_use(self, name: str) -> None:
        state = self._context.session.state
        if name != "view.palette":
            state.used_action_ids = [name, *(old for old in state.used_action_ids if old != name)][:USED_LIMIT]
