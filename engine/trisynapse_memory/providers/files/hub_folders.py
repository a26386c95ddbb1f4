"""The name of a model on the hub in, its folder on this disk out, every file of it checked: embedders and rerankers.

Of an embedding model what sentence-transformers reads is fetched: settings, vocabulary, and weights as safetensors. Of
a cross-encoder its settings, its tokenizer and its weights as ONNX. Pickled weights could run code and are refused. A
folder gets its name when all of it is here.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

from trisynapse_memory.contracts import Door
from trisynapse_memory.errors import InvalidInputError, ModelFileError, ProviderError
from trisynapse_memory.providers.files import reranker_folders
from trisynapse_memory.providers.files.downloads import PAUSES_S, Download, OnBytes, Room
from trisynapse_memory.providers.files.hub import Hub, HubFile, list_files
from trisynapse_memory.providers.files.model_folders import read_folder

SHELF: Final = "embedders"
"""The folder of embedding models beside the model files; rerankers have their own (``reranker_folders.SHELF``)."""

_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_NAME: Final = re.compile(r"(?:[\w.-]+/)?[\w.-]+\.(?:json|txt|model|safetensors)")
_OTHER_FORMATS: Final = ("onnx/", "openvino/", "coreml/", "rust_model", "tf_", "flax_")


def is_repository(name: str) -> bool:
    """Tell whether a name is that of a repository on the hub: ``owner/name``."""
    return _REPOSITORY.fullmatch(name) is not None and ".." not in name


def folder_for(models: Path, repository: str, shelf: str = SHELF) -> Path:
    """Return where the folder of a model lies, or would lie.

    Args:
        models: the folder of model files.
        repository: ``owner/name``.
        shelf: of its kind.

    Raises:
        InvalidInputError: it is no such name.
    """
    if not is_repository(repository):
        raise InvalidInputError(f"'{repository}' names no model on the hub.", hint="Write it as owner/name.")
    return models / shelf / repository.replace("/", "--")


def fetched_folder(models: Path, repository: str) -> Path | None:
    """Return the folder of a model that was fetched, whatever it is for; None where it was not.

    Raises:
        InvalidInputError: it is no name on the hub.
    """
    places = (folder_for(models, repository, shelf) for shelf in (SHELF, reranker_folders.SHELF))
    return next((place for place in places if place.is_dir()), None)


def folders_in(models: Path) -> Iterator[tuple[str, Path]]:
    """Yield name and folder of every embedding model that was fetched."""
    shelf = models / SHELF
    for folder in sorted(shelf.iterdir()) if shelf.is_dir() else ():
        if folder.is_dir() and "--" in folder.name and not folder.name.endswith(".part"):
            yield folder.name.replace("--", "/", 1), folder


class FolderDownload:
    """Fetches one model that is a folder: an embedding model, or a cross-encoder.

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
        self._models = models
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
        if fetched_folder(self._models, self._repository) is not None:
            return True
        listed = list_files(self._door, self._hub, self._repository, stop)
        kind = _EMBEDDER if any(file.name == "modules.json" for file in listed) else _RERANKER
        files = kind.choose(self._repository, listed)
        target = folder_for(self._models, self._repository, kind.shelf)
        part = target.with_name(f"{target.name}.part")
        if not self._fetch(files, part, kind.look, on_bytes, stop):
            return False
        _checked(kind.check, part)
        try:
            part.rename(target)
        except OSError as error:
            raise ProviderError(
                f"'{target.name}' cannot be put in its place ({error.strerror}).", hint="Try again."
            ) from error
        return True

    def _fetch(
        self, files: Sequence[HubFile], part: Path, look: Callable[[Path], object], on_bytes: OnBytes, stop: Event
    ) -> bool:
        """Fetch the files in their order; the first tells what the model is, before its weights are asked for."""
        total, before = sum(file.size_bytes for file in files), 0
        for number, file in enumerate(files):

            def tell(done: int, _: int, before: int = before) -> None:
                on_bytes(before + done, total)

            place = part / file.name
            whole = Download(self._door, self._hub, file, place, room=self._room, pauses_s=self._pauses_s)
            if not whole.run(tell, stop):
                return False
            if not number:
                _checked(look, part)
            before += file.size_bytes
        return True


class _Kind(NamedTuple):
    """One kind of folder: where it goes, which files it needs, and what is looked at after the first, and after all."""

    shelf: str
    choose: Callable[[str, Sequence[HubFile]], list[HubFile]]
    look: Callable[[Path], object]
    check: Callable[[Path], object]


def _embedder_files(repository: str, files: Sequence[HubFile]) -> list[HubFile]:
    """What the library reads, weights last; nothing that could lie outside the folder."""
    found = [
        file
        for file in files
        if _NAME.fullmatch(file.name) and ".." not in file.name and not file.name.startswith(_OTHER_FORMATS)
    ]
    if not any(file.name.endswith(".safetensors") for file in found):
        raise ModelFileError(
            f"'{repository}' has no weights in a form that is safe to read.", hint="Choose a model with safetensors."
        )
    return sorted(found, key=lambda file: (file.size_bytes, file.name))


def _reranker_files(repository: str, files: Sequence[HubFile]) -> list[HubFile]:
    """Settings first, weights last; of several forms of the weights the most exact one."""
    known = {file.name: file for file in files}
    weights = reranker_folders.weights_among(known)
    missing = [name for name in (reranker_folders.CONFIG, reranker_folders.TOKENIZER) if name not in known]
    if missing or not weights:
        raise ModelFileError(
            f"'{repository}' is neither a sentence-transformers model nor a cross-encoder as ONNX.",
            hint="Choose one that has 'modules.json', or 'model.onnx' and 'tokenizer.json'.",
        )
    small = [name for name in (*_SMALL, reranker_folders.TOKENIZER) if name in known]
    return [known[name] for name in (*small, *reversed(weights))]


def _checked(check: Callable[[Path], object], part: Path) -> None:
    """Keep nothing of what is no model that can be used."""
    try:
        check(part)
    except ModelFileError:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _nothing(_: Path) -> None:
    return None


_SMALL: Final = (reranker_folders.CONFIG, "tokenizer_config.json")
_EMBEDDER: Final = _Kind(SHELF, _embedder_files, _nothing, read_folder)
_RERANKER: Final = _Kind(
    reranker_folders.SHELF, _reranker_files, reranker_folders.check_kind, reranker_folders.read_reranker
)
