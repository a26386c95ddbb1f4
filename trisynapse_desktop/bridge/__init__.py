"""The app's only door to the engine: starts the process, asks it, and says so when it died."""

from __future__ import annotations

from trisynapse_desktop.bridge.conversation import Bridge, EngineState, WireClient, WireReply, error_of, fault_of
from trisynapse_desktop.bridge.engine_process import engine_command

__all__ = ["Bridge", "EngineState", "WireClient", "WireReply", "engine_command", "error_of", "fault_of"]
