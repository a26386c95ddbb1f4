"""Case R23: what counts as the same page, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.preprocessing.urls import canonical, host_of, scheme_of

SAME = [
    ("http://example.org/a", "https://example.org/a"),
    ("https://www.example.org/a", "https://example.org/a"),
    ("https://example.org/a/", "https://example.org/a"),
    ("https://example.org", "https://example.org/"),
    ("https://example.org/a#part-2", "https://example.org/a"),
    ("https://example.org/a?utm_source=x&utm_medium=y", "https://example.org/a"),
    ("https://example.org/a?id=7&UTM_campaign=z&fbclid=q", "https://example.org/a?id=7"),
    ("HTTPS://Example.ORG:443/a", "https://example.org/a"),
    ("https://example.org/%7Eann/caf%c3%a9", "https://example.org/~ann/café"),
    ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
    ("  https://example.org/a  ", "https://example.org/a"),
]
DIFFERENT = [
    ("https://example.org/watch?v=1", "https://example.org/watch?v=2"),
    ("https://example.org/a?id=7", "https://example.org/a"),
    ("https://example.org/A", "https://example.org/a"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org:8080/a", "https://example.org/a"),
    ("https://example.org/#/inbox", "https://example.org/#/sent"),
    ("https://one.example/a", "https://two.example/a"),
    ("https://example.org/a?q=utm_source", "https://example.org/a?q=other"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_page_under_two_addresses_is_a_duplicate(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_pages_are_no_duplicate(one, other):
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "place:sort=8", "not an address", "", "http://[broken", "mailto:a@b.c"]
)
def test_what_is_no_web_address_stays_as_it_is(url):
    assert canonical(url) == url


@given(st.text(max_size=80))
def test_the_canonical_form_of_anything_is_stable(rest):
    once = canonical("https://example.org/" + rest)
    assert canonical(once) == once
    canonical(rest), host_of(rest), scheme_of(rest)


def test_scheme_and_host_are_read_without_regard_to_case():
    assert scheme_of(" JavaScript:void(0)") == "javascript"
    assert host_of("https://WWW.Example.org:80/a") == "www.example.org"
    assert host_of("relative/path") == ""
    assert scheme_of("relative/path") == ""
