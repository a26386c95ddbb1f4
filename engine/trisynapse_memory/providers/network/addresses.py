"""An address in, where it leads and whether that is allowed out; nothing is looked up or connected here."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from trisynapse_memory.errors import InvalidInputError, ProviderAddressError, SourceDeniedError

_PORTS: Final = {"http": 80, "https": 443}
# 6to4 and NAT64 wrap an IPv4 address that a router unwraps: the inner one must be public too.
_SIX_TO_FOUR: Final = ipaddress.ip_network("2002::/16")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.ip_network("::/96")  # ::127.0.0.1, long out of use; some systems still unwrap it

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes: ``scheme`` is http or https, ``host`` as it was written, without brackets."""

    scheme: str
    host: str
    port: int


class AllowList:
    """IP addresses that count as allowed although they are private: none in the product, loopback in tests.

    Args:
        networks: addresses or networks, such as ``127.0.0.1`` or ``10.0.0.0/8``.
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ipaddress.ip_network(network) for network in networks)

    def __contains__(self, address: str) -> bool:
        try:
            ip = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(ip in network for network in self._networks)


def target_of(url: str) -> Target:
    """Read a web address.

    Raises:
        InvalidInputError: it is none, or holds a user name or a password; neither is repeated.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        # Without the cause: it would repeat the address, which may hold a secret.
        raise InvalidInputError("That is not a web address.", hint="Check it for typing errors.") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not parts.hostname:
        raise InvalidInputError(
            f"Only http and https addresses are asked; this one begins with '{scheme or 'nothing'}'."
        )
    if parts.username is not None or parts.password is not None:
        # A redirect could carry it on, and the ledger and the library would show it.
        raise InvalidInputError(
            f"The address of '{parts.hostname}' holds a user name or password.", hint="Take it out of the address."
        )
    return Target(scheme, parts.hostname, port or _PORTS[scheme])


def service_target_of(url: str) -> Target:
    """Read the address of a model service.

    Raises:
        ProviderAddressError: it is none, or holds a user name or a password; neither is repeated.
    """
    try:
        return target_of(url)
    except InvalidInputError as error:
        raise ProviderAddressError(error.problem, hint=error.hint) from None


def check_page(target: Target, addresses: Sequence[str], allowed: AllowList) -> None:
    """Let a page through only if every address behind its name belongs to the public internet.

    Raises:
        SourceDeniedError: one does not.
    """
    if any(not is_public(address) and address not in allowed for address in addresses):
        raise SourceDeniedError(
            f"'{target.host}' leads to this machine or a private network.",
            hint="Save the page as a file and take that in.",
        )


def check_service(target: Target, addresses: Sequence[str], is_typed: bool, allowed: AllowList) -> None:
    """Let a request to a model service through: encrypted to the internet, or to a machine of hers that she named.

    A key and the words of her sources must not travel in clear through networks of others, and a service of the table
    whose name suddenly leads into the local network is not that service.

    Raises:
        ProviderAddressError: it leads where it may not, or would go out in clear.
    """
    known = [address for address in addresses if address in allowed]
    if len(known) == len(addresses):
        return
    public = [address for address in addresses if is_public(address)]
    if len(public) < len(addresses) and not is_typed:
        raise ProviderAddressError(
            f"'{target.host}' leads to this machine or a private network, where this service is not.",
            hint="Check the network; a captive portal or a name server may redirect it.",
        )
    if public and target.scheme != "https":
        raise ProviderAddressError(
            f"'{target.host}' is on the internet, and its address begins with http: a key and your texts would travel"
            " unencrypted.",
            hint="Use an address that begins with https.",
        )


def is_public(address: str) -> bool:
    """Tell whether an IP address belongs to the public internet; what cannot be read does not."""
    try:
        ip: IpAddress = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _wrapped(ip)
    return ip.is_global and not ip.is_multicast and (inner is None or (inner.is_global and not inner.is_multicast))


def host_of(url: str) -> str:
    """Return the host for messages and the ledger: never the rest of an address, which may hold a secret."""
    try:
        return urlsplit(url).hostname or "(no host)"
    except ValueError:
        return "(no host)"


def _wrapped(ip: IpAddress) -> IpAddress | None:
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip in _SIX_TO_FOUR:
        return ip.sixtofour
    return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 or ip in _COMPATIBLE else None
