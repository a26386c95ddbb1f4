"""Data with keys in, records with their key paths out: JSON, JSON Lines, YAML, TOML, INI and XML.

``values`` is what all of them are read as, ``records`` writes it, ``json_text`` and ``xml_text`` read it; ``settings``
outlines files that are read as they stand.
"""
