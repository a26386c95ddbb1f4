"""One suite for every service of the table: its list of models, and its vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.contracts.service_setting import SECRET, Setting
from tests.model_servers import Trouble
from tests.model_wires import EMBEDDER, MODEL, vector_of
from trisynapse_memory.contracts import Embedder
from trisynapse_memory.errors import BadEmbeddingError, BadReplyError, ModelMissingError, ProviderError
from trisynapse_memory.types import Role, SourceId


def test_a_list_of_models_names_their_windows_and_roles(setting: Setting) -> None:
    cards = {card.name: card for card in setting.provider.cards()}
    assert cards[MODEL].context_tokens == 123_000
    assert Role.ANSWER in cards[MODEL].roles
    assert all(set(card.roles) <= set(setting.service.roles) for card in cards.values())
    assert setting.provider.completer(MODEL).max_tokens == 123_000
    assert "whisper-1" not in cards


def test_without_a_list_the_window_is_a_cautious_guess(setting: Setting) -> None:
    assert 0 < setting.completer().max_tokens <= 200_000


@pytest.mark.parametrize("kind", ["invalid", "shape"])
def test_a_list_that_is_none_is_an_error(setting: Setting, kind: str) -> None:
    setting.fails(Trouble(kind))
    with pytest.raises(BadReplyError):
        setting.provider.cards()


# ---------------------------------------------------------------- embeddings


def embedder(setting: Setting, dimension: int = 0) -> Any:
    if Role.EMBEDDING not in setting.service.roles:
        pytest.skip("embeds nothing")
    return setting.provider.embedder(EMBEDDER, dimension)


def test_a_service_without_embeddings_says_so(setting: Setting) -> None:
    if setting.service.wire == "anthropic":
        with pytest.raises(ProviderError, match="embeds nothing"):
            setting.provider.embedder(EMBEDDER, 0)


def test_vectors_are_unit_rows_in_the_order_of_the_texts(setting: Setting) -> None:
    made = embedder(setting)
    texts = ("The mirror turned.", "", "KX-00120", "光の速さ")
    rows = made.embed(texts)
    assert isinstance(made, Embedder)
    assert (rows.shape, rows.dtype, made.dimension) == ((4, 8), np.float32, 8)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-6)
    expected = np.array(vector_of("KX-00120", 8))
    assert rows[2] == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert made.embed([]).shape == (0, 8)
    assert made.is_remote is setting.service.is_remote


def test_many_texts_go_out_in_several_requests_and_the_ledger_names_their_sources(setting: Setting) -> None:
    made = embedder(setting)
    rows = made.embed([f"Sentence {number}." for number in range(150)], source_ids=(SourceId("src_a"),))
    assert rows.shape == (150, 8)
    ledger = setting.egress.ledger()
    assert len(ledger) > 1
    assert all(row.source_ids == ("src_a",) and row.purpose == "embedding" for row in ledger)
    assert [row.sent_bytes for row in ledger] == [seen.size for seen in setting.server.requests]


def test_vectors_of_another_length_than_before_are_refused(setting: Setting) -> None:
    with pytest.raises(BadEmbeddingError, match="8 numbers"):
        embedder(setting, dimension=384).embed(["A text."])
    made = embedder(setting)
    made.embed(["A text."])
    setting.server.dimension = 9
    with pytest.raises(BadEmbeddingError):
        made.embed(["A text."])


@pytest.mark.parametrize("values", ["[0, 0]", "[1e308, 1e308]", "[]"])
def test_vectors_that_are_no_directions_are_refused(setting: Setting, values: str) -> None:
    made = embedder(setting)
    body = f'{{"embeddings": [{{"values": {values}}}], "data": [{{"embedding": {values}, "index": 0}}]}}'
    setting.fails(Trouble("raw", status=200, body=body.encode()))
    with pytest.raises(BadEmbeddingError):
        made.embed(["A text."])


@pytest.mark.parametrize(("kind", "error"), [("missing", ModelMissingError), ("invalid", BadReplyError)])
def test_an_embedding_that_fails_says_why(setting: Setting, kind: str, error: type[ProviderError]) -> None:
    made = embedder(setting)
    setting.fails(Trouble(kind))
    with pytest.raises(error, match=EMBEDDER):
        made.embed([SECRET])
