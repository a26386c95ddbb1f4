"""Pairs of sentences in, what the reading of trees has against them out. The parser is the real one."""

from __future__ import annotations

import pytest

from trisynapse_memory.providers.english_parser import EnglishParser
from trisynapse_memory.text.paraphrase.trees.objections import is_grave, objection
from trisynapse_memory.text.paraphrase.trees.reading import tree_of
from trisynapse_memory.text.verdicts import PARSED_CHARS, judge
from trisynapse_memory.types import CitationVerdict

PARSER = EnglishParser()
TOWED = "The pilot boat towed the damaged ferry into harbour after the tug had run out of fuel."


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The damaged ferry was towed into the harbour by the pilot boat.", TOWED),
        ("After the tug had run out of fuel, the pilot boat towed the damaged ferry into harbour.", TOWED),
        ("Until 1873, rowers carried the letters.", "The letters were carried by rowers until 1873."),
        ("Of the 200 settlers, fewer than 30 survived.", "Fewer than thirty of the two hundred settlers survived."),
        (
            "Fold in the flour after adding the eggs one at a time.",
            "Add the eggs one at a time, then fold in the flour.",
        ),
        (
            "The server checks the token, which the client sends to it, against a list.",
            "The client sends the token to the server, which checks it against a list.",
        ),
        ("The lid was lifted and the cable pulled out.", "The lid was lifted and the cable was pulled out."),
        ("The pH of the water rose.", "Adding lime raised the pH of the water."),
        ("According to Ferrand, the planet has two moons.", "Ferrand claims that the planet has two moons."),
        ("Possibly the vase is a copy.", "It is possible that the vase is a copy."),
    ],
)
def test_a_faithful_reading_meets_no_objection(sentence: str, source: str):
    assert objection(sentence, source, PARSER) == ""


@pytest.mark.parametrize(
    ("kind", "sentence", "source"),
    [
        ("words", "Bakers queue for ovens and flour.", TOWED),
        ("word", "The pilot boat towed the damaged trawler into harbour.", TOWED),
        ("verb", "Shares in the harbour.", TOWED),
        ("role", "The ferry had towed the boat.", "The boat towed the ferry, which was old."),
        ("transposed", "In Kenya Obama visited July.", "In July Obama visited Kenya."),
        ("limit", "The fire destroyed the tower.", "It is likely that the fire destroyed the tower."),
        ("limit", "Half of the men stayed.", "About half of the men stayed."),
        ("unreal", "Water rose above the windows.", "Without the drain, water would have risen above the windows."),
        ("target", "At least five men saw nine boats.", "Five men saw at least nine boats."),
        ("teller", "The company bought the mill.", "The company tried to buy the mill."),
        ("teller", "The bridge was unsafe.", "The mayor denied that the bridge was unsafe."),
        ("condition", "The valve opens.", "The valve opens if the tank is full."),
        ("share", "The wells were dry.", "Two of the ten wells were dry."),
        ("ordinal", "The report was short.", "The second report was short."),
        ("narrow", "Pupils remembered more.", "Pupils who read aloud remembered more."),
        ("population", "Most students passed.", "Most first-year students passed."),
        ("link", "The team left before the storm hit.", "The team left after the storm hit and slept."),
        ("crossed", "Group A received a placebo.", "Group A received the drug and group B a placebo."),
        ("sequence", "Lift the lid, then loosen the screw.", "Loosen the screw, then lift the lid and rest."),
        (
            "across",
            "The recall of names suffered more in trials than the recall of faces.",
            "The recall of faces suffered more than the recall of names in all trials.",
        ),
        (
            "bond",
            "Pupils who ran ate less at lunch.",
            "Pupils who ran ate more at lunch, and their pulse was lower.",
        ),
        ("core", "The mayor owns the mill.", "The sister of the mayor owns the mill."),
    ],
)
def test_what_is_said_otherwise_meets_one(kind: str, sentence: str, source: str):
    fault = objection(sentence, source, PARSER)
    assert fault, "no objection"
    if kind != "core":  # It may be met by whichever check comes first.
        assert fault.split()[0] == kind, fault


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        (
            "The clear detection of the enhanced effect is rare.",
            "The enhanced detection of the clear effect is rare.",
        ),
        ("Kublai's second invasion of Japan failed.", "Japan's second invasion of Kublai failed."),
        ("Sales of mopeds overtook those of bikes in 2021.", "Sales of bikes overtook those of mopeds in 2021."),
    ],
)
def test_words_that_were_moved_are_withheld_whatever_the_word_rules_say(sentence: str, source: str):
    assert is_grave(objection(sentence, source, PARSER))
    assert not judge(sentence, source, (), PARSER).passes


def test_a_word_that_was_not_understood_is_no_grave_objection():
    assert not is_grave("word trawler")
    assert not is_grave("limit about")


def test_the_grammar_passes_what_the_word_rules_leave_open_and_only_with_a_parser():
    source = "The client sends the token to the server, which checks it against a list."
    sentence = "The server checks the token, which the client sends to it, against a list."
    assert not judge(sentence, source).passes
    assert judge(sentence, source, (), PARSER) is CitationVerdict.PARAPHRASE


def test_a_literal_part_needs_no_parser():
    class Unasked:
        name = "unasked"

        def parse(self, text: str):
            raise AssertionError(text)

    assert judge(TOWED, f"It was dark. {TOWED}", (), Unasked()) is CitationVerdict.VERBATIM


def test_a_very_long_sentence_is_left_to_the_word_rules():
    class Counting:
        name = "counting"
        asked = 0

        def parse(self, text: str):
            self.asked += 1
            return PARSER.parse(text)

    parser = Counting()
    source = "The pilot boat towed the damaged ferry, " + "the old one, " * (PARSED_CHARS // 10) + "into harbour."
    judge("The damaged ferry was towed by the pilot boat.", source, (), parser)
    assert parser.asked == 0


def test_a_sentence_is_parsed_once_however_often_it_is_held_against_others():
    assert tree_of(TOWED, PARSER) is tree_of(TOWED, PARSER)
