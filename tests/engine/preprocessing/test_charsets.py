"""Case R24 and its kin: texts without a declaration, with a wrong one, with marks, and machine bytes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trisynapse_memory.preprocessing import charsets
from trisynapse_memory.preprocessing.plausibility import oddity

UNDECLARED = [
    ("Заголовок статьи. Мы видим, что Россия и Москва большие.", "cp1251"),
    ("Заголовок", "cp1251"),
    ("Привет, Мир", "koi8-r"),
    ("Zürich für Rätsel", "latin-1"),
    ("für Rätsel", "latin-1"),
    ("Müller", "latin-1"),
    ("naïve coöperation £5 20°C", "cp1252"),
    ("Le cœur a ses raisons que la raison ne connaît point. Déjà vu à Orléans, où l'été fut très chaud.", "cp1252"),
    ("“Smart quotes” – and dashes… it’s", "cp1252"),
    ("Ação e reação: não há solução fácil", "latin-1"),
    ("Smørrebrød på fjället är gött", "latin-1"),
    ("Příliš žluťoučký kůň úpěl ďábelské ódy", "cp1250"),
    ("zażółć gęślą jaźń", "cp1250"),
    ("Ο τίτλος της μελέτης είναι μεγάλος", "cp1253"),
    ("Çok güzel bir gün, ışık ve şeker", "cp1254"),
    ("שלום עולם, זה טקסט", "cp1255"),
    ("مرحبا بالعالم هذا نص", "cp1256"),
    ("日本語のテキストです。とても長い。", "shift_jis"),
    ("日本語のテキストです。とても長い。", "euc-jp"),
    ("中文的文本内容在这里，关于记忆的研究。", "gb18030"),
    ("한국어 문장입니다. 기억에 관한 연구.", "euc-kr"),
    ("utf-16 text without its mark", "utf-16-le"),
]


@pytest.mark.parametrize(("text", "encoding"), UNDECLARED, ids=[f"{code}-{text[:8]}" for text, code in UNDECLARED])
def test_a_text_that_declares_nothing_is_read_right(text, encoding):
    assert charsets.decode(text.encode(encoding))[0] == text


def test_a_byte_order_mark_wins_over_what_is_declared():
    text, reading = charsets.decode(codecs.BOM_UTF8 + "é".encode(), ("cp1251",))
    assert (text, reading.origin) == ("é", "mark")


def test_utf32_is_not_taken_for_utf16_whose_mark_it_begins_with():
    assert charsets.decode("naïve".encode("utf-32"))[0] == "naïve"


def test_the_header_wins_over_the_meta_element():
    raw = "Заголовок".encode("cp1251")
    text, reading = charsets.decode(raw, ("windows-1251", "iso-8859-1"))
    assert (text, reading.origin) == ("Заголовок", "declared")


def test_a_declared_encoding_that_cannot_read_the_bytes_is_passed_over():
    assert charsets.decode("Müller".encode("latin-1"), ("utf-8",))[0] == "Müller"


def test_latin_1_means_its_windows_superset_as_in_browsers():
    assert charsets.decode(b"\x93quoted\x94", ("iso-8859-1",))[0] == "“quoted”"


@pytest.mark.parametrize("label", ["utf-7", "base64", "rot13", "idna", "unicode_escape", "no-such-thing", "", "\0"])
def test_a_page_cannot_ask_for_a_codec_that_is_no_charset(label):
    assert charsets.codec_name(label) == ""


def test_one_broken_byte_does_not_turn_a_utf8_text_into_another_encoding():
    text, reading = charsets.decode("ü é ñ ö Ä Ö Ü ß à è ".encode() * 3 + b"\xff")
    assert text.startswith("ü é ñ")
    assert text.endswith("\ufffd")
    assert reading.doubtful


def test_a_cut_sample_may_end_inside_a_character():
    assert charsets.detect("aé".encode()[:-1], whole=False).encoding == "utf-8"
    assert charsets.detect("aé".encode()[:-1]).origin != "utf-8" or charsets.detect("aé".encode()[:-1]).doubtful


def test_meta_and_header_charsets_are_found_in_all_their_spellings():
    assert charsets.meta_charset(b'<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">') == "KOI8-R"
    assert charsets.meta_charset(b"<meta charset=utf-8>") == "utf-8"
    assert charsets.meta_charset(b'<?xml version="1.0" encoding="iso-8859-2"?>') == "iso-8859-2"
    assert charsets.meta_charset(b"<p>charset=utf-8</p>") == ""
    assert charsets.header_charset('text/html; charset="utf-8"') == "utf-8"
    assert charsets.header_charset("text/html") == ""


def test_machine_bytes_are_not_text_and_text_in_any_encoding_is():
    assert charsets.looks_binary(b"\x7fELF\x02\x01\x01" + b"\0" * 40)
    assert charsets.looks_binary(bytes(range(32)) * 10)
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-32", "cp1251"):
        assert not charsets.looks_binary(
            "plain Заголовок".encode(encoding) if "16-le" not in encoding else "plain".encode(encoding)
        )


def test_wrong_readings_look_odder_than_right_ones():
    assert oddity("für Rätsel") < oddity("f³r Rõtsel")
    assert oddity("Заголовок") < oddity("Çàãîëîâîê")
    assert oddity("Smørrebrød på") < oddity("Smřrrebrřd pĺ")
    assert oddity("plain") == 0.0


@given(st.binary(max_size=400))
def test_any_bytes_become_text_without_an_error(raw):
    text, reading = charsets.decode(raw)
    assert isinstance(text, str)
    assert reading.encoding
    charsets.looks_binary(raw)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff\0"), max_size=200))
def test_utf8_text_always_comes_back_unchanged(text):
    assert charsets.decode(text.encode())[0] == text
