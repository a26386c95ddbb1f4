"""The names that catalogues give a work, found in text and written in one form."""

from __future__ import annotations

import time

import pytest

from trisynapse_memory.text.identifiers import find_identifiers, mentions, normalise


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("https://doi.org/10.1145/3397271.3401075", "10.1145/3397271.3401075"),
        ("see doi:10.1000/XYZ.123.", "10.1000/xyz.123"),
        ("(10.1038/nature12373)", "10.1038/nature12373"),
        ("(doi: 10.1016/S0140-6736(20)30183-5), which", "10.1016/s0140-6736(20)30183-5"),
        ("[10.1093/nar/gkaa1100],", "10.1093/nar/gkaa1100"),
        ('href="https://doi.org/10.5281/zenodo.1234567">', "10.5281/zenodo.1234567"),
        ("https://doi.org/10.1145/\n3397271.3401075\nACM", "10.1145/3397271.3401075"),
        ("https://dx.doi.org/10.1002%2Fasi.20000", "10.1002/asi.20000"),
        ("10.1000/x)[3] and", "10.1000/x"),
        ("DOI 10.1023/A:1010933404324\u2014forests", "10.1023/a:1010933404324"),
    ],
)
def test_a_doi_ends_where_its_name_ends(text: str, doi: str):
    assert find_identifiers(text)["doi"] == doi


@pytest.mark.parametrize("text", ["10.5 / 3", "page 10.1000", "version 110.1000/x", "3.10.1000/x", "10.12/short"])
def test_numbers_with_a_slash_are_no_doi(text: str):
    assert "doi" not in find_identifiers(text)


@pytest.mark.parametrize(
    ("given", "doi"),
    [
        ("https://onlinelibrary.wiley.com/doi/full/10.1002/asi.20000?casa=1#part", "10.1002/asi.20000"),
        ("https://www.tandfonline.com/doi/10.1080/01621459.1999.10474114/abstract", "10.1080/01621459.1999.10474114"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.30.927871v2.full.pdf", "10.1101/2020.01.30.927871"),
        ("10.48550/arXiv.2005.11401v4", "10.48550/arxiv.2005.11401"),
        ("10.1002/(SICI)1097(1998)49:8<693::AID>3.0.CO;2-O", "10.1002/(sici)1097(1998)49:8<693::aid>3.0.co;2-o"),
        ("DOI: 10.1000/Ab", "10.1000/ab"),
        ("see below", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_a_doi_is_written_in_one_form(given: str, doi: str):
    assert normalise("doi", given) == doi


@pytest.mark.parametrize(
    ("text", "arxiv"),
    [
        ("arXiv:2005.11401v4 [cs.CL] 12 Apr 2021", "2005.11401"),
        ("arXiv preprint arXiv:1706.03762, 2017", "1706.03762"),
        ("arXiv preprint 0704.0001", "0704.0001"),
        ("https://arxiv.org/pdf/2312.04350v3.pdf", "2312.04350"),
        ("http://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("https://doi.org/10.48550/arXiv.2005.11401", "2005.11401"),
    ],
)
def test_arxiv_ids_of_both_styles_lose_their_version(text: str, arxiv: str):
    assert find_identifiers(text)["arxiv"] == arxiv


@pytest.mark.parametrize(
    "text",
    ["a value of 2005.11401", "arXiv:2013.11401", "arXiv:0512.1234", "arXiv:1412.12345", "arXiv:1501.1234",
     "cs/1234", "about/1234567", "arXiv:2005.114011"],
)  # fmt: skip
def test_other_numbers_are_no_arxiv_id(text: str):
    assert "arxiv" not in find_identifiers(text)


def test_a_bare_arxiv_id_is_enough_where_the_scheme_is_known():
    assert normalise("arxiv", "2005.11401v2") == "2005.11401"
    assert normalise("arxiv", "10.48550/arXiv.2005.11401") == "2005.11401"
    assert normalise("arxiv", "2005.11401v2 [cs.CL]") == "2005.11401"
    assert normalise("arxiv", "2005.114") == ""


@pytest.mark.parametrize(
    ("text", "scheme", "value"),
    [
        ("PMID: 32015507; PMCID: PMC7095418", "pmid", "32015507"),
        ("https://pubmed.ncbi.nlm.nih.gov/32015507/", "pmid", "32015507"),
        ("ISBN 978-0-262-03384-8 (hardcover)", "isbn", "9780262033848"),
        ("ISBN-10: 0-262-03384-4", "isbn", "9780262033848"),
        ("ISBN 0-8044-2957-X.", "isbn", "9780804429573"),
        ("ISSN (Online) 2041-1723", "issn", "2041-1723"),
        ("eISSN: 1476-4687", "issn", "1476-4687"),
    ],
)
def test_the_other_schemes_are_known_by_their_sign_and_their_check_digit(text: str, scheme: str, value: str):
    assert find_identifiers(text)[scheme] == value


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("PMID: 012345", "pmid"),
        ("PMID: 123456789", "pmid"),
        ("ISBN 978-0-262-03384-9", "isbn"),
        ("978-0-262-03384-8", "isbn"),
        ("ISBN 0-262-03384-5", "isbn"),
        ("ISSN 2041-1724", "issn"),
        ("2041-1723", "issn"),
    ],
)
def test_a_wrong_check_digit_or_a_missing_sign_gives_nothing(text: str, scheme: str):
    assert scheme not in find_identifiers(text)


def test_all_names_of_a_text_come_once_and_in_order():
    text = "10.1000/b, https://doi.org/10.1000/A and 10.1000/B"
    assert mentions("doi", text) == ("10.1000/b", "10.1000/a")


def test_schemes_without_a_form_are_only_stripped():
    assert normalise("citekey", " Smith2020 ") == "Smith2020"


def test_a_hostile_text_costs_no_time():
    started = time.perf_counter()
    for piece in (
        "10.1000/" + "(" * 200,
        "ISBN " + "1 " * 50,
        "arXiv " * 50,
        "10.1000/" + ")" * 190,
        "ISSN (" + "a" * 30,
    ):
        find_identifiers(piece * 300)
    assert time.perf_counter() - started < 2
