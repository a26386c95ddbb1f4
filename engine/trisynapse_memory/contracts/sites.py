"""How a page is read that is more than its HTML; no implementation lives here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from trisynapse_memory.contracts.models import Outgoing


class SiteReply(Protocol):
    """What a server answered in the end: ``url`` is the address after all redirects, header names are small."""

    @property
    def url(self) -> str:
        """The address that answered."""
        ...

    @property
    def status(self) -> int:
        """The status of HTTP."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers."""
        ...

    @property
    def content(self) -> bytes:
        """The whole body."""
        ...


AskSite = Callable[[Outgoing], SiteReply]
"""Sends one request through the door to the network and returns the answer; its errors are the door's."""


@runtime_checkable
class SiteReader(Protocol):
    """Reads the pages of one kind of site. ``__init__`` takes nothing and imports nothing heavy."""

    name: str

    def read(self, url: str, ask: AskSite) -> bytes:
        """Return what is behind an address as one file that a loader reads.

        Args:
            url: an address that is of this kind.
            ask: the only way out; nothing else may open a connection.

        Raises:
            SourceMissingError: nothing is there.
            SourceDeniedError: the site does not show it to this machine.
            SourceError: it cannot be read.
            OfflineError: nothing may leave this machine.
        """
        ...
