"""Roles in, the models that fill them out, each behind its permission (``guarding``); or the reason why none does.

It is asked anew each time: a choice, a permission, a key or the budget may change while a vault is open. Models are
built when they are first wanted and kept; nobody is asked anything here.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from msgspec import structs

from trisynapse_memory.contracts import Completer, Provider
from trisynapse_memory.errors import (
    BranchUnavailableError,
    BudgetSpentError,
    ConsentNeededError,
    DiskFullError,
    InvalidInputError,
    KeyNeededError,
    ProviderError,
    TrisynapseError,
)
from trisynapse_memory.pipelines.staffing import embedder_seats
from trisynapse_memory.pipelines.staffing.catalogue import FOLDER, LOCAL, find_service, is_own, key_name, list_services
from trisynapse_memory.pipelines.staffing.choices import ChoiceFile, Choices, Pick
from trisynapse_memory.pipelines.staffing.embedder_seats import Choice
from trisynapse_memory.pipelines.staffing.guarding import Check, CountedEmbedder, GuardedCompleter, GuardedEmbedder
from trisynapse_memory.pipelines.staffing.judging import judged
from trisynapse_memory.pipelines.staffing.known_keys import KnownKeys
from trisynapse_memory.pipelines.staffing.rerankers import Rerankers
from trisynapse_memory.pipelines.staffing.sharing import Sharer
from trisynapse_memory.pipelines.staffing.spending import Purse
from trisynapse_memory.pipelines.staffing.transcribers import Transcribers
from trisynapse_memory.pipelines.writing.model_answers import NO_MODEL, Offer
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.files.model_files import ModelFiles
from trisynapse_memory.providers.keys import KeyStore
from trisynapse_memory.providers.offline import refuse_when_offline
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import (
    WRITING_ROLES,
    KeyState,
    ModelService,
    Role,
    RoleChoice,
    ServiceState,
    Usage,
)

LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Means:
    """What models are built with.

    ``device`` is this machine, whose permissions count; ``is_offline`` says that no choice can lift offline.
    """

    choices: ChoiceFile
    keys: KeyStore
    egress: Egress
    registry: Registry
    sharer: Sharer
    purse: Purse
    files: ModelFiles
    device: str
    is_offline: bool = False


class Staff:
    """Who fills which role in one open vault; safe under threads.

    Args:
        means: what models are built with.
        given: a model that the caller of ``MemoryEngine.open`` brought along; it fills every role of writing.
        has_embedder: the caller brought an embedder along, too.
    """

    def __init__(self, means: Means, given: Completer | None = None, *, has_embedder: bool = False) -> None:
        self.means = means
        self._given = None if given is None else self._guard(given, lambda _: self._check_given(given))
        self._given_embedder = has_embedder
        folders = means.files.folder
        self.transcribers = Transcribers(means.registry, partial(self._named, Role.TRANSCRIPTION), folders)
        self.rerankers = Rerankers(means.registry, partial(self._named, Role.RERANKING), folders)
        self._lock = threading.Lock()
        self._providers: dict[ModelService, Provider] = {}
        self._guards: dict[tuple[ModelService, str], GuardedCompleter] = {}
        self._files: dict[str, Path] = {}
        self._keys = KnownKeys(lambda name: bool(means.keys.list((name,))[0].place))
        self._listeners: list[Callable[[], None]] = []
        means.choices.listen(self._choices_changed)

    # ------------------------------------------------------------ services

    def services(self) -> tuple[ModelService, ...]:
        """Return every place where models can be asked: this machine, the table, and hers."""
        return list_services(self._choices)

    def service(self, name: str) -> ModelService:
        """Return one service by its name.

        Raises:
            UnknownServiceError: there is none of that name.
        """
        return find_service(self._choices, name)

    def state_of(self, service: ModelService) -> ServiceState:
        """Return a service as she has set it up."""
        key = self.key_state(service)
        return ServiceState(
            service=service,
            has_key=bool(key.place),
            is_session_key=key.place == "session",
            is_allowed=all(self._is_allowed(service, role) for role in self.roles_of(service)),
            is_own=is_own(service),
        )

    def key_state(self, service: ModelService) -> KeyState:
        """Return where the key of a service is kept."""
        if not service.base_url:
            return KeyState(service=service.name)
        (found,) = self.means.keys.list((key_name(service),))
        return KeyState(service=service.name, place=found.place)

    def provider(self, service: ModelService) -> Provider:
        """Return what speaks the language of a service; nobody is asked yet.

        Raises:
            BranchUnavailableError: a package it needs is not installed.
        """
        with self._lock:
            if service not in self._providers:
                made: type[Provider] = self.means.registry.load("provider", service.wire)
                self._providers[service] = made(service, self.means.egress, lambda _: self._find_key(service))
            return self._providers[service]

    def roles_of(self, service: ModelService) -> tuple[Role, ...]:
        """Return the roles a service fills; of one that fills none, those it could."""
        filled = tuple(role for role, pick in self._choices.roles.items() if pick.service == service.name)
        return filled or service.roles

    def check(self, service: ModelService, role: Role | None = None, *, in_haste: bool = False) -> None:
        """Find out whether a service may be asked now; the service itself is not asked.

        Args:
            service: which.
            role: what for; None where nothing of hers is sent, such as when a service is asked what it offers.
            in_haste: do not wait for a keyring that may be locked.

        Raises:
            OfflineError, ConsentNeededError, KeyNeededError, BudgetSpentError: it may not.
        """
        if service.base_url:
            refuse_when_offline(self.means.egress.offline, service.label)
        if not self._is_allowed(service, role):
            what = "to be sent anything" if role is None else f"for '{role.value}'"
            raise ConsentNeededError(
                f"{service.label} has not been allowed {what}.",
                hint=f"See what would be sent: `privacy sheet {service.name}`; then `privacy allow {service.name}`.",
            )
        has_key = self._keys.seems_there if in_haste else self._keys.has
        if service.needs_key and not has_key(key_name(service)):
            raise KeyNeededError(f"There is no key for {service.label}.", hint=f"Set one: `keys set {service.name}`.")
        if service.is_remote:
            self._check_budget()

    # ------------------------------------------------------------ roles

    def completer_for(self, role: Role, model: str | None = None) -> Offer:
        """Return the model that fills a role, if it may be asked now, or in a sentence why there is none.

        Args:
            role: what it is wanted for.
            model: ``service/model`` for this one time, ``none`` for none, or None for what she chose.
        """
        found = self.choice(role, model)
        return Offer(self.holder(role, model) if found.state == "ready" else None, found.note)

    def choice(self, role: Role, model: str | None = None, *, in_haste: bool = False) -> RoleChoice:
        """Return which model fills a role and whether it can, with the reason in a sentence; see ``check``."""
        given = self._given
        if model is None and given is not None and role in WRITING_ROLES:
            found = RoleChoice(role=role, service=given.provider, model=given.model)
            return judged(found, partial(self._check_given, given))
        if role is Role.EMBEDDING:
            return self._embedder_choice()
        if role is Role.TRANSCRIPTION:
            return self.transcribers.choice()
        if role is Role.RERANKING:
            return self.rerankers.choice()
        try:
            pick = self._pick(role, model)
            if pick is None:
                return RoleChoice(role=role, note=self.means.choices.note)
            service = self.service(pick.service)
        except TrisynapseError as error:
            return RoleChoice(role=role, service=model or "", state="missing", note=error.problem)
        found = RoleChoice(role=role, service=service.name, model=pick.model, base_url=service.base_url)
        return judged(found, partial(self._check_pick, service, pick.model, role, in_haste))

    def holder(self, role: Role, model: str | None = None) -> Completer | None:
        """Return the model that fills a role, whether or not it may be asked now; the same one while it does."""
        if model is None and self._given is not None and role in WRITING_ROLES:
            return self._given
        with contextlib.suppress(ProviderError, BranchUnavailableError, InvalidInputError):
            pick = self._pick(role, model)
            return None if pick is None else self._completer(self.service(pick.service), pick.model)
        return None

    def wanted_embedder(self) -> Choice:
        """Return which embedder is chosen, whether or not it can be used."""
        if self._given_embedder:
            return Choice(embedder_seats.GIVEN)
        pick = self._choices.roles.get(Role.EMBEDDING)
        return Choice() if pick is None else Choice(pick.service, pick.model)

    def embedder_at(self, service: str, model: str, dimension: int) -> GuardedEmbedder:
        """Return an embedder at a service behind its permission; nobody is asked yet.

        Raises:
            UnknownServiceError: no service has that name.
            ProviderError: it embeds nothing.
        """
        found = self.service(service)
        # Whatever embeds at a service counts what it uses (providers/wires/embedding.py).
        made = cast("CountedEmbedder", self.provider(found).embedder(model, dimension))
        return GuardedEmbedder(
            made,
            check=partial(self.check, found),
            note=partial(self._note, found.name, model),
            forbidden=self.means.sharer.forbidden_sources,
        )

    def listen(self, told: Callable[[], None]) -> None:
        """Tell somebody, from the thread that changed it, whenever who may be asked may have changed."""
        self._listeners.append(told)

    def refresh(self) -> None:
        """Look at keys anew, and tell everybody that something has changed."""
        self._keys.forget()
        self.transcribers.forget()
        self.rerankers.forget()
        self._dismiss()
        for told in self._listeners:
            told()

    def close(self) -> None:
        """End what is being asked, and let go of models."""
        with self._lock:
            providers, guards = tuple(self._providers.values()), tuple(self._guards.values())
        for guard in guards:
            guard.dismiss()
        for provider in providers:
            close: Callable[[], None] | None = getattr(provider, "close", None)
            if close is not None:
                close()

    # ------------------------------------------------------------ behind them

    def _embedder_choice(self) -> RoleChoice:
        wanted = self.wanted_embedder()
        found = RoleChoice(role=Role.EMBEDDING, service=wanted.service, model=wanted.model, state="ready")
        if wanted.service == embedder_seats.GIVEN:
            return found
        try:
            service = self.service(wanted.service)
        except TrisynapseError as error:
            return structs.replace(found, state="missing", note=error.problem)
        found = structs.replace(found, base_url=service.base_url)
        return judged(found, partial(self._check_embedder, service, wanted.model))

    def _named(self, role: Role) -> str:
        """The model that she chose for a role, or an empty text."""
        pick = self._choices.roles.get(role)
        return pick.model if pick is not None else ""

    @property
    def _choices(self) -> Choices:
        return self.means.choices.choices

    def _pick(self, role: Role, model: str | None) -> Pick | None:
        if model is None:
            return self._choices.roles.get(role)
        if model == NO_MODEL:
            return None
        name, slash, wanted = model.partition("/")
        if not name or not slash:
            raise InvalidInputError(f"'{model}' names no model.", hint="Write it as service/model, or none.")
        return Pick(name, wanted or self.service(name).default_model)

    def _completer(self, service: ModelService, model: str) -> GuardedCompleter:
        found = self._guards.get((service, model))
        if found is None:
            # A local model is known to her by its name, and to its library by its file.
            made = self.provider(service).completer(str(self._file_of(model)) if service == LOCAL else model)
            found = self._guard(made, partial(self.check, service), service.name)
            with self._lock:
                found = self._guards.setdefault((service, model), found)
        return found

    def _guard(self, inner: Completer, check: Check, service: str = "") -> GuardedCompleter:
        note = partial(self._note, service or inner.provider, inner.model)
        return GuardedCompleter(inner, check=check, note=note, forbidden=self.means.sharer.forbidden_sources)

    def _note(self, service: str, model: str, role: Role, usage: Usage) -> None:
        try:
            self.means.purse.note(service, model, role, usage)
        except DiskFullError:  # a full disk must not cost the reply that was paid for
            LOGGER.warning("What a reply of %s cost was not kept: the disk is full.", service)

    def _check_pick(self, service: ModelService, model: str, role: Role, in_haste: bool) -> None:
        self._check_installed("provider", service)
        if service == LOCAL:
            self._file_of(model)
        self.check(service, role, in_haste=in_haste)
        self._completer(service, model)

    def _check_embedder(self, service: ModelService, model: str) -> None:
        if service == FOLDER:
            self._check_installed("embedder", service)
            embedder_seats.place_of(model)
        self.check(service, Role.EMBEDDING)

    def _check_installed(self, kind: str, service: ModelService) -> None:
        row = next((row for row in self.means.registry.rows(kind) if row.name == service.wire), None)
        if row is not None and (missing := self.means.registry.missing(row)):
            raise BranchUnavailableError(
                f"{service.label} needs the package '{missing[0]}', which is not installed.",
                hint=f"Install it: pip install 'trisynapse-desktop[{row.extra}]'." if row.extra else "",
            )

    def _file_of(self, name: str) -> Path:
        """Where the file of a local model lies; looked for anew only when it is gone."""
        known = self._files.get(name)
        if known is None or not known.is_file():
            known = self._files[name] = self.means.files.path_of(name)
        return known

    def _check_given(self, given: Completer) -> None:
        if given.is_remote:
            refuse_when_offline(self.means.egress.offline, given.provider)
            self._check_budget()

    def _check_budget(self) -> None:
        budget = self._choices.budget_usd
        if budget is not None and self.means.purse.spending().spent_usd >= budget:
            raise BudgetSpentError(
                f"The {budget:.2f} US dollars for remote models this month are spent.",
                hint="Raise the limit (`privacy budget`), or use a model in this machine.",
            )

    def _is_allowed(self, service: ModelService, role: Role | None) -> bool:
        roles = self._choices.allowed.get(self.means.device, {}).get(service.name, ())
        return not service.is_remote or (role in roles if role is not None else bool(roles))

    def _find_key(self, service: ModelService) -> str | None:
        return self.means.keys.find(key_name(service))

    def _choices_changed(self, choices: Choices) -> None:
        self.means.egress.offline = self.means.is_offline or choices.offline
        self.refresh()

    def _dismiss(self) -> None:
        """End what is being asked in the background of whoever fills no role any more, or may not be asked."""
        picks = {(pick.service, pick.model) for pick in self._choices.roles.values()}
        with self._lock:
            guards = tuple(self._guards.items())
        for (service, model), guard in guards:
            if (service.name, model) in picks and self._may_ask(service):
                continue
            with self._lock:
                self._guards.pop((service, model), None)
            guard.dismiss()

    def _may_ask(self, service: ModelService) -> bool:
        try:
            self.check(self.service(service.name), in_haste=True)
        except ProviderError:
            return False
        return True
