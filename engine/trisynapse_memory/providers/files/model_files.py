"""The model files of this machine in, what can be done with each out: fetch, stop, add from elsewhere, remove.

They belong to the machine, not to a vault: ``TRISYNAPSE_MODELS`` names their folder, else it lies in the user's data
folder. A file that she picks from elsewhere stays where it is; ``models.toml`` in the folder remembers it. No model is
loaded here.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import platformdirs
from msgspec import structs

from trisynapse_memory.contracts import Door
from trisynapse_memory.errors import (
    InvalidInputError,
    ModelFileError,
    ProviderError,
    ProviderStoppedError,
    UnknownServiceError,
)
from trisynapse_memory.providers.files.curated import CuratedModel, curated_models, fit_of, memory_need, speed_of
from trisynapse_memory.providers.files.downloads import PAUSES_S, Download, OnBytes, Room, drop_part, read_part
from trisynapse_memory.providers.files.hub import Hub, HubFile, list_files
from trisynapse_memory.providers.files.hub_folders import FolderDownload, fetched_folder, folders_in, is_repository
from trisynapse_memory.providers.files.kept_files import KeptFiles
from trisynapse_memory.providers.gguf import CONTEXT_CAP_TOKENS, ModelHeader, memory_bytes, read_header
from trisynapse_memory.providers.machine import Machine, read_machine
from trisynapse_memory.types import LocalModel

LOGGER = logging.getLogger(__name__)
ENVIRONMENT: Final = "TRISYNAPSE_MODELS"
OFFERED, DOWNLOADING, READY, BROKEN = "offered", "downloading", "ready", "broken"

_PART_NAME: Final = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$", re.IGNORECASE)


def models_folder() -> Path:
    """Return the folder of this machine's model files; it need not exist."""
    named = os.environ.get(ENVIRONMENT, "")
    if named:
        return Path(named).expanduser().absolute()
    return Path(platformdirs.user_data_dir("trisynapse", appauthor=False)) / "models"


class ModelFiles:
    """Keeps the model files of this machine; safe under threads, and beside other processes that do the same.

    Args:
        door: the way out, for downloads only.
        folder: where the files lie.
        hub: where they are fetched from.
        machine: looks at this machine.
        room: tells the free bytes of a folder.
        pauses_s: see ``Download``.
    """

    def __init__(
        self,
        door: Door,
        folder: Path | None = None,
        *,
        hub: Hub | None = None,
        machine: Callable[[], Machine] = read_machine,
        room: Callable[[Path], Room] = shutil.disk_usage,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._door = door
        self.folder = folder or models_folder()
        self._kept = KeptFiles(self.folder)
        self._hub = hub or Hub()
        self._machine = machine
        self._room = room
        self._pauses_s = pauses_s
        self._lock = threading.Lock()
        self._stops: dict[str, threading.Event] = {}
        self._headers: dict[tuple[tuple[str, int, int], ...], ModelHeader | str] = {}

    # ------------------------------------------------------------ what there is

    def local(self) -> tuple[LocalModel, ...]:
        """Return the curated list, then every other model file in the folder, then those that lie elsewhere."""
        machine = self._machine()
        curated = [self._curated(row, machine) for row in curated_models()]
        listed = {row.file_name for row in curated_models()}
        own = [path for path in self._found() if path.name not in listed]
        taken = {model.name for model in curated}
        found: list[LocalModel] = []
        for path in (*own, *self._kept.read()):
            name = _name_for(path, taken)
            taken.add(name)
            found.append(self._present(_blank(name, path), path, machine))
        return (*curated, *found)

    def find(self, name: str) -> LocalModel:
        """Return one of ``local`` by its name.

        Raises:
            UnknownServiceError: there is none.
        """
        models = self.local()
        for model in models:
            if model.name == name:
                return model
        known = ", ".join(model.name for model in models)
        raise UnknownServiceError(f"There is no model file '{name}'.", hint=f"Known: {known}.")

    def path_of(self, name: str) -> Path:
        """Return where the file of a model lies, the first part of one in several.

        Raises:
            UnknownServiceError: there is no such model.
            ModelFileError: its file is not here, or cannot be used.
        """
        model = self.find(name)
        if model.state == READY:
            return Path(model.path)
        if model.state == BROKEN:
            raise ModelFileError(model.note, hint="Remove it, and fetch or add it again.")
        raise ModelFileError(
            f"The file of '{model.label}' is not on this machine yet.", hint="Fetch it in the settings, under Models."
        )

    # ------------------------------------------------------------ fetch and stop

    def download(self, name: str, on_bytes: OnBytes = lambda done, total: None) -> LocalModel:
        """Fetch a model, or what is missing of it; returns when it is here or was stopped.

        Args:
            name: of a row of the curated list; or ``owner/name``, an embedding model or a cross-encoder of the hub.
            on_bytes: told how far it is, from this thread.

        Returns:
            The model as it is now: ``ready``, or ``offered`` with ``done_bytes`` where it was stopped.

        Raises:
            UnknownServiceError: the list, or the hub, has no such model.
            OfflineError: offline is on.
            ProviderError: see ``Download.run``; or the hub has another file than the one this version knows.
        """
        fetch = self._fetch_folder if is_repository(name) else self._fetch_row
        stop = self._begin(name)
        try:
            fetch(name, on_bytes, stop)
        except ProviderStoppedError:
            LOGGER.info("The download of '%s' was stopped.", name)
        finally:
            with self._lock:
                self._stops.pop(name, None)
        return self._folder_model(name) if is_repository(name) else self.find(name)

    def embedders(self) -> tuple[LocalModel, ...]:
        """Return the embedding models that were fetched from the hub; each is a folder."""
        return tuple(self._folder_model(name) for name, _ in folders_in(self.folder))

    def cancel_download(self, name: str) -> None:
        """Stop a download within 200 ms; what has come stays for the next time. One that is over stays as it is."""
        with self._lock:
            stop = self._stops.get(name)
        if stop is not None:
            stop.set()

    def _fetch_row(self, name: str, on_bytes: OnBytes, stop: threading.Event) -> None:
        row = self._row(name)
        target = self.folder / row.file_name
        if not self._is_whole(row, target):
            file = self._announced(row, stop)
            Download(self._door, self._hub, file, target, room=self._room, pauses_s=self._pauses_s).run(on_bytes, stop)

    def _fetch_folder(self, name: str, on_bytes: OnBytes, stop: threading.Event) -> None:
        FolderDownload(self._door, self._hub, name, self.folder, room=self._room, pauses_s=self._pauses_s).run(
            on_bytes, stop
        )

    def _folder_model(self, name: str) -> LocalModel:
        folder = fetched_folder(self.folder, name)
        size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder is not None else 0
        return LocalModel(
            name=name,
            label=name.partition("/")[2],
            file_name=name.replace("/", "--"),
            size_bytes=size,
            done_bytes=size,
            url=f"{self._hub.base_url}/{name}",
            state=OFFERED if folder is None else READY,
            path="" if folder is None else str(folder),
        )

    def _begin(self, name: str) -> threading.Event:
        with self._lock:
            if name in self._stops:
                raise ProviderError(f"'{name}' is being fetched already.", hint="Wait for it, or stop it first.")
            stop = self._stops[name] = threading.Event()
        return stop

    def _announced(self, row: CuratedModel, stop: threading.Event) -> HubFile:
        """Ask the hub what it has under that name, and refuse anything but the file of the list."""
        files = {file.name: file for file in list_files(self._door, self._hub, row.repository, stop)}
        file = files.get(row.file_name)
        if file is None:
            raise UnknownServiceError(
                f"The hub no longer has '{row.file_name}'.", hint="Choose another model, or add a file that you have."
            )
        if row.sha256 and file.digest != row.sha256:
            raise ProviderError(
                f"The hub now has another '{row.file_name}' than the one this version was made for.",
                hint="Update the program, or fetch the file by hand and add it.",
            )
        return file

    # ------------------------------------------------------------ add and remove

    def add_file(self, path: Path) -> LocalModel:
        """Make a model file of hers known; it stays where it is. Of one in several parts, any part may be named.

        Raises:
            InvalidInputError: there is no such file, or its name cannot be written down.
            ModelFileError: it is no model file that can be used; nothing is remembered.
            ProviderError: the list cannot be written.
        """
        place = _first_part(path.expanduser().absolute())
        if not place.is_file():
            raise InvalidInputError(f"There is no file '{place.name}' there.", hint="Choose a GGUF file.")
        header = self._header(place)
        if isinstance(header, str):
            raise ModelFileError(header, hint="Choose a GGUF file of an instruct model.")
        if place.parent != self.folder and place not in self._kept.read():
            self._kept.write((*self._kept.read(), place))
        for model in self.local():
            if model.path == str(place):
                return model
        raise InvalidInputError(f"'{place.name}' does not end in .gguf.", hint="Choose a GGUF file.")

    def remove_file(self, name: str) -> None:
        """Delete a model file of the folder with all its parts; one that lies elsewhere is only forgotten.

        Raises:
            UnknownServiceError: there is no such model.
            ProviderError: it is being fetched, or the file cannot be deleted.
        """
        with self._lock:
            if name in self._stops:
                raise ProviderError(f"'{name}' is being fetched.", hint="Stop the download first.")
        if is_repository(name):
            if (folder := fetched_folder(self.folder, name)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
            return
        model = self.find(name)
        place = Path(model.path) if model.path else self.folder / model.file_name
        if place.parent != self.folder:
            self._kept.write(tuple(one for one in self._kept.read() if one != place))
            return
        try:
            for part in _parts(place):
                part.unlink(missing_ok=True)
            drop_part(place)
        except OSError as error:
            raise ProviderError(
                f"'{place.name}' cannot be deleted ({error.strerror}).", hint="Close what uses it, and try again."
            ) from error

    # ------------------------------------------------------------ inside

    def _row(self, name: str) -> CuratedModel:
        rows = {row.name: row for row in curated_models()}
        if name not in rows:
            raise UnknownServiceError(f"There is no model '{name}' to fetch.", hint=f"Known: {', '.join(rows)}.")
        return rows[name]

    def _curated(self, row: CuratedModel, machine: Machine) -> LocalModel:
        target = self.folder / row.file_name
        size = row.size_bytes
        with self._lock:
            is_running = row.name in self._stops
        model = LocalModel(
            name=row.name,
            label=row.label,
            file_name=row.file_name,
            size_bytes=size,
            licence=row.licence,
            url=f"{self._hub.base_url}/{row.repository}",
            sha256=row.sha256,
            context_tokens=row.context_tokens,
            memory_bytes=memory_need(row),
            fit=fit_of(memory_need(row), machine),
            speed=speed_of(size, machine),
            state=DOWNLOADING if is_running else OFFERED,
            description=row.description,
        )
        if self._is_whole(row, target):
            return self._present(structs.replace(model, state=READY), target, machine)
        part = read_part(target)
        if part is None:
            return model
        state, done = part
        note = "What came last time was not the file that was announced; the next try begins anew."
        return structs.replace(
            model,
            size_bytes=state.size_bytes,
            done_bytes=0 if state.broken else done,
            note=note if state.broken else "",
        )

    def _is_whole(self, row: CuratedModel, target: Path) -> bool:
        """A file gets its name when it is whole; one put there by hand must at least be as long as the listed one."""
        return target.is_file() and (not row.sha256 or target.stat().st_size == row.size_bytes)

    def _present(self, model: LocalModel, path: Path, machine: Machine) -> LocalModel:
        """Say of a file that is here what its header says."""
        header = self._header(path)
        if isinstance(header, str):
            return structs.replace(model, path=str(path), state=BROKEN, note=header)
        context = min(header.context_tokens or CONTEXT_CAP_TOKENS, CONTEXT_CAP_TOKENS)
        need = memory_bytes(header, context)
        return structs.replace(
            model,
            path=str(path),
            state=READY,
            size_bytes=header.size_bytes,
            done_bytes=header.size_bytes,
            context_tokens=header.context_tokens,
            memory_bytes=need,
            fit=fit_of(need, machine),
            speed=speed_of(header.size_bytes, machine),
            label=model.label or path.stem,
        )

    def _header(self, path: Path) -> ModelHeader | str:
        """Read a header once for each state of its files; a text says what is wrong with it."""
        states: list[tuple[str, int, int]] = []
        for part in _parts(path):
            try:
                facts = part.stat()
            except OSError as error:
                return f"The file '{part.name}' cannot be read ({error.strerror})."
            states.append((str(part), facts.st_size, facts.st_mtime_ns))
        key = tuple(states)
        if key not in self._headers:
            try:
                self._headers[key] = read_header(path)
            except ModelFileError as error:
                self._headers[key] = error.problem
        return self._headers[key]

    def _found(self) -> Iterator[Path]:
        """The model files of the folder, of several parts the first only."""
        if not self.folder.is_dir():
            return
        for path in sorted(self.folder.iterdir()):
            if path.suffix.lower() == ".gguf" and path.is_file() and _first_part(path) == path:
                yield path


def _blank(name: str, path: Path) -> LocalModel:
    return LocalModel(name=name, label="", file_name=path.name, size_bytes=0, path=str(path))


def _name_for(path: Path, taken: set[str]) -> str:
    match = _PART_NAME.match(path.name)
    stem = match["stem"] if match else path.stem
    number, name = 1, stem
    while name in taken:
        number += 1
        name = f"{stem}-{number}"
    return name


def _first_part(path: Path) -> Path:
    match = _PART_NAME.match(path.name)
    return path if match is None else path.with_name(f"{match['stem']}-00001-of-{match['count']}{path.suffix}")


def _parts(path: Path) -> tuple[Path, ...]:
    match = _PART_NAME.match(path.name)
    if match is None:
        return (path,)
    stem, count = match["stem"], int(match["count"])
    return tuple(path.with_name(f"{stem}-{n:05}-of-{count:05}{path.suffix}") for n in range(1, count + 1))
