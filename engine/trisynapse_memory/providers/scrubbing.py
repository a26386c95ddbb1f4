"""Texts and log records in, the same without her keys out. It knows only keys that this process has seen."""

from __future__ import annotations

import base64
import logging
import traceback
from typing import Final
from urllib.parse import quote

MARK: Final = "[key]"
_SHORTEST: Final = 8  # characters; hiding every "a" would hide the text and protect nothing


class Scrubber:
    """Keys that must not be seen in an error, a log or a file: as they are, percent-encoded, and in Base64."""

    def __init__(self) -> None:
        self._hidden: frozenset[str] = frozenset()

    def hide(self, key: str) -> None:
        """Hide this key from now on; it stays hidden when it is removed, since old errors may still name it."""
        if len(key) >= _SHORTEST:
            encoded = base64.b64encode(key.encode()).decode("ascii").rstrip("=")
            self._hidden |= {key, quote(key, safe=""), encoded}

    def scrub(self, text: str) -> str:
        """Return the text with ``[key]`` in place of each key."""
        for hidden in sorted(self._hidden, key=len, reverse=True):
            text = text.replace(hidden, MARK)
        return text

    def guard(self, handler: logging.Handler) -> None:
        """Let nothing through a log handler but scrubbed records, tracebacks included; safe to call twice."""
        if not any(isinstance(known, _KeyFilter) for known in handler.filters):
            handler.addFilter(_KeyFilter(self))

    def guard_logs(self) -> None:
        """Guard where records of this process go now: the handlers of the root logger, and the one of last resort."""
        for handler in (*logging.getLogger().handlers, logging.lastResort):
            if handler is not None:
                self.guard(handler)


class _KeyFilter(logging.Filter):
    """Writes a record out, with its traceback, before a handler sees it, and takes the keys out."""

    def __init__(self, scrubber: Scrubber) -> None:
        super().__init__()
        self._scrubber = scrubber

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._scrubber.scrub(record.getMessage()), ()
        if record.exc_info and not record.exc_text:
            record.exc_text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
        if record.exc_text:
            record.exc_text = self._scrubber.scrub(record.exc_text)
        return True
