"""An Office file that is encrypted with a password in, the bytes of the file inside it out, in memory only.

The cipher is the library's (msoffcrypto-tool): the agile and standard encryption of Office 2007 and later
([MS-OFFCRYPTO]), and RC4 of older workbooks. Neither the password nor what it opens is written anywhere.
"""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path
from typing import IO, Final, Protocol, cast
from xml.parsers.expat import ExpatError

from trisynapse_memory.errors import PasswordNeededError, SourceUnsupportedError

_GIVE_IT: Final = "Add the file again with its password, or save it without one."
# What damaged files make the library, and the one that reads their container, stumble over.
_BROKEN: Final = (OSError, ValueError, LookupError, TypeError, AttributeError, struct.error, ExpatError)


class _Locked(Protocol):
    """What is used of the library's files, which have no types of their own."""

    def load_key(self, *, password: str, verify_password: bool) -> None: ...

    def decrypt(self, outfile: IO[bytes]) -> None: ...


def unlocked(path: Path, name: str, password: str | None) -> BytesIO:
    """Return the file that lies encrypted in another one.

    Args:
        path: the encrypted file.
        name: what messages call it.
        password: as she typed it; None or empty where she gave none.

    Raises:
        PasswordNeededError: no password was given, or not the right one.
        SourceUnsupportedError: it is encrypted in another way, or damaged.
    """
    if not password:
        raise PasswordNeededError(f"'{name}' is encrypted, and it needs a password.", hint=_GIVE_IT)
    # 0.03 s that only encrypted files pay.
    import msoffcrypto  # pyright: ignore[reportMissingTypeStubs] - it ships no types
    from msoffcrypto import exceptions  # pyright: ignore[reportMissingTypeStubs] - it ships no types

    content = BytesIO()
    try:
        with path.open("rb") as stream:
            locked = cast("_Locked", msoffcrypto.OfficeFile(stream))  # pyright: ignore[reportUnknownMemberType]
            locked.load_key(password=password, verify_password=True)
            locked.decrypt(content)
    except exceptions.InvalidKeyError:
        problem = f"'{name}' is encrypted, and the password that was given does not open it."
        # Without its cause: what a library says of a key is not for a log.
        raise PasswordNeededError(problem, hint="Enter the right password.") from None
    except (exceptions.DecryptionError, exceptions.FileFormatError, exceptions.ParseError, *_BROKEN):
        raise SourceUnsupportedError(
            f"'{name}' is damaged, or encrypted in a way that is not read.",
            hint="Open it with the program it is from, and save it without a password.",
        ) from None
    content.seek(0)
    return content
