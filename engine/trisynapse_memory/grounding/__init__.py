"""Ranked log positions in, grounded hits with passages and places out; only what the log holds gets through."""
