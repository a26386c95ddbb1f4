"""Who puts passages in order: only what she chose, a folder or a name on the hub; what is missing is said in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import structs

from tests.cross_encoders import SPECIAL, write_cross_encoder
from trisynapse_memory.branches import Branch
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.pipelines.staffing.rerankers import CROSS_ENCODER, Rerankers
from trisynapse_memory.providers.machine import read_machine
from trisynapse_memory.registry import Registry

INSTALLED = Registry(guests=False)
ABSENT = Registry((Branch("reranker", CROSS_ENCODER, "json:JSONDecoder", ("no_such_package",)),), guests=False)
Make = Callable[[str], Rerankers]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda chosen: Rerankers(INSTALLED, lambda: chosen, tmp_path / "models")


def test_without_a_choice_there_is_none_even_where_one_lies_here(tmp_path: Path, make: Make):
    write_cross_encoder(tmp_path / "models" / "rerankers" / "ann--tiny", [])
    assert make("").model() is None
    assert make("").choice().state == "off"


def test_a_folder_and_a_name_of_the_hub_lead_to_a_model(tmp_path: Path, make: Make):
    folder = write_cross_encoder(tmp_path / "mine", [])
    fetched = write_cross_encoder(tmp_path / "models" / "rerankers" / "ann--tiny", [])
    for chosen, place, name in ((str(folder), folder, "mine"), ("ann/tiny", fetched, "tiny")):
        found = make(chosen).model()
        assert found is not None
        assert (found.row, found.folder) == (CROSS_ENCODER, str(place))
        assert found.model_id.startswith(f"cross-encoder:{name}@")
        choice = make(chosen).choice()
        assert (choice.state, choice.service, choice.model) == ("ready", CROSS_ENCODER, chosen)


def test_what_is_missing_is_said_with_what_to_do(tmp_path: Path, make: Make):
    gone = make(str(tmp_path / "gone")).choice()
    assert gone.state == "missing"
    assert "no folder 'gone'" in gone.note
    assert "models download ann/other" in make("ann/other").choice().note
    with pytest.raises(BranchUnavailableError, match="no_such_package") as absent:
        Rerankers(ABSENT, lambda: "ann/tiny", tmp_path).model()
    assert absent.value.hint == "Install it: pip install no_such_package."


def test_it_is_looked_up_once_until_told_to_look_again(tmp_path: Path, make: Make):
    rerankers = make("ann/tiny")
    assert rerankers.choice().state == "missing"
    write_cross_encoder(tmp_path / "models" / "rerankers" / "ann--tiny", [])
    assert rerankers.choice().state == "missing"
    rerankers.forget()
    assert rerankers.choice().state == "ready"


def test_a_model_that_this_machine_has_no_memory_for_is_not_loaded(tmp_path: Path):
    folder = write_cross_encoder(tmp_path / "huge", [])
    small = structs.replace(read_machine(), total_bytes=200 * 1024**2)
    choice = Rerankers(INSTALLED, lambda: str(folder), tmp_path, lambda: small).choice()
    assert choice.state == "missing"
    assert "'huge' needs 0.3 GiB of memory; this machine has 0.2." in choice.note


@pytest.mark.real
def test_a_test_lets_it_judge_two_passages(tmp_path: Path, make: Make):
    assert make(str(write_cross_encoder(tmp_path / "good", []))).try_model() == (
        "1.71 for a passage that answers, -2.86 for one that does not"
    )
    deaf = write_cross_encoder(tmp_path / "deaf", [])
    tokenizer = json.loads((deaf / "tokenizer.json").read_text())
    words = tokenizer["model"]["vocab"]
    tokenizer["model"]["vocab"] = {word: number for word, number in words.items() if word in SPECIAL}
    (deaf / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(ModelFileError, match="does not answer before one that does"):
        make(str(deaf)).try_model()
