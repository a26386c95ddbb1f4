"""The https address of a public Git repository in, the files of its newest commit as one pack out; it is not opened.

What is said to the server is the library's (dulwich); every byte of it passes the door to the network, which keeps its
own rules at each request and each redirect. No history is asked for (depth 1), no submodule, and nobody is logged in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import unquote, urlsplit

from trisynapse_memory.contracts import Outgoing
from trisynapse_memory.errors import (
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.fetching import PURPOSE, Fetched, ServerStamp, patiently, raise_for_status
from trisynapse_memory.providers.egress import NO_HEADERS, Reply

if TYPE_CHECKING:
    from dulwich.client import AbstractHttpGitClient, HTTPResponse
    from dulwich.object_store import ObjectStoreGraphWalker

PACK_TYPE: Final = "application/x-git-packed-objects"
_SERVICE: Final = "info/refs?service=git-upload-pack"
_ADVERTISED: Final = "application/x-git-upload-pack-advertisement"
_LOGIN: Final = frozenset({401, 402, 403, 407})
_OTHER_WAY: Final = re.compile(r"(?:git|ssh|git\+ssh|ssh\+git)://\S+|[\w.-]{1,64}@[\w.-]+:[^\s:]+\.git/?", re.ASCII)
_BY_HAND: Final = "Clone it with git, and add the folder."
_SHA1_HEX_CHARS: Final = 40


class GitDoor(Protocol):
    """What is needed of the door to the network."""

    def get(self, url: str, purpose: str, headers: Mapping[str, str] = NO_HEADERS) -> Reply:
        """Fetch one address and follow its redirects."""
        ...

    def ask(self, request: Outgoing) -> Reply:
        """Send one request of any method and follow its redirects."""
        ...


def is_git_address(url: str) -> bool:
    """Tell whether an address says of itself that it is a repository: web, and ``.git`` at its end."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.path.rstrip("/").endswith(".git") and not parts.query


def refuse_other_ways(address: str) -> None:
    """Refuse the addresses of Git that are no web address, or go unencrypted; all others pass.

    Raises:
        SourceUnsupportedError: it is ``git://``, ``ssh://``, ``name@host:path.git``, or a ``.git`` over ``http``.
    """
    told = address.strip()
    if _OTHER_WAY.fullmatch(told):
        raise SourceUnsupportedError(
            "A Git repository is fetched over https only, and this address names another way.",
            hint=f"Give its address that begins with https://. {_BY_HAND}",
        )
    if is_git_address(told) and urlsplit(told).scheme == "http":
        raise SourceUnsupportedError(
            f"The repository at '{urlsplit(told).hostname}' would be fetched without encryption.",
            hint="Write https instead of http.",
        )


def serves_git(url: str, door: GitDoor) -> bool:
    """Ask a server whether an https address is a repository that it hands out.

    Raises:
        OfflineError, SourceError: the server cannot be asked.
    """
    if urlsplit(url).scheme != "https" or urlsplit(url).query:
        return False
    reply = door.get(f"{_base(url)}{_SERVICE}", PURPOSE)
    return reply.status == 200 and _media_type(reply) == _ADVERTISED


def fetch_repository(url: str, door: GitDoor, known: str, pause: Callable[[float], object]) -> Fetched:
    """Get the files of the newest commit of a public repository.

    Args:
        url: an https address, with or without ``.git`` at its end.
        door: the door to the network; its errors pass through.
        known: the commit she has, or empty; if it is still the newest, nothing more is fetched.
        pause: waits so many seconds before a busy server is asked again.

    Returns:
        One pack (gitformat-pack), with the id of the commit as its ``etag``; or that it is unchanged.

    Raises:
        SourceDeniedError: it is not public, or the server leads away from https.
        SourceMissingError, SourceBusyError: there is none, or not now.
        SourceTooLargeError: what the door lets in is less than the newest files hold.
        SourceEmptyError: it has no commit.
        SourceUnsupportedError: it has ids of another kind than nearly all repositories (SHA-256).
        SourceError: the server does not keep to the protocol.
    """
    commits: list[str] = []

    def newest(refs: Mapping[bytes, bytes], depth: int | None = None) -> list[bytes]:
        head = refs.get(b"HEAD", b"")
        commits.append(head.decode("ascii", "replace"))
        return [head] if head and commits[0] != known else []

    pack = BytesIO()
    host = urlsplit(url).hostname or "the server"
    _exchange(_client(url, door, pause), newest, pack.write, host)
    commit = commits[0] if commits else ""
    if not commit:
        raise SourceEmptyError(f"The repository at '{host}' has no commit yet.", hint="Try again when it has one.")
    if len(commit) != _SHA1_HEX_CHARS:
        raise SourceUnsupportedError(f"The repository at '{host}' uses SHA-256 ids, which are not read.", hint=_BY_HAND)
    stamp = ServerStamp(etag=commit)
    if commit == known:
        return Fetched(b"", url, "", "", "", stamp, is_unchanged=True)
    return Fetched(pack.getvalue(), url, PACK_TYPE, "", f"{_name(url)}.pack", stamp)


def _exchange(
    client: AbstractHttpGitClient,
    newest: Callable[..., list[bytes]],
    write: Callable[[bytes], int],
    host: str,
) -> None:
    from dulwich.errors import GitProtocolError

    try:
        client.fetch_pack(
            "",
            newest,  # pyright: ignore[reportArgumentType] - the library has types of its own over bytes
            _knows_nothing(),
            write,
            progress=lambda line: None,
            depth=1,
            ref_prefix=[b"HEAD"],
        )
    except (GitProtocolError, AssertionError, ValueError, KeyError, IndexError, NotImplementedError):
        raise SourceError(
            f"'{host}' answers as a Git server, but not as the protocol of Git wants it.", hint=_BY_HAND
        ) from None


def _knows_nothing() -> ObjectStoreGraphWalker:
    """What a clone has beforehand."""
    from dulwich.object_store import ObjectStoreGraphWalker

    return ObjectStoreGraphWalker([], lambda commit: [])


class _Told:
    """An answer in the shape that dulwich reads."""

    def __init__(self, reply: Reply, asked: str) -> None:
        self.status = reply.status
        self.headers = reply.headers
        self.content_type: str | None = reply.headers.get("content-type", "")
        self.redirect_location = reply.url if reply.url != asked else ""
        self._url = reply.url
        self._content = BytesIO(reply.content)

    def read(self, amt: int | None = None) -> bytes:
        """Return so many bytes, or all that are left."""
        return self._content.read(amt)

    def geturl(self) -> str | None:
        """Return the address after all redirects."""
        return self._url

    def close(self) -> None:
        """Do nothing: the door has closed the connection."""


def _client(url: str, door: GitDoor, pause: Callable[[float], object]) -> AbstractHttpGitClient:
    # 0.2 s that only repositories pay.
    from dulwich.client import AbstractHttpGitClient

    class Client(AbstractHttpGitClient):
        """Speaks the protocol of Git through the door."""

        def _http_request(
            self,
            url: str,
            headers: dict[str, str] | None = None,
            data: bytes | Iterator[bytes] | None = None,
            raise_for_status: bool = True,
        ) -> tuple[HTTPResponse, Callable[[int], bytes]]:
            told = _Told(_asked(url, door, headers or {}, data, pause), url)
            return told, told.read

    # A thin pack leaves out what the other side has; for one that has nothing it is whole. Some servers know no other.
    return Client(_base(url), thin_packs=True, quiet=True)


def _asked(
    url: str,
    door: GitDoor,
    headers: Mapping[str, str],
    data: bytes | Iterator[bytes] | None,
    pause: Callable[[float], object],
) -> Reply:
    """One request of the protocol; only what came encrypted, and without a login, is believed."""
    host = urlsplit(url).hostname or "the server"
    try:
        if data is None:
            reply = patiently(url, door, headers, pause)
        else:
            body = data if isinstance(data, bytes) else b"".join(data)
            reply = door.ask(Outgoing(url=url, purpose=PURPOSE, headers=headers, body=body))
    except SourceTooLargeError:
        problem = f"The newest files of the repository at '{host}' are more than is fetched at once."
        raise SourceTooLargeError(problem, hint=_BY_HAND) from None
    if urlsplit(reply.url).scheme != "https":
        raise SourceDeniedError(f"'{host}' leads to an address without encryption.", hint=_BY_HAND)
    if reply.status in _LOGIN:
        problem = f"The repository at '{host}' asks for a login; only public ones are fetched."
        raise SourceDeniedError(problem, hint=_BY_HAND)
    raise_for_status(reply)
    if data is None and _media_type(reply) != _ADVERTISED:
        raise SourceUnsupportedError(
            f"'{host}' has no repository there that it hands out by the protocol of Git.",
            hint=f"Check the address. {_BY_HAND}",
        )
    return reply


def _media_type(reply: Reply) -> str:
    return reply.headers.get("content-type", "").partition(";")[0].strip().lower()


def _base(url: str) -> str:
    return url.strip().partition("#")[0].rstrip("/") + "/"


def _name(url: str) -> str:
    parts: Sequence[str] = [part for part in unquote(urlsplit(url.strip()).path).split("/") if part]
    name = parts[-1].removesuffix(".git") if parts else ""
    return re.sub(r"[^\w.~-]", "_", name)[:100] or "repository"
