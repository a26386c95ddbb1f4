from __future__ import annotations

import numpy as np
import pytest

from trisynapse_memory.bench.embeddings import CACHE_VARIABLE, Embeddings, open_cache


class CountingEmbedder:
    model_id, dimension, max_tokens = "counting/1", 2, 256

    def __init__(self):
        self.seen = []

    def embed(self, texts):
        self.seen.extend(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    def token_counts(self, texts):
        return tuple(len(text) for text in texts)


def test_each_text_is_embedded_once_and_rows_keep_the_order():
    embedder = CountingEmbedder()
    found = Embeddings(embedder, None, lambda _: None)
    assert found.rows(["bb", "a", "bb"]).tolist() == [[2, 1], [1, 1], [2, 1]]
    assert embedder.seen == ["bb", "a"]
    assert found.embedded_count == 2


def test_no_text_gives_no_row():
    assert Embeddings(CountingEmbedder(), None, lambda _: None).rows([]).shape == (0, 2)


def test_nothing_is_kept_between_runs_unless_asked_for():
    with open_cache() as cache:
        assert cache is None


def test_a_second_run_takes_its_vectors_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
    first, second = CountingEmbedder(), CountingEmbedder()
    for embedder in (first, second):
        with open_cache() as cache:
            rows = Embeddings(embedder, cache, lambda _: None).rows(["a", "bb"])
            assert rows.tolist() == [[1, 1], [2, 1]]
    assert (first.seen, second.seen) == (["a", "bb"], [])


def test_vectors_of_another_model_are_not_taken(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    first, second = CountingEmbedder(), CountingEmbedder()
    second.model_id = "counting/2"
    for embedder in (first, second):
        with open_cache() as cache:
            Embeddings(embedder, cache, lambda _: None).rows(["a"])
    assert second.seen == ["a"]


def test_the_cache_holds_no_text(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    with open_cache() as cache:
        Embeddings(CountingEmbedder(), cache, lambda _: None).rows(["a most private sentence"])
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"private" not in written


@pytest.mark.parametrize("count", [1, 64, 65])
def test_progress_is_told_in_batches(count):
    notes = []
    Embeddings(CountingEmbedder(), None, notes.append).rows([f"text {number}" for number in range(count)])
    assert notes[-1] == f"embedded {count} of {count} texts"
    assert len(notes) == -(-count // 64)
