"""A model's sentence is cited where a passage says it, whatever the model claims, and nowhere else."""

from __future__ import annotations

from trisynapse_memory.answering.support import backing_in, find_backings
from trisynapse_memory.contracts.parsing import ParsedWord
from trisynapse_memory.providers.english_parser import EnglishParser
from trisynapse_memory.types import CitationVerdict, Hit

LIGHT = "It was a cold night. Foucault measured the speed of light with a rotating mirror in 1862. He wrote it down."
WHEEL = "Fizeau used a toothed wheel in 1849."
COPY = "Long before, Foucault measured the speed of light with a rotating mirror in 1862."


def words(hit: Hit, start: int, end: int) -> str:
    return hit.record.text[start:end]


def test_the_sentence_that_says_it_is_cited_and_not_the_whole_passage(make_hits):
    (hit,) = make_hits(LIGHT)
    backing = backing_in("Foucault measured the speed of light with a rotating mirror.", hit)
    assert backing is not None
    assert words(hit, backing.start, backing.end) == (
        "Foucault measured the speed of light with a rotating mirror in 1862."
    )
    assert backing.verdict.passes


def test_the_closest_wording_of_a_passage_wins(make_hits):
    text = "In 1862 Foucault measured the speed of light. Foucault measured the speed of light in 1862."
    (hit,) = make_hits(text)
    backing = backing_in("Foucault measured the speed of light in 1862.", hit)
    assert backing is not None
    assert (backing.verdict, backing.start) == (CitationVerdict.VERBATIM, text.rindex("Foucault measured"))


def test_a_wrong_number_has_no_backing(make_hits):
    (hit,) = make_hits(LIGHT)
    assert backing_in("Foucault measured the speed of light with a rotating mirror in 1863.", hit) is None


def test_every_named_passage_that_says_it_is_cited_and_no_other(make_hits):
    hits = make_hits(LIGHT, WHEEL, COPY)
    said = "Foucault measured the speed of light with a rotating mirror in 1862."
    assert [one.hit.record.seq for one in find_backings(said, hits, (3, 1, 2))] == [3, 1]


def test_a_passage_that_was_named_wrongly_gives_way_to_the_one_that_says_it(make_hits):
    hits = make_hits(LIGHT, WHEEL)
    assert [one.hit.record.seq for one in find_backings(WHEEL, hits, (1,))] == [2]
    assert [one.hit.record.seq for one in find_backings(WHEEL, hits, (0, 99, -1))] == [2]
    assert [one.hit.record.seq for one in find_backings(WHEEL, hits, ())] == [2]


def test_what_no_passage_says_has_no_backing(make_hits):
    hits = make_hits(LIGHT, WHEEL)
    assert find_backings("Foucault used a toothed wheel in 1862.", hits, (1, 2)) == ()
    assert find_backings("", hits, (1,)) == ()


def test_a_parser_finds_the_sentence_that_the_word_rules_leave_open(make_hits):
    hits = make_hits(WHEEL, "It was late. The client sends the token to the server, which checks it against a list.")
    said = "The server checks the token, which the client sends to it, against a list."
    assert find_backings(said, hits, (2,)) == ()
    (backing,) = find_backings(said, hits, (1,), EnglishParser())
    assert words(backing.hit, backing.start, backing.end).startswith("The client sends")
    assert backing.verdict is CitationVerdict.PARAPHRASE


class Unwanted:
    """A parser that must not be asked: loading the real one takes seconds."""

    def parse(self, text: str) -> tuple[ParsedWord, ...]:
        raise AssertionError(f"parsed: {text}")


def test_words_that_stand_as_they_are_are_found_before_any_grammar_is_read(make_hits) -> None:
    hits = make_hits("In May the kiln was hot. The kiln was hot in May. It cooled.")
    (found,) = find_backings("The kiln was hot in May.", hits, [1], Unwanted())
    assert (found.start, found.verdict) == (25, CitationVerdict.VERBATIM)
