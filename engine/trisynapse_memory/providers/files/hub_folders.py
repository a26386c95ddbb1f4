"""The name of an embedding model on the hub in, its folder on this disk out, every file of it checked.

Only what sentence-transformers reads is fetched: settings, vocabulary, and weights as safetensors. Pickled weights
could run code and are refused. A folder gets its name when all of it is here.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from trisynapse_memory.contracts import Door
from trisynapse_memory.errors import InvalidInputError, ModelFileError, ProviderError
from trisynapse_memory.providers.files.downloads import PAUSES_S, Download, OnBytes, Room
from trisynapse_memory.providers.files.hub import Hub, HubFile, list_files
from trisynapse_memory.providers.files.model_folders import read_folder

SHELF: Final = "embedders"
"""Their folder beside the model files."""

_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_NAME: Final = re.compile(r"(?:[\w.-]+/)?[\w.-]+\.(?:json|txt|model|safetensors)")
_OTHER_FORMATS: Final = ("onnx/", "openvino/", "coreml/", "rust_model", "tf_", "flax_")


def is_repository(name: str) -> bool:
    """Tell whether a name is that of a repository on the hub: ``owner/name``."""
    return _REPOSITORY.fullmatch(name) is not None and ".." not in name


def folder_for(models: Path, repository: str) -> Path:
    """Return where the folder of an embedding model lies, or would lie.

    Args:
        models: the folder of model files.
        repository: ``owner/name``.

    Raises:
        InvalidInputError: it is no such name.
    """
    if not is_repository(repository):
        raise InvalidInputError(f"'{repository}' names no model on the hub.", hint="Write it as owner/name.")
    return models / SHELF / repository.replace("/", "--")


def folders_in(models: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and folder of every embedding model that was fetched."""
    shelf = models / SHELF
    for folder in sorted(shelf.iterdir()) if shelf.is_dir() else ():
        if folder.is_dir() and "--" in folder.name and not folder.name.endswith(".part"):
            yield folder.name.replace("--", "/", 1), folder


class FolderDownload:
    """Fetches one embedding model.

    Args:
        door: the way out.
        hub: where it lies.
        repository: ``owner/name``.
        models: the folder of model files.
        room: tells the free bytes of a folder.
        pauses_s: see ``Download``.
    """

    def __init__(
        self,
        door: Door,
        hub: Hub,
        repository: str,
        models: Path,
        *,
        room: Callable[[Path], Room] = shutil.disk_usage,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._door = door
        self._hub = hub
        self._repository = repository
        self._target = folder_for(models, repository)
        self._room = room
        self._pauses_s = pauses_s

    def run(self, on_bytes: OnBytes, stop: Event) -> bool:
        """Fetch the folder, or what is missing of it.

        Returns:
            Whether it is whole; False where it was stopped.

        Raises:
            UnknownServiceError: the hub has no such model.
            ModelFileError: it is no model of this kind, or has no weights that can be used.
            ProviderError: see ``Download.run``.
        """
        if self._target.is_dir():
            return True
        files = self._wanted(list_files(self._door, self._hub, self._repository, stop))
        total, before = sum(file.size_bytes for file in files), 0
        part = self._target.with_name(f"{self._target.name}.part")
        for file in files:

            def tell(done: int, _: int, before: int = before) -> None:
                on_bytes(before + done, total)

            target = part / file.name
            whole = Download(self._door, self._hub, file, target, room=self._room, pauses_s=self._pauses_s)
            if not whole.run(tell, stop):
                return False
            before += file.size_bytes
        read_folder(part)
        try:
            part.rename(self._target)
        except OSError as error:
            raise ProviderError(
                f"'{self._target.name}' cannot be put in its place ({error.strerror}).", hint="Try again."
            ) from error
        return True

    def _wanted(self, files: Sequence[HubFile]) -> list[HubFile]:
        """What the library reads, weights last; nothing that could lie outside the folder."""
        found = [
            file
            for file in files
            if _NAME.fullmatch(file.name) and ".." not in file.name and not file.name.startswith(_OTHER_FORMATS)
        ]
        if not any(file.name == "modules.json" for file in found):
            raise ModelFileError(
                f"'{self._repository}' is no sentence-transformers model.", hint="Choose one that has 'modules.json'."
            )
        if not any(file.name.endswith(".safetensors") for file in found):
            raise ModelFileError(
                f"'{self._repository}' has no weights in a form that is safe to read.",
                hint="Choose a model with safetensors.",
            )
        return sorted(found, key=lambda file: (file.size_bytes, file.name))
