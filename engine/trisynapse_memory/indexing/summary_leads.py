"""Groups in, the records that their summaries lead to out; nothing is written here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from trisynapse_memory.indexing.summary_bodies import Window
from trisynapse_memory.sqlite import Connection

_LEADS: Final = """
SELECT g.group_id, r.seq, r.source_id FROM summaries_groups g JOIN summaries_cited c ON c.no = g.no
JOIN summaries_records r ON r.seq = c.seq AND r.visible = 1
WHERE g.group_id IN (SELECT value FROM json_each(?1)) AND g.namespace IN (SELECT value FROM json_each(?3))
UNION
SELECT g.group_id, r.seq, r.source_id FROM json_each(?2) asked
JOIN summaries_members m ON m.seq = asked.value AND m.visible = 1
JOIN summaries_groups g ON g.no = m.no JOIN summaries_records r ON r.seq = m.seq
WHERE g.group_id IN (SELECT value FROM json_each(?1)) AND g.namespace IN (SELECT value FROM json_each(?3))
"""


def leads(
    connection: Connection, group_ids: Sequence[str], seqs: Sequence[int], window: Window
) -> dict[str, tuple[int, ...]]:
    """Return for each group the visible records its summary cites, and those of ``seqs`` that belong to it."""
    groups, namespaces = json.dumps(list(group_ids)), json.dumps(sorted(window.namespaces))
    rows = connection.execute(_LEADS, (groups, json.dumps(list(seqs)), namespaces)).fetchall()
    found: dict[str, list[int]] = {}
    for group_id, seq, source_id in sorted(rows):
        if seq <= window.last_seq and (window.sources is None or source_id in window.sources):
            found.setdefault(group_id, []).append(seq)
    return {group_id: tuple(held) for group_id, held in found.items()}
