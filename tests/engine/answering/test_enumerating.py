"""What a sentence enumerates is found where it plainly does, and nothing where a reading is doubtful."""

from __future__ import annotations

from itertools import pairwise

import pytest

from trisynapse_memory.answering.enumerating import enumerated


def items(text: str) -> list[str]:
    return [text[start:end] for start, end in enumerated(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("In April we saw grebes, teals and two ospreys.", ["grebes", "teals", "two ospreys"]),
        ("The shop sells maps, prints, postcards and seed packets.", ["maps", "prints", "postcards", "seed packets"]),
        ("Drawbacks are clogged holes, frozen pipes and repairs.", ["clogged holes", "frozen pipes", "repairs"]),
        ("It was trained on the News, the Dialogues and the Statutes.", ["the News", "the Dialogues", "the Statutes"]),
        ("It was evaluated on SQuAD, TriviaQA, and NQ, all in English.", ["SQuAD", "TriviaQA", "NQ"]),
        ("Open are who pays, when it is due and where it goes.", ["who pays", "when it is due", "where it goes"]),
        ("We use datasets such as MNIST, CIFAR-10 and ImageNet.", ["MNIST", "CIFAR-10", "ImageNet"]),
        ("Methods: retrieval, generation, and ranking.", ["retrieval", "generation", "ranking"]),
    ],
)  # fmt: skip
def test_a_running_sentence_that_enumerates(text: str, found: list[str]):
    assert items(text) == found


def test_the_entries_of_a_marked_list_without_their_marks():
    text = "It has three advantages:\n\n- It needs no pump.\n- It loses little water\n  to the wind.\n- It is quiet."
    assert items(text) == ["It needs no pump.", "It loses little water\n  to the wind.", "It is quiet."]
    assert items("\uf0b7 Flush it.\n\uf0b7 Clean it.") == ["Flush it.", "Clean it."]
    assert items("Do this:\n1. Flush it.\n2. Clean it.") == ["Flush it.", "Clean it."]


@pytest.mark.parametrize(
    "text",
    [
        "In 1947, in Rome, he met Ann and Bob.",
        "When the wheel turned slowly, light came back, and the star went out.",
        "It was sold to Anna, who lived there, and to Bert.",
        "Francis Pease and Fred Pearson carried it on until 1933.",
        "The shift, the speed and the length of the path give the speed of light.",
        "The value was 299,796 and later 299,774.",
        "It is black and white.",
    ],
)
def test_what_only_looks_like_an_enumeration(text: str):
    assert items(text) == []


def test_items_stand_in_the_text_in_its_order():
    text = "Its sponsors are Nike, Adidas and the city of Rome."
    places = enumerated(text)
    assert list(places) == sorted(places)
    assert all(end <= following for (_, end), (following, _) in pairwise(places))
