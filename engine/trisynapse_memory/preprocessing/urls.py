"""An address in, the form that two addresses of one page share out; it never replaces the stored address."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urlsplit

WEB_SCHEMES: Final = frozenset({"http", "https"})
# Parameters that only tell a site where a reader came from. Ids, page numbers and search words stay (case R23).
_TRACKING: Final = re.compile(
    r"(?:utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|twclid|mc_cid|mc_eid|_hsenc|_hsmi|vero_id|wickedid)",
    re.IGNORECASE,
)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def scheme_of(url: str) -> str:
    """Return the scheme of an address in small letters, or an empty string."""
    match = re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):", url)
    return match.group(1).lower() if match else ""


def host_of(url: str) -> str:
    """Return the host of an address in small letters, or an empty string when it has none."""
    try:
        return (urlsplit(url.strip()).hostname or "").rstrip(".")
    except ValueError:
        return ""


def canonical(url: str) -> str:
    """Return the form two addresses of one page share, to find duplicates with and for nothing else.

    Alike are: ``http`` and ``https``, with and without ``www.``, default port, trailing slash, fragment and tracking
    parameters, letter case of the host, and ways of writing one escape. Every other parameter counts, in its order.
    An address that is no web address is returned as it is.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    if parts.scheme not in WEB_SCHEMES or not parts.hostname:
        return url
    host = _ascii_host(parts.hostname.rstrip(".")).removeprefix("www.")
    at = f"{parts.username}@" if parts.username else ""
    away = f":{port}" if port and port != _DEFAULT_PORTS[parts.scheme] else ""
    query = "&".join(part for part in parts.query.split("&") if part and not _is_tracking(part))
    path = _escapes(parts.path).rstrip("/")
    return f"https://{at}{host}{away}{path}" + (f"?{_escapes(query)}" if query else "") + _route(parts)


def _is_tracking(parameter: str) -> bool:
    return _TRACKING.fullmatch(unquote(parameter.partition("=")[0])) is not None


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def _escapes(text: str) -> str:
    """Write ``%7e`` as ``~``, and ``%c3%a9`` like a bare ``é``; escaped reserved signs stay escaped."""

    def read(match: re.Match[str]) -> str:
        letter = chr(int(match.group(1), 16))
        return letter if letter in _UNRESERVED else match.group().upper()

    return _ESCAPE.sub(read, quote(text, safe="%/:?#[]@!$&'()*+,;=~-._"))


def _route(parts: SplitResult) -> str:
    """The fragment is a place on a page, except where a script makes pages of it (``#/inbox``, ``#!/inbox``)."""
    return f"#{parts.fragment}" if parts.fragment.startswith(("/", "!")) else ""
