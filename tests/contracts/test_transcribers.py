"""One suite for every transcriber of the table: what contracts.Transcriber promises, without its packages and with."""

from __future__ import annotations

import numpy as np
import pytest

from tests.speech import model_folder, needs_voice
from trisynapse_memory.contracts import SAMPLE_RATE, Transcriber
from trisynapse_memory.errors import ModelFileError
from trisynapse_memory.registry import Registry

REGISTRY = Registry(guests=False)
ROWS = REGISTRY.rows("transcriber")


@pytest.fixture(params=ROWS, ids=[row.name for row in ROWS])
def transcriber(request):
    return REGISTRY.load("transcriber", request.param.name)


def test_a_folder_without_a_model_is_refused_when_it_is_named(transcriber, tmp_path):
    with pytest.raises(ModelFileError) as refusal:
        transcriber(str(tmp_path / "nothing"))
    assert refusal.value.hint


@needs_voice
def test_it_says_who_it_is_and_hears_nothing_in_silence(transcriber):
    made = transcriber(str(model_folder()))
    assert isinstance(made, Transcriber)
    assert made.name in {row.name for row in ROWS}
    assert made.method.startswith(f"{made.name}:")
    heard = made.transcribe(np.zeros(2 * SAMPLE_RATE, dtype=np.float32))
    assert (heard.words, heard.confidence, heard.left_out_s) == ((), 0.0, 0.0)
    assert made.transcribe(np.zeros(0, dtype=np.float32)).words == ()


@needs_voice
def test_a_model_that_is_no_model_is_refused_with_words(transcriber, tmp_path):
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (tmp_path / name).write_bytes((model_folder() / name).read_bytes())
    (tmp_path / "model.bin").write_bytes(b"no weights at all")
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        transcriber(str(tmp_path)).transcribe(np.ones(SAMPLE_RATE, dtype=np.float32))
