"""Marks in, sensitivity records out, and back: what never goes to a remote provider nor into an export unless named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from trisynapse_memory.errors import InvalidInputError
from trisynapse_memory.log.copies import neighbours_of
from trisynapse_memory.log.shelf import Shelf
from trisynapse_memory.log.store import MemoryLog
from trisynapse_memory.types import Actor, Draft, Kind, Record, SensitivityDetails

_SENSITIVE_SQL = """
    r.seq IN (SELECT seq FROM sensitive_records)
    OR EXISTS (SELECT 1 FROM sources s JOIN sensitive_sources m USING (namespace_key, source_key)
        WHERE s.source_id = r.source_id)
    OR EXISTS (SELECT 1 FROM evidence e WHERE e.seq = r.seq AND e.base_seq IN (SELECT seq FROM sensitive_records))
"""


class Sensitivity:
    """What is marked sensitive in one log. A source is marked with every version of it, those to come included."""

    def __init__(self, log: MemoryLog) -> None:
        self._log = log
        self._shelf = Shelf(log)

    def mark(self, source_ids: Sequence[str] = (), record_ids: Sequence[str] = (), *, sensitive: bool = True) -> Record:
        """Mark sources or single records, or take the mark away, in one record.

        A marked record takes the neighbours along that share a sentence with it.

        Raises:
            UnknownSourceError, UnknownRecordError: nothing was marked.
            InvalidInputError: nothing was named.
        """
        if not source_ids and not record_ids:
            raise InvalidInputError("Nothing was named.", hint="Give the ids of sources or records.")
        sources = [self._shelf.get(source_id) for source_id in source_ids]
        records = [self._log.get(record_id) for record_id in record_ids]
        near = [copy.record for record in records for copy in neighbours_of(self._log, record)]
        details = SensitivityDetails(
            sensitive=sensitive,
            target_source_ids=tuple(dict.fromkeys(str(source.source_id) for source in sources)),
            target_record_ids=tuple(dict.fromkeys(record.id for record in (*records, *near))),
        )
        namespace = (sources or records)[0].namespace
        draft = Draft(kind=Kind.SENSITIVITY, payload=details, namespace=namespace, actor=Actor(type="user"))
        (record,) = self._log.append([draft])
        return record

    def is_sensitive(self, source_id: str) -> bool:
        """Tell whether a source is marked, by this or any other version of it."""
        sql = "SELECT 1 FROM sources s JOIN sensitive_sources m USING (namespace_key, source_key) WHERE s.source_id = ?"
        with self._log.database.read() as connection:
            return connection.execute(sql, (source_id,)).fetchone() is not None

    def sensitive_seqs(self, seqs: Iterable[int]) -> set[int]:
        """Return those of the given records that are marked, by themselves, their source or their evidence."""
        sql = f"SELECT r.seq FROM records r WHERE r.seq IN (SELECT value FROM json_each(?)) AND ({_SENSITIVE_SQL})"
        with self._log.database.read() as connection:
            rows = connection.execute(sql, (msgspec.json.encode(list(seqs)).decode(),))
            return {int(row[0]) for row in rows}
