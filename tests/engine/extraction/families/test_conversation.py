"""What speakers say of themselves."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.conversation import find
from trisynapse_memory.types import Modality, Passage


def said(text: str) -> list[tuple[str, str]]:
    passage = Passage(seq=1, text=text, speaker="Ann", modality=Modality.CONVERSATION)
    facts = list(find(passage))
    assert all(one.subject == "Ann" and one.object in text[one.start : one.end] for one in facts)
    return [(f"{'not ' if one.negated else ''}{one.relation}", one.object) for one in facts]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I prefer tea.", [("prefers", "tea")]),
        ("i really prefer Vim over Emacs for quick edits", [("prefers", "Vim")]),
        ("my favourite editor is Helix", [("prefers", "Helix")]),
        ("I prefer working in the morning.", [("prefers", "working in the morning")]),
        ("I hate long meetings", [("dislikes", "long meetings")]),
        ("I don't like the new parser", [("dislikes", "the new parser")]),
        ("I'm a postdoc at the University of Bergen, working on eels.", [("works_at", "University of Bergen")]),
        ("Well, I'm based in Lisbon, so mornings work", [("lives_in", "Lisbon")]),
        ("I don't live in Ghent anymore.", [("not lives_in", "Ghent")]),
        ("I believe that the cache is stale, but let me check.", [("stated", "the cache is stale")]),
        ("I don't think the parser is right.", [("not stated", "the parser is right")]),
    ],
)
def test_a_message(text: str, facts: list[tuple[str, str]]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Do I prefer tea?",
        "If I lived in Oslo I'd bike.",
        "I used to work at Google.",
        'She said "I prefer tea."',
        "I think so.",
        "I prefer it.",
        "I hate to interrupt.",
    ],
)
def test_questions_wishes_quotes_and_the_past_say_nothing(text: str) -> None:
    assert said(text) == []


def test_a_passage_without_a_speaker_says_nothing() -> None:
    assert list(find(Passage(seq=1, text="I prefer tea."))) == []
