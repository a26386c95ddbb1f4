"""One source in, what is known of it as lines of a name and a value out; identifiers can be copied, kin be opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from trisynapse_desktop.hints import hint_of
from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.icon import IconButton
from trisynapse_desktop.widgets.layout import column, label, row
from trisynapse_desktop.widgets.wrapped_link import WrappedLink
from trisynapse_desktop.wording import container_name, day_text, kind_text, size_text
from trisynapse_memory.types import Source

NAME_WIDTH = 92  # px
COPY_SIZE, COPY_ICON = 24, 14  # px
LINK_DROP = 3  # px; as far as the frame of a link lets its words down
SCHEMES = {
    "doi": "DOI",
    "arxiv": "arXiv",
    "pmid": "PMID",
    "pmcid": "PMCID",
    "isbn": "ISBN",
    "issn": "ISSN",
    "citekey": "Cite key",
    "url": "Address",
}


@dataclass(frozen=True, slots=True)
class Kin:
    """Sources that belong to another: what they are to it, and which they are."""

    relation: str
    sources: tuple[Source, ...]


class SourceFacts(QFrame):
    """What is known of a source, what it has none of left out.

    ``copied`` carries the name and the value of an identifier; ``wanted`` a source to go to; ``container_wanted`` the
    name of the file it lies in.
    """

    copied = Signal(str, str)
    wanted = Signal(object)
    container_wanted = Signal(str)

    def __init__(self, theme: Theme, source: Source, kin: Sequence[Kin] = ()) -> None:
        super().__init__()
        self._theme = theme
        lines = column(gap=1)
        for name, value in facts_of(source):
            _add(lines, name, _value(value))
        for name, value in identifiers_of(source):
            _add(lines, name, self._identifier(name, value), (COPY_SIZE - self.fontMetrics().height()) // 2)
        if source.container:
            _add(lines, "Lies in", self._container(source.container), LINK_DROP)
        for one in kin:
            for place, other in enumerate(one.sources):
                _add(lines, one.relation if place == 0 else "", self._kin(one.relation, other), LINK_DROP)
        self.setLayout(lines)

    def _identifier(self, name: str, value: str) -> QWidget:
        copy = IconButton(self._theme, "copy", f"Copy {name} {value}")
        copy.setFixedSize(COPY_SIZE, COPY_SIZE)
        copy.setIconSize(QSize(COPY_ICON, COPY_ICON))
        copy.clicked.connect(lambda _checked=False: self.copied.emit(name, value))
        line = row(_value(value), copy, gap=1)
        line.setStretch(0, 1)
        frame = QFrame()
        frame.setLayout(line)
        return frame

    def _container(self, container: str) -> QWidget:
        name = container_name(container)
        hint = "Show everything from it in the library"
        made = WrappedLink(name, lambda: self.container_wanted.emit(name), hint=hint)
        made.setToolTip(hint_of(container))
        return made

    def _kin(self, relation: str, other: Source) -> QWidget:
        words = f"{other.title} ({kind_text(other.kind)})"
        return WrappedLink(words, lambda: self.wanted.emit(other), hint=f"{relation} {other.uri or other.source_key}")


def _add(lines: QVBoxLayout, name: str, value: QWidget, drop: int = 0) -> None:
    words = label(name, "small")
    words.setContentsMargins(0, drop, 0, 0)
    words.setFixedWidth(NAME_WIDTH)
    line = row(words, value, gap=2)
    line.setStretch(1, 1)
    line.setAlignment(words, Qt.AlignmentFlag.AlignTop)
    lines.addLayout(line)


def _value(value: str) -> QWidget:
    shown = label(value, wrap=True, selectable=True)
    shown.setMinimumWidth(1)
    shown.setToolTip(hint_of(value))
    return shown


def facts_of(source: Source) -> list[tuple[str, str]]:
    """Return what is known about a source as (name, value), leaving out what is not."""
    elsewhere = f"“{source.refused_title}”: its first page does not say so"
    facts = (
        ("Kind", kind_text(source.kind)),
        ("Published", source.published),
        ("Added", day_text(source.added_at)),
        ("Version", f"{source.version}" if source.version > 1 else ""),
        ("Pages", f"{source.page_count:,}" if source.page_count else ""),
        ("Passages", f"{source.record_count:,}" if source.record_count else ""),
        ("Size", size_text(source.byte_size)),
        ("File", source.filename),
        ("From", source.uri),
        ("Title from", source.attributed_by),
        ("Also called", elsewhere if source.refused_title else ""),
        ("Collections", ", ".join(source.collections)),
    )
    return [(name, value) for name, value in facts if value]


def identifiers_of(source: Source) -> list[tuple[str, str]]:
    """Return the names the world knows a source by as (scheme, value), the best known schemes first."""
    known = [(scheme, source.identifiers[scheme]) for scheme in SCHEMES if scheme in source.identifiers]
    others = [(scheme, value) for scheme, value in sorted(source.identifiers.items()) if scheme not in SCHEMES]
    found = [(SCHEMES.get(scheme, scheme.capitalize()), value) for scheme, value in (*known, *others)]
    return [(name, value) for name, value in found if value and value != source.uri]
