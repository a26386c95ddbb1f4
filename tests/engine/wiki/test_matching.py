"""Who is who between two pages: by key, words, claim, and near words, each once."""

from __future__ import annotations

from trisynapse_memory.types import EditionSentence, WikiSentence
from trisynapse_memory.wiki.matching import match_sentences


def old(key, text, section="", claims=()):
    return EditionSentence(key=key, text=text, section=section, claim_ids=claims)


def new(key, text, section="", claims=()):
    return WikiSentence(key=key, text=text, section=section, claim_ids=claims, record_ids=("r_1",))


def matched(accepted, fresh):
    return {key: one.key for key, one in match_sentences(accepted, fresh).items()}


def test_a_key_goes_before_everything():
    assert matched([old("a", "One."), old("b", "Two.")], [new("b", "One."), new("a", "Two.")]) == {"a": "a", "b": "b"}


def test_the_same_words_in_the_same_section_go_first():
    fresh = [new("x", "One.", "Contents"), new("y", "One.", "Key claims")]
    assert matched([old("a", "One.", "Key claims")], fresh) == {"a": "y"}


def test_the_same_words_elsewhere_are_the_same_only_at_the_opening():
    assert matched([old("a", "One.", "What it is")], [new("x", "One.", "")]) == {"a": "x"}
    assert matched([old("a", "One.", "Relations")], [new("x", "One.", "Superseded")]) == {}
    assert matched([old("a", "One.", "Relations")], [new("x", "One.", "Contested")]) == {}


def test_a_value_of_a_claim_finds_its_own():
    fresh = [
        new("x", "Light was measured as 3 (contested).", "Results", ("c",)),
        new("y", "Light was measured as 2 (contested).", "Results", ("c",)),
    ]
    assert matched([old("a", "Light was measured as 2.", "Results", ("c",))], fresh) == {"a": "y"}


def test_a_claim_is_not_looked_for_in_another_section():
    assert matched([old("a", "One.", "Relations", ("c",))], [new("x", "Two.", "Contested", ("c",))]) == {}


def test_a_new_wording_is_known_by_its_words_and_strangers_are_not():
    accepted = [old("a", "In 1950 Essen published 299,792.5 km/s and gave 3 km/s.")]
    assert matched(accepted, [new("x", "In 1950 Essen published 299,792.5 km/s but printed 1 km/s.")]) == {"a": "x"}
    assert matched(accepted, [new("x", "Bees do not read at all on Sundays, says the paper.")]) == {}


def test_each_sentence_is_matched_once():
    found = matched([old("a", "One."), old("b", "One.")], [new("x", "One.")])
    assert list(found.values()) == ["x"]
