"""XML: data as keys, documents as paragraphs, entities unread."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.structured.values import Pairs
from trisynapse_memory.preprocessing.structured.xml_text import NotXmlError, blocks_of, is_prose, parse, value_of


def test_attributes_and_children_are_keys_and_children_of_one_name_a_list():
    root = parse(b'<r a="1"><b>x</b><c k="v">y</c><b>z</b></r>')
    assert not is_prose(root)
    assert value_of(root) == Pairs((("a", "1"), ("b", ["x", "z"]), ("c", Pairs((("k", "v"), ("", "y"))))))


def test_no_entity_is_read():
    root = parse(b'<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY x SYSTEM "file:///etc/passwd">]><r>t&a;&x;<k>u</k></r>')
    assert value_of(root) == Pairs((("", "t"), ("k", "u")))


def test_entities_that_grow_are_refused():
    grown = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    with pytest.raises(NotXmlError, match="not valid XML"):
        parse(f'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">{grown}]><r>&j;</r>'.encode())


def test_a_document_gives_headings_paragraphs_and_tables():
    root = parse(
        b"<book><title>Metals</title><chapter><title>Tin</title><para>It is <b>soft</b> and white.</para>"
        b"<para>It <i>cries</i> when bent.</para><table>"
        b"<row><entry>a</entry><entry>b</entry></row></table></chapter></book>"
    )
    assert is_prose(root)
    assert [(one.text, one.kind, one.level) for one in blocks_of(root)] == [
        ("Metals", "heading", 1),
        ("Tin", "heading", 2),
        ("It is soft and white.", "body", 0),
        ("It cries when bent.", "body", 0),
        ("a | b", "table", 0),
    ]


@pytest.mark.parametrize("raw", [b"<a><b></a>", b"no xml", b"<a" * 10, b"<a>" * 5000])
def test_what_is_no_xml_is_told(raw):
    with pytest.raises(NotXmlError, match="not valid XML"):
        parse(raw)
