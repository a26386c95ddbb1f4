"""The labelled corpora are well formed: the judges are judged before the code is."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest import mark, raises

from tests.corpora.planted import Planted, Story, planted
from trisynapse_memory.scoring.relations import RELATIONS
from trisynapse_memory.types.extraction import QUALIFIERS
from trisynapse_memory.types.record import Modality

CORPORA: Final = Path(__file__).resolve().parents[2] / "corpora"
FILES: Final = {
    "acronyms": (150, "stands_for"),
    "definitions": (170, "defined_as is_a"),
    "composition": (130, "part_of has_part"),
    "usage": (150, "uses based_on trained_on pretrained_with pretrained_on"),
    "comparison": (150, "outperforms compared_with improves reduces increases"),
    "causes": (130, "causes prevents supports contradicts"),
    "origin": (150, "introduced_by developed_by authored_by introduced_in published_in published_on founded_in"),
    "results": (160, "has_result"),
    "measurements": (130, "measured_as has_value"),
    "surveys": (150, "has_value"),
    "dates": (150, "born_on died_on occurred_on launch_date due_date start_date end_date"),
    "places": (150, "located_in works_at role_held_by owned_by has_status has_version"),
    "citations": (130, "cites"),
    "tables": (120, "has_cell"),
    "conversation": (130, "prefers dislikes works_at lives_in stated"),
    "authorship": (70, "authored_by introduced_by"),
    "values": (140, "measured_as"),
    "code": (60, "defines imports"),
    "layouts": (500, "has_cell has_role has_section found_under"),
    "laws": (110, "cites"),
    "notes": (100, "cites"),
    "reported": (110, "stated"),
}
SAYS_NOTHING: Final = 0.28
"""Least share of rows without a fact."""
MOST_ALIKE: Final = 5
"""Most rows of one sentence structure."""


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def labels_of(name: str) -> list[dict[str, Any]]:
    return rows_of(CORPORA / "extraction" / f"{name}.jsonl")


def flat(text: str) -> str:
    return " ".join(text.split())


def said_in(row: dict[str, Any], fact: dict[str, Any]) -> bool:
    """Whether subject and object stand in the row; a subject may also be the title, the speaker or in ``before``."""
    text = flat(row["text"])
    around = flat(" ".join(row.get(name, "") for name in ("title", "speaker", "before")))
    if fact["relation"] == "cites":
        words = set(re.findall(r"\w+", fact["object"])) - {"et", "al", "and"}
        return fact["subject"] == row["title"] and words <= set(re.findall(r"\w+", text))
    if fact["relation"] == "imports":
        return fact["subject"] == row["title"] and re.split(r"[.\\]", fact["object"])[-1] in text
    return fact["object"] in text and (fact["subject"] in text or fact["subject"] in around)


@mark.parametrize("name", FILES)
def test_a_file_is_large_enough_and_a_third_of_it_says_nothing(name: str) -> None:
    rows, (least, _) = labels_of(name), FILES[name]
    structures = Counter(row["structure"] for row in rows)

    assert sum(len(row["facts"]) for row in rows) >= least
    assert sum(not row["facts"] for row in rows) >= SAYS_NOTHING * len(rows)
    assert len(structures) >= 40
    assert max(structures.values()) <= MOST_ALIKE


@mark.parametrize("name", FILES)
def test_every_label_stands_in_its_row(name: str) -> None:
    relations = FILES[name][1].split()

    for row in labels_of(name):
        for fact in chain(row["facts"], row.get("also", ())):
            assert fact["relation"] in RELATIONS
            assert fact["relation"] in relations, row["id"]
            assert said_in(row, fact), (row["id"], fact)
            assert set(fact["qualifiers"]) <= {*QUALIFIERS, "anaphor"}, row["id"]
            assert isinstance(fact["negated"], bool)
            assert not re.match(r"(?:the|an?) ", fact["subject"], re.I), row["id"]
            assert not re.match(r"(?:the|an?) ", fact["object"], re.I), row["id"]


@mark.parametrize("name", FILES)
def test_a_row_has_the_fields_of_a_passage(name: str) -> None:
    allowed = {"id", "structure", "origin", "modality", "title", "before", "speaker", "observed_at", "cells", "section"}

    for row in labels_of(name):
        assert set(row) - allowed <= {"text", "facts", "also"}, row["id"]
        assert row["text"].strip()
        assert row["origin"] in ("own", "public-domain")
        assert row["modality"] in set(Modality)


def test_no_row_and_no_label_comes_twice() -> None:
    rows = [row for name in FILES for row in labels_of(name)]
    ids = Counter(row["id"] for row in rows)
    texts = [Counter((row["text"], row.get("title"), row.get("speaker")) for row in labels_of(name)) for name in FILES]

    assert max(ids.values()) == 1
    assert all(count == 1 for counted in texts for count in counted.values())
    for row in rows:
        told = [json.dumps(fact, sort_keys=True) for fact in chain(row["facts"], row.get("also", ()))]
        assert len(told) == len(set(told)), row["id"]


def test_the_conflicts_by_hand_are_40_and_100_near_misses() -> None:
    rows = rows_of(CORPORA / "conflicts" / "hand.jsonl")
    sides = [row[side] for row in rows for side in ("left", "right")]

    assert Counter(row["conflict"] for row in rows) == {True: 40, False: 100}
    assert len({row["id"] for row in rows}) == 140
    for side in sides:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", side["date"])
        for fact in side["facts"]:
            assert fact["relation"] in RELATIONS
            assert fact["subject"].lower() in side["text"].lower(), side["text"]
            assert fact["object"].lower() in side["text"].lower(), side["text"]
            assert set(fact["qualifiers"]) <= set(QUALIFIERS)


def test_two_sources_of_one_name_are_versions_or_one_source_that_contradicts_itself() -> None:
    for row in rows_of(CORPORA / "conflicts" / "hand.jsonl"):
        same = row["left"]["source"] == row["right"]["source"]
        assert same == (row["kind"] in ("correction", "one-source")), row["id"]
        assert row["right"].get("replaces", False) == (row["kind"] == "correction"), row["id"]


def test_a_planted_corpus_follows_its_seed_alone() -> None:
    assert planted(3) == planted(3)
    assert planted(3) != planted(4)
    with raises(ValueError, match="subjects must be 1 to 374"):
        planted(3, subjects=0)


@mark.parametrize("seed", [0, 1, 2])
def test_a_planted_corpus_says_what_it_states(seed: int) -> None:
    corpus = planted(seed)

    assert len({one.story_of for one in corpus.statements}) == 200
    assert len({one.subject for one in corpus.statements}) == 200
    assert {one.story for one in corpus.expected} == set(Story)
    for one in corpus.statements:
        said = corpus.sources[one.source].text[one.start : one.end]
        assert one.subject in said
        assert one.object in said


@mark.parametrize("seed", [0, 1, 2])
def test_planted_expectations_follow_from_the_statements(seed: int) -> None:
    corpus = planted(seed)
    standing = standing_values(corpus)

    for one in corpus.expected:
        values = standing[one.subject, one.relation, tuple(sorted(one.qualifiers.items()))]
        assert {*one.values, *one.superseded} <= values
        if one.story in (Story.DISPUTED, Story.OPENED, Story.SAME_DAY):
            assert values == set(one.values)
            assert len(values) == 2
        if one.story in (Story.REPLACED, Story.SETTLED, Story.KEPT, Story.SINGLE):
            assert values == set(one.values)
            assert len(values) == 1


def standing_values(corpus: Planted) -> dict[tuple[str, str, tuple[tuple[str, str], ...]], set[str]]:
    """The values of each key in the newest version of each source."""
    newest = {source.key: place for place, source in enumerate(corpus.sources)}
    found: dict[tuple[str, str, tuple[tuple[str, str], ...]], set[str]] = {}
    for one in corpus.statements:
        key = (one.subject, one.relation, tuple(sorted(one.qualifiers.items())))
        values = found.setdefault(key, set())
        if newest[corpus.sources[one.source].key] == one.source:
            values.add(one.object)
    return found


@mark.parametrize("name", ["project_atlas", "bert_optimiser", "lora_chain"])
def test_an_example_asks_about_what_its_sources_say(name: str) -> None:
    example = json.loads((CORPORA / "examples" / f"{name}.json").read_text("utf-8"))
    texts = {source["key"]: source["text"] for source in example["sources"]}
    corrected = {step["source"]: step["text"] for step in example.get("steps", ()) if step["do"] == "correct"}

    assert example["name"] == name
    assert [fact["relation"] for fact in example["expected_before"] if fact["relation"] not in RELATIONS] == []
    for question in example["questions"]:
        text = (corrected if question.get("after_steps") else texts)[question["source"]]
        assert question["answer"] in text
    for step in example.get("steps", ()):
        assert step["do"] != "correct" or step["passage"] in texts[step["source"]]
