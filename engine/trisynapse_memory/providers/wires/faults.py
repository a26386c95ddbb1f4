"""What a service says when it does not answer in, one of our errors out. Its words are compared, and never shown.

A service may repeat the prompt or the key in what it says. So an error of ours holds the names of the service and the
model, the status, and at most one code word of letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from msgspec import Struct

from trisynapse_memory.errors import (
    KeyNeededError,
    ModelMissingError,
    PromptTooLongError,
    ProviderAuthError,
    ProviderError,
    ProviderFailedError,
    ProviderRefusedError,
    RateLimitedError,
)
from trisynapse_memory.providers.services import is_typed
from trisynapse_memory.providers.wires.retries import retry_after
from trisynapse_memory.types import ModelService

MAX_FAULT_BYTES: Final = 256 * 1024

_SHOWN: Final = re.compile(r"[a-z_]{3,40}")  # a key has digits, a sentence has spaces
_EMPTY_WORDS: Final = frozenset({"error", "invalid_request_error", "api_error", "invalid_argument"})
_NOT_OFFERED: Final = 501  # llama.cpp's server says so where it was not started for embeddings
_KEY_WORDS: Final = frozenset({"api_key_invalid", "invalid_api_key", "authentication_error"})
_CREDIT_WORDS: Final = frozenset({"insufficient_quota", "insufficient_credits", "billing_error", "billing_not_active"})
_MODEL_WORDS: Final = frozenset({"model_not_found", "invalid_model"})
_MODEL_SAYINGS: Final = ("not a valid model", "model not exist", "invalid model")
_REFUSAL_WORDS: Final = frozenset(
    {"content_filter", "content_policy_violation", "prohibited_content", "invalid_prompt"}
)
_LENGTH_WORDS: Final = frozenset({"context_length_exceeded", "request_too_large"})
_LENGTH_SAYINGS: Final = (
    "too long",
    "too large",
    "maximum context",
    "context length",
    "context size",
    "context window",
    "maximum number of tokens",
)
_STATUS_OF_WORD: Final = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "resource_exhausted": 429,
    "unavailable": 503,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "invalid_request_error": 400,
}


class Fault(Struct, frozen=True):
    """What a service says is wrong.

    ``words`` are its codes in small letters. ``param`` is the field of the request it names. ``said`` is all of it in
    small letters, to compare with; it is never shown or kept. ``pause_s`` is how long it asks to wait.
    """

    status: int
    words: tuple[str, ...] = ()
    param: str = ""
    said: str = ""
    pause_s: float | None = None

    def names(self, field: str) -> bool:
        """Tell whether it finds fault with one field of the request."""
        if self.param:
            return re.split(r"[.\[]", self.param)[0].lower() == field.lower()
        return re.search(rf"(?<![a-z_]){re.escape(field.lower())}(?![a-z_])", self.said) is not None

    @property
    def is_credit_spent(self) -> bool:
        """Whether her account is empty, which no waiting helps."""
        return self.status == 402 or bool(_CREDIT_WORDS & set(self.words)) or "credit balance" in self.said


class Asked(Struct, frozen=True):
    """Who was asked for what; no model where a list was asked for."""

    service: ModelService
    model: str = ""
    has_key: bool = True

    @property
    def of_model(self) -> str:
        """The words that name the model inside a sentence."""
        return f" for '{self.model}'" if self.model else ""


def read_fault(status: int, headers: Mapping[str, str], body: bytes) -> Fault:
    """Read an error body of any service; one that is no JSON still gives its status."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        value = None
    fault = fault_in(value, status)
    asked_s = retry_after(headers)
    return Fault(status, fault.words, fault.param, fault.said, fault.pause_s if asked_s is None else asked_s)


def fault_in(value: Any, status: int = 0) -> Fault:
    """Read an error out of decoded JSON: a body, or an event in the middle of a stream.

    Returns:
        A fault with the given status; without one, the status its code words mean, 500 where they mean none.
    """
    found = list(_pairs(value))
    words = tuple(dict.fromkeys(text.lower() for name, text in found if name in {"code", "type", "status", "reason"}))
    if not status:
        numbers = (int(word) for word in words if word.isdecimal() and 400 <= int(word) < 600)
        status = next(numbers, 0) or next((_STATUS_OF_WORD[word] for word in words if word in _STATUS_OF_WORD), 500)
    delays = (re.fullmatch(r"(\d+(?:\.\d+)?)s", text) for name, text in found if name == "retryDelay")
    return Fault(
        status=status,
        words=words,
        param=next((text for name, text in found if name == "param"), ""),
        said=" ".join(text for _, text in found).lower(),
        pause_s=next((float(delay[1]) for delay in delays if delay), None),
    )


def error_for(fault: Fault, asked: Asked) -> ProviderError:
    """Return the error that says what is wrong, with which service and model, and what to do."""
    label, words, status = asked.service.label, set(fault.words), fault.status
    if words & _REFUSAL_WORDS or (status == 403 and "flagged" in fault.said):
        return ProviderRefusedError(
            f"{label} refused the request{asked.of_model} ({_shown(fault)}).",
            hint="Ask in other words, or choose another model; answers without a model still work.",
        )
    if fault.is_credit_spent:
        return RateLimitedError(
            f"The account at {label} has no credit left ({_shown(fault)}).", hint=f"Top it up at {label}."
        )
    if status in {401, 403} or words & _KEY_WORDS:
        return _key_error(fault, asked)
    if status == 404 or (status < 500 and (words & _MODEL_WORDS or _says(fault, _MODEL_SAYINGS))):
        return _missing_error(fault, asked)
    if status == 413 or (status < 429 and (words & _LENGTH_WORDS or _says(fault, _LENGTH_SAYINGS))):
        return PromptTooLongError(
            f"What was to be sent to {label}{asked.of_model} is too long for it ({_shown(fault)}).",
            hint="Choose a model with a larger window.",
        )
    return _other_error(fault, asked)


def _other_error(fault: Fault, asked: Asked) -> ProviderError:
    label, status = asked.service.label, fault.status
    if status == 429:
        wait = "Wait a little" if not fault.pause_s else f"Wait about {fault.pause_s:.0f} seconds"
        return RateLimitedError(
            f"{label} takes no more requests{asked.of_model} for now ({_shown(fault)}).",
            hint=f"{wait}, or choose another model.",
        )
    if 300 <= status < 400:
        return ProviderError(
            f"{label} has moved: it answers with a redirect ({status}).", hint="Set the address it leads to."
        )
    if (status >= 500 and status != _NOT_OFFERED) or status == 408:
        return ProviderFailedError(
            f"{label} failed on its side{asked.of_model} ({_shown(fault)}).",
            hint="Try again later, or choose another model.",
        )
    return ProviderError(
        f"{label} did not take the request{asked.of_model} ({_shown(fault)}).", hint="Choose another model."
    )


def _key_error(fault: Fault, asked: Asked) -> ProviderError:
    label, name = asked.service.label, asked.service.name
    if not asked.has_key:
        return KeyNeededError(
            f"{label} wants a key ({_shown(fault)}).", hint=f"Set one under Models, or: keys set {name}."
        )
    if fault.status == 403:
        return ProviderAuthError(
            f"{label} does not allow this key what was asked{asked.of_model} ({_shown(fault)}).",
            hint="Check what the key may do, or choose another model.",
        )
    return ProviderAuthError(
        f"{label} does not accept the key ({_shown(fault)}).", hint=f"Set it anew under Models, or: keys set {name}."
    )


def _missing_error(fault: Fault, asked: Asked) -> ProviderError:
    label = asked.service.label
    where = " Check its address too: it mostly ends in /v1." if is_typed(asked.service) else ""
    if not asked.model:
        return ModelMissingError(f"{label} has no list of models ({_shown(fault)}).", hint=f"Name the model.{where}")
    return ModelMissingError(
        f"{label} has no model '{asked.model}' ({_shown(fault)}).", hint=f"Choose one from its list of models.{where}"
    )


def _shown(fault: Fault) -> str:
    words = (word for word in fault.words if _SHOWN.fullmatch(word) and word not in _EMPTY_WORDS)
    return ", ".join([str(fault.status), *list(words)[:1]])


def _says(fault: Fault, sayings: tuple[str, ...]) -> bool:
    return any(saying in fault.said for saying in sayings)


def _pairs(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield every text and number of some JSON with the name it stands under; deep nests are left."""
    if isinstance(value, dict) and depth < 6:
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _pairs(inner, key, depth + 1)
    elif isinstance(value, list) and depth < 6:
        for inner in cast("list[Any]", value)[:50]:
            yield from _pairs(inner, name, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        text = str(value)
        # Some servers wrap the error of another one as text.
        if text.startswith(("{", "[")) and depth < 6:
            try:
                yield from _pairs(json.loads(text), name, depth + 1)
                return
            except ValueError:
                pass
        yield name, text
