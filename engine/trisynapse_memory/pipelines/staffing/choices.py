"""What she chose for one vault in, ``settings.toml`` out, and back: models, services, what may be shared. Never a key.

A file that cannot be read is set aside, and everything is as cautious as it can be until she has chosen anew: no
service is allowed, and offline is on.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final
from uuid import uuid4

import msgspec
from msgspec import Struct, structs

from trisynapse_memory.errors import VaultError
from trisynapse_memory.types import Role, Sharing

LOGGER = logging.getLogger(__name__)
FILE_NAME: Final = "settings.toml"
_HEAD: Final = "# What was chosen for this vault (docs/data.md). Keys are in the keyring of the system, never here.\n\n"


class Pick(Struct, frozen=True):
    """The model that fills a role: a service, and the name the service knows it by."""

    service: str
    model: str = ""


class OwnService(Struct, frozen=True):
    """A model server of hers, at an address she typed."""

    name: str
    label: str
    base_url: str


class Watch(Struct, frozen=True):
    """A folder whose changes are taken in by themselves, and the collection its files go to."""

    path: str
    collection: str = ""


class Followed(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A feed that is followed: its address, the search at arXiv it stands for, what it is called, where it goes.

    ``title`` is that of the feed when it was first read, and stays, so that its entries stay together. ``owner`` holds
    the keys of the namespace it is read into (``user_id`` and so on), the unset ones left out.
    """

    url: str
    query: str = ""
    title: str = ""
    collection: str = ""
    is_paused: bool = False
    owner: dict[str, str] = {}


class Tuned(Struct, frozen=True):
    """Whether the vault learns from what she opens, and the weights of the ranking that she agreed to."""

    is_on: bool = False
    weights: dict[str, float] = {}


class Choices(Struct, frozen=True, kw_only=True):
    """Everything she chose; the defaults share nothing with anybody.

    ``allowed`` maps a machine (``device_id``) to the services that may be sent something from it, and for which roles:
    a vault of somebody else brings no permission along, and each role sends other things. ``sharing`` maps a collection
    to its rule, the empty name to that of sources whose collections have none. ``budget_usd`` is US dollars a month.
    ``watched`` maps a machine to the folders on it that are followed, ``feeds`` to the feeds that it may ask for.
    """

    roles: dict[Role, Pick] = {}
    services: tuple[OwnService, ...] = ()
    allowed: dict[str, dict[str, tuple[Role, ...]]] = {}
    sharing: dict[str, Sharing] = {}
    budget_usd: float | None = None
    offline: bool = False
    watched: dict[str, tuple[Watch, ...]] = {}
    feeds: dict[str, tuple[Followed, ...]] = {}
    tuning: Tuned = Tuned()


class ChoiceFile:
    """Keeps the choices of one vault; safe under threads.

    Args:
        path: the file; it need not exist, and is first written when something is chosen.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._listeners: list[Callable[[Choices], None]] = []
        self.note = ""  # what happened to a file that could not be read
        self.revision = 0
        self._raw: dict[str, object] = {}
        self._choices = self._load()

    @property
    def choices(self) -> Choices:
        """What is chosen now."""
        return self._choices

    def listen(self, told: Callable[[Choices], None]) -> None:
        """Tell somebody, from the thread that chooses, after each change."""
        self._listeners.append(told)

    def change(self, edit: Callable[[Choices], Choices]) -> Choices:
        """Replace the choices by what ``edit`` makes of them, on the disk first.

        Raises:
            VaultError: the file cannot be written; the choices are as before.
        """
        with self._lock:
            changed = edit(self._choices)
            if changed == self._choices:
                return changed
            self._write(changed)
            self._choices = changed
            self.revision += 1
        for told in self._listeners:
            told(changed)
        return changed

    def _load(self) -> Choices:
        try:
            self._raw = tomllib.loads(self._path.read_text(encoding="utf-8"))
            return _read(self._raw)
        except FileNotFoundError:
            return Choices()
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
            self._raw = {}
            return self._set_aside(error)

    def _set_aside(self, error: Exception) -> Choices:
        """Keep a file that cannot be read for her to look at, and be cautious."""
        spare = self._path.with_name(f"{FILE_NAME}.damaged")
        try:
            self._path.replace(spare)
        except OSError:
            spare = self._path  # a disk that cannot be written keeps it where it is
        self.note = (
            f"{FILE_NAME} could not be read and was set aside as '{spare.name}'; offline is on until you lift it."
        )
        LOGGER.warning("%s (%s)", self.note, type(error).__name__)
        return Choices(offline=True)

    def _write(self, choices: Choices) -> None:
        # Only what needs a file that is written loads the writer.
        import tomli_w

        raw = {**self._raw, **_written(choices)}
        raw = {name: value for name, value in raw.items() if value is not None}
        temporary = self._path.with_name(f"{FILE_NAME}.{uuid4().hex[:8]}.tmp")
        try:
            with temporary.open("w", encoding="utf-8") as stream:
                temporary.chmod(0o600)
                stream.write(_HEAD + tomli_w.dumps(raw))
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(self._path)
        except OSError as error:
            raise VaultError(
                f"'{FILE_NAME}' cannot be written ({error.strerror}); nothing was changed.",
                hint="Check the folder's permissions, and whether its disk is full or read-only.",
            ) from error
        finally:
            temporary.unlink(missing_ok=True)
        self._raw, self.note = raw, ""


def _read(raw: dict[str, object]) -> Choices:
    """Read what is known, and leave the rest to the program that wrote it.

    Raises:
        msgspec.ValidationError: something known has a shape it cannot have.
    """
    roles = msgspec.convert(raw.get("roles", {}), dict[str, Pick])
    rules = msgspec.convert(raw.get("sharing", {}), dict[str, str])
    budget = msgspec.convert(raw.get("budget_usd"), float | None, strict=False)
    if budget is not None and not (math.isfinite(budget) and budget >= 0):
        raise msgspec.ValidationError("budget_usd is no amount")
    known = {role.value for role in Role}
    return Choices(
        roles={Role(name): pick for name, pick in roles.items() if name in known},
        services=msgspec.convert(raw.get("services", []), tuple[OwnService, ...]),
        allowed={
            device: {name: tuple(Role(role) for role in listed if role in known) for name, listed in services.items()}
            for device, services in msgspec.convert(raw.get("allowed", {}), dict[str, dict[str, list[str]]]).items()
        },
        sharing={name: _sharing(rule) for name, rule in rules.items()},
        budget_usd=budget,
        offline=msgspec.convert(raw.get("offline", False), bool),
        watched=msgspec.convert(raw.get("watched", {}), dict[str, tuple[Watch, ...]]),
        feeds=msgspec.convert(raw.get("feeds", {}), dict[str, tuple[Followed, ...]]),
        tuning=msgspec.convert(raw.get("tuning", {}), Tuned),
    )


def _sharing(rule: str) -> Sharing:
    """A rule that this program does not know must not become a permission."""
    return Sharing(rule) if rule in {one.value for one in Sharing} else Sharing.NEVER


def _written(choices: Choices) -> dict[str, object]:
    """The choices as TOML knows values; a role that is not chosen and a budget that is not set are left out."""
    return {
        "offline": choices.offline,
        "budget_usd": choices.budget_usd,
        "allowed": {
            device: {name: [role.value for role in roles] for name, roles in services.items()}
            for device, services in choices.allowed.items()
        },
        "roles": {role.value: msgspec.to_builtins(pick) for role, pick in choices.roles.items()},
        "sharing": {name: rule.value for name, rule in choices.sharing.items()},
        "services": [msgspec.to_builtins(one) for one in choices.services],
        "watched": {
            device: [msgspec.to_builtins(one) for one in folders] for device, folders in choices.watched.items()
        },
        "feeds": {device: [msgspec.to_builtins(one) for one in feeds] for device, feeds in choices.feeds.items()},
        "tuning": msgspec.to_builtins(choices.tuning),
    }


def with_role(choices: Choices, role: Role, pick: Pick | None) -> Choices:
    """Return the choices with another model for a role, or none."""
    others = {name: value for name, value in choices.roles.items() if name is not role}
    return structs.replace(choices, roles=others if pick is None else {**others, role: pick})


def with_service(choices: Choices, own: OwnService) -> Choices:
    """Return the choices with a server of hers; one of the same name is replaced."""
    others = tuple(one for one in choices.services if one.name != own.name)
    return structs.replace(choices, services=(*others, own))


def without_service(choices: Choices, name: str) -> Choices:
    """Return the choices without a server of hers, its permission and the roles it filled."""
    return structs.replace(
        choices,
        services=tuple(one for one in choices.services if one.name != name),
        allowed={
            device: {other: roles for other, roles in services.items() if other != name}
            for device, services in choices.allowed.items()
        },
        roles={role: pick for role, pick in choices.roles.items() if pick.service != name},
    )


def with_permission(choices: Choices, device: str, name: str, roles: tuple[Role, ...]) -> Choices:
    """Return the choices with a service allowed for some roles on one machine; for none, no longer."""
    others = {other: kept for other, kept in choices.allowed.get(device, {}).items() if other != name}
    services = {**others, name: roles} if roles else others
    return structs.replace(choices, allowed={**choices.allowed, device: services})


def with_watches(choices: Choices, device: str, watches: tuple[Watch, ...]) -> Choices:
    """Return the choices with other folders watched on one machine."""
    return structs.replace(choices, watched={**choices.watched, device: watches})


def with_feeds(choices: Choices, device: str, feeds: tuple[Followed, ...]) -> Choices:
    """Return the choices with other feeds followed on one machine."""
    return structs.replace(choices, feeds={**choices.feeds, device: feeds})


def with_rule(choices: Choices, collection: str, sharing: Sharing) -> Choices:
    """Return the choices with another rule for a collection."""
    return structs.replace(choices, sharing={**choices.sharing, collection: sharing})


def with_tuning(choices: Choices, tuned: Tuned) -> Choices:
    """Return the choices with another word on learning from use."""
    return structs.replace(choices, tuning=tuned)
