"""The pattern extractor as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trisynapse_memory.contracts import Extractor
from trisynapse_memory.extraction.extractors.pattern import PatternExtractor
from trisynapse_memory.extraction.runner import extract_facts, fault_of
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Modality, Passage

WORDS = """AdaFold BERT Smith the a model method uses outperforms is was not by of in on and or , . ; : ( ) [12] if may
    92% 2019 defined as “x” located Paris trained with Adam = | \n - should it they which that""".split(" ")


@pytest.fixture(scope="module")
def extractor() -> PatternExtractor:
    return PatternExtractor()


def test_it_is_an_extractor_of_the_table(extractor: PatternExtractor) -> None:
    assert isinstance(extractor, Extractor)
    assert Registry(guests=False).load("extractor", "pattern") is PatternExtractor
    assert (extractor.name, extractor.version) == ("pattern", 1)


def test_making_one_loads_no_parser() -> None:
    code = (
        "import sys\nfrom trisynapse_memory.extraction.extractors.pattern import PatternExtractor\n"
        "PatternExtractor()\nassert 'spacy' not in sys.modules and 'thinc' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "engine"})


def test_nothing_says_nothing(extractor: PatternExtractor) -> None:
    assert extractor.extract([]) == ()
    assert extractor.extract([Passage(seq=1, text="")]) == ()


def test_records_of_data_files_give_no_facts(extractor: PatternExtractor) -> None:
    words = "MapKit uses OpenLayers.\nLicence: MIT\nYear: 2019"
    assert extractor.extract([Passage(seq=1, text=words, title="MapKit")])
    assert extractor.extract([Passage(seq=1, text=words, title="MapKit", modality=Modality.STRUCTURED)]) == ()


def test_facts_come_in_the_order_of_the_passages_each_once(extractor: PatternExtractor) -> None:
    passages = [
        Passage(seq=5, text="MapKit uses OpenLayers. MapKit uses GeoJSON."),
        Passage(seq=2, text="MapKit uses OpenLayers."),
    ]
    found = extractor.extract(passages)
    assert [(one.seq, one.subject, one.object) for one in found] == [
        (5, "MapKit", "OpenLayers"),
        (5, "MapKit", "GeoJSON"),
        (2, "MapKit", "OpenLayers"),
    ]
    assert [passages[0].text[one.start : one.end] for one in found[:2]] == [
        "MapKit uses OpenLayers.",
        "MapKit uses GeoJSON.",
    ]


def test_a_long_list_gives_at_most_twelve_facts(extractor: PatternExtractor) -> None:
    parts = ", ".join(f"Part{number}" for number in range(30))
    found = extractor.extract([Passage(seq=1, text=f"MapKit consists of {parts} and Part30.")])
    assert len(found) <= 12


def test_passages_do_not_change_each_other(extractor: PatternExtractor) -> None:
    one, two = Passage(seq=1, text="AdaFold is a network."), Passage(seq=2, text="It uses rotary embeddings.")
    assert extractor.extract([one, two]) == extractor.extract([one]) + extractor.extract([two])


@pytest.mark.parametrize(
    "text",
    [
        "[12] A. Lee and B. Park. AdaFold uses OpenLayers. In Proceedings of ACL, pages 1-9, 2019.",
        "| AdaFold uses OpenLayers | 92.3 | 4.1 |",
        "“AdaFold uses OpenLayers in all of its parts,” somebody said.",
        "methods, AdaFold uses OpenLayers = x",
    ],
)
def test_what_is_no_statement_of_the_text_is_never_plain(extractor: PatternExtractor, text: str) -> None:
    assert [one for one in extractor.extract([Passage(seq=1, text=text)]) if one.pattern == "usage"] == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(WORDS), max_size=40))
def test_whatever_a_text_says_proposals_can_be_stood_behind(extractor: PatternExtractor, words: list[str]) -> None:
    passage = Passage(seq=1, text=" ".join(words))
    found = extract_facts([passage], extractor)
    assert all(fault_of(one, passage) == "" for one in found.proposals)
    assert set(found.dropped) <= {"vague side", "repeated", "object not in span", "subject not in span"}
