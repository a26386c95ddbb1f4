"""RIS and PubMed records come in whole, and one that is broken costs itself only."""

from __future__ import annotations

from pathlib import Path

import pytest

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.ris import RisLoader
from trisynapse_memory.types import Listing

PAPER = """TY  - JOUR
AU  - Foucault, Léon
A1  - Not, Asked
TI  - On a turning
      mirror
T2  - Comptes rendus
PY  - 1862/11/24/
VL  - 55
IS  - 2
SP  - 501
EP  - 503
SN  - 0028-0836
DO  - https://doi.org/10.1000/Mirror
UR  - https://example.org/m
KW  - optics
KW  - light
AB  - How <i>fast</i> light is.
N1  - Read twice.
L1  - file:///home/me/a%20b.pdf
ID  - foucault1862
ER  -
"""


@pytest.fixture
def read(tmp_path: Path):
    def run(content: str, name: str = "refs.ris") -> list[Listing]:
        path = tmp_path / name
        path.write_bytes(content.encode())
        return list(RisLoader().open(path).members())

    return run


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_record_says_all_it_says(read, newline: str):
    (entry,) = read(PAPER.replace("\n", newline))
    assert (entry.key, entry.title, entry.authors, entry.published) == (
        "foucault1862",
        "On a turning mirror",
        ("Foucault, Léon",),
        "1862-11-24",
    )
    assert entry.identifiers == {
        "doi": "10.1000/mirror",
        "issn": "0028-0836",
        "citekey": "foucault1862",
        "url": "https://example.org/m",
    }
    assert entry.tags == ("optics", "light")
    assert entry.fields["journal"] == "Comptes rendus"
    assert entry.fields["pages"] == "501–503"
    assert (entry.fields["file"], entry.filename) == ("/home/me/a b.pdf", "a b.pdf")
    assert entry.text.endswith("How fast light is.\n\nRead twice.")
    assert entry.entry.splitlines() == PAPER.splitlines()


def test_a_chapter_has_a_book_and_an_isbn(read):
    (entry,) = read("TY  - CHAP\nTI  - Part\nT2  - Whole\nAU  - A, B\nA2  - Ed, It\nSN  - 978-0-306-40615-7\nER  - \n")
    assert (entry.fields["type"], entry.fields["booktitle"], entry.fields["editors"]) == (
        "incollection",
        "Whole",
        "Ed, It",
    )
    assert entry.identifiers == {"isbn": "9780306406157"}


def test_records_that_do_not_end_are_told_with_their_line(read):
    entries = read(f"TY  - BOOK\nTI  - Open\n{PAPER}TY  - BOOK\nTI  - Cut\n")
    assert [entry.skipped for entry in entries] == [
        "line 1: the record has no end (ER) before line 3",
        "",
        "line 24: the record has no end (ER)",
    ]


def test_a_record_without_a_key_has_the_same_one_whenever_it_is_read(read):
    first = read("TY  - BOOK\nTI  - One book\nAU  - Smith, A\nPY  - 2001\nER  - \n")[0].key
    again = read(f"{PAPER}\n\nTY  - BOOK\nTI  - One book\nAU  - Smith, A\nPY  - 2001\nER  - \n")[1].key
    assert first == again
    assert first.startswith("smith-2001-one-book-")


NBIB = """PMID- 31452104
OWN - NLM
DP  - 2019 Aug 26
TI  - Deep learning in
      medicine.
AB  - Long abstract
      text.
FAU - Smith, John A
AU  - Smith JA
CN  - A Consortium
AID - S0140-6736(19)1 [pii]
AID - 10.1000/abc [doi]
IS  - 0028-0836 (Print)
JT  - Nature medicine
VI  - 12
IP  - 3
PG  - 1-9
OT  - lungs
MH  - *Deep Learning/methods
PT  - Journal Article
"""


def test_a_pubmed_record_says_all_it_says(read):
    entry, second = read(f"\n{NBIB}\nPMID- 2\nTI  - Second.\n", "p.nbib")
    assert (entry.title, entry.published, entry.authors) == (
        "Deep learning in medicine",
        "2019-08-26",
        ("Smith, John A", "A Consortium"),
    )
    assert entry.identifiers == {
        "pmid": "31452104",
        "doi": "10.1000/abc",
        "issn": "0028-0836",
        "url": "https://pubmed.ncbi.nlm.nih.gov/31452104/",
    }
    assert entry.tags == ("lungs", "Deep Learning/methods")
    assert "Long abstract text." in entry.text
    assert (second.key, second.title) == ("2", "Second")


@pytest.mark.parametrize("content", ["TY  - JOUR\nTI  - Open", "just words"])
def test_a_file_without_one_good_record_is_refused(read, content: str):
    with pytest.raises(SourceDamagedError, match=r"refs\.ris"):
        read(content)


def test_odd_tags_and_lines_lose_nothing_else(read):
    (entry,) = read("TY  - JOUR\nZZ  - unknown\nno tag at all\nTI  - T\nAU  - \nPY  - in press\nER  - \n")
    assert (entry.title, entry.authors, entry.published) == ("T", (), "")


def test_a_record_without_title_and_author_is_told_and_kinds_in_words_are_known(read):
    entries = read("TY  - JOUR\nN1  - words\nER  - \nTY  - Journal Article\nAU  - Ю, А\nER  - \n")
    assert entries[0].skipped == "line 1: the record has no title and no author"
    assert (entries[1].authors, entries[1].fields["type"]) == (("Ю, А",), "article")


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (PAPER, True),
        (NBIB, True),
        ("TY  - Journal Article\nAU  - Ю, А\n", True),
        (f"Provider: X\nDatabase: Y\n\n{PAPER}", True),
        ("TY  - is a tag of RIS.", False),
    ],
)
def test_it_knows_its_files(head: str, sure: bool):
    assert (RisLoader().suits(head.encode(), "x.txt") > 0) is sure
