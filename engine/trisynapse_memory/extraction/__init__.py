"""Passages in, proposed facts out: extractors read, the runner checks. No record is written here."""
