"""Which addresses are public, and which a request may lead to."""

from __future__ import annotations

import pytest

from trisynapse_memory.errors import InvalidInputError, ProviderAddressError, SourceDeniedError
from trisynapse_memory.providers.network.addresses import (
    AllowList,
    Target,
    check_page,
    check_service,
    host_of,
    is_public,
    service_target_of,
    target_of,
)

PUBLIC, PRIVATE, LOOPBACK = "93.184.216.34", "10.0.0.1", "127.0.0.1"
NOBODY = AllowList()


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::a00:1", "ff02::1", "none", ""],
)  # fmt: skip
def test_private_and_special_addresses_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"]
)
def test_ordinary_addresses_are_public(address):
    assert is_public(address)


def test_an_address_is_read_into_scheme_host_and_port():
    assert target_of("HTTPS://Models.Example/v1?a=b") == Target("https", "models.example", 443)
    assert target_of("http://[::1]:11434/api") == Target("http", "::1", 11434)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "a.example", "http://", "http://h:port/", "http://[x"])
def test_what_is_no_web_address_is_refused_in_the_words_of_the_caller(url):
    with pytest.raises(InvalidInputError):
        target_of(url)
    with pytest.raises(ProviderAddressError):
        service_target_of(url)


def test_a_password_in_an_address_is_never_repeated():
    for read in (target_of, service_target_of):
        with pytest.raises((InvalidInputError, ProviderAddressError)) as caught:
            read("https://ann:hunter2@a.example/")
        assert "hunter2" not in str(caught.value)
    assert host_of("https://ann:hunter2@a.example/path?key=1") == "a.example"
    assert host_of("http://[broken") == "(no host)"


def test_a_page_may_not_lead_to_a_private_network_not_even_with_one_of_its_addresses():
    page = Target("https", "a.example", 443)
    check_page(page, (PUBLIC,), NOBODY)
    for addresses in ((PRIVATE,), (PUBLIC, PRIVATE)):
        with pytest.raises(SourceDeniedError):
            check_page(page, addresses, NOBODY)
    check_page(page, (PUBLIC, LOOPBACK), AllowList([LOOPBACK]))


@pytest.mark.parametrize(
    ("scheme", "addresses", "is_typed", "is_let_through"),
    [
        ("https", (PUBLIC,), False, True),
        ("https", (PUBLIC,), True, True),
        ("http", (PUBLIC,), True, False),
        ("http", (PUBLIC,), False, False),
        ("http", (LOOPBACK,), True, True),
        ("http", (PRIVATE, "fe80::1%eth0"), True, True),
        ("http", (LOOPBACK, PUBLIC), True, False),
        ("https", (PRIVATE,), False, False),
        ("https", (PUBLIC, PRIVATE), False, False),
        ("http", (LOOPBACK,), False, False),
    ],
)
def test_a_service_is_reached_encrypted_or_at_a_local_address_she_typed(scheme, addresses, is_typed, is_let_through):
    target = Target(scheme, "models.example", 443)
    if is_let_through:
        check_service(target, addresses, is_typed, NOBODY)
    else:
        with pytest.raises(ProviderAddressError):
            check_service(target, addresses, is_typed, NOBODY)


def test_an_allowed_address_lets_no_other_one_through_with_it():
    target = Target("http", "models.example", 80)
    allowed = AllowList([LOOPBACK])
    check_service(target, (LOOPBACK,), False, allowed)
    for other in (PUBLIC, PRIVATE):
        with pytest.raises(ProviderAddressError):
            check_service(target, (LOOPBACK, other), False, allowed)
    with pytest.raises(SourceDeniedError):
        check_page(target, (LOOPBACK, PRIVATE), allowed)


def test_the_allow_list_holds_networks_and_nothing_that_is_no_address():
    allowed = AllowList(["10.0.0.0/8", "::1"])
    assert PRIVATE in allowed
    assert "::1%lo" in allowed
    assert LOOPBACK not in allowed
    assert "a.example" not in allowed
