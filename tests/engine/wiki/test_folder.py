"""A folder kept current: whole files, ours only, and hers never lost."""

from __future__ import annotations

from pytest import raises

from trisynapse_memory.errors import VaultError
from trisynapse_memory.wiki.folder import LEDGER, PageFolder, Written


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_files_are_written_in_their_folders(tmp_path):
    written = PageFolder(tmp_path / "out").write({"a.md": "One.\n", "Sources/b.md": "Zwei: ü\n"})
    assert written == Written(("Sources/b.md", "a.md"))
    assert (tmp_path / "out/Sources/b.md").read_bytes() == "Zwei: ü\n".encode()
    assert names(tmp_path / "out") == [LEDGER, "Sources/b.md", "a.md"]


def test_what_we_wrote_is_replaced_and_what_is_the_same_is_left_alone(tmp_path):
    folder = PageFolder(tmp_path)
    folder.write({"a.md": "One.", "b.md": "Two."})
    before = (tmp_path / "b.md").stat().st_mtime_ns
    assert folder.write({"a.md": "Other.", "b.md": "Two."}).ours == ("a.md", "b.md")
    assert (tmp_path / "a.md").read_text() == "Other."
    assert (tmp_path / "b.md").stat().st_mtime_ns == before


def test_a_file_of_hers_is_never_written_over(tmp_path):
    (tmp_path / "a.md").write_text("My own notes.")
    folder = PageFolder(tmp_path)
    assert folder.write({"a.md": "One.", "b.md": "Two."}) == Written(("b.md",), ("a.md",))
    (tmp_path / "b.md").write_text("Two, and mine.")
    assert folder.write({"a.md": "One.", "b.md": "Three."}) == Written((), ("a.md", "b.md"))
    assert (tmp_path / "a.md").read_text() == "My own notes."
    assert (tmp_path / "b.md").read_text() == "Two, and mine."


def test_inside_the_vault_her_edit_is_set_aside(tmp_path):
    folder = PageFolder(tmp_path, keep_edits=True)
    for number, name in enumerate(("a.edited.md", "a.edited-2.md")):
        folder.write({"a.md": f"One {number}."})
        (tmp_path / "a.md").write_text(f"My edit {number}.")
        assert folder.write({"a.md": "Two."}).set_aside == (name,)
        assert (tmp_path / name).read_text() == f"My edit {number}."
        assert (tmp_path / "a.md").read_text() == "Two."


def test_pages_that_are_no_more_go_and_hers_stay(tmp_path):
    folder = PageFolder(tmp_path, keep_edits=True)
    folder.write({"a.md": "One.", "b.md": "Two.", "c.md": "Three."})
    (tmp_path / "b.md").write_text("Edited.")
    (tmp_path / "notes.md").write_text("Hers.")
    assert folder.write({"c.md": "Three."}, prune=True).set_aside == ("b.edited.md",)
    assert names(tmp_path) == [LEDGER, "b.edited.md", "c.md", "notes.md"]


def test_without_prune_nothing_goes(tmp_path):
    folder = PageFolder(tmp_path)
    folder.write({"a.md": "One."})
    folder.write({"b.md": "Two."})
    assert names(tmp_path) == [LEDGER, "a.md", "b.md"]


def test_a_lost_or_broken_list_counts_every_file_as_hers(tmp_path):
    folder = PageFolder(tmp_path)
    folder.write({"a.md": "One.", "b.md": "Two."})
    (tmp_path / LEDGER).write_text("{broken")
    assert folder.write({"a.md": "One.", "b.md": "Other."}) == Written(("a.md",), ("b.md",))


def test_no_half_written_file_is_left(tmp_path):
    PageFolder(tmp_path).write({"a.md": "One."})
    assert not list(tmp_path.glob("*.tmp"))
    assert not list(tmp_path.glob(".*.tmp"))


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with raises(VaultError, match="cannot be written into 'file'"):
        PageFolder(tmp_path / "file").write({"a.md": "One."})
