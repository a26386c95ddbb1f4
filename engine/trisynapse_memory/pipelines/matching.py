"""A file or an entry that has arrived in, a match of the two appended or a doubt told out. No file is read here.

Equal are: a name of the work (DOI, arXiv id, PMID, ISBN), the path that the entry states, or the title together with
the year or the first author. A wrong match is worse than none: where the first pages of the file do not bear the title
of the entry, nothing is matched, and the doubt is told (case R33).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from trisynapse_memory.log.matches import NO_WORKS, REFERENCE, sources_named
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.text.works import MATCHED_SCHEMES, bears_name, bears_title, names_of, surname_of, title_key
from trisynapse_memory.types import Draft, Kind, MetadataDetails, Source, SourceId

FIRST_PAGES: Final = 2  # a cover sheet of a repository may come before the title
FIRST_CHARS: Final = 8000


def match_file(rooms: Rooms, source_id: str) -> str:
    """Look for the entry that describes a file which has arrived.

    Returns:
        Why an entry that seems to fit was not matched; empty where there is no doubt.
    """
    file = rooms.shelf.get(source_id)
    if file.kind in NO_WORKS or file.kind == REFERENCE:
        return ""
    names = [*names_of(file.identifiers, file.title), *([f"file:{file.filename.casefold()}"] if file.filename else [])]
    doubt = ""
    for entry in _named(rooms, names, file, references=True):
        reason, said = _compare(rooms, file, entry)
        if reason:
            keep_match(rooms, file, entry, reason)
        doubt = doubt or said
    return doubt


def match_reference(rooms: Rooms, source_id: str) -> str:
    """Look for the files that an entry which has arrived describes.

    Returns:
        Why a file that seems to fit was not matched; empty where there is no doubt.
    """
    entry = rooms.shelf.get(source_id)
    files = list(_named(rooms, names_of(entry.identifiers, entry.title), entry, references=False))
    if entry.filename:
        files += [file for path in _stated_paths(rooms, entry) if (file := rooms.shelf.active(path, entry.namespace))]
    doubt = ""
    for file in {one.source_id: one for one in files}.values():
        if file.kind in NO_WORKS:
            continue
        reason, said = _compare(rooms, file, entry)
        if reason:
            keep_match(rooms, file, entry, reason)
        doubt = doubt or said
    return doubt


def keep_match(rooms: Rooms, file: Source, entry: Source, reason: str) -> None:
    """Say that an entry describes a file. Said once for each pair, so that what she takes back stays taken back."""
    pair = hashlib.sha256(f"{file.source_id} {entry.source_key}".encode()).hexdigest()[:20]
    details = MetadataDetails(
        target_source_id=file.source_id, name=REFERENCE, value=entry.source_key, origin=f"match: {reason}"
    )
    draft = Draft(
        kind=Kind.METADATA,
        text=entry.title,
        namespace=file.namespace,
        source_id=file.source_id,
        payload=details,
        external_key=f"match:{pair}",
    )
    rooms.log.append([draft])


def _named(rooms: Rooms, names: Sequence[str], one: Source, *, references: bool) -> tuple[Source, ...]:
    with rooms.log.database.read() as connection:
        found = sources_named(connection, names, one.namespace, references=references)
    known = rooms.shelf.titles(found)
    return tuple(known[source_id] for source_id in found if source_id != one.source_id)


def _compare(rooms: Rooms, file: Source, entry: Source) -> tuple[str, str]:
    """Return why the two are one work, or else why they only seem to be; both may be empty."""
    text = _first_words(rooms, file.source_id)
    same_title = title_key(file.title) == title_key(entry.title) != ""
    has_title = same_title or bears_title(entry.title, text)
    for scheme in MATCHED_SCHEMES:
        name = entry.identifiers.get(scheme)
        if name is None or file.identifiers.get(scheme) != name:
            continue
        if has_title:
            return f"{scheme} {name}", ""
        said = f"'{file.title}' and '{entry.title}' state the same {scheme}, {name}"
        return "", f"{said}, but the first pages do not bear that title: not matched"
    if has_title and _names_file(rooms, entry, file):
        return "file", ""
    if same_title and not _is_other_work(file, entry) and _bears_byline(file, entry, text):
        return "title", ""
    return "", ""


def _is_other_work(file: Source, entry: Source) -> bool:
    """Two DOIs are two works; a preprint has another DOI than the paper, and is told apart by that."""
    first, second = file.identifiers.get("doi"), entry.identifiers.get("doi")
    return first is not None and second is not None and first != second


def _bears_byline(file: Source, entry: Source, text: str) -> bool:
    """The year or the first author, as the file's metadata or its first pages say it."""
    if entry.published[:4] and file.published[:4] == entry.published[:4]:
        return True
    if not entry.authors:
        return False
    first = surname_of(entry.authors[0])
    return any(surname_of(author) == first != "" for author in file.authors) or bears_name(entry.authors[0], text)


def _first_words(rooms: Rooms, source_id: SourceId) -> str:
    pages = [rooms.log.page(source_id, number) for number in range(1, FIRST_PAGES + 1)]
    return "\n".join(page.text for page in pages if page is not None)[:FIRST_CHARS]


def _names_file(rooms: Rooms, entry: Source, file: Source) -> bool:
    """Whether an entry states this very file: by its path, or by its name where the folder is another machine's."""
    paths = _stated_paths(rooms, entry)
    return file.source_key in paths or any(PurePath(path).name == file.filename for path in paths)


def _stated_paths(rooms: Rooms, entry: Source) -> tuple[str, ...]:
    """The paths of an entry's files, those that are relative seen from the folder of its bibliography."""
    (record, *_) = rooms.log.of_source(entry.source_id, Kind.RAW_SOURCE)
    folder = Path(entry.container or "").parent
    stated = [path for line in record.fields.get("file", "").splitlines() if (path := line.strip())]
    return tuple(str(folder / path) for path in stated)
