"""The table of model services in, one service by its name or by an address she typed out. Nobody is asked here."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

from trisynapse_memory.errors import InvalidInputError, UnknownServiceError
from trisynapse_memory.types import WRITING_ROLES, ModelService, Role

OPENAI_WIRE: Final = "openai_compatible"
ANTHROPIC_WIRE: Final = "anthropic"
GEMINI_WIRE: Final = "gemini"

_TEXT: Final = WRITING_ROLES
_SEEING: Final = (*WRITING_ROLES, Role.VISION)
_ALL: Final = (*WRITING_ROLES, Role.VISION, Role.EMBEDDING)

SERVICES: Final = (
    ModelService(
        name="openai",
        label="OpenAI",
        wire=OPENAI_WIRE,
        base_url="https://api.openai.com/v1",
        roles=_ALL,
        needs_key=True,
        key_url="https://platform.openai.com/api-keys",
        default_model="gpt-5.4-mini",
    ),
    ModelService(
        name="anthropic",
        label="Anthropic",
        wire=ANTHROPIC_WIRE,
        base_url="https://api.anthropic.com/v1",
        roles=_SEEING,
        needs_key=True,
        key_url="https://console.anthropic.com/settings/keys",
        default_model="claude-haiku-5-5",
    ),
    ModelService(
        name="gemini",
        label="Google Gemini",
        wire=GEMINI_WIRE,
        base_url="https://generativelanguage.googleapis.com/v1beta",
        roles=_ALL,
        needs_key=True,
        key_url="https://aistudio.google.com/apikey",
        default_model="gemini-flash-latest",
    ),
    ModelService(
        name="openrouter",
        label="OpenRouter",
        wire=OPENAI_WIRE,
        base_url="https://openrouter.ai/api/v1",
        roles=_ALL,
        needs_key=True,
        key_url="https://openrouter.ai/settings/keys",
    ),
    ModelService(
        name="deepseek",
        label="DeepSeek",
        wire=OPENAI_WIRE,
        base_url="https://api.deepseek.com/v1",
        roles=_TEXT,
        needs_key=True,
        key_url="https://platform.deepseek.com/api_keys",
        default_model="deepseek-flash",
    ),
    ModelService(
        name="mistral",
        label="Mistral",
        wire=OPENAI_WIRE,
        base_url="https://api.mistral.ai/v1",
        roles=_ALL,
        needs_key=True,
        key_url="https://console.mistral.ai/api-keys",
        default_model="mistral-small-latest",
    ),
    ModelService(
        name="ollama",
        label="Ollama",
        wire=OPENAI_WIRE,
        base_url="http://127.0.0.1:11434/v1",
        roles=_ALL,
        is_remote=False,
    ),
    ModelService(
        name="lm-studio",
        label="LM Studio",
        wire=OPENAI_WIRE,
        base_url="http://127.0.0.1:1234/v1",
        roles=_ALL,
        is_remote=False,
    ),
    ModelService(
        name="vllm",
        label="vLLM",
        wire=OPENAI_WIRE,
        base_url="http://127.0.0.1:8000/v1",
        roles=_ALL,
        is_remote=False,
    ),
    ModelService(
        name="llama-server",
        label="llama.cpp server",
        wire=OPENAI_WIRE,
        base_url="http://127.0.0.1:8080/v1",
        roles=_ALL,
        is_remote=False,
    ),
)
"""Addresses and key pages as the vendors publish them (December 2026); a default model can be changed by her."""

_VENDOR_URLS: Final = frozenset(service.base_url for service in SERVICES if service.is_remote)
_LONGEST_NAME: Final = 40


def service_named(name: str, own: tuple[ModelService, ...] = ()) -> ModelService:
    """Return one service by its name.

    Args:
        name: as it stands in the table, or as ``own_service`` gave it.
        own: the addresses she typed herself.

    Raises:
        UnknownServiceError: there is none of that name.
    """
    for service in (*SERVICES, *own):
        if service.name == name:
            return service
    known = ", ".join(service.name for service in (*SERVICES, *own))
    raise UnknownServiceError(f"There is no model service '{name}'.", hint=f"Known: {known}.")


def own_service(label: str, base_url: str) -> ModelService:
    """Return a service for an OpenAI-compatible server whose address she typed.

    The address may be written without ``http://`` and without a path; ``/v1`` is then added, where such servers listen.
    It is remote unless it leads to this very machine. A key is sent only if she sets one.

    Args:
        label: what she calls it; its name is made from it.
        base_url: such as ``http://127.0.0.1:11434`` or ``https://models.example.org/v1``.

    Raises:
        InvalidInputError: the label is empty or taken by the table, or the address is no web address.
    """
    words = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    if not words:
        raise InvalidInputError("A model service needs a name of letters or digits.")
    if any(service.name == words for service in SERVICES):
        raise InvalidInputError(f"There is already a service '{words}'.", hint="Give yours another name.")
    url = _checked_url(base_url)
    return ModelService(
        name=words,
        label=label.strip(),
        wire=OPENAI_WIRE,
        base_url=url,
        roles=_ALL,
        is_remote=not is_loopback(url),
    )


def is_typed(service: ModelService) -> bool:
    """Tell whether its address is not a vendor's: she typed or chose it, so it may be local, and http."""
    return service.base_url not in _VENDOR_URLS


def is_loopback(url: str) -> bool:
    """Tell whether an address leads to this very machine; a name other than ``localhost`` is never believed."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_url(base_url: str) -> str:
    text = base_url.strip()
    if "://" not in text:
        text = f"http://{text}"
    try:
        parts = urlsplit(text)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise _no_address() from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or not has_port:
        raise _no_address()
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        # Such an address would be kept with the settings of the vault, and a key never may.
        raise InvalidInputError(
            "The address holds a password or a query.", hint="Leave it out; a key is kept in the keyring."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


def _no_address() -> InvalidInputError:
    return InvalidInputError("That is no web address.", hint="It looks like http://127.0.0.1:11434/v1.")
