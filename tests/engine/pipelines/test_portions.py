"""Batches are small enough that "stop" is heard between two of them (R30)."""

from __future__ import annotations

from trisynapse_memory.pipelines.portions import BATCH_CHUNKS, batches
from trisynapse_memory.preprocessing.messages import LoadedPage
from trisynapse_memory.types import Chunk, Locator, Page, PageVerdict


def loaded(number: int, chunk_count: int) -> LoadedPage:
    chunk = Chunk(page=number, text="x", locator=Locator(kind="section"))
    return LoadedPage(
        page=Page(number=number, text="x", verdict=PageVerdict.OK), sections=(), chunks=(chunk,) * chunk_count
    )


def test_pages_with_few_records_come_in_batches_of_the_wanted_size():
    found = list(batches([loaded(number, 3) for number in range(1, 71)], 32))
    assert [len(batch) for batch in found] == [4, 32, 32, 2]
    assert [one.page.number for batch in found for one in batch] == list(range(1, 71))


def test_a_batch_of_pages_with_many_records_ends_sooner():
    found = list(batches([loaded(number, 150) for number in range(1, 11)], 32))
    assert [len(batch) for batch in found] == [3, 3, 3, 1]
    assert max(sum(len(one.chunks) for one in batch) for batch in found) < BATCH_CHUNKS + 150
