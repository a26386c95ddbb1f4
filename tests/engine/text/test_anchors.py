"""A marked passage is found again in a new edition: moved, rewritten, repeated; one that is gone has no place."""

from __future__ import annotations

import pytest

from trisynapse_memory.text.anchors import FLOOR, Mark, anchors, context_of

OLD = (
    "Foucault measured the speed of light in 1862. He used a rotating mirror. The mirror turned 800 times a second.\n\n"
    "Michelson repeated it in 1879. He used a rotating mirror. The path was 600 metres long."
)


def mark(quote: str, nth: int = 0) -> Mark:
    start = -1
    for _ in range(nth + 1):
        start = OLD.index(quote, start + 1)
    return Mark(quote, *context_of(OLD, start, start + len(quote)), start / len(OLD))


def place(quote: str, *pages: str, nth: int = 0):
    (found,) = anchors([mark(quote, nth)], list(enumerate(pages, start=1)), len(pages))
    return found


def words(found, *pages: str) -> str:
    return pages[found.page - 1][found.start : found.end]


def test_the_same_edition_gives_the_same_place_and_is_sure():
    found = place("The mirror turned 800 times a second.", OLD)
    assert (words(found, OLD), found.confidence) == ("The mirror turned 800 times a second.", 1.0)


def test_of_two_places_what_stands_around_decides():
    quote = "He used a rotating mirror."
    first, second = place(quote, OLD), place(quote, OLD, nth=1)
    assert first.start < OLD.index("Michelson") < second.start
    turned = OLD[OLD.index("Michelson") :] + "\n\n" + OLD[: OLD.index("Michelson")]
    assert place(quote, turned, nth=1).start < turned.index("Foucault")


def test_a_passage_on_another_page_with_broken_lines_is_found():
    pages = ("A new preface.", "More of it.", OLD.replace("rotating mirror. The", "rotat-\ning mirror. The"))
    found = place("He used a rotating mirror. The mirror turned", *pages)
    assert (found.page, words(found, *pages)) == (3, "He used a rotat-\ning mirror. The mirror turned")
    assert found.confidence > 0.9


def test_a_rewritten_passage_is_found_less_surely():
    new = OLD.replace("The mirror turned 800 times a second.", "The small mirror turned about 800 times each second.")
    found = place("The mirror turned 800 times a second.", new)
    assert words(found, new) == "The small mirror turned about 800 times each second"
    assert FLOOR <= found.confidence < 0.95


def test_a_passage_that_is_gone_has_no_place():
    assert (
        place("The mirror turned 800 times a second.", OLD.replace("The mirror turned 800 times a second.", "")) is None
    )
    assert place("The path was 600 metres long.", "A paper about mirrors and paths of another kind.") is None


def test_few_words_are_never_guessed():
    assert place("in 1862", OLD.replace("1862", "1863")) is None


@pytest.mark.parametrize("quote", ["", "   ", "\u200b"])
def test_nothing_is_found_nowhere(quote: str):
    assert anchors([Mark(quote)], [(1, OLD)], 1) == [None]


def test_many_marks_are_found_in_one_pass():
    pages = [f"Page {n} says that measurement number {n} gave {n * 7} metres." for n in range(1, 60)]
    marks = [Mark(f"measurement number {n} gave {n * 7}", share=n / 60) for n in range(1, 60)]
    found = anchors(marks, ((n, text) for n, text in enumerate(pages, start=1)), len(pages))
    assert [one and one.page for one in found] == list(range(1, 60))
