"""Drafts in, rows and hashes out, and back again. Pure: no connection is touched here."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from trisynapse_memory.types import Draft, Kind, Namespace, Record, RecordId

GENESIS = "0" * 64
"""The chain hash before a device's first record."""

REMOVED_TEXT = "[removed]"

_decode_draft = msgspec.json.Decoder(Draft).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


class Header(NamedTuple):
    """What of a record survives a physical removal: enough to prove the chain, and nothing of what it said."""

    seq: int
    id: str
    device_id: str
    device_seq: int
    written_at: str
    kind: str
    content_hash: str
    chain_hash: str


def encode_content(draft: Draft) -> str:
    """Return the exact text that is stored and hashed for a draft."""
    return _encode(draft).decode()


def hash_content(salt: bytes, content: str) -> str:
    """Hash a record's content. The salt is blanked with the content, so a removed short text cannot be guessed back."""
    return hashlib.sha256(salt + content.encode()).hexdigest()


def hash_link(previous: str, header: Header) -> str:
    """Hash one link of a device's chain over the header and the content *hash*, never the content itself.

    ``seq`` stays out: it is this vault's own order and may differ when two machines' logs are merged.
    """
    fields = (header.id, header.device_id, str(header.device_seq), header.written_at, header.kind, header.content_hash)
    return hashlib.sha256("\x1f".join((previous, *fields)).encode()).hexdigest()


def namespace_key(namespace: Namespace) -> str:
    """Return the canonical text of a namespace, for columns and comparisons."""
    return _encode(namespace).decode()


def namespace_of(key: str) -> Namespace:
    """Return the namespace that ``namespace_key`` wrote."""
    return msgspec.json.decode(key, type=Namespace)


def record_of(header: Header, content: str | None) -> Record:
    """Build a record from its row; a removed record keeps its header and says that it was removed."""
    draft = _decode_draft(content) if content is not None else Draft(kind=Kind(header.kind), text=REMOVED_TEXT)
    return Record(
        id=RecordId(header.id),
        seq=header.seq,
        device_id=header.device_id,
        device_seq=header.device_seq,
        written_at=datetime.fromisoformat(header.written_at),
        content_hash=header.content_hash,
        chain_hash=header.chain_hash,
        **{name: getattr(draft, name) for name in Draft.__struct_fields__},
    )


def format_time(moment: datetime) -> str:
    """Return a UTC time as stored: ISO 8601, microseconds, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
