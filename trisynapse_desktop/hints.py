"""Words of a source in, a tooltip that shows them as they are out. No widget is made here."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt


def hint_of(words: str) -> str:
    """Return words as a tooltip that shows every sign of them.

    Qt takes a tooltip that looks like HTML for HTML, and loads the pictures it names: a title or a file name with
    ``<img src="//host/share">`` would make Windows sign in at that host.
    """
    return f"<p>{escape(words)}</p>" if Qt.mightBeRichText(words) else words
