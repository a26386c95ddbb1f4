"""The address of a public Git repository in, that of its newest files as an archive out. No history is fetched.

Every forge hands out the files of a commit as a packed tar, which the reader of archives keeps within its limits. Only
an address that says ``.git`` is taken for a repository; without that it is the page that a browser shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_ARCHIVES: Final[Mapping[str, str]] = {
    "github.com": "https://codeload.github.com/{path}/tar.gz/HEAD",
    "gitlab.com": "https://gitlab.com/{path}/-/archive/HEAD/{name}.tar.gz",
    "codeberg.org": "https://codeberg.org/{path}/archive/HEAD.tar.gz",
    "bitbucket.org": "https://bitbucket.org/{path}/get/HEAD.tar.gz",
    "git.sr.ht": "https://git.sr.ht/{path}/archive/HEAD.tar.gz",
}
_PATH: Final = re.compile(r"/((?:[\w.~-]{1,100}/){1,6}([\w.-]{1,100}))\.git/?")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository by its ``name``; ``archive_url`` gives the files of its newest commit."""

    name: str
    archive_url: str


def repository_of(url: str) -> Repository | None:
    """Tell which public repository an address names, or None; https only."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    pattern = _ARCHIVES.get((parts.hostname or "").removeprefix("www."))
    match = _PATH.fullmatch(parts.path)
    if parts.scheme != "https" or pattern is None or match is None or ".." in match[1].split("/"):
        return None
    return Repository(match[2], pattern.format(path=match[1], name=match[2]))
