"""The ids of sources and groups, and the namespaces of facts, in; small numbers for them out.

Every fact names its source and its group several times over; written out they would take more room than what it says.
"""

from __future__ import annotations

from typing import Final

from trisynapse_memory.log.rows import namespace_key
from trisynapse_memory.sqlite import Connection
from trisynapse_memory.types import Namespace

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS claims_namespaces (id INTEGER PRIMARY KEY, keys TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE IF NOT EXISTS claims_terms (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE,      -- a source or a group; empty for none
    facts INTEGER NOT NULL          -- how often facts name it
) STRICT;
"""

NUMBER_OF: Final = "(SELECT id FROM claims_terms WHERE text = {})"
"""SQL: the number of a source or group; NULL for an unknown one."""


def term_number(connection: Connection, text: str) -> int:
    """Return the number of a source or group that one fact more names."""
    connection.execute(
        "INSERT INTO claims_terms (text, facts) VALUES (?, 1) ON CONFLICT (text) DO UPDATE SET facts = facts + 1",
        (text,),
    )
    return int(connection.execute("SELECT id FROM claims_terms WHERE text = ?", (text,)).get)


def known_number(connection: Connection, text: str) -> int:
    """Return the number of a source or group that some fact names; 0 for any other."""
    return int(connection.execute("SELECT id FROM claims_terms WHERE text = ?", (text,)).get or 0)


def release_term(connection: Connection, text: str) -> None:
    """Take note that one fact fewer names a source or group; the last one takes its text away."""
    connection.execute("UPDATE claims_terms SET facts = facts - 1 WHERE text = ?", (text,))
    connection.execute("DELETE FROM claims_terms WHERE text = ? AND facts = 0", (text,))


def namespace_number(connection: Connection, namespace: Namespace) -> int:
    """Return the number of a namespace, giving it one when it is new."""
    keys = namespace_key(namespace)
    connection.execute("INSERT OR IGNORE INTO claims_namespaces (keys) VALUES (?)", (keys,))
    return int(connection.execute("SELECT id FROM claims_namespaces WHERE keys = ?", (keys,)).get)
