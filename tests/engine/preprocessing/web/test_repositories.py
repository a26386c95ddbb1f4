"""Addresses of public repositories, and nothing else, lead to the archive of their newest files."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.web.repositories import Repository, repository_of


@pytest.mark.parametrize(
    ("url", "name", "archive"),
    [
        ("https://github.com/ann/light.git", "light", "https://codeload.github.com/ann/light/tar.gz/HEAD"),
        (
            "https://www.github.com/ann/light.js.git/",
            "light.js",
            "https://codeload.github.com/ann/light.js/tar.gz/HEAD",
        ),
        ("https://gitlab.com/a/b/c.git", "c", "https://gitlab.com/a/b/c/-/archive/HEAD/c.tar.gz"),
        ("https://codeberg.org/ann/light.git", "light", "https://codeberg.org/ann/light/archive/HEAD.tar.gz"),
        ("https://git.sr.ht/~ann/light.git", "light", "https://git.sr.ht/~ann/light/archive/HEAD.tar.gz"),
    ],
)
def test_a_repository_leads_to_its_files(url, name, archive):
    assert repository_of(url) == Repository(name, archive)


@pytest.mark.parametrize(
    "url",
    [
        "http://github.com/ann/light.git",
        "https://github.com/ann/light",
        "https://github.com/ann.git",
        "https://github.com/ann/../x.git",
        "https://evil.example/github.com/ann/light.git",
        "https://github.com.evil.example/ann/light.git",
        "git://github.com/ann/light.git",
        "https://[x",
    ],
)
def test_other_addresses_are_pages(url):
    assert repository_of(url) is None
