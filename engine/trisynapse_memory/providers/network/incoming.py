"""What a server answers in, its body in parts out, and in which words it broke off; the door alone hands it out."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trisynapse_memory.errors import ProviderStoppedError, ProviderTooLargeError, TrisynapseError
from trisynapse_memory.providers.ledger import UNFINISHED
from trisynapse_memory.providers.network.connection import ConnectionFault, FaultKind

if TYPE_CHECKING:
    import httpx

Words = Callable[[FaultKind, str], TrisynapseError]
"""How an exchange broke and the host in, the error that says so out."""

Told = Callable[[], AbstractContextManager[None]]
"""Opens ``told`` for one exchange."""


@dataclass(slots=True)
class Outcome:
    """What becomes of one request; ``fault`` is the code of what ended it, empty once there is an answer."""

    status: int = 0
    fault: str = UNFINISHED


class Answer:
    """What a server answers, while it is answering; it fulfils ``contracts.Incoming``. Header names are small."""

    def __init__(self, response: httpx.Response, host: str, told: Told) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = small_headers(response)
        self._response = response
        self._host = host
        self._told = told

    def parts(self) -> Iterator[bytes]:
        """Yield the body as it comes, decompressed; it just ends once the stop is set.

        Raises:
            OfflineError: offline was turned on meanwhile.
            ProviderTimedOutError, ProviderCutError: silence, or a broken connection.
        """
        with suppress(ProviderStoppedError), self._told():
            yield from self._response.iter_bytes()

    def read(self, max_bytes: int) -> bytes:
        """Return the whole body.

        Raises:
            ProviderTooLargeError: it is longer than ``max_bytes``.
            ProviderStoppedError: the stop was set before it was whole.
            OfflineError, ProviderTimedOutError, ProviderCutError: as ``parts``.
        """
        with self._told():
            content = at_most(self._response, max_bytes)
            if content is None:
                raise ProviderTooLargeError(
                    f"'{self._host}' sent more than {max_bytes / 1024 / 1024:g} MiB.", hint="Ask for less."
                )
            return content


def at_most(response: httpx.Response, max_bytes: int) -> bytes | None:
    """Read a body and stop at the limit rather than after it; None where it is larger."""
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > max_bytes:
        return None
    content = bytearray()
    for part in response.iter_bytes():
        content += part
        if len(content) > max_bytes:
            return None
    return bytes(content)


def small_headers(response: httpx.Response) -> dict[str, str]:
    """Return the headers of an answer by their names in small letters."""
    return {name.lower(): value for name, value in response.headers.items()}


@contextmanager
def told(words: Words, host: str, outcome: Outcome) -> Generator[None]:
    """Say in the words of the caller how an exchange broke, and note it; no cause is kept that may show a header."""
    import httpcore
    import httpx

    try:
        yield
    except ConnectionFault as fault:
        error = words(fault.kind, host)
    except (httpcore.RemoteProtocolError, httpx.DecodingError):
        error = words(FaultKind.CUT, host)
    except (httpcore.LocalProtocolError, httpx.InvalidURL, UnicodeError):
        error = words(FaultKind.UNFIT, host)
    except TrisynapseError as known:
        outcome.fault = known.code
        raise
    else:
        return
    outcome.fault = error.code
    raise error from None
