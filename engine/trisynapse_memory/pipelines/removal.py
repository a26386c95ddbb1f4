"""Records or a source in, no byte of them left in the vault, and a receipt out. The one verb that rewrites anything.

In this order, so that a crash at any point leaves work that the next opening finishes and never a hidden half:

1. the log says what will be blanked, and which originals will go;
2. history and compiled pages lose what quotes it, while the log still knows the words;
3. the rows are blanked, and what the log says now is folded anew;
4. the originals and the indexes lose it;
5. every file is rewritten without its free pages.

Source: engine.md 0.1 row 8.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.removal import blank, log_removal, settle, targets_of, unfinished
from trisynapse_memory.log.rows import REMOVED_TEXT
from trisynapse_memory.pipelines import residues
from trisynapse_memory.pipelines.quotations import Quotations
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.pipelines.targets import Plan, plan_records, plan_source, quotations_of
from trisynapse_memory.types import Kind, Receipt, Record, RemovalDetails

REMOVABLE: Final = frozenset(
    {Kind.RAW_SOURCE, Kind.FACT, Kind.NOTE, Kind.HIGHLIGHT, Kind.TURN, Kind.SUMMARY, Kind.DESCRIPTION}
)


def remove(rooms: Rooms, *, record_ids: Sequence[str] = (), source_id: str | None = None, reason: str) -> Receipt:
    """Remove records, or a source, for good, with everything that repeats them.

    Of a record, the pages it stands on and the stored original of its source hold the same words and go too; the rest
    of the source stays evidence. Of a source, everything read out of it goes, with its versions that are out of use.

    Args:
        rooms: the open vault.
        record_ids: evidence, notes, highlights, turns, summaries or descriptions; empty when a source is named.
        source_id: the source to remove.
        reason: hers; without the removed words, should it repeat them.

    Raises:
        UnknownRecordError, UnknownSourceError: nothing was removed.
        InvalidInputError: no reason, not exactly one of the two targets, or a kind that is not removed by itself.
    """
    if not reason.strip():
        raise InvalidInputError("A reason is needed to remove.", hint="Say why in a few words; the receipt shows it.")
    if bool(record_ids) == (source_id is not None):
        raise InvalidInputError("Name either records or a source.", hint="Give the ids of what is to be removed.")
    if source_id is not None:
        return _carry_out(rooms, plan_source(rooms.log, rooms.shelf, source_id), reason)
    records = [rooms.log.get(record_id) for record_id in dict.fromkeys(record_ids)]
    for record in records:
        _require_removable(record)
    return _carry_out(rooms, plan_records(rooms.log, rooms.shelf, records), reason)


def finish_removals(rooms: Rooms) -> int:
    """Finish what a crash cut off; return how many removals that were. To be called when a vault is opened."""
    cut_off = unfinished(rooms.log)
    for removal in cut_off:
        seqs = {target.seq for target in targets_of(rooms.log, removal) if target.is_there}
        _erase(rooms, removal, quotations_of(rooms.log, seqs))
    return len(cut_off)


def _require_removable(record: Record) -> None:
    if record.kind not in REMOVABLE:
        raise InvalidInputError(
            f"'{record.id}' is a {record.kind.value} record; it is not removed by itself.",
            hint="For a source with all its pages use `sources remove`.",
        )
    if record.text == REMOVED_TEXT and record.payload is None:
        raise InvalidInputError(f"'{record.id}' was removed before.", hint="Nothing of it is left.")


def _carry_out(rooms: Rooms, plan: Plan, reason: str) -> Receipt:
    log, folder = rooms.log, _folder(rooms)
    told = REMOVED_TEXT if plan.quotations.quoted_in(reason) else reason.strip()
    outside = (*plan.outside, *residues.her_files(folder, plan.quotations))
    texts = [record.text for record in log.by_seqs(plan.seqs) if record.kind is Kind.RAW_SOURCE]
    unclaimed = tuple(residues.unclaimed_originals(rooms.blobs, rooms.shelf, texts, plan.quotations))
    plan = structs.replace(plan, originals=(*plan.originals, *unclaimed))
    with log.transaction():
        log.append(plan.replacements)
        removal = log_removal(log, log.ids(plan.seqs).values(), told, plan.originals)
    receipt = _receipt(rooms, removal, plan)
    purged = _erase(rooms, removal, plan.quotations)
    return structs.replace(receipt, purged=purged, outside=outside)


def _receipt(rooms: Rooms, removal: Record, plan: Plan) -> Receipt:
    targets = targets_of(rooms.log, removal)
    return Receipt(
        removal_id=removal.id,
        reason=removal.text,
        record_ids=tuple(rooms.log.ids([target.seq for target in targets]).values()),
        blanked=dict(Counter(target.kind.value for target in targets)),
        originals=plan.originals,
        other_copies=plan.other_copies,
    )


def _erase(rooms: Rooms, removal: Record, quotations: Quotations) -> dict[str, int]:
    """Do everything that a removal record promises; each step may be repeated."""
    folder = _folder(rooms)
    originals = removal.payload.originals if isinstance(removal.payload, RemovalDetails) else ()
    purged = Counter(residues.purge_history(folder, quotations, originals))
    purged["wiki"] += residues.purge_pages(folder, quotations)
    seqs = blank(rooms.log, removal)
    for content_hash in originals:
        rooms.blobs.discard(content_hash)
    rooms.projector.drop(seqs)
    rooms.projector.catch_up()
    purged.update(
        residues.purge_history(folder, quotations, originals)
    )  # what was asked while the rows were still there
    purged["set_aside"] += residues.purge_set_aside(folder)
    residues.compact(folder, rooms.log.database.path)
    settle(rooms.log)
    return {name: count for name, count in purged.items() if count}


def _folder(rooms: Rooms) -> Path:
    return rooms.log.database.path.parent
