"""User actions, one module per noun: coroutines that await the bridge; no widget is built here."""

from __future__ import annotations
