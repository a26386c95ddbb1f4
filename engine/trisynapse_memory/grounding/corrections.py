"""Records and what was struck of them in, the words that still count out. Nothing is appended and nothing is ranked.

A struck stretch becomes blanks of the same length, so that every offset still points where it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import UnknownRecordError
from trisynapse_memory.log.moments import visible_as_of
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Strike, struck_spans
from trisynapse_memory.types import REPLACED_FIELD, CorrectionDetails, Record, RecordId, StruckSentence

Row = tuple[int, float, Mapping[str, float]]
"""A ranked candidate: log position, score, parts of the score."""

_GAP: Final = re.compile(r"\s{3,}")


def visible_in(log: MemoryLog, seqs: Sequence[int], as_of_seq: int | None) -> set[int]:
    """Return those of the given records that answers may see: now, or as of an earlier end of the log."""
    return log.visible(seqs) if as_of_seq is None else visible_as_of(log, seqs, as_of_seq)


class Corrections:
    """Her corrections as a question meets them.

    Args:
        log: where they stand.
        as_of_seq: look as of this end of the log; None for now.
    """

    def __init__(self, log: MemoryLog, as_of_seq: int | None) -> None:
        self._log = log
        self._as_of_seq = as_of_seq

    def place(self, ranked: Sequence[Row]) -> tuple[list[Row], dict[int, tuple[Strike, ...]]]:
        """Put each correction before the first record it strikes, however it was ranked itself.

        Returns:
            The ranking with the corrections in it, and what is struck of each record.
        """
        strikes = struck_spans(self._log, [seq for seq, _, _ in ranked], self._as_of_seq)
        corrections = self._seqs({strike.correction_id for found in strikes.values() for strike in found})
        own = {row[0]: row for row in ranked}
        placed: dict[int, Row] = {}
        for row in ranked:
            for strike in strikes.get(row[0], ()):
                seq = corrections.get(strike.correction_id)
                if seq is not None:
                    parts = own[seq][2] if seq in own else row[2]
                    placed.setdefault(seq, (seq, max(row[1], own[seq][1] if seq in own else 0.0), parts))
            placed.setdefault(row[0], row)
        return list(placed.values()), strikes

    def _seqs(self, ids: Iterable[RecordId]) -> dict[RecordId, int]:
        """Return where the corrections stand that answers may see; one that was corrected itself is none of them."""
        records = [self._log.get(record_id) for record_id in ids]
        visible = visible_in(self._log, [record.seq for record in records], self._as_of_seq)
        return {record.id: record.seq for record in records if record.seq in visible}

    def mask(self, record: Record, strikes: Sequence[Strike]) -> Record:
        """Return a record with blanks for what no longer counts, and a correction with the words that it replaced."""
        if isinstance(record.payload, CorrectionDetails):
            old = " ".join(one.text for one in self.replaced(record))
            record = structs.replace(record, fields={**record.fields, REPLACED_FIELD: old})
        return structs.replace(record, text=blanked(record.text, strikes)) if strikes else record

    def replaced(self, record: Record) -> tuple[StruckSentence, ...]:
        """Return what a correction struck, in the words of its evidence, each wording once."""
        details = record.payload
        if not isinstance(details, CorrectionDetails):
            return ()
        found: dict[str, StruckSentence] = {}
        for record_id, (start, end) in zip(details.struck_record_ids, details.struck, strict=False):
            try:
                target = self._log.get(record_id)
            except UnknownRecordError:
                continue
            text = " ".join(target.text[start:end].split())
            if text:  # a record that was removed has no words any more
                sentence = StruckSentence(
                    text=text, record_id=target.id, correction_id=record.id, reason=details.reason
                )
                found.setdefault(text, sentence)
        return tuple(found.values())


def blanked(text: str, strikes: Sequence[Strike]) -> str:
    """Return a text with blanks where it is struck; as long as it was."""
    for strike in strikes:
        text = text[: strike.start] + " " * (strike.end - strike.start) + text[strike.end :]
    return text


def readable(excerpt: str, strikes: Sequence[Strike]) -> str:
    """Return an excerpt with an ellipsis where something is struck out of it."""
    return _GAP.sub(" … ", excerpt).strip() if strikes else excerpt
