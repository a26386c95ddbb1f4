"""A record's text and fields in, its index terms with positions out; the one way index terms are made."""

from __future__ import annotations

from trisynapse_memory.text.tokens import index_key, tokenize
from trisynapse_memory.types import Terms, indexed_text


def terms_of(text: str, fields: dict[str, str]) -> Terms:
    """Count the index terms of a record, so that an index can be fed from a worker or rebuilt from the log alike.

    Returns:
        Terms in key order. ``length`` counts positions, as ``text.tokens.count_terms`` does: BM25's document length.
    """
    positions: dict[str, list[int]] = {}
    length = 0
    for token in tokenize(indexed_text(text, fields)):
        length = max(length, token.position + 1)
        seen = positions.setdefault(index_key(token), [])
        if not seen or seen[-1] != token.position:
            seen.append(token.position)
    keys = tuple(sorted(positions))
    return Terms(keys=keys, positions=tuple(tuple(positions[key]) for key in keys), length=length)
