"""The panes, loaded by name from the table in ``pane.py``; they never import each other."""

from __future__ import annotations
