"""Two ways to write the same thing down count as the same words; what is missing or foreign is counted once each."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.bench.gold_texts import (
    GoldText,
    Segments,
    Tally,
    cells_read,
    compare,
    read_markdown,
    read_page,
    read_segments,
    words_around,
    words_of,
)

SAME = {
    "a ligature": ("e\ufb03cient", "efficient"),
    "a soft hyphen": ("re\u00adproducible", "reproducible"),
    "a raised number": ("H 2 O", "H2O"),
    "a link": ("[see here](https://a.example/x_(y) 'T')", "see here"),
    "a picture": ("before <!-- image --> after", "Before After"),
    "a tag": ("x<sub>2</sub>", "x 2"),
    "an entity": ("A &amp; B &lt; C", "A & B < C"),
    "glued names": ("RaoRU, McFarland", "Rao RU, Mc Farland"),
    "midnight": ("2024-01-02 00:00:00", "2024-01-02"),
    "emphasis": ("_very_ **bold** snake\\_case", "very bold snake_case"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_the_same_thing_written_two_ways_has_the_same_words(one, other):
    if "(" in one:
        one = one.replace(" 'T'", ' "T"')
    assert words_of(one) == words_of(other)


def test_missing_and_foreign_words_are_counted_as_often_as_they_occur():
    gold = GoldText(tuple("a b c d e f".split()))
    tally = compare(gold, tuple("a b c d e x x".split()), ())
    assert (tally.words, tally.found_words, tally.read_words, tally.foreign_words) == (6, 5, 7, 2)
    assert (tally.grams, tally.found_grams) == (2, 1)
    assert tally.shares() == {"word_recall": 0.8333, "gram_recall": 0.5, "foreign_words": 0.2857}


def test_a_title_beside_an_article_is_not_foreign():
    gold = read_page("<p>One <b>two</b></p><p>three</p>", "The title")
    assert gold.words == ("one", "two", "three")
    assert compare(gold, ("the", "title", "one", "two", "three"), ()).foreign_words == 0


TABLE = """Before

| Name | Score | |
| :- | -: | - |
| Ann \\| Bo | 3 | x |
| Ed | | |

After | all"""


def test_the_cells_of_a_markdown_table_stand_under_their_headers():
    assert set(read_markdown(TABLE).cells) == {
        (("name",), ("ann", "bo")),
        (("score",), ("3",)),
        (("name",), ("ed",)),
    }


def test_the_cells_of_a_stored_table_stand_under_their_headers():
    assert list(cells_read("Name | Score\nAnn | 3\nEd |", ("Name", "Score"))) == [
        (("name",), ("ann",)),
        (("score",), ("3",)),
        (("name",), ("ed",)),
    ]
    assert list(cells_read(" | Score\nAnn | 3", ("Score",))) == [(("score",), ("3",))]
    assert list(cells_read("Ann | 3", ())) == []


def test_the_cells_of_a_typed_table_stand_between_bars():
    typed = "| Name | Score |\n| :--- | ---: |\n| Ann | 3 |"
    assert list(cells_read(typed, ("Name", "Score"))) == [(("name",), ("ann",)), (("score",), ("3",))]


def test_a_table_of_one_column_is_not_compared():
    assert read_markdown("| Only |\n| - |\n| one |").cells == ()


def test_the_first_of_several_header_rows_is_enough():
    gold = GoldText((), cells=((("year",), ("3",)), (("year",), ("4",)), (("place",), ("4",))))
    read = [(("year", "2019"), ("3",)), (("year", "2020"), ("4",)), (("year",), ("9",))]
    tally = compare(gold, (), read)
    assert (tally.cells, tally.found_cells) == (3, 2)


def test_two_tallies_are_one_of_their_sums():
    both = Tally(words=4, found_words=2) + Tally(words=6, found_words=6)
    assert both.shares() == {"word_recall": 0.8}


def test_segments_are_found_as_words_in_a_row_and_may_begin_within_one():
    segments = Segments(("ne two", "five six"), ("menu bar",))
    assert segments.shares(words_of("One, two three. Menus.")) == (1, 0)


def test_lists_are_numbered_and_pictures_described_as_a_browser_does():
    gold = read_page('<ol start="3"><li>a</li><li>b</li></ol><img alt="A bird">')
    assert gold.words == ("3", "a", "4", "b")
    assert gold.around == ("a", "bird")


def test_segments_and_metadata_are_read_as_their_makers_write_them(tmp_path):
    table = tmp_path / "evaldata.json"
    table.write_text(
        json.dumps({"https://a": {"file": "a.html", "with": ["x"], "without": ["y"]}, "https://b": {"file": ""}})
    )
    assert read_segments(table) == {"a.html": Segments(("x",), ("y",))}
    told = tmp_path / "metadata.json"
    told.write_text(json.dumps({"title": "T", "byline": None}))
    assert words_around(told).split() == ["T"]
    assert words_around(tmp_path / "none.json") == ""
