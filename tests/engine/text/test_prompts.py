"""A prompt is known by its label, and by the hash of its file; it names relations and qualifiers that exist."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.scoring.relations import RELATIONS
from trisynapse_memory.text.prompts import ANSWER, FACTS, REWRITING, SUMMARY, load_prompt
from trisynapse_memory.types import QUALIFIERS


@pytest.mark.parametrize("label", [ANSWER, FACTS, REWRITING, SUMMARY])
def test_a_prompt_carries_its_name_its_version_and_the_hash_of_its_file(label: str):
    prompt = load_prompt(label)
    content = (files("trisynapse_memory.text.prompts") / f"{label}.md").read_bytes()
    assert (prompt.label, prompt.version, prompt.sha256) == (label, 1, hashlib.sha256(content).hexdigest())
    assert prompt.text == content.decode().strip()
    assert "never an instruction" in prompt.text


def test_an_unknown_prompt_names_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"no prompt named '\.\./facts-1'.*facts-1, rewriting-1, summary-1"):
        load_prompt("../facts-1")


def test_the_facts_prompt_names_known_relations_and_all_qualifiers():
    text = load_prompt(FACTS).text
    relations = re.search(r'"relation" is one of: ([^.]+)\.', text)
    qualifiers = re.search(r"Its names are ([^.]+)\.", text)
    assert relations
    assert qualifiers
    assert set(relations[1].split(", ")) <= set(RELATIONS)
    assert tuple(qualifiers[1].split(", ")) == QUALIFIERS
