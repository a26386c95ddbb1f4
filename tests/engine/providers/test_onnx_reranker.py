"""A real graph and a real tokenizer in, logits out: they follow the words, and nothing but judgements is taken."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from tests.cross_encoders import overlap_logit, write_cross_encoder
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.providers import onnx_reranker
from trisynapse_memory.providers.onnx_reranker import BATCH_TOKENS, OnnxReranker

QUESTION = "who built the tower"
PASSAGES = ("the moon is far", "the mason built the tower", "the tower fell", "a bird")
LONG = "the " * 400
Make = Callable[..., OnnxReranker]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(*, clock: Callable[[], float] | None = None, **wishes: object) -> OnnxReranker:
        folder = write_cross_encoder(tmp_path / "overlap", (QUESTION, *PASSAGES), **wishes)
        return OnnxReranker(str(folder), 1, *([clock] if clock else []))

    return made


def judge(reranker: OnnxReranker, *passages: str, max_tokens: int = 256, budget_s: float = 600.0) -> np.ndarray:
    return reranker.judge(QUESTION, passages, max_tokens=max_tokens, budget_s=budget_s)


@pytest.mark.parametrize(("output", "factor"), [("one", 1.0), ("flat", 1.0), ("two", 2.0)])
def test_each_form_of_logits_ranks_by_what_the_model_gives(make: Make, output: str, factor: float):
    found = judge(make(output=output), *PASSAGES)
    assert found.dtype == np.float32
    assert found == pytest.approx([factor * overlap_logit(QUESTION, one) for one in PASSAGES], abs=1e-4)
    assert np.argmax(found) == 1


def test_a_model_that_is_told_no_segments_is_asked_without_them(make: Make):
    found = judge(make(has_segments=False), *PASSAGES)
    assert found == pytest.approx([overlap_logit(QUESTION, one) for one in PASSAGES], abs=1e-4)


def test_what_lies_beside_a_passage_changes_nothing_of_its_judgement(make: Make):
    reranker = make()
    alone = [float(judge(reranker, one)[0]) for one in PASSAGES]
    assert judge(reranker, *PASSAGES, LONG)[: len(PASSAGES)] == pytest.approx(alone, abs=1e-5)


def test_no_passage_is_no_judgement(make: Make):
    assert judge(make()).shape == (0,)


def test_a_passage_is_read_up_to_the_tokens_that_are_allowed(make: Make):
    late = "a " * 200 + "built tower"
    reranker = make()
    assert judge(reranker, late, max_tokens=300)[0] > judge(reranker, late, max_tokens=64)[0]
    assert judge(reranker, late, max_tokens=5_000)[0] == judge(reranker, late, max_tokens=512)[0]


def test_a_question_longer_than_the_window_is_cut_and_read(make: Make):
    found = make().judge(LONG, PASSAGES, max_tokens=32, budget_s=600.0)
    assert found.shape == (len(PASSAGES),)


def test_when_the_time_is_up_the_first_runs_stand(make: Make):
    seconds = count()
    found = judge(make(clock=lambda: next(seconds)), *[LONG] * 6, max_tokens=BATCH_TOKENS, budget_s=2.5)
    assert len(found) == 3  # one run each; before the second and third the clock had gone on by 1 s and 2 s
    assert len(judge(make(clock=lambda: next(seconds)), *[LONG] * 6, max_tokens=BATCH_TOKENS, budget_s=0.1)) == 1


def test_half_a_character_is_read_as_an_unknown_one(make: Make):
    assert judge(make(), "the tower \ud83d fell")[0] == pytest.approx(
        overlap_logit(QUESTION, "the tower fell"), abs=1e-4
    )


# ---------------------------------------------------------------- what is no model


@pytest.mark.parametrize(
    ("output", "words"), [("hidden", "gives numbers of shape"), ("nan", "gives numbers that are not finite")]
)
def test_what_is_no_judgement_is_refused(make: Make, output: str, words: str):
    with pytest.raises(ModelFileError, match=words):
        judge(make(output=output), *PASSAGES)


def test_a_graph_that_asks_for_something_else_is_refused(make: Make):
    with pytest.raises(ModelFileError, match="wants 'pixel_values'"):
        judge(make(inputs=("pixel_values",)), *PASSAGES)


def test_a_broken_graph_and_a_broken_tokenizer_are_told_and_name_no_path(make: Make, tmp_path: Path):
    folder = tmp_path / "overlap"
    make()
    whole = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelFileError, match="'overlap' cannot be run") as broken:
        judge(OnnxReranker(str(folder)), *PASSAGES)
    assert str(tmp_path) not in str(broken.value)
    (folder / "model.onnx").write_bytes(whole)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelFileError, match=r"has a 'tokenizer\.json' that cannot be read"):
        judge(OnnxReranker(str(folder)), *PASSAGES)


def test_building_one_loads_no_library(tmp_path: Path):
    folder = write_cross_encoder(tmp_path / "overlap", PASSAGES)
    script = """
import json, sys
from trisynapse_memory.providers.onnx_reranker import OnnxReranker
found = OnnxReranker(sys.argv[1])
print(json.dumps([found.max_tokens, [one for one in ("onnxruntime", "tokenizers", "torch") if one in sys.modules]]))
"""
    engine = Path(onnx_reranker.__file__).parents[2]
    command = [sys.executable, "-c", script, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=engine, check=True)
    assert json.loads(ran.stdout) == [512, []]
