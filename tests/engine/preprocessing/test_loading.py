"""Content chooses the loader, messages name what a file seems to be (R7), folders are listed in order (A5)."""

from __future__ import annotations

import os

import pytest

from trisynapse_memory.branches import BRANCHES, Branch
from trisynapse_memory.errors import SourceDeniedError, SourceEmptyError, SourceMissingError, SourceUnsupportedError
from trisynapse_memory.preprocessing import loading
from trisynapse_memory.registry import Registry

OURS = Registry(
    tuple(row for row in BRANCHES if row.kind == "loader" and row.name in ("bookmarks", "html", "text")), guests=False
)
PAGE = b"<!DOCTYPE html><html><head><title>T</title></head><body><p>Hi.</p></body></html>"


@pytest.mark.parametrize(
    ("head", "filename", "name"),
    [
        (PAGE, "page.html", "html"),
        (PAGE, "no-ending", "html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><!-- saved --><html></html>", "x", "html"),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>", "bookmarks.html", "bookmarks"),
        (b"# Title\n", "note.md", "text"),
        (b"plain words", "README", "text"),
        ("plain words".encode("utf-16"), "notes.txt", "text"),
        (b"```html\n<!doctype html>\n```\n", "note.md", "text"),
    ],
)
def test_content_chooses_the_loader(head, filename, name):
    assert loading.choose_loader(head, filename, OURS) == name


def test_a_file_without_bytes_says_so():
    with pytest.raises(SourceEmptyError, match=r"'paper\.pdf' is empty"):
        loading.choose_loader(b"", "folder/paper.pdf", OURS)


def test_text_renamed_to_pdf_fails_and_says_what_it_holds():
    with pytest.raises(SourceUnsupportedError, match=r"'paper\.pdf' is named like a PDF file, but holds plain text"):
        loading.choose_loader(b"just words", "paper.pdf", OURS)


def test_a_web_page_saved_as_pdf_fails_and_says_what_it_holds():
    with pytest.raises(SourceUnsupportedError, match="but holds a web page"):
        loading.choose_loader(PAGE, "paper.pdf", OURS)


def test_an_unreadable_format_is_named():
    with pytest.raises(SourceUnsupportedError, match="Portable Network Graphics"):
        loading.choose_loader(b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "figure.png", OURS)
    with pytest.raises(SourceUnsupportedError, match="unknown binary format"):
        loading.choose_loader(b"\0\1\2\3\4\5\6" * 9, "mystery.bin", OURS)


def test_a_missing_package_is_named_in_the_hint():
    rows = (Branch("loader", "odd", "no_such_package_at_all.loader:Odd", ("no_such_package_at_all",)),)
    with pytest.raises(SourceUnsupportedError) as caught:
        loading.choose_loader(b"\0\1\2" * 9, "a.odd", Registry(rows, guests=False))
    assert "no_such_package_at_all" in caught.value.hint


def test_ties_fall_to_the_earlier_row():
    row = next(row for row in BRANCHES if row.name == "text")
    rows = (Branch("loader", "first", row.target), Branch("loader", "second", row.target))
    assert loading.choose_loader(b"words", "a.txt", Registry(rows, guests=False)) == "first"
    assert loading.choose_loader(b"words", "a.txt", Registry(rows[::-1], guests=False)) == "second"


@pytest.mark.parametrize(
    ("head", "filename", "found"),
    [
        (b"%PDF-1.7\n", "x.txt", "application/pdf"),
        (PAGE, "paper.pdf", "text/html"),
        (b"# T", "a.MD", "text/markdown"),
        (b"words", "a", "text/plain"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "a.txt", "image/png"),
        (b"\0\1\2\3" * 20, "a.bin", "application/octet-stream"),
        (b"", "a.txt", "application/octet-stream"),
    ],
)
def test_the_media_type_is_judged_by_content(head, filename, found):
    assert loading.media_type(head, filename) == found


def tree(root, *names):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("words")


def listed(root):
    return {found.relative: found.skipped for found in loading.expand(root)}


def test_a_file_gives_itself_and_nothing_gives_an_error(tmp_path):
    tree(tmp_path, "a.txt")
    assert [found.relative for found in loading.expand(tmp_path / "a.txt")] == ["a.txt"]
    with pytest.raises(SourceMissingError):
        list(loading.expand(tmp_path / "nothing"))


def test_a_folder_is_listed_in_a_fixed_order_whole_folders_at_a_time(tmp_path):
    tree(tmp_path, "b.txt", "a/2.txt", "a/1.txt", "c/x.txt")
    assert list(listed(tmp_path)) == ["a/1.txt", "a/2.txt", "b.txt", "c/x.txt"]


def test_tool_folders_secrets_and_hidden_files_are_left_out_with_their_reason(tmp_path):
    tree(tmp_path, ".git/config", "node_modules/x/y.js", ".env", "id_rsa", "server.PEM", ".hidden/a.txt", "paper.txt")
    assert listed(tmp_path) == {
        ".env": "may hold a secret",
        ".git": "folder '.git' is left out",
        ".hidden": "hidden",
        "id_rsa": "may hold a secret",
        "node_modules": "folder 'node_modules' is left out",
        "paper.txt": "",
        "server.PEM": "may hold a secret",
    }


def test_symbolic_links_are_not_followed(tmp_path):
    tree(tmp_path, "real/a.txt")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "alias.txt").symlink_to(tmp_path / "real/a.txt")
    assert listed(tmp_path) == {"alias.txt": "symbolic link", "loop": "symbolic link", "real/a.txt": ""}


def test_a_pipe_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert listed(tmp_path) == {"pipe": "not a regular file"}


def test_ignore_files_follow_the_rules_of_git(tmp_path):
    tree(tmp_path, "keep.log", "drop.log", "drafts/a.txt", "sub/deep/b.log", "sub/mine.txt", "sub/other.txt")
    (tmp_path / ".gitignore").write_text("# comment\n*.log\n!keep.log\ndrafts/\n!\n")
    (tmp_path / "sub/.trisynapseignore").write_text("/mine.txt\n")
    found = {name: reason for name, reason in listed(tmp_path).items() if not name.endswith("ignore")}
    named = "named in an ignore file"
    assert found == {
        "drafts": named,
        "drop.log": named,
        "keep.log": "",
        "sub/deep/b.log": named,
        "sub/mine.txt": named,
        "sub/other.txt": "",
    }


def test_names_in_any_form_of_unicode_come_back_as_they_are(tmp_path):
    name = "Releve\u0301 \U0001f600.txt"  # case R18
    tree(tmp_path, name)
    assert [found.path.name for found in loading.expand(tmp_path)] == [name]


def test_an_unreadable_folder_is_an_entry_and_the_rest_goes_on(tmp_path, monkeypatch):
    tree(tmp_path, "a/x.txt", "b/y.txt")
    original = type(tmp_path).iterdir

    def iterdir(self):
        if self.name == "a":
            raise PermissionError(13, "Permission denied")
        return original(self)

    monkeypatch.setattr(type(tmp_path), "iterdir", iterdir)
    first, second = loading.expand(tmp_path)
    assert first.relative == "a"
    assert isinstance(first.error, SourceDeniedError)
    assert (second.relative, second.error) == ("b/y.txt", None)


def test_a_vault_inside_a_folder_is_not_taken_in(tmp_path):
    vault = tmp_path / "my.vault"
    vault.mkdir()
    (vault / "vault.toml").write_text("format_version = 1\n")
    (tmp_path / "paper.txt").write_text("words")
    found = {entry.relative: entry.skipped for entry in loading.expand(tmp_path)}
    assert found == {"my.vault": "a vault of its own", "paper.txt": ""}
