"""A web address in, what lies behind it out: a paper, a repository, else the page. Videos are read elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from trisynapse_memory.errors import SourceEmptyError, SourceMissingError
from trisynapse_memory.preprocessing.fetching import NO_STAMP, Fetched, ServerStamp, fetch
from trisynapse_memory.preprocessing.urls import host_of
from trisynapse_memory.preprocessing.web.git_protocol import (
    GitDoor,
    fetch_repository,
    is_git_address,
    refuse_other_ways,
    serves_git,
)
from trisynapse_memory.preprocessing.web.papers import CATALOGUES, WebPage, paper_of, read_page, read_paper
from trisynapse_memory.preprocessing.web.repositories import repository_of


class Asking:
    """Fetches the addresses that one page is made of; it fulfils ``papers.Ask``.

    Args:
        egress: the door to the network.
        known_url: the address whose page she has, or empty.
        known: its stamp; the page is not sent again while it stands.
        pause: waits so many seconds before a busy server is asked again.
        probes: whether an address without a page is asked for a repository; not where many pages are fetched at once.
    """

    def __init__(
        self,
        egress: GitDoor,
        known_url: str = "",
        known: ServerStamp = NO_STAMP,
        pause: Callable[[float], object] = time.sleep,
        *,
        probes: bool = True,
    ) -> None:
        self._egress = egress
        self._known_url = known_url
        self._known = known
        self._pause = pause
        self._probes = probes

    def __call__(self, url: str, accept: str = "") -> Fetched:
        """Return what is there; see ``fetching.fetch`` for the errors."""
        known = self._known if url == self._known_url else NO_STAMP
        headers = {"Accept": accept} if accept else {}
        return fetch(url, self._egress, known=known, headers=headers, pause=self._pause)

    def repository(self, url: str) -> Fetched:
        """Return the files of a repository; see ``git_protocol.fetch_repository`` for the errors."""
        known = self._known.etag if url == self._known_url else ""
        return fetch_repository(url, self._egress, known, self._pause)

    def serves_git(self, url: str) -> bool:
        """Tell whether a repository is handed out there, if that may be asked; see ``git_protocol.serves_git``."""
        return self._probes and serves_git(url, self._egress)


def hosts_besides(url: str) -> tuple[str, ...]:
    """Return the hosts that are asked for what an address means, besides its own; redirects are not known before."""
    if (repository := repository_of(url)) is not None:
        return (host_of(repository.archive_url),)
    paper = paper_of(url)
    return () if paper is None else CATALOGUES[paper.scheme]


def page_behind(url: str, ask: Asking) -> WebPage:
    """Fetch what an address means to her.

    Raises:
        SourceError: it cannot be had; the message says why.
        InvalidInputError: it is no web address, or holds a user name or password.
        OfflineError: nothing may leave this machine.
    """
    if (repository := repository_of(url)) is not None:
        files = ask(repository.archive_url)
        return WebPage(replace(files, filename=f"{repository.name}.tar.gz"), repository.archive_url)
    refuse_other_ways(url)
    if is_git_address(url):
        return WebPage(ask.repository(url), url)
    paper = paper_of(url)
    return _page_or_repository(url, ask) if paper is None else read_paper(paper, url, ask)


def _page_or_repository(url: str, ask: Asking) -> WebPage:
    """Read a page; where there is none, a server of repositories alone may have one under that address."""
    try:
        return read_page(url, ask)
    except (SourceMissingError, SourceEmptyError):
        if not ask.serves_git(url):
            raise
    return WebPage(ask.repository(url), url)
