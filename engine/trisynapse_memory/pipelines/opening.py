"""A vault's path in, an open vault out: what works beside each other on it, and how all of it ends."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.errors import TrisynapseError, VaultError
from trisynapse_memory.extraction.runner import check_proposals
from trisynapse_memory.pipelines.activity import backlog_of, is_unfinished
from trisynapse_memory.pipelines.admission import Arrival
from trisynapse_memory.pipelines.asking.query import Query
from trisynapse_memory.pipelines.feed_entries import take_entries
from trisynapse_memory.pipelines.feed_rounds import FeedRounds
from trisynapse_memory.pipelines.furnishing import IDLE, URGENT, Conditions, Furniture, furnish
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.pipelines.jobs import BackgroundJobs, Chore
from trisynapse_memory.pipelines.links import CHORE, harvest_of, held_up, links_of_run, wait_for_links
from trisynapse_memory.pipelines.member_drafts import Membership
from trisynapse_memory.pipelines.outcomes import as_it_stands
from trisynapse_memory.pipelines.pages import PageFiles
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.subjects import Subjects, file_state
from trisynapse_memory.pipelines.tuning.teacher import Teacher
from trisynapse_memory.pipelines.tuning.weights import Weights
from trisynapse_memory.pipelines.watching import Watching
from trisynapse_memory.pipelines.wiki import Wiki
from trisynapse_memory.pipelines.writing.model_answers import Models
from trisynapse_memory.pipelines.writing.model_prose import ModelProse
from trisynapse_memory.preprocessing.fetching import Fetched
from trisynapse_memory.preprocessing.sandbox import Sandbox
from trisynapse_memory.preprocessing.web.papers import WebPage
from trisynapse_memory.types import (
    Heading,
    IngestResult,
    IngestRun,
    Link,
    Namespace,
    Passage,
    Progress,
    Proposal,
    SourceInput,
)
from trisynapse_memory.vault import Vault

MERGE_STEP_MS = 50.0
CLOSE_S = 5.0  # longest wait for a question or a batch that is in hand


class OpenVault:
    """A vault this process owns, with everything that runs beside it."""

    def __init__(self, vault: Vault, furniture: Furniture) -> None:
        self.vault = vault
        self.rooms = furniture.rooms
        self._models = Models(furniture.staff, furniture.staff.means.sharer)
        self._reordering = furniture.reordering
        self.weights = Weights(self.rooms.config, furniture.staff.means.choices)
        self.query = Query(
            furniture.rooms,
            furniture.routes,
            self._models,
            furniture.followers,
            settings=self.weights.in_force,
            reordering=self._reordering,
        )
        self.teacher = Teacher(self.rooms, self.query, self.weights)
        self.digests = furniture.digests
        self.staff = furniture.staff
        self.embedders = furniture.embedders
        self._pages = PageFiles(vault.root / "wiki", self._refresh_pages)
        pages = Chore("pages", IDLE, self._pages, is_idle=True)
        self._leaving = threading.Event()
        self.harvest = harvest_of(self.rooms, self._take_page, self._leaving)
        # Its steps only begin and count, so they may take their turn among the urgent ones.
        links = Chore(CHORE, URGENT, self.harvest, is_idle=True, held_up=partial(held_up, self.rooms))
        tuning = Chore("tuning", IDLE, self.teacher, is_idle=True, held_up=self.teacher.held_up)
        self.jobs = BackgroundJobs((*furniture.chores(self.is_closing), links, pages, tuning), furniture.rooms.asking)
        self.staff.listen(self._follow_choices)
        self._extract = furniture.extractor.extract
        self.watching = Watching(self.rooms, furniture.staff.means.choices, self._take_changes, self.settle)
        self.feeds = FeedRounds(self.rooms, furniture.staff.means.choices, self._take_entries)
        self._ingesting = threading.Lock()
        self._stops: dict[str, threading.Event] = {}
        self._sandbox: Sandbox | None = None
        self._warming: threading.Thread | None = None
        self._closing = False

    def is_closing(self) -> bool:
        """Tell whether the vault is being closed."""
        return self._closing

    def _follow_choices(self) -> None:
        """Let what waited for a permission, a key or the network try at once."""
        self.embedders.refresh()
        self._reordering.refresh()
        self.jobs.retry()
        self.feeds.wake()

    def _refresh_pages(self) -> None:
        self.wiki(Reading(self.rooms, Namespace(project_id=None))).refresh()

    def settle(self) -> None:
        """Bring everything up to a change of the log, and let the background see to the rest."""
        self.rooms.projector.catch_up()
        self._pages.touch()
        self.jobs.wake()

    def ingest(
        self, inputs: tuple[SourceInput, ...], options: Options, notify: Callable[[Progress], None], *, wait: bool
    ) -> IngestRun:
        """Run the write corridor; one run at a time, the next one waits. The run says what is left to do after it."""
        stop = threading.Event()

        def announce(progress: Progress) -> None:
            self._stops.setdefault(progress.run_id, stop)
            notify(progress)

        with self._ingesting:
            run = self._corridor(announce).run(inputs, options, stop)
            if self._closing and not options.dry_run:
                self.rooms.history.interrupt(run.run_id)  # nobody cancelled it; the next opening goes on with it
                return run
            self._tidy()
        self._stops.pop(run.run_id, None)
        if options.fetch:
            self.rooms.history.links.add(links_of_run(self.rooms, run))
        self.settle()
        if wait and options.fetch:
            wait_for_links(self, None, notify)
            run = self.rooms.history.finish(run.run_id)
        if wait:
            self.jobs.wait(None, notify)
            run = as_it_stands(self.rooms, run)
        return structs.replace(run, backlog=backlog_of(self.rooms))

    def _corridor(self, notify: Callable[[Progress], None]) -> Ingest:
        """The write corridor; whoever asks for it holds the lock of it."""
        return Ingest(self.rooms, self._reader(), notify)

    def _reader(self) -> Sandbox:
        """Who reads files; whoever asks for it holds the lock of the write corridor."""
        if self._closing:
            raise VaultError("The vault is being closed.", hint="Open it again, and add the files then.")
        if self._sandbox is None:
            self._sandbox = Sandbox(self.rooms.config)
        return self._sandbox

    def _take_page(self, link: Link, page: WebPage) -> IngestResult:
        """Take the page of a link in, like one she added herself."""
        given = SourceInput(url=link.url, namespace=link.namespace, collections=link.collections, tags=link.tags)
        with self._ingesting:
            corridor = self._corridor(lambda progress: None)
            result = corridor.take_one(link.run_id, Arrival(label=link.url, input=given, page=page), self._leaving)
        self.settle()
        return result

    def _take_changes(self, inputs: tuple[SourceInput, ...], options: Options) -> IngestRun:
        """Take in what has changed in a watched folder; nobody waits for it."""
        return self.ingest(inputs, options, lambda progress: None, wait=False)

    def _take_entries(self, fetched: Fetched, membership: Membership) -> tuple[Heading, tuple[IngestResult, ...]]:
        """Take the entries of a followed feed in."""
        with self._ingesting:
            taken = take_entries(self.rooms, self._reader(), fetched, membership, self._leaving)
        self.settle()
        return taken

    def _tidy(self) -> None:
        """Merge the word index's segments in small steps, giving way to questions; the rest waits for the next run."""
        while not self.rooms.asking.goes_on() and not self.rooms.lexical.merge(MERGE_STEP_MS):
            continue

    def cancel(self, run_id: str) -> None:
        """Ask a running ingest to stop after the batch in hand, or the model of a question to stop writing.

        What is over stays as it is.
        """
        stop = self._stops.get(run_id)
        if stop is not None:
            stop.set()
        elif not run_id.startswith("run_"):
            self.query.cancel(run_id)

    def wiki(self, reading: Reading) -> Wiki:
        """Return the wiki as one reader sees it."""
        rooms = self.rooms
        subjects = Subjects(
            rooms.log,
            rooms.shelf,
            rooms.claims,
            rooms.summaries,
            is_pending=partial(is_unfinished, rooms),
            state=partial(file_state, self.vault.index_path),
        )
        return Wiki(
            log=rooms.log,
            subjects=subjects,
            registry=rooms.registry,
            folder=self.vault.root / "wiki",
            scope=reading.scope,
            settle=self._catch_up,
            prose=ModelProse(rooms.log, self._models, self.query.stops),
        )

    def _catch_up(self) -> None:
        self.rooms.projector.catch_up()

    def read(self, text: str) -> tuple[Proposal, ...]:
        """Return the facts that a sentence of hers says; none where no extractor works, for it is not needed."""
        passages = (Passage(seq=0, text=text.strip()),)
        with self.rooms.asking, contextlib.suppress(TrisynapseError):
            return check_proposals(passages, self._extract(passages))
        return ()

    def warm(self) -> None:
        """Load, in a thread of its own, what the first question would wait for: the model and the vectors."""
        self._warming = threading.Thread(target=self._warm_up, name="warm", daemon=True)
        self._warming.start()
        self._reordering.warm()

    def _warm_up(self) -> None:
        with contextlib.suppress(TrisynapseError):
            self.embedders.warm()  # without a model the words still answer, and the answer says so
        self.rooms.vectors.warm()

    def close(self) -> None:
        """Stop the background work, let what is in hand end, and close all files; safe to call twice."""
        if self._closing:
            return
        self._closing = True
        self._leaving.set()
        for stop in list(self._stops.values()):
            stop.set()
        self.watching.close()
        self.feeds.close()
        self.staff.close()  # first, so that no step waits for the end of a reply
        self.embedders.dismiss()
        self.jobs.close()
        self.harvest.close()
        self.embedders.close()
        self._reordering.close()
        self.rooms.asking.wait_until_idle(CLOSE_S)
        if self._ingesting.acquire(timeout=CLOSE_S):
            self._ingesting.release()  # whoever waited for it is told that the vault is closed
        if self._warming is not None:
            self._warming.join()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        self.rooms.projector.close()
        self.rooms.index.close()
        self.rooms.history.close()
        self.rooms.log.close()
        self.vault.close()


def open_rooms(path: Path, config: Config | None, conditions: Conditions, *, create: bool, warm: bool) -> OpenVault:
    """Open a vault, make every projection catch up with its log, and return it with its rooms."""
    exists = (path.expanduser() / "vault.toml").exists()
    vault = Vault.create(path) if create and not exists else Vault.open(path)
    try:
        opened = OpenVault(vault, furnish(vault, config or Config(), conditions))
    except BaseException:
        vault.close()
        raise
    opened.jobs.wake()
    if warm:
        opened.warm()
        opened.watching.start()
        opened.feeds.start()
    return opened
