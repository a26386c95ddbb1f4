"""Texts in, a log that holds them out: sources as the write corridor leaves them, without its corridor."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from trisynapse_memory.log import lifecycle
from trisynapse_memory.log.blobs import BlobStore
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog, page_key
from trisynapse_memory.types import (
    Draft,
    FactDetails,
    Kind,
    Locator,
    PageDetails,
    PageVerdict,
    Record,
    SourceDetails,
    SourceId,
)

Grow = Callable[..., SourceId]


@pytest.fixture
def shelf(log: MemoryLog) -> Shelf:
    return Shelf(log)


@pytest.fixture
def blobs(tmp_path) -> BlobStore:
    return BlobStore(tmp_path / "blobs")


@pytest.fixture
def grow(log: MemoryLog, shelf: Shelf) -> Grow:
    """Append a source with one page and one chunk per text; ``complete=False`` leaves it arriving."""

    def build(key: str, *texts: str, complete: bool = True, **details) -> SourceId:
        digest = hashlib.sha256(repr(texts).encode()).hexdigest()
        source_id = SourceId(f"src_{hashlib.sha256(f'{key}{digest}'.encode()).hexdigest()[:20]}")
        versions = shelf.versions(key, Draft(kind=Kind.PAGE).namespace)
        current = shelf.active(key, Draft(kind=Kind.PAGE).namespace)
        head = SourceDetails(
            source_key=key,
            kind="text",
            title=details.pop("title", key),
            version=len(versions) + 1,
            content_hash=digest,
            replaces=None if current is None else current.source_id,
            page_count=len(texts),
            **details,
        )
        base = Draft(kind=Kind.SOURCE, text=key, source_id=source_id, payload=head, external_key=f"source:{source_id}")
        log.append([base])
        for number, text in enumerate(texts, start=1):
            place = Locator(kind="page", page=number, start=0, end=len(text))
            log.append(
                [
                    Draft(
                        kind=Kind.PAGE,
                        text=text,
                        source_id=source_id,
                        locator=Locator(kind="page", page=number),
                        payload=PageDetails(verdict=PageVerdict.OK),
                        external_key=page_key(source_id, number),
                    ),
                    Draft(
                        kind=Kind.RAW_SOURCE,
                        text=text,
                        source_id=source_id,
                        locator=place,
                        external_key=f"source:{source_id}:chunk:{number}:0",
                    ),
                ]
            )
        if complete:
            lifecycle.complete(log, shelf, source_id, {"ok": len(texts)})
        return source_id

    return build


Derive = Callable[..., Record]


@pytest.fixture
def derive(log: MemoryLog) -> Derive:
    """Append a fact that says ``words`` of one record, at the place where they stand in it."""

    def build(base: Record, words: str, **fields) -> Record:
        start = base.text.index(words)
        details = FactDetails(
            pattern="p",
            extractor="pattern",
            extractor_version=1,
            spans=((start, start + len(words)),),
            qualifiers=fields.pop("qualifiers", {}),
        )
        draft = Draft(
            kind=Kind.FACT,
            text=words,
            evidence_ids=(base.id,),
            source_id=base.source_id,
            group_id=base.group_id,
            locator=base.locator,
            payload=details,
            **fields,
        )
        (record,) = log.append([draft])
        return record

    return build
