"""Hashes prove what was written, and rows come back as the records they were."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.errors import VaultDamagedError
from trisynapse_memory.log.rows import (
    GENESIS,
    PACK_WORDS,
    REMOVED_TEXT,
    Header,
    Remains,
    encode_content,
    format_time,
    hash_content,
    hash_link,
    namespace_key,
    namespace_of,
    pack,
    record_of,
    unpack,
)
from trisynapse_memory.types import Draft, Kind, Locator, Namespace, PageDetails, PageVerdict

WORDS_SUM = 349256555
HEADER = Header(7, "r_1", "dev", 3, "2026-01-02T03:04:05.000001+00:00", "page", "c" * 64, "")


def test_the_same_draft_is_always_the_same_text():
    one = Draft(kind=Kind.FACT, text="a", fields={"b": "2", "a": "1"})
    other = Draft(kind=Kind.FACT, text="a", fields={"a": "1", "b": "2"})
    assert encode_content(one) == encode_content(other)


def test_the_content_hash_is_sha_256_over_salt_and_text():
    assert hash_content(b"salt", "é") == hashlib.sha256(b"salt" + "é".encode()).hexdigest()


@pytest.mark.parametrize("field", ["id", "device_id", "device_seq", "written_at", "kind", "content_hash"])
def test_every_field_of_the_header_is_in_the_link(field: str):
    changed = HEADER._replace(**{field: 99 if field == "device_seq" else "other"})
    assert hash_link(GENESIS, changed) != hash_link(GENESIS, HEADER)


def test_the_link_holds_the_previous_link_but_not_the_place_in_this_vault():
    assert hash_link("1" * 64, HEADER) != hash_link(GENESIS, HEADER)
    assert hash_link(GENESIS, HEADER._replace(seq=8)) == hash_link(GENESIS, HEADER)


def test_the_link_is_what_the_data_page_says():
    fields = [GENESIS, "r_1", "dev", "3", HEADER.written_at, "page", "c" * 64]
    assert hash_link(GENESIS, HEADER) == hashlib.sha256("\x1f".join(fields).encode()).hexdigest()


def test_a_record_comes_back_as_it_was_drafted():
    draft = Draft(
        kind=Kind.PAGE,
        text="x",
        locator=Locator(kind="page", page=2),
        payload=PageDetails(verdict=PageVerdict.GARBLED, layout=b"\x00\xff"),
        observed_at=datetime(2020, 1, 1, tzinfo=UTC),
        fields={"title": "T"},
    )
    record = record_of(HEADER, encode_content(draft))
    assert {name: getattr(record, name) for name in Draft.__struct_fields__} == {
        name: getattr(draft, name) for name in Draft.__struct_fields__
    }
    assert (record.seq, record.device_seq, record.kind) == (7, 3, Kind.PAGE)


def test_a_removed_record_keeps_its_header_and_says_that_it_was_removed():
    record = record_of(HEADER, None)
    assert (record.id, record.kind, record.text) == ("r_1", Kind.PAGE, REMOVED_TEXT)


def test_a_namespace_survives_its_text():
    namespace = Namespace(user_id="ü", project_id=None)
    assert namespace_of(namespace_key(namespace)) == namespace


def test_times_sort_as_text_whatever_zone_they_came_in():
    early = datetime(2026, 1, 1, 12, 0, 0, tzinfo=timezone(timedelta(hours=5)))
    late = datetime(2026, 1, 1, 8, 0, 0, 1, tzinfo=UTC)
    assert format_time(early) == "2026-01-01T07:00:00.000000+00:00"
    assert format_time(early) < format_time(late)


def test_what_is_packed_comes_back_to_the_letter():
    long = encode_content(Draft(kind=Kind.PAGE, text="Größe 語 \u2028 " * 40))
    packed = pack(long)
    assert isinstance(packed, bytes)
    assert len(packed) < len(long.encode()) / 4
    assert unpack(packed) == long


@given(text=st.text(max_size=400))
def test_anything_comes_back_to_the_letter(text: str):
    content = encode_content(Draft(kind=Kind.RAW_SOURCE, text=text))
    assert unpack(pack(content)) == content


def test_a_short_content_stays_readable_and_a_removed_one_stays_none():
    assert pack("short") == unpack("short") == "short"
    assert unpack(None) is None


def test_a_stream_of_another_program_without_the_word_list_is_read_too():
    assert unpack(zlib.compress(b"plain")) == "plain"


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-7], lambda b: b[:9] + b"\x00\x00\x00\x00" + b[13:], lambda b: b"x" * 40]
)
def test_spoilt_bytes_are_named(spoil: Callable[[bytes], bytes]):
    packed = pack(encode_content(Draft(kind=Kind.PAGE, text="a page of words " * 40)))
    assert isinstance(packed, bytes)
    with pytest.raises(VaultDamagedError, match="unpacked"):
        unpack(spoil(packed))


def test_the_word_list_is_part_of_the_format():
    assert zlib.adler32(PACK_WORDS) == WORDS_SUM, "contents that were packed with another list could not be read"


def test_of_a_removed_record_its_columns_still_tell_where_it_belonged():
    key = namespace_key(Namespace(project_id="p", user_id="u"))
    record = record_of(HEADER, None, Remains("src_1", key))
    assert (record.source_id, record.namespace.user_id, record.text) == ("src_1", "u", REMOVED_TEXT)
