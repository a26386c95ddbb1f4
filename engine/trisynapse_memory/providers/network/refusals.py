"""How an exchange broke in, the error that says so out: in the words of pages, or of model services."""

from __future__ import annotations

from trisynapse_memory.errors import (
    HostUnknownError,
    InvalidInputError,
    OfflineError,
    ProviderAddressError,
    ProviderCutError,
    ProviderError,
    ProviderStoppedError,
    ProviderTimedOutError,
    ProviderUnreachableError,
    SourceError,
    SourceTimedOutError,
    TrisynapseError,
)
from trisynapse_memory.providers.network.connection import FaultKind

_LATER = "Try again later."


def page_error(kind: FaultKind, host: str) -> TrisynapseError:
    """Return the error for a page that could not be fetched."""
    match kind:
        case FaultKind.OFFLINE:
            return offline_error(host)
        case FaultKind.UNFIT:
            return InvalidInputError("That is not a web address.", hint="Check it for typing errors.")
        case FaultKind.UNKNOWN_HOST:
            return HostUnknownError(f"The host '{host}' is not known.", hint="Check the address and the network.")
        case FaultKind.SILENT | FaultKind.STOPPED:
            return SourceTimedOutError(f"'{host}' did not answer in time.", hint=_LATER)
        case FaultKind.UNTRUSTED:
            return SourceError(
                f"'{host}' could not prove that it is '{host}'.", hint="Look at the page in a browser and save it."
            )
        case FaultKind.UNREACHABLE:
            return SourceError(f"'{host}' could not be reached.", hint="Try again later, or open it in a browser.")
        case FaultKind.CUT:
            return SourceError(f"'{host}' broke the connection off.", hint="Try again later, or open it in a browser.")


def service_error(kind: FaultKind, host: str) -> ProviderError:
    """Return the error for a model service that did not answer to the end."""
    match kind:
        case FaultKind.OFFLINE:
            return offline_error(host)
        case FaultKind.UNFIT:
            return ProviderAddressError(
                f"The request to '{host}' cannot be written: its address, a header or the key holds a character that"
                " none may hold.",
                hint="Set the key anew, and check the address.",
            )
        case FaultKind.UNKNOWN_HOST:
            return ProviderUnreachableError(
                f"The host '{host}' is not known.", hint="Check the network, and the address if you typed it."
            )
        case FaultKind.UNREACHABLE:
            return ProviderUnreachableError(
                f"'{host}' could not be reached.", hint="Check the network; a server of your own must be running."
            )
        case FaultKind.UNTRUSTED:
            return ProviderUnreachableError(
                f"'{host}' could not prove that it is '{host}'; nothing was sent.",
                hint="Somebody may be reading along in this network. Try another one.",
            )
        case FaultKind.SILENT:
            return ProviderTimedOutError(f"'{host}' said nothing for too long.", hint=_LATER)
        case FaultKind.CUT:
            return ProviderCutError(f"'{host}' broke the connection off before its answer was whole.", hint=_LATER)
        case FaultKind.STOPPED:
            return ProviderStoppedError(f"The request to '{host}' was stopped.")


def offline_error(host: str) -> OfflineError:
    """Return the error for what offline kept from going out."""
    return OfflineError(f"'{host}' was not asked: offline is on.", hint="Turn offline off in the settings.")
