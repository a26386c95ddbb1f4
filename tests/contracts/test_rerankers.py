"""One suite for every reranker of the table: what contracts.Reranker promises, with a small real model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cross_encoders import write_cross_encoder
from trisynapse_memory.contracts import Reranker
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.pipelines.staffing.rerankers import ANSWERING, QUESTION, UNRELATED
from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)
ROWS = REGISTRY.rows("reranker")


@pytest.fixture(params=ROWS, ids=[row.name for row in ROWS])
def row(request):
    return request.param


@pytest.fixture
def reranker(row, tmp_path: Path):
    return REGISTRY.load("reranker", row.name)(str(write_cross_encoder(tmp_path / "tiny", [])))


def test_it_says_who_it_is_and_puts_what_answers_first(row, reranker):
    assert isinstance(reranker, Reranker)
    assert reranker.name == row.name
    assert reranker.model_id.startswith(f"{row.name}:")
    assert reranker.max_tokens > 0
    logits = reranker.judge(QUESTION, (UNRELATED, ANSWERING), max_tokens=256, budget_s=600.0)
    assert (logits.shape, logits.dtype) == ((2,), np.float32)
    assert np.isfinite(logits).all()
    assert logits[1] > logits[0]


def test_the_first_passages_are_judged_however_little_time_there_is(reranker):
    logits = reranker.judge(QUESTION, (ANSWERING,) * 200, max_tokens=256, budget_s=0.0)
    assert 1 <= len(logits) < 200
    assert reranker.judge(QUESTION, (), max_tokens=256, budget_s=0.0).shape == (0,)


def test_a_folder_without_a_model_is_refused_when_it_is_named(row, tmp_path):
    with pytest.raises(ModelFileError) as refusal:
        REGISTRY.load("reranker", row.name)(str(tmp_path / "nothing"))
    assert refusal.value.hint
