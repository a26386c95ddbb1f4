"""Which models there are and what they are for, as she chooses them; a model is asked here only to test it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError, TrisynapseError
from trisynapse_memory.pipelines.staffing.catalogue import (
    BUILT_IN,
    FOLDER,
    LOCAL,
    RERANKER_FOLDER,
    WHISPER_FOLDER,
    is_own,
)
from trisynapse_memory.pipelines.staffing.choices import OwnService, Pick, with_role, with_service, without_service
from trisynapse_memory.pipelines.staffing.embedders import Embedders
from trisynapse_memory.pipelines.staffing.staff import Staff
from trisynapse_memory.providers.files.downloads import OnBytes
from trisynapse_memory.providers.services import own_service
from trisynapse_memory.types import (
    WRITING_ROLES,
    LocalModel,
    ModelCard,
    ModelService,
    ModelTest,
    Progress,
    Prompt,
    Role,
    RoleChoice,
    ServiceState,
)

COMPLETION: Final = "completion"
"""Stands for every role that one text model can fill."""

CARDS_KEPT_S: Final = 15 * 60.0  # engine.md A17
TEST_PROMPT: Final = Prompt(
    instructions="You are asked whether you work.", text="Reply with the one word: ready", max_output_tokens=64
)


class Models:
    """The noun door ``engine.models``."""

    def __init__(self, staff: Staff, embedders: Embedders) -> None:
        self._staff = staff
        self._embedders = embedders
        self._lock = threading.Lock()
        self._cards: dict[ModelService, tuple[float, tuple[ModelCard, ...]]] = {}

    # ------------------------------------------------------------ services

    def services(self) -> tuple[ServiceState, ...]:
        """Return every place where models can be asked: this machine, the table of services, and servers of hers."""
        return tuple(self._staff.state_of(service) for service in self._staff.services())

    def add_service(self, label: str, base_url: str) -> ServiceState:
        """Keep the address of a server of hers that speaks the language of OpenAI (Ollama, LM Studio, vLLM, ...).

        One in this very machine may be asked at once; any other wants her leave (``privacy.allow``).

        Raises:
            InvalidInputError: it is no web address, holds a password, or its label is taken.
        """
        made = own_service(label, base_url)
        known = {service.name: service for service in self._staff.services()}
        if made.name in known and known[made.name].base_url != made.base_url:
            raise InvalidInputError(f"There is already a service '{made.name}'.", hint="Give this one another name.")
        own = OwnService(made.name, made.label, made.base_url)
        self._staff.means.choices.change(lambda choices: with_service(choices, own))
        return self._staff.state_of(self._staff.service(made.name))

    def remove_service(self, name: str) -> None:
        """Forget a server of hers, its permission, and the roles it filled; its key stays in the keyring.

        Raises:
            UnknownServiceError: no service has that name.
            InvalidInputError: it is one of the table.
        """
        service = self._staff.service(name)
        if not is_own(service):
            raise InvalidInputError(f"'{service.label}' came with the program.", hint="Only your own can be removed.")
        self._staff.means.choices.change(lambda choices: without_service(choices, name))

    def cards(self, service: str, refresh: bool = False) -> tuple[ModelCard, ...]:
        """Ask a service which models it offers, or return what it said within the last 15 minutes.

        Raises:
            UnknownServiceError: no service has that name.
            ConsentNeededError, KeyNeededError, OfflineError: it must not be asked.
            ProviderError: it could not be asked, or refused.
        """
        found = self._staff.service(service)
        if found in (BUILT_IN, FOLDER, WHISPER_FOLDER, RERANKER_FOLDER):
            return ()
        with self._lock:
            kept = self._cards.get(found)
        if kept is not None and not refresh and time.monotonic() - kept[0] < CARDS_KEPT_S:
            return kept[1]
        self._staff.check(found)
        cards = self._staff.provider(found).cards()
        with self._lock:
            self._cards[found] = (time.monotonic(), cards)
        return cards

    # ------------------------------------------------------------ roles

    def roles(self) -> tuple[RoleChoice, ...]:
        """Return for every role which model fills it, and whether it can."""
        return tuple(self._staff.choice(role) for role in Role)

    def choose(self, role: str, service: str, model: str = "") -> RoleChoice:
        """Let a model fill a role, from the next request on; choosing a remote service does not allow it.

        Args:
            role: one of ``Role``, or ``completion`` for all that one text model can fill.
            service: its name.
            model: as the service calls it; the service's own default without one.

        Returns:
            The choice, with what is still missing; of several roles, the first.

        Raises:
            UnknownServiceError: no service has that name.
            InvalidInputError: there is no such role, the service does not fill it, or no model was named.
        """
        found, roles = self._staff.service(service), _roles_of(role)
        wanted = model.strip() or found.default_model
        for one in roles:
            if one not in found.roles:
                raise InvalidInputError(
                    f"{found.label} has no model for '{one.value}'.",
                    hint=f"It can do: {', '.join(each.value for each in found.roles)}.",
                )
        if found == LOCAL and wanted:
            wanted = self._local_name(wanted)
        if found == BUILT_IN:
            return self.clear(role)
        if not wanted:
            raise InvalidInputError(f"Which model of {found.label}?", hint=f"`models cards {found.name}` lists them.")
        self._fill(roles, Pick(found.name, wanted))
        return self._staff.choice(roles[0])

    def clear(self, role: str) -> RoleChoice:
        """Do without a model in a role: answers are in the words of the sources, and nothing is lost.

        Raises:
            InvalidInputError: there is no such role.
        """
        roles = _roles_of(role)
        self._fill(roles, None)
        return self._staff.choice(roles[0])

    def test(self, role: str) -> ModelTest:
        """Ask the model of a role for one short reply; what goes wrong is told, not raised.

        Raises:
            InvalidInputError: there is no such role.
        """
        wanted = _roles_of(role)[0]
        choice = self._staff.choice(wanted)
        test = ModelTest(role=wanted, passed=False, service=choice.service, model=choice.model)
        if choice.state != "ready":
            return structs.replace(test, problem=choice.note or "No model is chosen.")
        try:
            if wanted is Role.EMBEDDING:
                return structs.replace(test, passed=True, reply=self._embedders.try_wanted())
            if wanted is Role.TRANSCRIPTION:
                return structs.replace(test, passed=True, reply=self._staff.transcribers.try_voice())
            if wanted is Role.RERANKING:
                return structs.replace(test, passed=True, reply=self._staff.rerankers.try_model())
            completer = self._staff.completer_for(wanted).completer
            if completer is None:
                return structs.replace(test, problem="No model is chosen.")
            completion = completer.complete(structs.replace(TEST_PROMPT, role=wanted))
        except TrisynapseError as error:
            return structs.replace(test, problem=str(error))
        reply = " ".join(completion.text.split())
        if not reply:
            return structs.replace(test, problem="The model replied nothing.", usage=completion.usage)
        return structs.replace(test, passed=True, reply=reply[:200], usage=completion.usage)

    def _local_name(self, wanted: str) -> str:
        """The name of a model file that was named, or whose path was given."""
        files = self._staff.means.files
        path = Path(wanted).expanduser()
        return (files.add_file(path) if path.is_absolute() else files.find(wanted)).name

    def _fill(self, roles: tuple[Role, ...], pick: Pick | None) -> None:
        """Change all of them at once, so that nobody sees half of it."""
        self._staff.means.choices.change(
            lambda choices: reduce(lambda made, role: with_role(made, role, pick), roles, choices)
        )

    # ------------------------------------------------------------ files in this machine

    def local(self) -> tuple[LocalModel, ...]:
        """Return the model files for this machine: offered, on their way, here, and how each fits."""
        return self._staff.means.files.local()

    def download(self, name: str, progress: Callable[[Progress], None] | None = None) -> LocalModel:
        """Fetch a model file of the list; what is here already is not fetched again.

        Raises:
            UnknownServiceError: no model has that name.
            OfflineError: offline is on.
            ProviderError: it could not be fetched, or is not what the list says.
        """
        return self._staff.means.files.download(name, as_bytes(name, progress))

    def cancel_download(self, name: str) -> None:
        """Stop fetching; what is here already is kept for the next try."""
        self._staff.means.files.cancel_download(name)

    def add_file(self, path: str) -> LocalModel:
        """Use a model file of hers; it stays where it is.

        Raises:
            ModelFileError: it is no model that can be used.
        """
        return self._staff.means.files.add_file(Path(path))

    def remove_file(self, name: str) -> None:
        """Delete a file that was fetched, or forget one of hers, which stays where it is.

        Raises:
            UnknownServiceError: no model has that name.
        """
        self._staff.means.files.remove_file(name)


def as_bytes(name: str, progress: Callable[[Progress], None] | None) -> OnBytes:
    """Tell a download's bytes as the progress of a piece of work."""

    def told(done: int, total: int) -> None:
        if progress is not None:
            progress(Progress(run_id="", stage="download", label=name, done=done, total=total, unit="bytes"))

    return told


def _roles_of(name: str) -> tuple[Role, ...]:
    if name == COMPLETION:
        return WRITING_ROLES
    try:
        return (Role(name),)
    except ValueError:
        known = ", ".join((*(role.value for role in Role), COMPLETION))
        raise InvalidInputError(f"There is no role '{name}'.", hint=f"Known: {known}.") from None
