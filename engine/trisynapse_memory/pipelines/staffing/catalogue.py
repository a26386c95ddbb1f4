"""Where models can be asked: this machine, the table of services, and the servers she typed. Nobody is asked here."""

from __future__ import annotations

import contextlib
from typing import Final

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.pipelines.staffing import embedder_seats
from trisynapse_memory.pipelines.staffing.choices import Choices
from trisynapse_memory.pipelines.staffing.rerankers import CROSS_ENCODER
from trisynapse_memory.pipelines.staffing.transcribers import WHISPER
from trisynapse_memory.providers import services
from trisynapse_memory.types import WRITING_ROLES, ModelService, Role

LOCAL: Final = ModelService(name="local", label="This machine", wire="llama_cpp", roles=WRITING_ROLES, is_remote=False)
BUILT_IN: Final = ModelService(
    name=embedder_seats.BUILT_IN, label="Built in", wire="minilm", roles=(Role.EMBEDDING,), is_remote=False
)
FOLDER: Final = ModelService(
    name=embedder_seats.FOLDER,
    label="A folder of sentence-transformers",
    wire="sentence-transformers",
    roles=(Role.EMBEDDING,),
    is_remote=False,
)
WHISPER_FOLDER: Final = ModelService(
    name=WHISPER, label="A folder of a Whisper model", wire=WHISPER, roles=(Role.TRANSCRIPTION,), is_remote=False
)
RERANKER_FOLDER: Final = ModelService(
    name=CROSS_ENCODER,
    label="A folder of a cross-encoder",
    wire=CROSS_ENCODER,
    roles=(Role.RERANKING,),
    is_remote=False,
)

HERE: Final = (LOCAL, BUILT_IN, FOLDER, WHISPER_FOLDER, RERANKER_FOLDER)
"""The services that are this machine itself."""


def list_services(choices: Choices) -> tuple[ModelService, ...]:
    """Return every place where models can be asked."""
    return (*HERE, *services.SERVICES, *_own(choices))


def find_service(choices: Choices, name: str) -> ModelService:
    """Return one service by its name.

    Raises:
        UnknownServiceError: there is none of that name.
    """
    return services.service_named(name, (*HERE, *_own(choices)))


def is_own(service: ModelService) -> bool:
    """Tell whether she added the service herself; the others came with the program."""
    return service not in (*HERE, *services.SERVICES)


def key_name(service: ModelService) -> str:
    """Return the name her key is kept under; that of an address of hers says whom the key is for.

    A vault from somebody else may give another address the same label.
    """
    if service in services.SERVICES:
        return service.name
    return f"{service.name}@{service.base_url.partition('://')[2]}"


def _own(choices: Choices) -> tuple[ModelService, ...]:
    """Her servers; a line that somebody spoilt by hand is no server."""
    found: list[ModelService] = []
    for one in choices.services:
        with contextlib.suppress(InvalidInputError):
            made = services.own_service(one.label, one.base_url)
            if made.name == one.name:
                found.append(made)
    return tuple(found)
