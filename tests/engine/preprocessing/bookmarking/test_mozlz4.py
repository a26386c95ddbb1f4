"""The frame around Firefox backups: literals, matches that overlap, and blocks that lie about themselves."""

from __future__ import annotations

import pytest

from tests.engine.preprocessing.bookmarking.bookmark_cases import jsonlz4
from trisynapse_memory.preprocessing.bookmarking.mozlz4 import decompress


def framed(size: int, block: bytes) -> bytes:
    return b"mozLz40\0" + size.to_bytes(4, "little") + block


@pytest.mark.parametrize("size", [1, 14, 15, 16, 269, 270, 271, 70_000])
def test_literals_of_any_length_are_read(size):
    content = bytes(number % 251 for number in range(size))
    assert decompress(jsonlz4(content)) == content


def test_a_match_may_reach_into_what_it_makes():
    # "ab", then 10 bytes from 2 back, then "!" as the last literals.
    assert decompress(framed(13, b"\x26ab\x02\x00\x10!")) == b"ab" * 6 + b"!"


def test_a_long_match_goes_on_in_further_bytes():
    # "a", then 4 + 15 + 255 + 1 bytes from 1 back, then "b".
    assert decompress(framed(277, b"\x1fa\x01\x00\xff\x01\x10b")) == b"a" * 276 + b"b"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"other",
        framed(2**32 - 1, b"\x10a"),
        framed(5, b"\x10a"),
        framed(5, b"\x50a"),
        framed(9, b"\x14a\x02\x00"),
        framed(9, b"\x14a\x00\x00"),
        framed(5, b"\x1fa\x01\x00\xff\xff\xff\x00"),
        framed(5, b"\x1fa\x01"),
    ],
)
def test_a_damaged_frame_is_refused(raw):
    with pytest.raises(ValueError, match=r"\w"):
        decompress(raw)
