"""Her choices of models and keys in, what the engine made of them out; no widget is built here."""

from __future__ import annotations

from pathlib import Path

from trisynapse_desktop.pane import Context
from trisynapse_memory.types import (
    KeyringState,
    KeyState,
    LocalModel,
    ModelCard,
    ModelTest,
    Role,
    RoleChoice,
    ServiceState,
)

EVERYTHING = "completion"
"""Stands for every role that one text model can fill."""

LOCAL = "local"
"""The service that stands for models in this computer."""

FOLDER = "sentence-transformers"
"""The service that stands for embedding models in folders of hers."""

FOLDERS = {
    Role.EMBEDDING: (FOLDER, "an embedding model"),
    Role.TRANSCRIPTION: ("whisper", "a Whisper model"),
    Role.RERANKING: ("cross-encoder", "a cross-encoder"),
}
"""The roles that a folder of hers can fill: the service that stands for such folders, and what lies in one."""

NO_MODEL = "none"
TOPICS = frozenset({"models", "keys", "privacy"})
"""Notices after which what can write may be different."""


async def services(context: Context) -> tuple[ServiceState, ...]:
    """Return every place where models can be asked, with what she has set up for it."""
    return await context.bridge.call("models.services")


async def add_service(context: Context, label: str, base_url: str) -> ServiceState:
    """Keep an address of hers that speaks the common language of model servers."""
    return await context.bridge.call("models.add_service", label=label, base_url=base_url)


async def remove_service(context: Context, name: str) -> None:
    """Forget an address of hers."""
    await context.bridge.call("models.remove_service", name=name)


async def roles(context: Context) -> tuple[RoleChoice, ...]:
    """Return which model fills each role, and whether it can."""
    return await context.bridge.call("models.roles")


async def choose(context: Context, role: str, service: str, model: str = "") -> RoleChoice:
    """Let a model fill a role, or every role of text."""
    return await context.bridge.call("models.choose", role=role, service=service, model=model)


async def writer(context: Context) -> str:
    """Name the model that would write an answer now; empty where none would."""
    chosen = next((one for one in await roles(context) if one.role is Role.ANSWER), None)
    if chosen is None or chosen.state != "ready":
        return ""
    return next((one.label for one in await local(context) if one.name == chosen.model), chosen.model)


async def writers(context: Context) -> tuple[tuple[str, str], ...]:
    """Return who could write an answer now, as (value, words): what the settings say first, nobody last.

    Empty where there is no model at all.
    """
    chosen = next((one for one in await roles(context) if one.role is Role.ANSWER), RoleChoice(role=Role.ANSWER))
    ready = {f"{LOCAL}/{one.name}": one.label for one in await local(context) if one.state == "ready"}
    if chosen.service and chosen.service != LOCAL:
        ready[f"{chosen.service}/{chosen.model}"] = chosen.model
    if not ready:
        return ()
    usual = ready.get(f"{chosen.service}/{chosen.model}", "No model")
    return (("", f"{usual} (as set)"), *ready.items(), (NO_MODEL, "No model"))


async def clear(context: Context, role: str) -> RoleChoice:
    """Do without a model in a role."""
    return await context.bridge.call("models.clear", role=role)


async def test(context: Context, role: str) -> ModelTest:
    """Ask the model of a role for one short reply."""
    return await context.bridge.call("models.test", role=role)


async def cards(context: Context, service: str, refresh: bool = False) -> tuple[ModelCard, ...]:
    """Ask a service which models it offers; only ever at her request."""
    return await context.bridge.call("models.cards", service=service, refresh=refresh)


async def local(context: Context) -> tuple[LocalModel, ...]:
    """Return the model files for this computer: offered, on their way, and here."""
    return await context.bridge.call("models.local")


async def download(context: Context, name: str) -> LocalModel:
    """Fetch a model file; returns when it is here, cancelled or broken."""
    return await context.bridge.call("models.download", name=name)


async def cancel_download(context: Context, name: str) -> None:
    """Stop fetching; what is here already is kept for the next try."""
    await context.bridge.call("models.cancel_download", name=name)


async def add_file(context: Context, path: Path) -> LocalModel:
    """Use a model file that lies on her disk; it stays where it is."""
    return await context.bridge.call("models.add_file", path=str(path))


async def remove_file(context: Context, name: str) -> None:
    """Delete a fetched model file, or forget one of hers."""
    await context.bridge.call("models.remove_file", name=name)


async def keyring(context: Context) -> KeyringState:
    """Return whether this computer's keyring can keep keys."""
    return await context.bridge.call("keys.state")


async def keys(context: Context) -> tuple[KeyState, ...]:
    """Return for which services there is a key, and where it is kept; never a key."""
    return await context.bridge.call("keys.list")


async def set_key(context: Context, service: str, key: str, session_only: bool = False) -> KeyState:
    """Keep a key in the keyring, or until the engine ends."""
    return await context.bridge.call("keys.set", service=service, key=key, session_only=session_only)


async def remove_key(context: Context, service: str) -> KeyState:
    """Take a key out of the keyring and out of the engine."""
    return await context.bridge.call("keys.remove", service=service)
