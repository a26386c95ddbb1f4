"""What an input is to the vault: identity by key and bytes, a folder in a fixed order, a decision for each case."""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from trisynapse_memory.errors import (
    InvalidInputError,
    SourceDamagedError,
    SourceDeniedError,
    SourceMissingError,
    SourceTooLargeError,
)
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.admission import (
    Admission,
    arrivals,
    as_input,
    decide,
    key_of,
    read_head,
    source_id_of,
)
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Namespace, SourceInput

HERE = Namespace()


@pytest.mark.parametrize("text", ["http://a.org/x", "https://a.org", "HTTPS://A.org"])
def test_an_address_is_a_url_and_everything_else_a_path(text: str):
    assert as_input(text) == SourceInput(url=text)
    assert as_input("httpx.txt") == SourceInput(path="httpx.txt")
    assert as_input(Path("a#b%20.pdf")) == SourceInput(path="a#b%20.pdf")


@pytest.mark.parametrize("given", [SourceInput(), SourceInput(path="a", text="b"), SourceInput(url="u", content=b"")])
def test_an_input_is_one_thing(given: SourceInput):
    with pytest.raises(InvalidInputError, match="exactly one"):
        as_input(given)


def test_an_empty_text_is_an_input_nevertheless():
    assert as_input(SourceInput(text="")).text == ""


def test_a_folder_gives_its_files_in_a_fixed_order_and_the_left_out_ones_with_their_reason(tmp_path: Path):
    for name in ("b.txt", "a.txt", ".hidden", "id_rsa"):
        (tmp_path / name).write_text(name)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "c.txt").write_text("c")
    given = SourceInput(path=str(tmp_path), title="Folder", source_key="k", collections=("x",), password="pw")
    found = list(arrivals((given,)))
    assert [(Path(one.label).name, bool(one.skipped)) for one in found] == [
        (".hidden", True),
        ("a.txt", False),
        ("b.txt", False),
        ("id_rsa", True),
        ("c.txt", False),
    ]
    taken = found[1].input
    assert (taken.filename, taken.collections, taken.password) == ("a.txt", ("x",), "pw")
    assert (taken.title, taken.source_key) == (None, None), "those belong to the folder, not to each file"


def test_a_missing_path_is_an_arrival_with_its_error_and_the_next_one_goes_on(tmp_path: Path):
    (tmp_path / "a.txt").write_text("a")
    missing, there = arrivals((SourceInput(path=str(tmp_path / "no.txt")), SourceInput(path=str(tmp_path / "a.txt"))))
    assert missing.error is not None
    assert missing.error.code == "source.missing"
    assert "no.txt" in missing.error.problem
    assert there.error is None


def test_a_name_that_is_no_text_is_named_and_costs_itself_only(tmp_path: Path):
    # A name with bytes that are no UTF-8 cannot be stored in the log or printed as JSON.
    try:
        Path(os.fsdecode(bytes(tmp_path / "a") + b"\xff.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system wants UTF-8 names")
    (tmp_path / "b.txt").write_text("b")
    bad, good = arrivals((SourceInput(path=str(tmp_path)),))
    assert bad.error is not None
    assert bad.error.code == "source.error"
    for text in (bad.label, bad.error.problem, bad.input.path or "", bad.input.filename or ""):
        text.encode("utf-8")
    assert good.error is None


def test_the_head_of_a_file_is_at_most_64_kib(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"x" * 100_000)
    assert len(read_head(tmp_path / "a", 10**6)) == 65_536


def test_a_file_beyond_the_limit_is_refused_with_both_numbers(tmp_path: Path):
    (tmp_path / "a.pdf").write_bytes(b"x" * 2000)
    with pytest.raises(SourceTooLargeError, match=r"'a\.pdf' has 2,000 bytes; the limit is 1,999"):
        read_head(tmp_path / "a.pdf", 1999)


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.EACCES, SourceDeniedError),
        (errno.ENOENT, SourceMissingError),
        (errno.EIO, SourceDamagedError),
        (errno.ELOOP, SourceDamagedError),
    ],
)
def test_whatever_keeps_a_file_from_being_read_is_an_error_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type
):
    (tmp_path / "a.txt").write_text("x")

    def broken(*_: object, **__: object):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "open", broken)
    with pytest.raises(error, match=r"a\.txt"):
        read_head(tmp_path / "a.txt", 100)


def test_the_key_is_what_she_gave_or_the_url_or_the_absolute_path_or_the_content(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert key_of(SourceInput(path="a.txt", source_key="mine"), "h") == "mine"
    assert key_of(SourceInput(url="https://a.org/x?utm=1"), "h") == "https://a.org/x?utm=1"
    assert key_of(SourceInput(path="a.txt"), "h") == str(tmp_path / "a.txt")
    assert key_of(SourceInput(text="x", filename="n.txt"), "0123456789abcdef99") == "upload:n.txt:0123456789abcdef"


def test_a_composed_and_a_decomposed_name_are_one_key():
    one, other = (
        key_of(SourceInput(path=f"/p/{unicodedata.normalize(form, 'Relevé')}.pdf"), "h") for form in ("NFC", "NFD")
    )
    assert one == other


def test_the_source_id_depends_on_namespace_key_and_bytes():
    base = source_id_of(HERE, "k", "h")
    assert base == source_id_of(Namespace(), "k", "h")
    assert len(base) == 24
    others = {
        source_id_of(Namespace(user_id="u"), "k", "h"),
        source_id_of(HERE, "l", "h"),
        source_id_of(HERE, "k", "i"),
    }
    assert len(others | {base}) == 4
    # A separator inside a key must not make two keys one.
    assert source_id_of(HERE, 'a", "b', "h") != source_id_of(HERE, "a", 'b", "h')


@pytest.fixture
def taken(take: Callable, rooms: Rooms) -> Callable[..., object]:
    def build(text: str, key: str = "k") -> object:
        (result,) = take(SourceInput(text=text, filename="a.txt", source_key=key)).results
        return rooms.shelf.get(result.source_id)

    return build


def admission(rooms: Rooms, content_hash: str, key: str = "k", namespace: Namespace = HERE) -> Admission:
    return decide(rooms.shelf, namespace, key, content_hash).admission


def test_new_unchanged_changed_duplicate_and_restored(rooms: Rooms, taken: Callable):
    assert admission(rooms, "h") is Admission.NEW
    first = taken("one")
    assert admission(rooms, first.content_hash) is Admission.UNCHANGED
    assert admission(rooms, "h") is Admission.CHANGED
    assert admission(rooms, first.content_hash, key="other") is Admission.DUPLICATE
    assert admission(rooms, first.content_hash, namespace=Namespace(user_id="u")) is Admission.NEW
    second = taken("two")
    assert admission(rooms, first.content_hash) is Admission.RESTORED
    decision = decide(rooms.shelf, HERE, "k", first.content_hash)
    assert (decision.version, decision.current, decision.known.source_id) == (1, second, first.source_id)
    assert decide(rooms.shelf, HERE, "k", "h").version == 3


def test_a_forgotten_source_that_is_added_again_is_restored(rooms: Rooms, taken: Callable):
    source = taken("one")
    lifecycle.forget_source(rooms.log, rooms.shelf, source.source_id, "no")
    assert admission(rooms, source.content_hash) is Admission.RESTORED


def test_half_a_source_is_resumed_whatever_became_of_it_since(rooms: Rooms, take: Callable, sandbox):
    sandbox.die_after = 0
    with pytest.raises(KeyboardInterrupt):
        take(SourceInput(text="one", filename="a.txt", source_key="k"))
    (half,) = rooms.shelf.versions("k", HERE)
    assert admission(rooms, half.content_hash) is Admission.RESUMED
    lifecycle.forget_source(rooms.log, rooms.shelf, half.source_id, "no")
    assert admission(rooms, half.content_hash) is Admission.RESUMED


def test_a_list_of_inputs_is_no_input():
    with pytest.raises(InvalidInputError, match="A list is no source"):
        as_input([SourceInput(text="one")])  # type: ignore[arg-type]
