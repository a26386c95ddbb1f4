"""Watched folders in, what changes in them taken in out: new, changed, renamed and deleted files. Nothing is removed.

One thread waits for the system to tell of changes, lets them settle, and brings the vault up to the folders.
A deleted file is archived with its reason; a renamed one stays the source it was.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Protocol, cast

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError, SourceMissingError, TrisynapseError
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.folders import GONE, Difference, compare
from trisynapse_memory.pipelines.ingest import Options
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.staffing.choices import ChoiceFile, Watch, with_watches
from trisynapse_memory.preprocessing.references.zotero_folder import is_zotero_folder, state_of
from trisynapse_memory.types import IngestResult, IngestRun, Namespace, Outcome, Source, SourceInput, WatchedFolder
from trisynapse_memory.vault import device_id

LOGGER: Final = logging.getLogger(__name__)
SETTLE_MS: Final = (
    2000  # programs write a file in several steps; a copy of a large one lasts longer and is looked at again
)
LOOK_MS: Final = 5000  # how often a folder that was not there is looked for
NAMESPACE: Final = Namespace(project_id="default")

Take = Callable[[tuple[SourceInput, ...], Options], IngestRun]
"""Runs the write corridor."""


class Watching:
    """The noun door ``engine.watching``: the folders of this machine that are followed.

    Args:
        rooms: the open vault.
        choices: where the folders are kept, each under the machine it lies on.
        take: takes in files.
        settle: brings everything up to a change of the log.
    """

    def __init__(self, rooms: Rooms, choices: ChoiceFile, take: Take, settle: Callable[[], None]) -> None:
        self._rooms = rooms
        self._choices = choices
        self._take = take
        self._settle = settle
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._syncing = threading.Lock()
        self._thread: threading.Thread | None = None
        self._zotero: dict[str, tuple[tuple[int, int], ...]] = {}  # as they were when they were last taken in

    def list(self) -> tuple[WatchedFolder, ...]:
        """Return the folders of this machine that are watched, in the order they were added."""
        return tuple(
            WatchedFolder(path=one.path, collection=one.collection, is_there=Path(one.path).is_dir())
            for one in self._watches()
        )

    def add(self, path: str, collection: str = "") -> WatchedFolder:
        """Watch a folder from now on; ``sync`` takes in what it holds.

        Raises:
            SourceMissingError: there is no such folder.
            InvalidInputError: it lies in a watched folder, or holds one, or it is the vault.
        """
        folder = Path(path).expanduser().absolute()
        if not folder.is_dir():
            raise SourceMissingError(f"There is no folder '{folder}'.", hint="Check the path.")
        if (folder / "vault.toml").is_file():
            raise InvalidInputError(f"'{folder}' is a vault.", hint="Choose a folder with your documents.")
        for one in self._watches():
            other = Path(one.path)
            if folder != other and (folder.is_relative_to(other) or other.is_relative_to(folder)):
                raise InvalidInputError(
                    f"'{other}' is watched already.", hint="Remove it first to watch the other one."
                )
        others = tuple(one for one in self._watches() if Path(one.path) != folder)
        self._choose((*others, Watch(str(folder), collection)))
        return WatchedFolder(path=str(folder), collection=collection, is_there=True)

    def remove(self, path: str) -> tuple[WatchedFolder, ...]:
        """Watch a folder no longer; what was taken in stays. Return those that are still watched.

        Raises:
            InvalidInputError: it is not watched.
        """
        folder = Path(path).expanduser().absolute()
        others = tuple(one for one in self._watches() if Path(one.path) != folder)
        if len(others) == len(self._watches()):
            raise InvalidInputError(f"'{folder}' is not watched.", hint="`watch list` shows which are.")
        self._choose(others)
        return self.list()

    def sync(self) -> tuple[IngestRun, ...]:
        """Bring the vault up to every watched folder now; return a run for each in which anything had changed.

        Its rows also name what was renamed and what was archived.
        """
        with self._syncing:
            return tuple(run for one in self._watches() if (run := self._follow(one)) is not None)

    def start(self) -> None:
        """Follow the folders in a thread of its own until ``close``."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="watching", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop following, after the file in hand; safe to call twice."""
        self._closing.set()
        self._wake.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5)

    def _watches(self) -> tuple[Watch, ...]:
        return self._choices.choices.watched.get(device_id(), ())

    def _choose(self, watches: tuple[Watch, ...]) -> None:
        self._choices.change(lambda choices: with_watches(choices, device_id(), watches))
        self._wake.set()

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.clear()
            with contextlib.suppress(TrisynapseError):  # a run that failed is in the history, with its reason
                self.sync()
            try:
                for _ in self._changes():
                    with contextlib.suppress(TrisynapseError):
                        self.sync()
            except OSError as error:  # the system watches no more folders, or one was taken away meanwhile
                LOGGER.warning("Watching folders stopped for a while (%s).", error)
                self._wake.wait(LOOK_MS / 1000)

    def _changes(self) -> Iterator[object]:
        """Yield whenever something has changed and settled; end when the folders themselves are other ones."""
        there = [one.path for one in self.list() if one.is_there]
        if not there:
            self._wake.wait(LOOK_MS / 1000)
            return
        # 30 ms that only vaults with watched folders pay.
        import watchfiles

        has_looked = False
        for changes in cast("_Watchfiles", watchfiles).watch(
            *there,
            stop_event=self._wake,
            debounce=SETTLE_MS,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            # The first look is for what changed before the system was asked to tell.
            if changes or not has_looked:
                has_looked = True
                yield changes
            if [one.path for one in self.list() if one.is_there] != there:
                return

    def _follow(self, watch: Watch) -> IngestRun | None:
        if is_zotero_folder(Path(watch.path)):
            return self._follow_zotero(watch)
        difference = compare(self._rooms.log, self._rooms.shelf, Path(watch.path), NAMESPACE)
        rows = self._rename_and_archive(difference)
        if not difference.changed or self._closing.is_set():
            return IngestRun(run_id="", status="completed", results=rows) if rows else None
        collections = (watch.collection,) if watch.collection else ()
        given = SourceInput(path="", namespace=NAMESPACE, collections=collections)
        inputs = tuple(structs.replace(given, path=str(path)) for path in difference.changed)
        run = self._take(inputs, Options())
        return structs.replace(run, results=(*rows, *run.results))

    def _follow_zotero(self, watch: Watch) -> IngestRun | None:
        """Its database says which files belong to it, and what has left it."""
        state = state_of(Path(watch.path))
        if self._zotero.get(watch.path) == state:
            return None
        collections = (watch.collection,) if watch.collection else ()
        run = self._take((SourceInput(path=watch.path, namespace=NAMESPACE, collections=collections),), Options())
        self._zotero[watch.path] = state
        return run

    def _rename_and_archive(self, difference: Difference) -> tuple[IngestResult, ...]:
        rooms, rows = self._rooms, list[IngestResult]()
        for one in difference.renamed:
            lifecycle.move_source(rooms.log, rooms.shelf, one.old_key, one.new_key, NAMESPACE)
            source = rooms.shelf.active(one.new_key, NAMESPACE)
            if source is not None:
                rows.append(_row(source, f"renamed from '{one.old_key}'"))
        for source in difference.gone:
            lifecycle.forget_source(rooms.log, rooms.shelf, source.source_id, GONE)
            rows.append(_row(source, f"{GONE}: archived"))
        if rows:
            self._settle()
        return tuple(rows)


def _row(source: Source, reason: str) -> IngestResult:
    return IngestResult(
        input=source.source_key,
        status=Outcome.SKIPPED,
        source_id=source.source_id,
        source_key=source.source_key,
        kind=source.kind,
        title=source.title,
        version=source.version,
        reason=reason,
    )


class _Watchfiles(Protocol):
    def watch(
        self,
        *paths: str,
        stop_event: threading.Event,
        debounce: int,
        rust_timeout: int,
        yield_on_timeout: bool,
        raise_interrupt: bool,
        ignore_permission_denied: bool,
    ) -> Iterator[set[tuple[int, str]]]: ...
