from __future__ import annotations

from trisynapse_memory.bench.workplace import workplace


def test_a_workplace_is_gone_afterwards(in_process):
    with workplace(lambda _: None) as place:
        folder = place.folder
        assert folder.is_dir()
    assert not folder.parent.exists()


def test_vectors_are_made_here_and_no_worker_is_started(in_process):
    with workplace(lambda _: None) as place:
        place.engine.ingest_messages([{"content": "Saturn has rings."}], group_id="g")
        assert place.engine.jobs.backlog().vectors == 1
        matrix = place.embed_all(place.records())
        assert place.engine.jobs.backlog().vectors == 0
        assert matrix.shape == (1, place.opened.rooms.embedder.dimension)
        (hit,) = place.engine.search("rings").hits
        assert {"lexical", "semantic"} <= set(hit.parts)


def test_a_closed_vault_can_be_weighed(in_process):
    with workplace(lambda _: None) as place:
        assert place.close_and_weigh() > 0
