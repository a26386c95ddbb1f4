"""Repositories through the whole corridor: cloned shallow, read file by file, asked again by their commit."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.git_site import Answer, GitSite, Odd
from trisynapse_memory.pipelines.ingest import Ingest, Options
from trisynapse_memory.types import IngestResult, Kind, Outcome, SourceDetails, SourceInput

URL = "https://git.example.org/ann/light.git"
HERE = SourceInput(url=URL)
FILES = {
    "README.md": b"# Light\n\nFoucault measured the speed of light with a rotating mirror.",
    "notes/turbine.md": b"The air turbine was built by Froment.",
    ".env": b"KEY=1",
    "parts": Odd("submodule", b"1" * 40),
}


@pytest.fixture
def site() -> Iterator[GitSite]:
    with GitSite() as opened:
        yield opened


@pytest.fixture
def take(rooms, sandbox, site):
    """Take one address in; all its rows by their key."""
    online = replace(rooms, egress=site.door())

    def run(given: SourceInput = HERE) -> dict[str, IngestResult]:
        corridor = Ingest(online, sandbox, lambda progress: None)
        return {
            one.source_key or one.input: one for one in corridor.run((given,), Options(), threading.Event()).results
        }

    return run


def test_a_repository_becomes_sources_that_name_its_commit(take, site, rooms):
    commit = site.serve(URL, FILES)
    rows = take()
    kept = {key for key, one in rows.items() if one.status is Outcome.SUCCESS}
    assert kept == {URL, f"{URL}!/README.md", f"{URL}!/notes/turbine.md"}
    reasons = {one.reason for one in rows.values() if one.status is Outcome.SKIPPED}
    assert reasons == {"may hold a secret", f"a submodule (another repository, at commit {'1' * 12})"}
    assert commit in rooms.log.page(rows[URL].source_id, 1).text
    (record, *_) = rooms.log.of_source(rows[URL].source_id, Kind.SOURCE)
    assert isinstance(record.payload, SourceDetails)
    assert (record.payload.fetched.etag, record.payload.fetched.asked_url) == (commit, URL)
    assert not any("KEY=1" in one.text for one in rooms.log.of_kind(Kind.RAW_SOURCE))


def test_the_same_commit_is_unchanged_and_the_next_replaces_what_it_changes(take, site):
    site.serve(URL, FILES)
    first = take()
    again = take()
    assert [(one.status, one.reason) for one in again.values()] == [(Outcome.SKIPPED, "unchanged")]
    site.serve(URL, {**FILES, "README.md": b"# Light\n\nCornu measured it again in 1874."})
    rows = take()
    readme, turbine = f"{URL}!/README.md", f"{URL}!/notes/turbine.md"
    assert (rows[URL].version, rows[readme].version, rows[turbine].reason) == (2, 2, "unchanged")
    assert rows[readme].source_id != first[readme].source_id


@pytest.mark.parametrize("address", ["git://git.example.org/a.git", "git@git.example.org:ann/light.git"])
def test_another_way_than_https_is_refused_by_its_row(take, site, address):
    (row,) = take(SourceInput(path=address)).values()
    assert (row.status, row.error.code) == (Outcome.FAILED, "source.unsupported")
    assert "https" in row.error.hint
    assert site.asked == []


def test_a_login_is_asked_of_nobody(take, site):
    site.answers[f"{URL}/info/refs?service=git-upload-pack"] = Answer("401 Unauthorized")
    (row,) = take().values()
    assert (row.status, row.error.code) == (Outcome.FAILED, "source.denied")
    assert "only public ones" in row.error.message
