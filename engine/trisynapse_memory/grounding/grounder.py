"""Fused candidates in, hits out: the records themselves, read from the log in one go. What the log hides is dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trisynapse_memory.config import Config
from trisynapse_memory.grounding.passages import best_passage
from trisynapse_memory.grounding.places import Places
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Hit, QueryPlan, Record, Source


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
        ranked: Sequence[tuple[int, float, Mapping[str, float]]],
        limit: int,
        *,
        shown: bool = True,
    ) -> tuple[Hit, ...]:
        """Read the candidates, drop hidden records and repeated texts, and return the first ``limit`` as hits.

        Args:
            plan: its terms choose the passage that is shown.
            ranked: (log position, score, parts), best first.
            limit: how many hits to return.
            shown: whether somebody will look at the hits; else their excerpt is the whole text and their place has no
                quads, which take half of the time of a search.
        """
        seqs = [seq for seq, _, _ in ranked]
        visible = self._log.visible(seqs)
        records = {record.seq: record for record in self._log.by_seqs(seqs) if record.seq in visible}
        chosen = self._distinct([row for row in ranked if row[0] in records], records)[:limit]
        sources = self._shelf.titles([str(records[seq].source_id) for seq, _, _ in chosen if records[seq].source_id])
        rows = [(records[seq], score, dict(parts)) for seq, score, parts in chosen]
        return tuple(self._hit(plan if shown else None, record, score, parts, sources) for record, score, parts in rows)

    def _distinct(
        self, ranked: Sequence[tuple[int, float, Mapping[str, float]]], records: Mapping[int, Record]
    ) -> list[tuple[int, float, Mapping[str, float]]]:
        """Keep the first of records that say the same in the same words (engine.md A9.10 step 5)."""
        seen: set[str] = set()
        kept: list[tuple[int, float, Mapping[str, float]]] = []
        for row in ranked:
            text = " ".join(records[row[0]].text.casefold().split())
            if text not in seen:
                seen.add(text)
                kept.append(row)
        return kept

    def _hit(
        self,
        plan: QueryPlan | None,
        record: Record,
        score: float,
        parts: dict[str, float],
        sources: Mapping[str, Source],
    ) -> Hit:
        start, end = 0, len(record.text)
        if plan is not None:
            weights = {term.key: term.weight for term in plan.terms}
            start, end = best_passage(record.text, weights, self._config.excerpt_max_chars)
        source = sources.get(str(record.source_id))
        return Hit(
            record=record,
            score=score,
            title=source.title if source else record.fields.get("title", ""),
            excerpt=record.text[start:end],
            locator=record.locator if plan is None else self._places.locate(record, start, end),
            parts=parts,
            source_key=source.source_key if source else "",
            kind=source.kind if source else record.kind.value,
        )
