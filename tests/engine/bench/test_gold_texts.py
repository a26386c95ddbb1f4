"""Two ways to write the same thing down count as the same words; what is missing or foreign is counted once each."""

from __future__ import annotations

import json

import pytest

from trisynapse_memory.bench.gold_texts import (
    GoldText,
    ReadText,
    Segments,
    Tally,
    cells_read,
    compare,
    read_markdown,
    read_page,
    read_segments,
    words_around,
    words_of,
    words_of_cells,
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
    tally = compare(gold, ReadText(tuple("a b c d e x x".split())))
    assert (tally.words, tally.found_words, tally.read_words, tally.foreign_words) == (6, 5, 7, 2)
    assert (tally.grams, tally.found_grams) == (2, 1)
    assert tally.shares() == {
        "word_recall": 0.8333,
        "gram_recall": 0.5,
        "foreign_words": 0.2857,
        "foreign_beyond_asides": 0.2857,
    }


def test_what_a_file_holds_beside_its_text_is_told_apart_from_what_is_foreign_and_has_to_be_read():
    gold = GoldText(("a", "b", "note"))
    tally = compare(gold, ReadText(tuple("a b note note seen menu".split())), ("note", "seen", "missed"))
    assert (tally.foreign_words, tally.unexcused_words) == (3, 1)
    # The second "note" of the file may be the one that the ground truth has: it is no witness.
    assert (tally.asides, tally.found_asides) == (2, 1)


def test_runs_within_a_block_do_not_ask_in_which_order_the_blocks_come():
    gold = read_markdown("| - | a |\n\none two three four five six\n\nseven eight nine ten eleven <!-- image -->")
    read = ReadText(words_of("seven eight nine ten eleven one two three four five seven"))
    tally = compare(gold, read)
    assert (tally.block_grams, tally.found_block_grams) == (3, 2)
    assert tally.shares()["gram_recall"] < tally.shares()["block_gram_recall"] == 0.6667
    page = read_page("<ul><li>one two three</li><li>four <b>five</b> six</li></ul>")
    assert [block for block in page.blocks if block] == [("one", "two", "three"), ("four", "five", "six")]


def test_a_title_beside_an_article_is_not_foreign():
    gold = read_page("<p>One <b>two</b></p><p>three</p>", "The title")
    assert gold.words == ("one", "two", "three")
    assert compare(gold, ReadText(("the", "title", "one", "two", "three"))).foreign_words == 0


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
    tally = compare(gold, ReadText((), read))
    assert (tally.cells, tally.found_cells) == (3, 2)


def test_a_cell_counts_as_read_whatever_stands_above_it():
    gold = read_markdown("| Name: | Ada |\n| - | - |\n| Born: | 1815 |\n| Died: | 1852 |")
    table = "Name: | Ada\nBorn: | 1815 | \nDied: 1852"
    assert list(words_of_cells(table)) == [("name",), ("ada",), ("born",), ("1815",), ("died", "1852")]
    tally = compare(gold, ReadText((), tuple(cells_read(table, ())), tuple(words_of_cells(table))))
    assert (tally.cells, tally.found_cells, tally.read_cells) == (4, 0, 2)


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
