"""Paths of model files that lie elsewhere in, ``models.toml`` out, and back. The files themselves are not touched."""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

import msgspec
from msgspec import Struct

from trisynapse_memory.errors import InvalidInputError, ProviderError

LOGGER = logging.getLogger(__name__)
LIST_NAME: Final = "models.toml"
_HEAD: Final = "# Model files that lie elsewhere and stay there (docs/user/models.md).\n\n"


class _Kept(Struct):
    path: str


class _List(Struct):
    file: tuple[_Kept, ...] = ()


class KeptFiles:
    """The list of files of hers that lie outside the folder of models.

    Args:
        folder: of models; it is made when something is first written.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LIST_NAME

    def read(self) -> tuple[Path, ...]:
        """Return the paths in the order they were added; none where there is no list, or none that can be read."""
        found = self._load()
        return () if found is None else found

    def _load(self) -> tuple[Path, ...] | None:
        """The paths; None where there is a list that cannot be read."""
        try:
            kept = msgspec.convert(tomllib.loads(self._path.read_text(encoding="utf-8")), type=_List)
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            LOGGER.warning("'%s' cannot be read (%s): what it names is not offered.", LIST_NAME, type(error).__name__)
            return None
        return tuple(Path(one.path) for one in kept.file)

    def write(self, paths: Sequence[Path]) -> None:
        """Replace the list in one step; one that could not be read is set aside first.

        Raises:
            InvalidInputError: a name is no text.
            ProviderError: the folder cannot be written.
        """
        # Only what needs a file that is written loads the writer.
        import tomli_w

        temporary = self._path.with_name(f"{LIST_NAME}.{uuid4().hex[:8]}.tmp")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            text = _HEAD + tomli_w.dumps({"file": [{"path": str(one)} for one in paths]})
            with temporary.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if self._load() is None:
                self._path.replace(self._path.with_name(f"{LIST_NAME}.damaged"))
            temporary.replace(self._path)
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                "The name of that file is no text.", hint="Rename the file or its folder, and add it again."
            ) from error
        except OSError as error:
            raise ProviderError(
                f"'{LIST_NAME}' cannot be written ({error.strerror}).", hint="Check the permissions of its folder."
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
