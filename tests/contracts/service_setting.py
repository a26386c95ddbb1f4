"""One service whose server is on loopback, and the real door to it; for the suites of this folder."""

from __future__ import annotations

import threading
import traceback
from typing import Any

import pytest

from tests.model_servers import LOOPBACK, ModelServer, Trouble
from tests.model_wires import MODEL
from trisynapse_memory.contracts import Completer, Provider
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import ModelService, Prompt, Role, SourceId

REGISTRY = Registry(guests=False)
KEY = "sk-test-key-0123456789"
SECRET = "the planted secret sentence"
REPLY = "Light is fast [1]. Sound is slow [2]."
PROMPT = Prompt(
    text=f"[1] {SECRET}",
    instructions="Answer in one sentence.",
    role=Role.ANSWER,
    source_ids=(SourceId("src_a"), SourceId("src_b")),
)


class Setting:
    """One service whose server is here, and the door to it."""

    def __init__(self, server: ModelServer, service: ModelService) -> None:
        self.server = server
        self.service = service
        self.egress = Egress(allowed=LOOPBACK)
        self.key: str | None = KEY
        self.provider: Provider = REGISTRY.load("provider", service.wire)(service, self.egress, lambda name: self.key)

    def completer(self) -> Completer:
        return self.provider.completer(MODEL)

    def fails(self, *troubles: Trouble) -> None:
        self.server.troubles.extend(troubles)


def heard(setting: Setting, prompt: Prompt = PROMPT, stop: threading.Event | None = None) -> tuple[Any, list[str]]:
    pieces: list[str] = []
    return setting.completer().complete(prompt, pieces.append, stop), pieces


def refused(setting: Setting, kind: type[ProviderError]) -> ProviderError:
    with pytest.raises(kind) as caught:
        heard(setting)
    said = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert KEY not in said
    assert SECRET not in said
    return caught.value
