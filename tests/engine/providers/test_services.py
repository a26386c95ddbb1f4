"""The table of services, and the addresses she types."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from trisynapse_memory.errors import InvalidInputError, UnknownServiceError
from trisynapse_memory.providers.services import SERVICES, is_loopback, is_typed, own_service, service_named
from trisynapse_memory.types import Role


def test_what_is_remote_needs_a_key_and_an_encrypted_address_of_a_vendor() -> None:
    for service in SERVICES:
        assert service.is_remote == service.needs_key == bool(service.key_url)
        assert service.is_remote != is_loopback(service.base_url)
        assert service.is_remote != is_typed(service)
        assert urlsplit(service.base_url).scheme == ("https" if service.is_remote else "http")
    assert len({service.name for service in SERVICES}) == len(SERVICES)


def test_the_promised_services_are_there_with_their_roles() -> None:
    roles = {service.name: service.roles for service in SERVICES}
    assert {"openai", "anthropic", "gemini", "openrouter", "deepseek", "mistral", "ollama", "lm-studio", "vllm"} <= set(
        roles
    )
    assert Role.EMBEDDING not in roles["anthropic"]
    assert Role.VISION not in roles["deepseek"]
    assert all(Role.ANSWER in found for found in roles.values())


def test_a_name_that_is_not_there_lists_those_that_are() -> None:
    mine = own_service("My box", "box.example:8000")
    assert service_named("my-box", (mine,)) == mine
    with pytest.raises(UnknownServiceError, match="my-box") as caught:
        service_named("opnai", (mine,))
    assert "openai" in caught.value.hint


@pytest.mark.parametrize(
    ("typed", "url", "is_remote"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1", False),
        ("localhost:1234/", "http://localhost:1234/v1", False),
        ("http://[::1]:8080/v1/", "http://[::1]:8080/v1", False),
        ("127.9.9.9:1/api/v1", "http://127.9.9.9:1/api/v1", False),
        ("https://models.example.org/v1", "https://models.example.org/v1", True),
        ("http://192.168.1.5:8000/v1", "http://192.168.1.5:8000/v1", True),
        ("http://localhost.example.org", "http://localhost.example.org/v1", True),
        ("http://0.0.0.0:8000", "http://0.0.0.0:8000/v1", True),
        ("http://127.0.0.1.example.org", "http://127.0.0.1.example.org/v1", True),
    ],
)
def test_only_this_very_machine_is_not_remote(typed: str, url: str, is_remote: bool) -> None:
    service = own_service("My server", typed)
    assert (service.base_url, service.is_remote, service.needs_key) == (url, is_remote, False)
    assert is_typed(service)


def test_a_vendors_address_that_she_types_is_still_held_to_a_vendors_rules() -> None:
    assert not is_typed(own_service("Mine", "https://api.openai.com/v1/"))


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ftp://example.org",
        "http://",
        "http://user:secret@example.org",
        "http://x.example/v1?key=secret",
        "http://a:b:c",
    ],
)
def test_what_is_no_address_or_holds_a_secret_is_refused_and_not_repeated(typed: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        own_service("Mine", typed)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("label", ["", "  ", "!!", "OpenAI", "LM Studio"])
def test_a_name_that_is_empty_or_taken_is_refused(label: str) -> None:
    with pytest.raises(InvalidInputError):
        own_service(label, "http://127.0.0.1:1")


def test_a_name_is_made_of_the_label() -> None:
    service = own_service(" Büro: GPU-Server (2) ", "http://127.0.0.1:1")
    assert (service.name, service.label) == ("b-ro-gpu-server-2", "Büro: GPU-Server (2)")
