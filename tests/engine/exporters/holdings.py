"""A reference that came from a RIS file, as an exporter is handed it."""

from __future__ import annotations

from datetime import UTC, datetime

from trisynapse_memory.contracts import Holding
from trisynapse_memory.types import Kind, Record, RecordId, Source, SourceId, SourceStatus


def made(
    title: str = "Ten % of $ & more: A_b {c}", identifiers: dict[str, str] | None = None, **fields: str
) -> Holding:
    source = Source(
        source_id=SourceId("src_1"),
        source_key="k",
        title=title,
        kind="reference",
        version=1,
        status=SourceStatus.ACTIVE,
        content_hash="",
        authors=("Foucault, Léon", "The Royal Academy"),
        published="1862-11-24",
        identifiers=identifiers or {},
        tags=("optics",),
    )
    record = Record(
        id=RecordId("r_1"),
        seq=1,
        device_id="d",
        device_seq=1,
        written_at=datetime(2026, 1, 1, tzinfo=UTC),
        kind=Kind.RAW_SOURCE,
        content_hash="",
        chain_hash="",
        fields=fields,
    )
    return Holding(source=source, records=(record,), loader="ris", entry="TY  - JOUR")
