"""Facts, sources and her words as records of a log, for the tests of the claims index; no log is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from trisynapse_memory.config import Config
from trisynapse_memory.indexing.indexes.claims import ClaimIndex
from trisynapse_memory.types import (
    AliasDetails,
    Claim,
    CompletionDetails,
    CorrectionDetails,
    FactDetails,
    Kind,
    MetadataDetails,
    Namespace,
    Record,
    RecordId,
    ResolutionDetails,
    Scope,
    SourceDetails,
    SourceId,
    Terms,
)

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
EVERYTHING = Scope()
HOME = Namespace()


@dataclass(frozen=True)
class Entry:
    record: Record
    visible: bool = True
    terms: Terms = field(default_factory=lambda: Terms((), (), 0))


def record(seq: int, kind: Kind, **fields: Any) -> Record:
    """A record of the log at a position; written on 1 January 2026, one minute a position."""
    return Record(
        id=RecordId(f"r{seq}"),
        seq=seq,
        device_id="d",
        device_seq=seq,
        written_at=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=seq),
        kind=kind,
        content_hash="",
        chain_hash="",
        **fields,
    )


def fact(
    seq: int,
    subject: str,
    relation: str,
    value: str,
    *,
    source: str = "s1",
    text: str = "",
    namespace: Namespace = HOME,
    **more: Any,
) -> Entry:
    """A fact record; ``more`` takes fields of ``Record`` and of ``FactDetails``, and ``visible``."""
    visible = more.pop("visible", True)
    details = {key: more.pop(key) for key in ("qualifiers", "negated", "hedged", "pattern", "spans") if key in more}
    more.setdefault("group_id", source or None)
    made = record(
        seq,
        Kind.FACT,
        text=text or f"{subject} {relation} {value}.",
        subject=subject,
        relation=relation,
        object=value,
        namespace=namespace,
        source_id=SourceId(source) if source else None,
        payload=FactDetails(**{"pattern": "any", "extractor": "pattern", "extractor_version": 1, **details}),
        **{"confidence": 0.8, **more},
    )
    return Entry(made, visible)


def correction(seq: int, target: int, subject: str, relation: str, value: str, **more: Any) -> Entry:
    """Her correction of a record."""
    source = more.pop("source", "s1")
    made = record(
        seq,
        Kind.FACT,
        text=more.pop("text", f"{subject} {relation} {value}."),
        subject=subject,
        relation=relation,
        object=value,
        source_id=SourceId(source),
        group_id=source,
        evidence_ids=(RecordId(f"r{target}"),),
        payload=CorrectionDetails(target_record_id=f"r{target}", reason="it was wrong"),
        **more,
    )
    return Entry(made)


def source(seq: int, source_id: str, title: str) -> Record:
    """A source that arrives."""
    details = SourceDetails(source_key=source_id, kind="text", title=title, version=1, content_hash="h")
    return record(seq, Kind.SOURCE, text=title, source_id=SourceId(source_id), payload=details)


def whole(seq: int, source_id: str, text_hash: str) -> Record:
    """A source that has arrived, with the hash of all it says."""
    details = CompletionDetails(target_source_id=source_id, verdicts={"ok": 1}, text_hash=text_hash)
    return record(seq, Kind.COMPLETION, source_id=SourceId(source_id), payload=details)


def reread(seq: int, source_id: str, text_hash: str) -> Record:
    """A source of which pages were read late, with the hash of all it says now."""
    details = MetadataDetails(target_source_id=source_id, name="text_hash", value=text_hash, origin="pages")
    return record(seq, Kind.METADATA, source_id=SourceId(source_id), payload=details)


def merge(seq: int, *names: str, canonical: str = "", namespace: Namespace = HOME) -> Record:
    """Her word that names mean one thing."""
    details = AliasDetails(names=names, canonical=canonical)
    return record(seq, Kind.ALIAS, text=", ".join(names), namespace=namespace, payload=details)


def unmerge(seq: int, alias_id: str) -> Record:
    """Her word that a merge was wrong."""
    return record(seq, Kind.ALIAS, payload=AliasDetails(removed=True, alias_id=alias_id))


def resolution(seq: int, claim_id: str, value: str, reason: str = "I checked", *, removed: bool = False) -> Record:
    """Her word on a dispute."""
    details = ResolutionDetails(claim_id=claim_id, value=value, reason=reason, removed=removed)
    return record(seq, Kind.REVIEW, text=reason, payload=details)


class Case:
    """A claims index in a folder, with a clock that stands still."""

    def __init__(self, folder: Path, name: str = "index", **options: Any) -> None:
        self.path = folder / f"{name}.db"
        self.index = ClaimIndex(self.path, Config(), lambda: NOW, **options)

    def tell(self, *entries: Entry, visibility: dict[int, bool] | None = None, events: Sequence[Record] = ()) -> Case:
        """Apply these in one transaction."""
        seqs = [*(one.record.seq for one in entries), *(one.seq for one in events)]
        self.index.apply(entries, visibility or {}, max([self.index.applied_seq(), *seqs]), events)
        return self

    def claims(self, scope: Scope = EVERYTHING, **wishes: Any) -> tuple[Claim, ...]:
        """List claims."""
        return self.index.list(scope, **wishes)

    def only(self, scope: Scope = EVERYTHING, **wishes: Any) -> Claim:
        """List claims, of which there must be one."""
        found = self.claims(scope, **wishes)
        assert len(found) == 1, [(one.status.value, one.subject, one.objects) for one in found]
        return found[0]

    def statuses(self, **wishes: Any) -> list[tuple[str, str, tuple[str, ...]]]:
        """List claims in short."""
        return sorted((one.status.value, one.subject, one.objects) for one in self.claims(**wishes))
