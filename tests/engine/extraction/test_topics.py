"""What a source is about."""

from __future__ import annotations

from trisynapse_memory.extraction.topics import topics_of
from trisynapse_memory.types import Modality, Passage


def passages(*texts: str, title: str = "Notes", section: str = "") -> list[Passage]:
    return [Passage(seq=seq, text=text, title=title, section=section) for seq, text in enumerate(texts, 1)]


def test_a_phrase_of_the_title_that_three_passages_write_is_a_topic() -> None:
    group = passages(
        "We love tidal energy.", "Costs of Tidal energy fall.", "But tidal\nenergy is old.", title="Tidal energy today"
    )
    (found,) = topics_of(group)
    assert (found.seq, found.subject, found.relation, found.object) == (
        1,
        "Tidal energy today",
        "about",
        "tidal energy",
    )
    assert group[0].text[found.start : found.end] == "We love tidal energy."


def test_two_passages_are_too_few() -> None:
    assert list(topics_of(passages("We love tidal energy.", "Costs of tidal energy fall.", title="Tidal energy"))) == []


def test_a_phrase_that_no_heading_writes_is_no_topic() -> None:
    texts = [f"Here tidal energy and solar panels are in case {number}." for number in range(3)]
    assert list(topics_of(passages(*texts))) == []
    headed = passages(*texts, section="2 Methods > 2.1 Tidal Energy")
    assert [one.object for one in topics_of(headed)] == ["tidal energy"]


def test_at_most_eight_are_told() -> None:
    words = ". The ".join(f"{one}{one} {one}{two}" for one in "abcde" for two in "vw")
    assert len(list(topics_of(passages(*[words] * 3, title=words)))) == 8


def test_code_untitled_text_and_reference_lists_have_none() -> None:
    text = "We love tidal energy."
    assert list(topics_of(passages(text, text, text, title=""))) == []
    assert list(topics_of(passages(text, text, text, section="References"))) == []
    code = [Passage(seq=seq, text=text, title="a.py", modality=Modality.CODE) for seq in range(3)]
    assert list(topics_of(code)) == []
