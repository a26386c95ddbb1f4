"""A vault in, the proof that its files agree out: log, originals, indexes. It reports; mending is another step."""

from __future__ import annotations

from trisynapse_memory.log.integrity import check_log
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.types import Finding, Namespace, Scope, Validation


def validate(rooms: Rooms, conflicts: tuple[str, ...]) -> Validation:
    """Prove a vault.

    Args:
        rooms: the open vault.
        conflicts: files that a sync program left beside the vault's own.
    """
    rooms.projector.catch_up()
    findings, checked = check_log(rooms.log, rooms.blobs)
    findings += [
        Finding(
            code="vault.conflict",
            where=name,
            message="a sync program left this file: two machines wrote to the vault at once",
            fix="keep the vault out of the sync folder while it is open; compare and delete the copy",
        )
        for name in conflicts
    ]
    visible = rooms.log.visible_count()
    lexical = rooms.lexical.record_count(Scope(namespace=Namespace(project_id=None)))
    if lexical != visible:
        findings.append(_stale("index.lexical", lexical, visible, "reindex lexical"))
    vectors = rooms.vectors.record_count()
    if vectors != visible:
        findings.append(_stale("index.vector", vectors, visible, "reindex vector"))
    checked["visible_records"] = visible
    return Validation(ok=not findings, findings=tuple(findings), checked=checked)


def _stale(code: str, held: int, visible: int, fix: str) -> Finding:
    message = f"the index holds {held} records, the log shows {visible}"
    return Finding(code=code, where=code, message=message, fix=fix)
