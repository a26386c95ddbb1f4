"""A name on the model hub in, what lies there out: files, sizes, digests, and the answer to one request for a file.

Everything goes through the door. No key is ever sent: a model that wants one is fetched by hand. Redirects are followed
here, one hop at a time and to the hub's own hosts only, because the door follows none.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from threading import Event
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

import msgspec
from msgspec import Struct

from trisynapse_memory.contracts import Door, Incoming, Outgoing
from trisynapse_memory.errors import ProviderError, UnknownServiceError

HOP_LIMIT: Final = 5  # the hub itself takes one, to its content network
LISTING_MAX_BYTES: Final = 8 * 1024 * 1024
PURPOSE: Final = "model download"

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


class Hub(Struct, frozen=True, kw_only=True):
    """Where model files are fetched from.

    ``hosts`` are the host names that a redirect may lead to, themselves and everything below them; the scheme must be
    that of ``base_url``. ``is_local`` says that it is a server in this machine, as tests use.
    """

    base_url: str = "https://huggingface.co"
    hosts: tuple[str, ...] = ("huggingface.co", "hf.co")
    is_local: bool = False


class HubFile(Struct, frozen=True, kw_only=True):
    """One file of a repository at one revision.

    ``digest`` is what the hub announces: the SHA-256 of a large file (``algorithm`` ``sha256``), the git blob id of a
    small one (``git-sha1``); hex digits in small letters.
    """

    repository: str
    name: str
    revision: str
    size_bytes: int
    digest: str
    algorithm: str = "sha256"


class _Large(Struct):
    sha256: str = ""
    oid: str = ""
    size: int = 0


class _Sibling(Struct):
    rfilename: str
    size: int | None = None
    blobId: str = ""  # noqa: N815 - as the hub spells it
    lfs: _Large | None = None


class _Repository(Struct):
    sha: str = ""
    siblings: tuple[_Sibling, ...] = ()


def list_files(door: Door, hub: Hub, repository: str, stop: Event | None = None) -> tuple[HubFile, ...]:
    """Ask the hub which files a repository holds now, with the size and digest of each.

    Raises:
        UnknownServiceError: there is no such repository.
        ProviderError: the hub cannot be reached, refuses, or says something that cannot be understood.
    """
    url = f"{hub.base_url}/api/models/{quote(repository)}?blobs=true"
    with asked(door, hub, url, {}, stop) as (incoming, _):
        check_status(incoming.status, repository)
        content = incoming.read(LISTING_MAX_BYTES)
    try:
        found = msgspec.json.decode(content, type=_Repository)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProviderError(
            f"The hub's list of '{repository}' cannot be understood.", hint="Update the program, or fetch it by hand."
        ) from error
    files = (_file(repository, found.sha, one) for one in found.siblings)
    return tuple(one for one in files if one is not None)


def address_of(hub: Hub, file: HubFile) -> str:
    """Return the address of a file at its revision, so that a change on the hub cannot mix two versions."""
    return f"{hub.base_url}/{quote(file.repository)}/resolve/{quote(file.revision)}/{quote(file.name)}"


@contextmanager
def asked(
    door: Door, hub: Hub, url: str, headers: Mapping[str, str], stop: Event | None = None
) -> Generator[tuple[Incoming, str]]:
    """Send one request, follow the hub's redirects, and hand over the answer with the address it came from.

    Raises:
        ProviderError: the door's errors; a redirect leads elsewhere than to the hub's hosts, or on and on.
    """
    for _ in range(HOP_LIMIT + 1):
        request = Outgoing(
            url=url,
            purpose=PURPOSE,
            method="GET",
            headers={"accept-encoding": "identity", **headers},
            is_typed_address=hub.is_local,
        )
        with door.send(request, stop) as incoming:
            if incoming.status not in _REDIRECTS:
                yield incoming, url
                return
            url = redirected(hub, url, incoming.headers.get("location", ""))
    raise ProviderError("The model hub redirects on and on.", hint="Try again later, or fetch the file by hand.")


def redirected(hub: Hub, url: str, location: str) -> str:
    """Return the address that an answer of the hub sends on to.

    Raises:
        ProviderError: it is none of the hub's own hosts, not over the hub's scheme, or holds a name and password.
    """
    try:
        target = urljoin(url, location)
        parts = urlsplit(target)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        target, parts, host, port = "", urlsplit(""), "", None
    known = any(host == name or host.endswith(f".{name}") for name in hub.hosts)
    is_own = parts.scheme == urlsplit(hub.base_url).scheme and (hub.is_local or port in (None, 443))
    if not location or not known or not is_own or parts.username is not None:
        raise ProviderError(
            f"The model hub sends on to '{host or 'nowhere'}', which is not one of its own hosts.",
            hint="Fetch the file by hand if you trust that place, and add it from there.",
        )
    return target


def check_status(status: int, what: str) -> None:
    """Turn a refusal of the hub into words.

    Raises:
        UnknownServiceError: 404 or 410.
        ProviderError: anything else but 200 and 206.
    """
    if status in (200, 206):
        return
    if status in (401, 403):
        raise ProviderError(
            f"The hub does not hand out '{what}' without an account: its licence has to be accepted there first.",
            hint="Accept it on the model's page, download the file with your browser, and add it from there.",
        )
    if status in (404, 410):
        raise UnknownServiceError(
            f"The hub no longer has '{what}'.", hint="Choose another model, or add a file that you have."
        )
    if status == 429 or status >= 500:
        raise ProviderError(f"The model hub is busy (status {status}).", hint="Try again in a few minutes.")
    raise ProviderError(f"The model hub answered with status {status}.", hint="Try again later.")


def _file(repository: str, revision: str, one: _Sibling) -> HubFile | None:
    digest = (one.lfs.sha256 or one.lfs.oid.removeprefix("sha256:")) if one.lfs is not None else one.blobId
    size = one.lfs.size if one.lfs is not None and one.lfs.size else one.size
    if not digest or size is None or not revision:
        return None  # nothing that could be checked
    return HubFile(
        repository=repository,
        name=one.rfilename,
        revision=revision,
        size_bytes=size,
        digest=digest.lower(),
        algorithm="git-sha1" if one.lfs is None else "sha256",
    )
