"""The desktop app: a window onto the engine's front door; nothing is parsed, indexed or computed in this process."""

from __future__ import annotations
