"""Repositories are cloned shallow through the one door, from a real smart server on loopback; all else is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.git_site import Answer, GitSite
from trisynapse_memory.errors import (
    OfflineError,
    SourceDeniedError,
    SourceEmptyError,
    SourceError,
    SourceMissingError,
    SourceTooLargeError,
    SourceUnsupportedError,
)
from trisynapse_memory.preprocessing.archives.git_packs import GitPack
from trisynapse_memory.preprocessing.fetching import ServerStamp
from trisynapse_memory.preprocessing.web.git_protocol import is_git_address, refuse_other_ways
from trisynapse_memory.preprocessing.web.pages import Asking, page_behind
from trisynapse_memory.providers.egress import PageLimits

URL = "https://git.example.org/ann/light.git"
REFS = f"{URL}/info/refs?service=git-upload-pack"


@pytest.fixture
def site() -> Iterator[GitSite]:
    with GitSite() as opened:
        yield opened


def ask(site: GitSite, **more: object) -> Asking:
    return Asking(site.door(**more), pause=lambda seconds: None)


def test_the_newest_commit_alone_is_fetched(site, tmp_path):
    site.serve(URL, {"old.md": b"an old file"})
    newest = site.serve(URL, {"README.md": b"# Light", "notes/a.txt": b"A mirror turns."})
    page = page_behind(URL, ask(site))
    assert (page.fetched.filename, page.fetched.stamp.etag, page.asked_url) == ("light.pack", newest, URL)
    path = tmp_path / "light.pack"
    path.write_bytes(page.fetched.content)
    pack = GitPack(path, "light.pack")
    assert pack.about == (f"Git commit {newest}", "Committed 2023-11-14")
    assert {entry.path: content for entry, content in pack.contents()} == {
        "README.md": b"# Light",
        "notes/a.txt": b"A mirror turns.",
    }


def test_the_same_commit_is_not_sent_again(site):
    commit = site.serve(URL, {"README.md": b"# Light"})
    asking = Asking(site.door(), URL, ServerStamp(commit), lambda seconds: None)
    page = page_behind(URL, asking)
    assert page.fetched.is_unchanged
    assert page.fetched.stamp.etag == commit
    site.serve(URL, {"README.md": b"# More light"})
    assert not page_behind(URL, asking).fetched.is_unchanged


@pytest.mark.skipif(shutil.which("git") is None, reason="Git itself is not installed here")
def test_git_itself_serves_what_is_asked_of_it(site, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    told = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ["PATH"]}
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")

    def git(*words: str) -> str:
        done = subprocess.run(["git", *who, *words], cwd=work, env=told, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    text = "\n".join(f"Line {number} of the notes." for number in range(2_000))
    for version in ("an old sentence", "a new sentence"):
        (work / "notes.txt").write_text(f"{text}\n{version}\n")
        (work / "copy.txt").write_text(f"{version}\n{text}\n")  # Git sends it as a delta of the other
        git("add", "-A")
        git("commit", "-q", "-m", version)
    bare = tmp_path / "light.git"
    git("clone", "-q", "--bare", str(work), str(bare))
    site.serve_by_git(URL, bare)
    page = page_behind(URL, ask(site))
    assert page.fetched.stamp.etag == git("rev-parse", "HEAD")
    path = tmp_path / "light.pack"
    path.write_bytes(page.fetched.content)
    found = {entry.path: content for entry, content in GitPack(path, "light.pack").contents()}
    assert found == {name: (work / name).read_bytes() for name in ("copy.txt", "notes.txt")}


def test_every_request_stands_in_the_ledger(site):
    site.serve(URL, {"README.md": b"# Light"})
    door = site.door()
    page_behind(URL, Asking(door, pause=time.sleep))
    rows = door.ledger()
    assert len(rows) == len(site.asked) >= 2
    assert {row.purpose for row in rows} == {"fetch a source"}
    assert all(row.sent_bytes and row.received_bytes for row in rows)


def test_an_address_without_git_is_asked_only_where_no_page_is(site):
    plain = URL.removesuffix(".git")
    site.serve(plain, {"README.md": b"# Light"})
    assert page_behind(plain, ask(site)).fetched.filename == "light.pack"
    site.answers[plain] = Answer(headers={"Content-Type": "text/html"}, content=b"<html><p>A page.</p></html>")
    site.asked.clear()
    assert page_behind(plain, ask(site)).fetched.media_type == "text/html"
    assert site.asked == [plain]


def test_what_is_neither_page_nor_repository_is_missing(site):
    with pytest.raises(SourceMissingError, match="no such page"):
        page_behind("https://git.example.org/none", ask(site))
    with pytest.raises(SourceMissingError):
        page_behind(URL, ask(site))


def test_a_redirect_is_followed_and_checked_again(site):
    moved = "https://forge.example.org/ann/light.git"
    site.serve(moved, {"README.md": b"# Light"})
    target = f"{moved}/info/refs?service=git-upload-pack"
    site.answers[REFS] = Answer("301 Moved Permanently", {"Location": target})
    assert page_behind(URL, ask(site)).fetched.content.startswith(b"PACK")


@pytest.mark.parametrize(
    "address", ["http://10.0.0.7/x", "http://169.254.169.254/x", "http://[::1]/x", "http://0.0.0.0/x"]
)
def test_a_redirect_to_a_private_address_is_refused(site, address):
    site.answers[REFS] = Answer("302 Found", {"location": address})
    with pytest.raises(SourceDeniedError):
        page_behind(URL, ask(site))


def test_what_comes_unencrypted_is_not_believed(site):
    plain = "http://git.example.org/ann/light.git"
    site.serve(plain, {"README.md": b"# Light"})
    site.answers[REFS] = Answer("302 Found", {"Location": f"{plain}/info/refs?service=git-upload-pack"})
    with pytest.raises(SourceDeniedError, match="without encryption"):
        page_behind(URL, ask(site))


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_only_public_repositories_are_fetched(site, status):
    site.answers[REFS] = Answer(status, {"WWW-Authenticate": "Basic realm=git"})
    with pytest.raises(SourceDeniedError, match="only public ones") as caught:
        page_behind(URL, ask(site))
    assert "Clone it" in caught.value.hint


def test_a_repository_without_a_commit_says_so(site):
    site.serve_empty(URL)
    with pytest.raises(SourceEmptyError, match="no commit yet"):
        page_behind(URL, ask(site))


def test_what_is_larger_than_the_door_lets_in_is_refused_with_a_way_out(site):
    site.serve(URL, {f"{number}.bin": os.urandom(40_000) for number in range(10)})
    with pytest.raises(SourceTooLargeError, match="more than is fetched") as caught:
        page_behind(URL, ask(site, limits=PageLimits(max_bytes=100_000)))
    assert "Clone it" in caught.value.hint


def test_offline_nothing_is_asked(site):
    site.serve(URL, {"README.md": b"# Light"})
    with pytest.raises(OfflineError):
        page_behind(URL, ask(site, offline=True))
    assert site.asked == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"0000",
        b"001e# service=git-upload-pack\n0000",
        b"zzzz",
        b"001e# service=git-upload-pack\n0000ffff",
        b"\0" * 99,
    ],
)
def test_a_server_that_breaks_the_protocol_is_said_to(site, content):
    told = {"Content-Type": "application/x-git-upload-pack-advertisement"}
    site.answers[REFS] = Answer(headers=told, content=content)
    with pytest.raises(SourceError):
        page_behind(URL, ask(site))


def test_a_page_under_such_an_address_is_no_repository(site):
    site.answers[REFS] = Answer(headers={"Content-Type": "text/html"}, content=b"<html>")
    with pytest.raises(SourceUnsupportedError, match="by the protocol of Git"):
        page_behind(URL, ask(site))


@pytest.mark.parametrize(
    "address",
    [
        "git://git.example.org/ann/light.git",
        "ssh://git@example.org/ann/light.git",
        "git+ssh://git@example.org/light",
        "git@example.org:ann/light.git",
        "http://example.org/ann/light.git",
    ],
)
def test_other_ways_than_https_are_refused_with_a_hint(address):
    with pytest.raises(SourceUnsupportedError) as caught:
        refuse_other_ways(address)
    assert "https" in caught.value.hint


@pytest.mark.parametrize(
    "address", ["https://example.org/a.git", "notes.git", "/home/ann/light.git", "a@b.md", "C:\\x.git"]
)
def test_other_addresses_and_paths_pass(address):
    refuse_other_ways(address)


def test_what_an_address_says_of_itself():
    assert is_git_address("https://example.org/ann/light.git/")
    assert not is_git_address("https://example.org/ann/light.git?x=1")
    assert not is_git_address("https://example.org/ann/light")
    assert not is_git_address("https://[x.git")
