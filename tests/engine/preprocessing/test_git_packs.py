"""Packs of one commit: files as their folders list them, what is no file named, and nothing unpacked that is a trap."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path

import pytest
from dulwich.repo import MemoryRepo

from tests.git_site import Odd, commit
from trisynapse_memory.errors import SourceDamagedError, SourceTooLargeError
from trisynapse_memory.preprocessing.archives import git_packs
from trisynapse_memory.preprocessing.archives.git_packs import GitPack
from trisynapse_memory.preprocessing.loaders.archive import ArchiveLoader

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 9000000\n"


def pack_of(objects: list[tuple[int, bytes]], stated: dict[int, int] | None = None) -> bytes:
    """A pack as gitformat-pack has it; ``stated`` gives another size than the true one for an object."""
    made = [b"PACK", struct.pack(">II", 2, len(objects))]
    for number, (kind, content) in enumerate(objects):
        size = (stated or {}).get(number, len(content))
        byte, size = (kind << 4) | (size & 15), size >> 4
        while size:
            made.append(bytes([byte | 0x80]))
            byte, size = size & 0x7F, size >> 7
        made += [bytes([byte]), zlib.compress(content)]
    body = b"".join(made)
    return body + hashlib.sha1(body).digest()


def sha(kind: str, content: bytes) -> bytes:
    return hashlib.sha1(f"{kind} {len(content)}\0".encode() + content).digest()


def tree_of(*entries: tuple[str, bytes, bytes]) -> bytes:
    return b"".join(mode.encode() + b" " + name + b"\0" + target for mode, name, target in entries)


def commit_of(tree: bytes) -> bytes:
    who = b"Ann <ann@example.org> 1700000000 +0000"
    return b"tree " + sha("tree", tree).hex().encode() + b"\nauthor " + who + b"\ncommitter " + who + b"\n\nm\n"


@pytest.fixture
def opened(tmp_path: Path):
    def open_pack(content: bytes) -> GitPack:
        path = tmp_path / "x.pack"
        path.write_bytes(content)
        return GitPack(path, "x.pack")

    return open_pack


@pytest.fixture
def written(opened):
    """A repository's files as the pack of its commit."""

    def write(files: dict[str, bytes | Odd]) -> GitPack:
        repo = MemoryRepo()
        commit(repo, files)
        objects = [(one.type_num, one.as_raw_string()) for key in repo.object_store for one in [repo.object_store[key]]]
        return opened(pack_of(objects))

    return write


def told(pack: GitPack) -> dict[str, object]:
    found: dict[str, object] = {one.path: one.skipped or (one.fault and one.fault.code) for one in pack.entries}
    return found | {entry.path: content for entry, content in pack.contents()}


def test_what_is_no_file_is_named_with_its_reason(written):
    files = {
        "README.md": b"# Light",
        "same.md": b"# Light",
        "link": Odd("link", b"/etc/passwd"),
        "parts": Odd("submodule", b"1" * 40),
        "scan.bin": POINTER,
        ".env": b"KEY=1",
        "deploy/key.pem": b"secret",
        ".gitignore": b"drafts/\n",
        "drafts/a.md": b"not yet",
        "notes/.gitignore": b"*.log\n",
        "notes/run.log": b"much",
        "notes/a.md": b"A mirror turns.",
    }
    assert told(written(files)) == {
        "README.md": b"# Light",
        "same.md": b"# Light",
        "notes/a.md": b"A mirror turns.",
        "link": "symbolic link",
        "parts": f"a submodule (another repository, at commit {'1' * 12})",
        "scan.bin": "kept outside the repository (Git LFS)",
        ".env": "may hold a secret",
        "deploy/key.pem": "may hold a secret",
        "drafts": "named in an ignore file",
        "notes/run.log": "named in an ignore file",
        ".gitignore": "hidden",
        "notes/.gitignore": "hidden",
    }


@pytest.mark.parametrize("name", [b"..", b"../../etc/cron", b"/etc/passwd", b"a\\..\\..\\b", b"C:\\x"])
def test_a_name_that_leads_out_is_refused(opened, name):
    blob = b"hostile words"
    tree = tree_of(("100644", name, sha("blob", blob)))
    (entry,) = opened(pack_of([(1, commit_of(tree)), (2, tree), (3, blob)])).entries
    assert entry.skipped in ("its name leads out of the archive", "its name is absolute")


def test_folders_that_hold_themselves_many_times_over_end(opened):
    blob = b"x"
    trees = [tree_of(*(("100644", b"f%d" % number, sha("blob", blob)) for number in range(10)))]
    for _ in range(12):
        below = sha("tree", trees[-1])
        trees.append(tree_of(*(("40000", b"d%d" % number, below) for number in range(10))))
    pack = opened(pack_of([(1, commit_of(trees[-1])), *((2, tree) for tree in trees), (3, blob)]))
    assert pack.entries[-1].fault.code == "source.too_large"
    assert len(pack.entries) <= 10_002


def test_a_file_that_unpacks_to_too_much_is_not_unpacked(opened, monkeypatch):
    monkeypatch.setattr(git_packs, "MEMBER_MAX_BYTES", 1_000_000)
    blob = bytes(2_000_000)
    tree = tree_of(("100644", b"zeros", sha("blob", blob)))
    with pytest.raises(SourceTooLargeError, match="unpacks to more"):
        opened(pack_of([(1, commit_of(tree)), (2, tree), (3, blob)]))


def test_a_delta_that_grows_too_much_is_not_applied(opened, monkeypatch):
    monkeypatch.setattr(git_packs, "MEMBER_MAX_BYTES", 1_000_000)
    base = b"y" * 65_536
    tree = tree_of(("100644", b"a", sha("blob", base)))
    size = 64 * 65_536  # what the delta makes: the base 64 times over
    head = bytes([0x80, 0x80, 0x04]) + bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, 1])
    delta = head + b"\x80" * 64
    body = pack_of([(1, commit_of(tree)), (2, tree), (3, base)])[:-20]
    packed = zlib.compress(delta)
    body = body[:8] + struct.pack(">I", 4) + body[12:]
    body += bytes([0xF0 | len(delta) & 15, len(delta) >> 4]) + sha("blob", base) + packed
    with pytest.raises(SourceTooLargeError, match="unpacks to more"):
        opened(body + hashlib.sha1(body).digest())


@pytest.mark.parametrize("size", [3, 5_000_000])
def test_an_object_that_lies_about_its_size_is_damage(opened, size):
    blob = b"twelve bytes"
    tree = tree_of(("100644", b"a", sha("blob", blob)))
    with pytest.raises(SourceDamagedError):
        opened(pack_of([(1, commit_of(tree)), (2, tree), (3, blob)], {2: size}))


def test_a_file_that_was_not_sent_is_a_fault_of_its_own(opened):
    here, away = b"here", b"never sent"
    tree = tree_of(("100644", b"a", sha("blob", here)), ("100644", b"b", sha("blob", away)))
    found = dict(opened(pack_of([(1, commit_of(tree)), (2, tree), (3, here)])).contents())
    assert {entry.path: getattr(content, "code", content) for entry, content in found.items()} == {
        "a": here,
        "b": "source.damaged",
    }


@pytest.mark.parametrize("commits", [0, 2])
def test_only_packs_of_one_commit_are_read(opened, commits):
    tree = tree_of()
    told = [(1, commit_of(tree) + b"%d" % number) for number in range(commits)]
    with pytest.raises(SourceDamagedError, match="one commit"):
        opened(pack_of([*told, (2, tree)]))


@pytest.mark.parametrize("cut", range(4, 160, 13))
def test_a_broken_pack_is_damage_and_nothing_else(opened, cut):
    blob = b"some words " * 20
    tree = tree_of(("100644", b"a", sha("blob", blob)))
    whole = pack_of([(1, commit_of(tree)), (2, tree), (3, blob)])
    for content in (whole[:cut], whole[:cut] + b"\xff" + whole[cut + 1 :]):
        try:
            told(opened(content))
        except SourceDamagedError:
            continue


def test_the_loader_of_archives_takes_packs(tmp_path):
    blob = b"# Light"
    tree = tree_of(("100644", b"README.md", sha("blob", blob)))
    path = tmp_path / "light.pack"
    path.write_bytes(pack_of([(1, commit_of(tree)), (2, tree), (3, blob)]))
    assert ArchiveLoader().suits(path.read_bytes()[:100], "x") == 0.9
    document = ArchiveLoader().open(path)
    ((page, _),) = document.pages(1)
    commit_id = sha("commit", commit_of(tree)).hex()
    assert page.text == f"Git commit {commit_id}\nCommitted 2023-11-14\nREADME.md"
    assert [(one.key, one.content) for one in document.members()] == [("README.md", blob)]
