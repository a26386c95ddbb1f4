"""What the tests of extraction with a model share: a model that says what it is told and keeps what it was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest

from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.types import Completion, Prompt, Role


class ScriptedCompleter:
    """Gives the replies of a script in order; an error in the script is raised, the end of it is a failure."""

    def __init__(self, *script: str | ProviderError, max_tokens: int = 8_192, is_remote: bool = False) -> None:
        self.provider, self.model = "scripted", "script/1"
        self.max_tokens, self.is_remote = max_tokens, is_remote
        self.prompts: list[str] = []
        self.schemas: list[dict[str, object] | None] = []
        self.output_tokens: list[int] = []
        self._script = list(script)

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        assert prompt.role is Role.EXTRACTION
        self.prompts.append(f"{prompt.instructions}\n\n{prompt.text}")
        self.schemas.append(prompt.schema)
        self.output_tokens.append(prompt.max_output_tokens)
        assert self._script, "the model was asked more often than the script has replies"
        reply = self._script.pop(0)
        if isinstance(reply, ProviderError):
            raise reply
        return Completion(text=reply)


def fact_row(**fields: Any) -> dict[str, Any]:
    """A row as the prompt asks for it."""
    return {
        "subject": "BERT",
        "relation": "pretrained_with",
        "object": "Adam",
        "evidence": 1,
        "quote": "BERT was pretrained with Adam.",
        "temporal_expression": "",
        "confidence": 0.9,
        "negated": False,
        "hedged": False,
        "qualifiers": {},
        **fields,
    }


def facts_reply(*rows: dict[str, Any]) -> str:
    return json.dumps({"facts": rows})


@pytest.fixture
def scripted() -> type[ScriptedCompleter]:
    return ScriptedCompleter


@pytest.fixture
def row() -> Callable[..., dict[str, Any]]:
    return fact_row


@pytest.fixture
def reply() -> Callable[..., str]:
    return facts_reply
