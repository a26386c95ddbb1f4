"""Hits in, checked sentences with citations or a reasoned refusal out. No log, index or model is opened here."""
