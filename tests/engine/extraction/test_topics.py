"""What a source is about."""

from __future__ import annotations

from trisynapse_memory.extraction.topics import topics_of
from trisynapse_memory.types import Modality, Passage


def passages(*texts: str, title: str = "Notes", section: str = "") -> list[Passage]:
    return [Passage(seq=seq, text=text, title=title, section=section) for seq, text in enumerate(texts, 1)]


def test_a_phrase_that_three_passages_write_is_a_topic_of_its_source() -> None:
    group = passages("We love tidal energy.", "Costs of Tidal energy fall.", "But tidal\nenergy is old.")
    (found,) = topics_of(group)
    assert (found.seq, found.subject, found.relation, found.object) == (1, "Notes", "about", "tidal energy")
    assert group[0].text[found.start : found.end] == "We love tidal energy."


def test_two_passages_are_too_few() -> None:
    assert list(topics_of(passages("We love tidal energy.", "Costs of tidal energy fall."))) == []


def test_a_heading_puts_its_phrase_first() -> None:
    texts = [f"Here tidal energy and solar panels are in case {number}." for number in range(3)]
    assert [one.object for one in topics_of(passages(*texts))] == ["solar panels", "tidal energy"]
    headed = passages(*texts, section="2 Methods > 2.1 Tidal Energy")
    assert [one.object for one in topics_of(headed)] == ["tidal energy", "solar panels"]


def test_at_most_eight_are_told() -> None:
    words = [f"{one}{one} {one}{two}" for one in "abcde" for two in "vw"]
    assert len(list(topics_of(passages(*[". The ".join(words)] * 3)))) == 8


def test_code_untitled_text_and_reference_lists_have_none() -> None:
    text = "We love tidal energy."
    assert list(topics_of(passages(text, text, text, title=""))) == []
    assert list(topics_of(passages(text, text, text, section="References"))) == []
    code = [Passage(seq=seq, text=text, title="a.py", modality=Modality.CODE) for seq in range(3)]
    assert list(topics_of(code)) == []
