"""Seats of embedders: who is asked in which process, and what is said where somebody is not there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trisynapse_memory.branches import Branch
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Embedder
from trisynapse_memory.errors import BranchUnavailableError, ModelFileError, ProviderError
from trisynapse_memory.pipelines.staffing.embedder_seats import FOLDER, GIVEN, Choice, SeatMaker
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import SourceId

ROW = "trisynapse_memory.providers.sentence_transformers:SentenceTransformersEmbedder"


class Stub:
    model_id, dimension, max_tokens, is_remote = "stub/1", 2, 256, False

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.sources: list[tuple[SourceId, ...]] = []

    def embed(self, texts: Sequence[str], source_ids: tuple[SourceId, ...] = ()) -> Any:
        self.asked.append(tuple(texts))
        self.sources.append(source_ids)
        return np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (len(texts), 1))

    def token_counts(self, texts: Sequence[str]) -> tuple[int, ...]:
        return tuple(1 for _ in texts)

    def dismiss(self) -> None:
        self.asked.append(("dismissed",))


class Child(Stub):
    """The place of a worker process; notes how it was made and when it was let go."""

    made: list[Child]

    def __init__(self, config: Config, name: str, low_priority: bool) -> None:
        super().__init__()
        self.config, self.name, self.low_priority, self.closed = config, name, low_priority, 0

    def close(self) -> None:
        self.closed += 1


class Maker:
    """A seat maker with everything around it."""

    def __init__(self, **settings: Any) -> None:
        self.children: list[Child] = []
        self.embedder = Stub()
        self.worker = Child(Config(), "minilm", True)
        registry = settings.pop("registry", None) or Registry((Branch("embedder", FOLDER, ROW),), guests=False)

        def start(config: Config, name: str, low_priority: bool) -> Child:
            self.children.append(Child(config, name, low_priority))
            return self.children[-1]

        self.seats = SeatMaker(Config(), registry, self.embedder, self.worker, start, **settings)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "a model"
    (made / "1_Pooling").mkdir(parents=True)
    modules = [{"idx": 0, "path": "", "type": "T"}, {"idx": 1, "path": "1_Pooling", "type": "P"}]
    (made / "modules.json").write_text(json.dumps(modules))
    (made / "config.json").write_text(json.dumps({"hidden_size": 3, "max_position_embeddings": 64}))
    (made / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 2}))
    return made


def test_the_built_in_one_answers_here_and_embeds_records_in_its_worker():
    maker = Maker()
    seat = maker.seats.make(Choice())
    seat.embedder.embed(["question"])
    seat.embed_records(["record"], (SourceId("s"),))
    assert (maker.embedder.asked, maker.worker.asked) == ([("question",)], [("record",)])
    assert not seat.is_remote
    seat.rest()
    assert maker.worker.closed == 1


def test_a_folder_is_asked_in_two_children_and_its_library_never_enters_this_process(folder: Path):
    maker = Maker()
    seat = maker.seats.make(Choice(FOLDER, str(folder)))
    assert isinstance(seat.embedder, Embedder)
    assert (seat.embedder.dimension, seat.embedder.max_tokens, seat.is_remote) == (2, 64, False)
    assert seat.embedder.model_id.startswith("sentence-transformers/a model@")
    seat.embedder.embed(["question"])
    seat.embed_records(["record"], ())
    records, questions = maker.children
    assert (records.asked, questions.asked) == ([("record",)], [("question",)])
    assert (records.low_priority, questions.low_priority) == (True, False)
    assert {child.name for child in maker.children} == {f"sentence-transformers:{folder}"}
    assert records.config.worker_memory_bytes > Config().worker_memory_bytes
    seat.rest()
    assert (records.closed, questions.closed) == (1, 0)
    seat.close()
    assert questions.closed == 1


def test_a_folder_that_is_no_model_is_said_when_it_is_chosen(tmp_path: Path):
    with pytest.raises(ModelFileError, match="no folder"):
        Maker().seats.make(Choice(FOLDER, str(tmp_path / "nothing")))
    with pytest.raises(ModelFileError, match="no sentence-transformers model"):
        Maker().seats.make(Choice(FOLDER, str(tmp_path)))


def test_a_missing_extra_is_said_with_what_to_install(folder: Path):
    rows = (Branch("embedder", FOLDER, ROW, ("no_such_package",), "sentence-transformers"),)
    with pytest.raises(BranchUnavailableError, match="no_such_package") as caught:
        Maker(registry=Registry(rows, guests=False)).seats.make(Choice(FOLDER, str(folder)))
    assert "trisynapse-desktop[sentence-transformers]" in caught.value.hint


def test_one_at_a_service_is_asked_here_with_the_sources_of_its_texts():
    remote = Stub()
    remote.is_remote = True
    asked: list[tuple[str, str, int]] = []

    def at_service(service: str, model: str, dimension: int) -> Stub:
        asked.append((service, model, dimension))
        return remote

    seat = Maker(at_service=at_service).seats.make(Choice("cloud", "large"), 2)
    seat.embed_records(["record"], (SourceId("s"),))
    assert (asked, remote.sources, seat.is_remote) == ([("cloud", "large", 2)], [(SourceId("s"),)], True)
    seat.close()
    assert remote.asked[-1] == ("dismissed",)


def test_a_service_that_embeds_nothing_says_so():
    def at_service(service: str, model: str, dimension: int) -> Stub:
        raise ProviderError("It embeds nothing.")

    with pytest.raises(ProviderError, match="embeds nothing"):
        Maker(at_service=at_service).seats.make(Choice("cloud", "large"))


def test_an_object_of_the_caller_is_asked_in_this_process():
    given = Stub()
    seat = Maker(given=given).seats.make(Choice(GIVEN))
    seat.embed_records(["record"], (SourceId("s"),))
    assert (seat.embedder, given.asked, given.sources) == (given, [("record",)], [()])


def test_an_embedder_that_is_not_here_any_more_is_said():
    for choice in (Choice(GIVEN), Choice("cloud", "large")):
        with pytest.raises(BranchUnavailableError, match="is not here"):
            Maker().seats.make(choice)
