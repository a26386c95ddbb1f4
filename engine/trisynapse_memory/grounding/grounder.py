"""Fused candidates in, hits out: the records themselves, read from the log in one go. What the log hides is dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import structs

from trisynapse_memory.config import Config
from trisynapse_memory.grounding.corrections import Corrections, Row, readable, visible_in
from trisynapse_memory.grounding.passages import best_passage, best_row
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.log.strikes import Strike
from trisynapse_memory.types import FactDetails, Hit, Kind, QueryPlan, Record, SameText, Source


class Grounder:
    """Turns log positions into evidence.

    Args:
        log, shelf: where records and titles come from.
        places: paints.
        config: gives the excerpt length.
    """

    def __init__(self, log: MemoryLog, shelf: Shelf, places: Places, config: Config) -> None:
        self._log = log
        self._shelf = shelf
        self._places = places
        self._config = config

    def ground(
        self,
        plan: QueryPlan,
        ranked: Sequence[Row],
        limit: int,
        *,
        shown: bool = True,
        as_of_seq: int | None = None,
    ) -> tuple[Hit, ...]:
        """Read the candidates, drop hidden records and repeated texts, and return the first ``limit`` as hits.

        What a correction struck supports nothing: it is blank in the hit, and the correction stands before it.

        Args:
            plan: its terms choose the passage that is shown.
            ranked: (log position, score, parts), best first.
            limit: how many hits to return.
            shown: whether somebody will look at the hits; else their excerpt is the whole text and their place has no
                quads, which take half of the time of a search.
            as_of_seq: see the records as they stood when the log ended there; None for now.
        """
        corrections = Corrections(self._log, as_of_seq)
        placed, strikes = corrections.place(ranked)
        seqs = [seq for seq, _, _ in placed]
        visible = visible_in(self._log, seqs, as_of_seq)
        read = {record.seq: record for record in self._log.by_seqs(seqs) if record.seq in visible}
        masked = {seq: corrections.mask(record, strikes.get(seq, ())) for seq, record in read.items()}
        rows = [row for row in placed if row[0] in masked and masked[row[0]].text.strip()]
        copies = self._shelf.copies(sorted({str(record.source_id) for record in read.values() if record.source_id}))
        chosen = self._distinct(self._once(rows, masked, copies), masked)[:limit]
        sources = self._shelf.titles([str(read[seq].source_id) for seq, _, _ in chosen if read[seq].source_id])
        hits = (
            self._shown(plan, row, read[row[0]], masked[row[0]].text, strikes.get(row[0], ()), sources)
            if shown
            else self._whole(row, masked[row[0]], sources)
            for row in chosen
        )
        return tuple(structs.replace(hit, copies=copies.get(str(hit.record.source_id), ())) for hit in hits)

    def beside(self, hit: Hit, step: int, distance: int, as_of_seq: int | None = None) -> Hit | None:
        """Return the chunk before (-1) or after (1) a hit in its source, at most ``distance`` records away, or None."""
        seqs = [hit.record.seq + step * away for away in range(1, distance + 1)]
        corrections = Corrections(self._log, as_of_seq)
        _, strikes = corrections.place([(seq, 0.0, {}) for seq in seqs])
        visible = visible_in(self._log, seqs, as_of_seq)
        for record in self._log.by_seqs([seq for seq in seqs if seq in visible]):
            if record.source_id == hit.record.source_id and record.kind is hit.record.kind:
                masked = corrections.mask(record, strikes.get(record.seq, ()))
                return structs.replace(hit, record=masked, excerpt=masked.text, locator=record.locator)
        return None

    def _once(
        self, ranked: Sequence[Row], records: Mapping[int, Record], copies: Mapping[str, tuple[SameText, ...]]
    ) -> list[Row]:
        """Keep the passages of one source where several say the same words: of the one that ranks first.

        What she said herself of one of them (a correction, a note) stays.
        """
        left_out: set[str] = set()
        kept: list[Row] = []
        for row in ranked:
            record = records[row[0]]
            source_id = str(record.source_id)
            is_hers = record.kind is not Kind.RAW_SOURCE and not isinstance(record.payload, FactDetails)
            if is_hers or source_id not in left_out:
                left_out.update(one.source_id for one in copies.get(source_id, ()))
                kept.append(row)
        return kept

    def _distinct(self, ranked: Sequence[Row], records: Mapping[int, Record]) -> list[Row]:
        """Keep the first of records that say the same in the same words (engine.md A9.10 step 5)."""
        seen: set[str] = set()
        kept: list[Row] = []
        for row in ranked:
            text = " ".join(records[row[0]].text.casefold().split())
            if text not in seen:
                seen.add(text)
                kept.append(row)
        return kept

    def _shown(
        self,
        plan: QueryPlan,
        row: Row,
        record: Record,
        text: str,
        strikes: Sequence[Strike],
        sources: Mapping[str, Source],
    ) -> Hit:
        """A hit to look at: the best passage of what still counts, and its place."""
        weights = {term.key: term.weight for term in plan.terms}
        best = best_row if record.locator is not None and record.locator.kind == "row" else best_passage
        start, end = best(text, weights, self._config.excerpt_max_chars)
        hit = self._whole(row, record, sources)
        excerpt = readable(text[start:end], strikes)
        return structs.replace(hit, excerpt=excerpt, locator=self._places.locate(record, start, end))

    def _whole(self, row: Row, record: Record, sources: Mapping[str, Source]) -> Hit:
        source = sources.get(str(record.source_id))
        return Hit(
            record=record,
            score=row[1],
            title=source.title if source else record.fields.get("title", ""),
            excerpt=record.text,
            locator=record.locator,
            parts=dict(row[2]),
            source_key=source.source_key if source else "",
            kind=source.kind if source else record.kind.value,
        )
