"""A small file's path in, its bytes out, or in our words why not. Nothing is parsed; large texts use ``paging``."""

from __future__ import annotations

from pathlib import Path

from trisynapse_memory.errors import SourceDeniedError, SourceEmptyError, SourceError, SourceMissingError


def read_original(path: Path, name: str, *, again: str, first_bytes: int | None = None) -> bytes:
    """Return all bytes of a file, or its first ones.

    Args:
        path: where it lies; only a hash, for a stored original.
        name: what messages call it.
        again: what to do about an empty file ("Save the page again.").
        first_bytes: how many at most; all by default.

    Raises:
        SourceMissingError, SourceDeniedError, SourceError: it cannot be read.
        SourceEmptyError: it holds no byte.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(-1 if first_bytes is None else first_bytes)
    except FileNotFoundError as error:
        raise SourceMissingError(f"There is no file '{name}'.", hint="Check the path.") from error
    except PermissionError as error:
        raise SourceDeniedError(f"'{name}' may not be read.", hint="Check its permissions.") from error
    except OSError as error:
        raise SourceError(f"'{name}' cannot be read: {error.strerror}.") from error
    if not raw:
        raise SourceEmptyError(f"'{name}' is empty: it holds no byte.", hint=again)
    return raw
