"""EndNote XML comes in without its styles, and nothing in it is expanded or fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.endnote import EndnoteLoader
from trisynapse_memory.types import Listing

HEAD = '<?xml version="1.0" encoding="UTF-8"?><xml><records>'
BOOK = (
    '<record><rec-number>8</rec-number><ref-type name="Book">6</ref-type><contributors><authors>'
    "<author><style>Berg, Jan</style></author><author>The Academy,</author></authors></contributors>"
    "<titles><title><style>On </style><style>mirrors</style></title></titles><dates><year>1862</year></dates>"
    "<isbn>9780306406157</isbn><publisher>Press</publisher><label>berg62</label></record>"
)


@pytest.fixture
def read(tmp_path: Path):
    def run(content: str) -> list[Listing]:
        path = tmp_path / "refs.xml"
        path.write_text(content, encoding="utf-8")
        return list(EndnoteLoader().open(path).members())

    return run


def test_a_record_says_all_it_says(read):
    (entry,) = read(f"{HEAD}{BOOK}</records></xml>")
    assert (entry.key, entry.title, entry.authors, entry.published) == (
        "berg62",
        "On mirrors",
        ("Berg, Jan", "The Academy"),
        "1862",
    )
    assert entry.identifiers == {"isbn": "9780306406157", "citekey": "berg62"}
    assert (entry.fields["type"], entry.fields["publisher"], entry.entry) == ("book", "Press", BOOK)


def test_a_record_without_words_is_told_and_a_cut_file_gives_what_it_has(read):
    entries = read(f"{HEAD}<record><rec-number>1</rec-number></record>{BOOK}<record><titles><ti")
    assert [entry.skipped for entry in entries][:2] == ["record 1 has no title and no author", ""]


def test_entities_are_not_expanded(read):
    bomb = "".join(f'<!ENTITY e{n} "{"&e" + str(n - 1) + ";"}&e{n - 1};">' for n in range(1, 40))
    start = HEAD.replace(
        "<xml>", f'<!DOCTYPE xml [<!ENTITY e0 "ha"><!ENTITY f SYSTEM "file:///etc/hostname">{bomb}]><xml>'
    )
    entries = read(f"{start}{BOOK.replace('Press', '&e39;&f;')}</records></xml>")
    assert all(len(entry.text) < 1000 for entry in entries)


@pytest.mark.parametrize("content", ["<xml><records></records></xml>", "<html><body>No</body></html>", "no xml"])
def test_a_file_without_a_record_is_refused(read, content: str):
    with pytest.raises(SourceDamagedError, match=r"refs\.xml"):
        read(content)


def test_it_knows_its_files():
    assert EndnoteLoader().suits(f"{HEAD}{BOOK}".encode(), "x.xml") > 0.9
    assert EndnoteLoader().suits(b"<xml><records><row/></records></xml>", "x.xml") == 0
