"""Hits in, the kind of their store out."""

from __future__ import annotations

from msgspec import structs

from trisynapse_memory.answering.kinds import LONG_HITS, StoreKind, kind_of
from trisynapse_memory.types import Locator


def test_short_texts_of_their_own_are_prose_and_so_is_nothing(make_hits) -> None:
    assert kind_of(make_hits("A mirror.", "A wheel.")) is StoreKind.PROSE
    assert kind_of([]) is StoreKind.PROSE


def test_turns_are_talk(make_hits) -> None:
    assert kind_of(make_hits("I spun it.", "A wheel.", speakers=("Nora", "Ben"))) is StoreKind.TALK


def test_pages_far_into_a_source_are_long_documents_with_all_hits_of_that_source(make_hits) -> None:
    first, second, other = make_hits("A mirror.", "A wheel.", "A lamp.")
    pages = [_on_page(first, "paper", 1), _on_page(second, "paper", 9)]
    assert kind_of([*pages, other]) is StoreKind.LONG
    assert kind_of([_on_page(first, "paper", 1), _on_page(second, "paper", 2), other]) is StoreKind.PROSE


def test_many_hits_of_one_source_without_pages_are_a_long_document_too(make_hits) -> None:
    hits = [structs.replace(hit, record=structs.replace(hit.record, source_id="book")) for hit in make_hits(*"abcdef")]
    assert len(hits) == LONG_HITS
    assert kind_of(hits) is StoreKind.LONG
    assert kind_of(hits[1:]) is StoreKind.PROSE


def _on_page(hit, source_id: str, page: int):
    record = structs.replace(hit.record, source_id=source_id, locator=Locator(kind="page", page=page))
    return structs.replace(hit, record=record)
