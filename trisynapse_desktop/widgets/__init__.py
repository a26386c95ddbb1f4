"""Small widgets that panes are put together from; none of them knows the engine."""

from __future__ import annotations
