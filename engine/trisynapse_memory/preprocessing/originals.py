"""A small file's path in, its bytes out, or in our words why not. Nothing is parsed; large texts use ``paging``."""

from __future__ import annotations

from pathlib import Path

from trisynapse_memory.errors import SourceDeniedError, SourceEmptyError, SourceError, SourceMissingError


def read_original(path: Path, name: str, *, again: str) -> bytes:
    """Return all bytes of a file.

    Args:
        path: where it lies; only a hash, for a stored original.
        name: what messages call it.
        again: what to do about an empty file ("Save the page again.").

    Raises:
        SourceMissingError, SourceDeniedError, SourceError: it cannot be read.
        SourceEmptyError: it holds no byte.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        raise SourceMissingError(f"There is no file '{name}'.", hint="Check the path.") from error
    except PermissionError as error:
        raise SourceDeniedError(f"'{name}' may not be read.", hint="Check its permissions.") from error
    except OSError as error:
        raise SourceError(f"'{name}' cannot be read: {error.strerror}.") from error
    if not raw:
        raise SourceEmptyError(f"'{name}' is empty: it holds no byte.", hint=again)
    return raw
