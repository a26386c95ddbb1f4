"""The tables of a Zotero library in; its entries, the files they have, and the marks in those files out.

Nothing is written to Zotero's folder, and no file in it is opened here.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trisynapse_memory.preprocessing.references.dates import iso_of, of_parts
from trisynapse_memory.preprocessing.references.entries import Entry
from trisynapse_memory.preprocessing.references.extras import note_text, stated_in, without_stated
from trisynapse_memory.preprocessing.references.kinds import ZOTERO_KINDS
from trisynapse_memory.preprocessing.references.loose import as_list, as_map
from trisynapse_memory.preprocessing.references.names import in_order
from trisynapse_memory.preprocessing.references.zotero_tables import (
    AnnotationRow,
    AttachmentRow,
    NoteRow,
    ZoteroRow,
    ZoteroTables,
)

STORED: Final = "storage:"
_LINKED_URL: Final = 3
_PATH_DEPTH: Final = 100  # a collection that lies in itself would never end
_NO_ENTRIES: Final = frozenset({"attachment", "note", "annotation"})
_DATE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:\s|$)")  # "2017-06-00 June 2017": what is not known is 00

_NAMED: Final = {
    "journal": ("publicationTitle", "websiteTitle", "blogTitle"),
    "booktitle": ("bookTitle", "proceedingsTitle", "encyclopediaTitle", "dictionaryTitle"),
    "series": ("series", "seriesTitle"),
    "volume": ("volume",),
    "issue": ("issue",),
    "pages": ("pages",),
    "publisher": ("publisher", "label", "studio"),
    "place": ("place",),
    "edition": ("edition",),
    "institution": ("institution", "university"),
    "language": ("language",),
    "event": ("conferenceName", "meetingName"),
    "number": ("reportNumber", "number", "patentNumber"),
}
_AUTHOR_ROLES: Final = (
    "author",
    "artist",
    "inventor",
    "presenter",
    "director",
    "programmer",
    "podcaster",
    "contributor",
)


@dataclass(frozen=True, slots=True)
class ZoteroFile:
    """A file of an entry; ``entry`` is the key of that entry, empty for a file that stands by itself."""

    key: str
    entry: str
    path: Path
    title: str
    tags: tuple[str, ...]
    collections: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ZoteroMark:
    """A passage she marked in a file: its words, her comment, and the page (1-based)."""

    key: str
    file: str
    quote: str
    comment: str
    colour: str
    page: int


class ZoteroLibrary:
    """One data folder of Zotero, read once.

    Args:
        tables: what ``zotero_tables`` read.
        folder: where the files of its storage lie.
    """

    def __init__(self, tables: ZoteroTables, folder: Path) -> None:
        self._tables = tables
        self._folder = folder
        self._notes: defaultdict[int, list[NoteRow]] = defaultdict(list)
        self._attached: defaultdict[int, list[AttachmentRow]] = defaultdict(list)
        self._marked: defaultdict[int, list[AnnotationRow]] = defaultdict(list)
        # What lies in the bin has a row in its table, but none among the items.
        for note in (row for row in tables.notes if row.number in tables.items):
            self._notes[note.parent].append(note)
        for attachment in (row for row in tables.attachments if row.number in tables.items):
            self._attached[attachment.parent].append(attachment)
        for annotation in (row for row in tables.annotations if row.number in tables.items):
            self._marked[annotation.parent].append(annotation)

    def entries(self) -> Iterator[Entry]:
        """Yield every item and every note that stands by itself, in the order in which they were added."""
        for item in self._tables.items.values():
            if item.kind not in _NO_ENTRIES:
                yield self._entry(item)
        for note in self._notes[0]:
            yield self._note(self._tables.items[note.number], note)

    def files(self) -> Iterator[ZoteroFile]:
        """Yield the files that items have on this machine, or should have; what is only an address is none."""
        for parent, rows in self._attached.items():
            item = self._tables.items.get(parent)
            if parent and item is None:
                continue  # its item lies in the bin
            for row in rows:
                path = self._path_of(row)
                if path is None:
                    continue
                own = self._tables.items[row.number]
                holder = item or own
                yield ZoteroFile(
                    key=self._key_of(own),
                    entry=self._key_of(item) if item else "",
                    path=path,
                    title=holder.values.get("title", ""),
                    tags=tuple(holder.tags),
                    collections=self._collections_of(holder),
                )

    def marks(self) -> Iterator[ZoteroMark]:
        """Yield the passages that are marked in files; a mark without words (a drawing) is none."""
        for parent, rows in self._marked.items():
            item = self._tables.items.get(parent)
            if item is None:
                continue
            for row in rows:
                if row.text.strip():
                    yield ZoteroMark(
                        key=self._key_of(self._tables.items[row.number]),
                        file=self._key_of(item),
                        quote=row.text.strip(),
                        comment=row.comment.strip(),
                        colour=row.colour,
                        page=_page_of(row.position),
                    )

    def _entry(self, item: ZoteroRow) -> Entry:
        values = item.values
        stated = stated_in(values.get("extra", ""))
        citekey = values.get("citationKey") or stated.get("citekey") or self._tables.citekeys.get(item.key, "")
        authors = next((found for role in _AUTHOR_ROLES if (found := _people(item, role))), ())
        editors = _people(item, "editor")
        identifiers = {
            **stated,
            **{
                scheme: values.get(scheme.upper(), "")
                for scheme in ("doi", "isbn", "issn")
                if values.get(scheme.upper())
            },
            "citekey": citekey,
        }
        if values.get("archiveID", "").lower().startswith("arxiv"):
            identifiers["arxiv"] = values["archiveID"]
        fields = {ours: text for ours, theirs in _NAMED.items() if (text := _first(values, theirs))}
        return Entry(
            key=self._key_of(item),
            kind=ZOTERO_KINDS.get(item.kind, "misc"),
            title=note_text(values.get("title") or values.get("caseName") or values.get("subject", "")),
            authors=authors or editors,
            published=_date(values.get("date") or values.get("dateEnacted") or values.get("issueDate", "")),
            abstract=values.get("abstractNote", ""),
            notes=tuple(text for text in self._texts_about(item) if text),
            keywords=tuple(item.tags),
            collections=self._collections_of(item),
            url=values.get("url", ""),
            link=self._link_to(item),
            identifiers=identifiers,
            fields={
                **fields,
                **({"editors": "; ".join(editors)} if editors and authors else {}),
                "accessed": _date(values.get("accessDate", "")),
                "zotero": self._link_to(item),
            },
            raw=self._raw(item),
        )

    def _note(self, item: ZoteroRow, note: NoteRow) -> Entry:
        text = note_text(note.html)
        return Entry(
            key=self._key_of(item),
            kind="note",
            title=text.partition("\n")[0][:120],
            notes=(text,),
            keywords=tuple(item.tags),
            collections=self._collections_of(item),
            link=self._link_to(item),
            fields={"zotero": self._link_to(item)},
            raw=self._raw(item),
        )

    def _texts_about(self, item: ZoteroRow) -> Iterator[str]:
        """What she wrote about an item: its extra lines, its notes, and what she marked in its files."""
        yield without_stated(item.values.get("extra", ""))
        for note in self._notes[item.number]:
            yield note_text(note.html)
        for attachment in self._attached[item.number]:
            lines = [line for row in self._marked[attachment.number] if (line := _mark_line(row))]
            if lines:
                name = self._tables.items[attachment.number].values.get("title", "") or "the file"
                yield "\n".join((f"Marked in {name}:", *lines))

    def _key_of(self, item: ZoteroRow) -> str:
        """An item of a group has a key that only its group knows apart."""
        group = self._tables.groups.get(item.library)
        return f"{group[0]}/{item.key}" if group else item.key

    def _link_to(self, item: ZoteroRow) -> str:
        group = self._tables.groups.get(item.library)
        return f"zotero://select/{f'groups/{group[0]}' if group else 'library'}/items/{item.key}"

    def _collections_of(self, item: ZoteroRow) -> tuple[str, ...]:
        """The collections of an item with all that they lie in: a rule for a collection covers what lies below it."""
        group = self._tables.groups.get(item.library)
        paths = [self._path_to(number) for number in item.collections] or ([()] if group else [])
        names: dict[str, None] = {}
        for path in paths:
            whole = (group[1], *path) if group else path
            for length in range(1, len(whole) + 1):
                names[" > ".join(whole[:length])] = None
        return tuple(names)

    def _path_to(self, collection: int) -> tuple[str, ...]:
        path: list[str] = []
        while collection in self._tables.collections and len(path) < _PATH_DEPTH:
            name, collection, _ = self._tables.collections[collection]
            path.insert(0, name)
        return tuple(path)

    def _path_of(self, row: AttachmentRow) -> Path | None:
        """Where a file lies; None for an address, and for a path that leaves Zotero's own folders by a trick."""
        if row.mode == _LINKED_URL or not row.path:
            return None
        if not row.path.startswith(STORED):
            return Path(row.path) if Path(row.path).is_absolute() else None
        own, name = self._tables.items[row.number], row.path.removeprefix(STORED)
        if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name:
            return None
        return self._folder / "storage" / own.key / name

    def _raw(self, item: ZoteroRow) -> str:
        said = {
            "key": item.key,
            "itemType": item.kind,
            "dateAdded": item.added,
            "fields": item.values,
            "creators": [[one.role, one.given, one.family] for one in item.creators],
            "tags": item.tags,
            "collections": self._collections_of(item),
        }
        return json.dumps(said, ensure_ascii=False, sort_keys=True)


def _people(item: ZoteroRow, role: str) -> tuple[str, ...]:
    found = [
        one.family if one.is_whole else in_order(one.given, one.family) for one in item.creators if one.role == role
    ]
    return tuple(name for name in found if name)


def _first(values: dict[str, str], names: tuple[str, ...]) -> str:
    return next((text for name in names if (text := " ".join(values.get(name, "").split()))), "")


def _date(text: str) -> str:
    match = _DATE.match(text)
    return of_parts(match[1], match[2], match[3]) if match else iso_of(text)


def _mark_line(row: AnnotationRow) -> str:
    quote, comment = " ".join(row.text.split()), " ".join(row.comment.split())
    said = " — ".join(part for part in (f"“{quote}”" if quote else "", comment) if part)
    place = f"p. {row.page_label}: " if row.page_label else ""
    return f"{place}{said}" if said else ""


def _page_of(position: str) -> int:
    """The page of a mark, 1-based; 0 where the file has no pages (a web page, a book)."""
    try:
        stated = as_map(json.loads(position or "{}"))
    except (ValueError, RecursionError):
        return 0
    index = stated.get("pageIndex")
    return index + 1 if isinstance(index, int) and 0 <= index < 100_000 and as_list(stated.get("rects")) else 0
