"""Archives: every file is taken in, or listed with the reason why not; bombs, odd names and damage cost themselves."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError, SourceUnsupportedError
from trisynapse_memory.preprocessing.archives import entries, names, tars, zips
from trisynapse_memory.preprocessing.loaders.archive import ArchiveLoader
from trisynapse_memory.types import PageVerdict


def zipped(path, files, **details):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = details.get(name, 0o100644) << 16
            made.writestr(entry, content)
    return path


def tarred(path, files, mode="w", extra=()):
    with tarfile.open(path, mode) as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
        for entry in extra:
            made.addfile(entry)
    return path


def read(path, password=None):
    document = ArchiveLoader().open(path, password)
    try:
        return document, list(document.members())
    finally:
        document.close()


def contents(path, password=None):
    return {one.key: one.content or one.skipped or (one.fault and one.fault.code) for one in read(path, password)[1]}


FILES = {"a.txt": b"One.", "sub/b.txt": b"Two.", "sub/deep/c.md": b"# Three"}


def test_a_zip_gives_its_list_as_text_and_its_files_as_members(tmp_path):
    path = zipped(tmp_path / "x.zip", FILES)
    document, members = read(path)
    ((page, _),) = document.pages(1)
    assert page.text == "a.txt\nsub/b.txt\nsub/deep/c.md"
    assert {one.key: one.content for one in members} == FILES
    assert {one.filename for one in members} == {"a.txt", "b.txt", "c.md"}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_a_tar_of_any_packing_gives_the_same(tmp_path, mode):
    path = tarred(tmp_path / "x.tar", FILES, mode)
    assert ArchiveLoader().suits(path.read_bytes()[:65_536], "anything") == 0.9
    assert contents(path) == FILES


@pytest.mark.parametrize(("pack", "suffix"), [(gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")])
def test_one_packed_file_is_an_archive_of_one(tmp_path, pack, suffix):
    path = tmp_path / f"notes.txt{suffix}"
    path.write_bytes(pack(b"A note."))
    assert contents(path) == {"notes.txt": b"A note."}


def test_names_that_lead_out_links_and_devices_are_listed_and_left_out(tmp_path):
    path = zipped(
        tmp_path / "x.zip",
        {"../../up.txt": b"1", "/etc/passwd": b"2", "C:\\win.ini": b"3", "link": b"a.txt", "dev": b"", "ok.txt": b"4"},
        link=0o120777,
        dev=0o060644,
    )
    assert contents(path) == {
        "../../up.txt": "its name leads out of the archive",
        "etc/passwd": "its name is absolute",
        "win.ini": "its name is absolute",
        "link": "symbolic link",
        "dev": "not a regular file",
        "ok.txt": b"4",
    }


def test_links_and_devices_of_a_tar_are_left_out(tmp_path):
    extra = []
    for name, kind in (("soft", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("pipe", tarfile.FIFOTYPE)):
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "a.txt"
        extra.append(entry)
    path = tarred(tmp_path / "x.tar", {"a.txt": b"One."}, extra=extra)
    assert contents(path) == {
        "a.txt": b"One.",
        "soft": "symbolic link",
        "hard": "a link to another file",
        "pipe": "not a regular file",
    }


def test_what_systems_leave_secrets_and_ignored_files_are_listed_once(tmp_path):
    files = {
        "__MACOSX/._a.txt": b"x", "__MACOSX/b/._c": b"x", "p/.DS_Store": b"x", "p/Thumbs.db": b"x", "p/~$a.docx": b"x",
        "p/.a.swp": b"x", "p/film.mkv.part": b"x", "p/id_rsa": b"x", "p/.gitignore": b"*.log\nout/\n", "p/a.log": b"x",
        "p/out/b.txt": b"x", "p/out/c.txt": b"x", "p/node_modules/d.js": b"x", "other/a.log": b"kept",
    }  # fmt: skip
    assert (
        contents(zipped(tmp_path / "x.zip", files))
        == contents(tarred(tmp_path / "x.tar", files))
        == {
            "__MACOSX": "left by a system or program",
            "p/.DS_Store": "left by a system or program",
            "p/Thumbs.db": "left by a system or program",
            "p/~$a.docx": "left by a system or program",
            "p/.a.swp": "left by a system or program",
            "p/film.mkv.part": "an unfinished download",
            "p/id_rsa": "may hold a secret",
            "p/.gitignore": "hidden",
            "p/a.log": "named in an ignore file",
            "p/out": "named in an ignore file",
            "p/node_modules": "folder 'node_modules' is left out",
            "other/a.log": b"kept",
        }
    )


def test_a_bomb_is_refused_by_what_it_claims_and_by_what_it_does(tmp_path, monkeypatch):
    zeros = zipped(tmp_path / "zeros.zip", {"zeros.bin": bytes(20 * 1024 * 1024), "a.txt": b"One."})
    found = read(zeros)[1]
    assert [one.fault.code for one in found if one.fault] == ["source.too_large"]
    assert "200 times" in found[0].fault.message
    assert [one.content for one in found if not one.fault] == [b"One."]
    monkeypatch.setattr(entries, "MEMBER_MAX_BYTES", 3)
    assert contents(zipped(tmp_path / "b.zip", {"big": b"1234", "small": b"12"})) == {
        "big": "source.too_large",
        "small": b"12",
    }


def test_a_packed_bomb_is_not_unpacked_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("trisynapse_memory.preprocessing.archives.packed.MEMBER_MAX_BYTES", 1000)
    path = tmp_path / "zeros.gz"
    path.write_bytes(gzip.compress(bytes(50_000_000)))
    assert contents(path) == {"zeros": "source.too_large"}


def test_the_whole_of_an_archive_has_a_limit_too(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "TOTAL_MAX_BYTES", 10)
    monkeypatch.setattr(tars, "TOTAL_MAX_BYTES", 10)
    files = {"a": b"123456", "b": b"123456", "c": b"1"}
    assert contents(zipped(tmp_path / "x.zip", files)) == {"a": b"123456", "b": "source.too_large", "c": b"1"}
    assert contents(tarred(tmp_path / "x.tar", files)) == {
        "a": b"123456",
        "b": "source.too_large",
        "...": "source.too_large",
    }


def test_more_files_than_the_limit_are_told_in_one_row(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "MAX_COUNT", 2)
    files = {"a": b"1", "b": b"2", "c": b"3", "d": b"4"}
    assert contents(zipped(tmp_path / "x.zip", files)) == {"a": b"1", "b": b"2", "...": "source.too_large"}


def test_a_zip_that_lies_about_a_size_gives_damage_not_bytes(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.txt": b"A longer text than it says." * 9, "b.txt": b"fine"})
    raw = bytearray(path.read_bytes())
    place = raw.index(b"PK\x01\x02")
    raw[place + 24 : place + 28] = struct.pack("<I", 5)
    path.write_bytes(raw)
    assert contents(path) == {"a.txt": "source.damaged", "b.txt": b"fine"}


def test_damage_inside_costs_one_file(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.txt": b"One." * 100, "b.txt": b"Two."})
    raw = bytearray(path.read_bytes())
    raw[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(raw)
    assert contents(path) == {"a.txt": "source.damaged", "b.txt": b"Two."}


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_that_is_cut_off_says_so(tmp_path, mode):
    path = tarred(tmp_path / "x.tar", {"a.txt": b"One.", "b.bin": bytes(range(256)) * 400}, mode)
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) * 2 // 3 if mode == "w" else len(raw) - 60])
    found = contents(path)
    assert found["a.txt"] == b"One."
    assert "source.damaged" in found.values()


def test_a_broken_header_in_a_tar_is_not_taken_for_its_end(tmp_path):
    path = tarred(tmp_path / "x.tar", FILES)
    raw = bytearray(path.read_bytes())
    raw[1024 + 148 : 1024 + 156] = b"garbage!"
    path.write_bytes(raw)
    assert contents(path) == {"a.txt": b"One.", "...": "source.damaged"}


def test_encrypted_files_need_their_password_one_by_one(tmp_path):
    path = tmp_path / "x.zip"
    path.write_bytes(encrypted_zip())
    assert contents(path) == {"open.txt": b"open words", "shut.txt": "source.password"}
    assert contents(path, "wrong") == {"open.txt": b"open words", "shut.txt": "source.password"}
    assert contents(path, "right") == {"open.txt": b"open words", "shut.txt": b"hidden words"}


def test_an_empty_archive_and_one_without_anything_wanted(tmp_path):
    with zipfile.ZipFile(tmp_path / "empty.zip", "w"):
        pass
    with pytest.raises(SourceEmptyError, match=r"empty\.zip"):
        ArchiveLoader().open(tmp_path / "empty.zip")
    document, members = read(zipped(tmp_path / "x.zip", {"__MACOSX/._a": b"1"}))
    ((page, _),) = document.pages(1)
    assert (page.verdict, [one.skipped for one in members]) == (PageVerdict.EMPTY, ["left by a system or program"])


@pytest.mark.parametrize(
    ("head", "kind"),
    [(b"7z\xbc\xaf\x27\x1c", "7z"), (b"Rar!\x1a\x07\x01\x00", "RAR"), (b"\x28\xb5\x2f\xfd", "Zstandard")],
)
def test_packings_that_are_not_read_say_what_to_do(tmp_path, head, kind):
    path = tmp_path / "x.bin"
    path.write_bytes(head + bytes(100))
    assert ArchiveLoader().suits(path.read_bytes(), "x.bin") > 0
    with pytest.raises(SourceUnsupportedError, match=f"{kind} archive.*Unpack it"):
        ArchiveLoader().open(path)


def test_the_first_half_of_a_zip_is_damaged(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a.txt": bytes(range(256)) * 50})
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(SourceDamagedError, match=r"x\.zip"):
        ArchiveLoader().open(path)


def test_names_of_old_programs_are_read_in_the_code_page_they_were_written_in(tmp_path):
    for written, page in (
        ("Übung für Äpfel.txt", "cp437"),
        ("論文のメモ.txt", "cp932"),
        ("über.txt", "utf-8"),
        ("한국어 논문.txt", "cp949"),
        ("研究论文.txt", "gb18030"),
    ):
        path = tmp_path / "x.zip"
        path.write_bytes(unmarked_zip(written.encode(page)))
        assert list(contents(path)) == [written]


def test_a_name_beside_the_old_one_wins_when_it_belongs_to_it(tmp_path):
    raw = "naïve.txt".encode("cp437")
    told = "ναΐβ.txt".encode()
    extra = struct.pack("<HHBI", 0x7075, 5 + len(told), 1, zips.zlib.crc32(raw)) + told
    path = tmp_path / "x.zip"
    path.write_bytes(unmarked_zip(raw, extra))
    assert list(contents(path)) == ["ναΐβ.txt"]


def test_two_files_of_one_name_are_two_members(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("a.txt", "one")
        with pytest.warns(UserWarning, match="Duplicate name"):
            made.writestr("a.txt", "two")
    assert contents(path) == {"a.txt": b"one", "a.txt#2": b"two"}


def test_the_folder_that_a_forge_names_after_the_commit_does_not_count(tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    files = {
        f"light-{commit}/a.txt": b"One.",
        f"light-{commit}/.gitignore": b"*.log",
        f"light-{commit}/sub/b.log": b"x",
    }
    path = tmp_path / "x.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, pax_headers={"comment": commit}) as made:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            made.addfile(entry, io.BytesIO(content))
    zipped(tmp_path / "x.zip", files)
    with zipfile.ZipFile(tmp_path / "x.zip", "a") as made:
        made.comment = commit.encode()
    for one in (path, tmp_path / "x.zip"):
        document, _ = read(one)
        ((page, _),) = document.pages(1)
        assert page.text == f"Git commit {commit}\na.txt"
        assert contents(one) == {"a.txt": b"One.", ".gitignore": "hidden", "sub/b.log": "named in an ignore file"}


@pytest.mark.parametrize(
    ("name", "path", "unsafe"),
    [
        ("a/./b//c.txt", "a/b/c.txt", ""),
        ("a\\b.txt", "a/b.txt", ""),
        ("\x00\u202eevil.txt", "\ufffd\ufffdevil.txt", ""),
        ("", "(no name)", ""),
        ("\udcff.txt", "?.txt", ""),
        ("x" * 2000, "x" * 1000, "its name is too long"),
        ("..\\up", "../up", "its name leads out of the archive"),
    ],
)
def test_a_name_is_made_safe_to_show(name, path, unsafe):
    assert names.clean_path(name) == (path, unsafe)


def encrypted_zip() -> bytes:
    """A zip with one plain and one encrypted file (ZipCrypto, password "right"), as APPNOTE.TXT 6.1 says."""
    crc = zips.zlib.crc32(b"hidden words")
    keys = [0x12345678, 0x23456789, 0x34567890]
    table = []
    for number in range(256):
        value = number
        for _ in range(8):
            value = (value >> 1) ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)

    def step(byte):
        keys[0] = table[(keys[0] ^ byte) & 255] ^ (keys[0] >> 8)
        keys[1] = ((keys[1] + (keys[0] & 255)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = table[(keys[2] ^ (keys[1] >> 24)) & 255] ^ (keys[2] >> 8)

    def encrypt(byte):
        near = (keys[2] | 2) & 0xFFFF
        pad = ((near * (near ^ 1)) >> 8) & 255
        step(byte)
        return byte ^ pad

    for byte in b"right":
        step(byte)
    packed = bytes(encrypt(byte) for byte in bytes(11) + bytes([crc >> 24]) + b"hidden words")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("open.txt", "open words")
        made.writestr("shut.txt", packed)
    raw = bytearray(buffer.getvalue())
    for sign, flags, sizes in ((b"PK\x03\x04", 6, 14), (b"PK\x01\x02", 8, 16)):
        place = raw.rindex(sign, 0, raw.rindex(b"shut.txt") if sign == b"PK\x01\x02" else raw.index(b"shut.txt"))
        raw[place + flags] |= 1
        raw[place + sizes : place + sizes + 12] = struct.pack("<III", crc, len(packed), len(b"hidden words"))
    return bytes(raw)


def unmarked_zip(name: bytes, extra: bytes = b"") -> bytes:
    """A zip of one file whose name is marked as nothing."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        entry = zipfile.ZipInfo("n" * len(name))
        entry.extra = extra
        made.writestr(entry, "words")
    return buffer.getvalue().replace(b"n" * len(name), name)
