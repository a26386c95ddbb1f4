"""Texts in, vectors or sentences out: a file per model provider, loaded by name. No record is touched here."""
