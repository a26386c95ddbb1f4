"""What is used, built on and trained on what."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("AdaFold uses dropout and a linear head.", ["AdaFold | uses | dropout", "AdaFold | uses | linear head"]),
        (
            "AdaFold was pretrained with Adam on WikiText.",
            ["AdaFold | pretrained_on | WikiText", "AdaFold | pretrained_with | Adam"],
        ),
        ("We fine-tuned RetroNet-2 on SQuAD.", ["RetroNet-2 | trained_on | SQuAD"]),
        ("MapKit is built on top of OpenLayers.", ["MapKit | based_on | OpenLayers"]),
        ("OpenLayers is used by MapKit.", ["MapKit | uses | OpenLayers"]),
        ("MapKit does not use OpenLayers.", ["MapKit | not uses | OpenLayers"]),
        ("MapKit no longer uses OpenLayers.", ["MapKit | not uses | OpenLayers"]),
        ("MapKit may use OpenLayers.", ["MapKit | uses? | OpenLayers"]),
        ("MapKit uses GeoJSON, but not GeoTIFF.", ["MapKit | uses | GeoJSON"]),
        ("MapKit uses GeoJSON or GeoTIFF.", []),
        ("Does MapKit use OpenLayers?", []),
        ("If MapKit uses OpenLayers, the map is slow.", []),
        ("MapKit should use OpenLayers.", []),
        ("AdaFold was trained on eight cards.", []),
        ("It uses OpenLayers.", []),
        ("This method uses OpenLayers.", []),
        ("The proposed method uses OpenLayers.", []),
    ],
)
def test_what_a_sentence_says(facts: Callable[..., list[str]], text: str, found: list[str]) -> None:
    assert sorted(facts(text, "usage")) == found


def test_a_pronoun_stands_for_the_one_subject_before_it(read: Callable[..., list]) -> None:
    found = read("AdaFold is a folding network. It uses rotary embeddings.", "usage")
    assert [(one.subject, one.object, one.qualifiers, one.pattern) for one in found] == [
        ("AdaFold", "rotary embeddings", {"anaphor": "It"}, "usage.loose")
    ]


def test_a_pronoun_after_two_names_stands_for_nothing(facts: Callable[..., list[str]]) -> None:
    assert facts("AdaFold beats RetroNet-2. It uses rotary embeddings.", "usage") == []


def test_a_speaker_keeps_what_is_theirs(read: Callable[..., list]) -> None:
    found = read("Rivera says that MapKit uses OpenLayers.", "usage")
    assert [(one.subject, one.object, one.qualifiers) for one in found] == [
        ("MapKit", "OpenLayers", {"speaker": "Rivera"})
    ]


def test_a_word_broken_by_a_line_end_is_read_whole(read: Callable[..., list]) -> None:
    (found,) = read("MapKit uses represen-\ntations of streets.", "usage")
    assert found.object == "representations of streets"
