"""How a delimited text is written is found out from its rows, not from its name alone."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.tabular.dialects import find_dialect


def found(text, suffix=".csv"):
    dialect = find_dialect(text.splitlines(keepends=True), suffix)
    return dialect.delimiter, dialect.width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n", (",", 3)),
        ("a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n", (";", 3)),  # decimal commas
        ("name;place\nLee, Ann;Bonn\nEk, Bo;Oslo\nAl;Rome\n", (";", 2)),  # commas in names
        ("a\tb\n1,0\t2,0\n3,0\t4,0\n", ("\t", 2)),
        ("a|b|c\n1|2|3\n", ("|", 3)),
        ('a,b\n"1, or so",2\n"3\n4",5\n', (",", 2)),
        ("Industry\nHealth\nSales\n", (",", 1)),
        ("sep=;\na;b\n1;2\n", (";", 2)),
    ],
)
def test_the_delimiter_is_the_one_under_which_rows_agree(text, expected):
    assert found(text) == expected


def test_the_ending_decides_where_rows_do_not():
    assert found("one\ntwo\n", ".tsv") == ("\t", 1)
    assert found("a\tb\n", ".tsv") == ("\t", 2)


def test_single_quotes_quote_only_where_they_stand_around_cells():
    quoted = find_dialect(["'a, b','c'\n", "'d, e','f'\n"])
    assert list(quoted.cells(iter(["'a, b','c'\n"]))) == [["a, b", "c"]]
    plain = find_dialect(["it's,b\n", "what's,d\n"])
    assert list(plain.cells(iter(["it's,b\n"]))) == [["it's", "b"]]


def test_an_escaped_quote_is_understood_only_where_it_makes_rows_agree():
    lines = ["a,b\n", '"say \\"hi, you\\"",2\n', '"say \\"yo, you\\"",2\n']
    assert list(find_dialect(lines).cells(iter(lines)))[1] == ['say "hi, you"', "2"]
    paths = ["path,n\n", "C:\\new,1\n"]
    assert list(find_dialect(paths).cells(iter(paths)))[1] == ["C:\\new", "1"]
