"""An entry of a bibliography in one neutral shape in, the member of its file out. No format is parsed here.

Every loader of references fills an ``Entry``; ``listings`` turns entries into members, and finds those that repeat.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.charsets import decode, looks_binary
from trisynapse_memory.preprocessing.originals import read_original
from trisynapse_memory.text.identifiers import normalise
from trisynapse_memory.text.works import surname_of, title_key, title_words
from trisynapse_memory.types import Heading, Listing, Page, Section

KIND: Final = "reference"
FIELD_MAX_CHARS: Final = 2000  # a searchable extra is a name or a number; longer ones are in the entry itself
VENUE_FIELDS: Final = ("journal", "booktitle", "series", "publisher", "institution")


@dataclass(slots=True)
class Entry:
    """One entry as any format says it.

    ``key`` is its citekey, or what else tells it apart in its file; ``authors`` are "Family, Given" or the name of an
    organisation; ``published`` is an ISO year, month or day; ``identifiers`` are as the file writes them; ``fields``
    use the names of ``FIELD_NAMES``; ``raw`` is the entry exactly as it stands in the file, from ``line`` on (1-based).
    ``link`` opens it in the program it comes from; ``skipped`` says why it cannot be taken in.
    """

    key: str
    line: int = 0
    kind: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    abstract: str = ""
    notes: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    url: str = ""
    link: str = ""
    files: tuple[str, ...] = ()
    identifiers: Mapping[str, str] = field(default_factory=dict[str, str])
    fields: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: str = ""
    skipped: str = ""


FIELD_NAMES: Final = (
    "journal", "booktitle", "series", "volume", "issue", "pages", "publisher", "place", "edition", "chapter",
    "editors", "translators", "institution", "language", "accessed", "event", "number", "zotero",
)  # fmt: skip
"""What an entry may say beside title, authors and date; the same names for every format."""


def read_bibliography(path: Path, name: str, encoding_of: Callable[[bytes], Sequence[str]] = lambda raw: ()) -> str:
    """Read a bibliography that is text, whatever its encoding.

    Args:
        path: the file.
        name: what messages call it.
        encoding_of: finds the encodings that a file itself states, in its first 4096 bytes.

    Raises:
        SourceDamagedError: it is no text.
        SourceEmptyError, SourceMissingError, SourceDeniedError: there is nothing to read.
    """
    raw = read_original(path, name, again="Export the bibliography again.")
    if looks_binary(raw[:65_536]):
        raise SourceDamagedError(f"'{name}' is no text, so it is no bibliography.", hint="Export it again.")
    return decode(raw, tuple(encoding_of(raw[:4096])))[0]


class ReferencesDocument:
    """A bibliography that is open: a container without pages of its own.

    Args:
        name: what messages call the file.
        entries: reads its entries from the start, as often as it is called, one by one.
        media_type, method: as in ``Heading``.

    Raises:
        SourceDamagedError: no entry can be taken in; "0 imported" is no success.
    """

    def __init__(self, name: str, entries: Callable[[], Iterator[Entry]], media_type: str, method: str) -> None:
        self.heading = Heading(page_count=0, media_type=media_type, method=method)
        self._entries = entries
        first = next((entry for entry in entries() if not entry.skipped), None)
        if first is None:
            problem = next((entry.skipped for entry in entries()), "there is none")
            raise SourceDamagedError(
                f"'{name}' holds no entry that can be taken in ({problem}).", hint="Export the bibliography again."
            )

    def pages(self, start: int) -> Iterator[tuple[Page, tuple[Section, ...]]]:
        """Yield nothing: what it says stands in its members."""
        yield from ()

    def members(self) -> Iterator[Listing]:
        """Yield every entry in file order, those left out with their reason, repeated ones with what they repeat."""
        yield from listings(self._entries())

    def close(self) -> None:
        """Do nothing: the file was closed when it was read."""


def listings(entries: Iterable[Entry]) -> Iterator[Listing]:
    """Yield the member of each entry; one that repeats a key, or a DOI with its title, names what it repeats."""
    seen: dict[str, str] = {}
    for entry in entries:
        listing = listing_of(entry)
        if listing.skipped:
            yield listing
            continue
        names = _names_in_file(listing)
        repeated = next((seen[name] for name in names if name in seen), "")
        for name in names:
            seen.setdefault(name, listing.key)
        yield structs.replace(listing, duplicate_of=repeated) if repeated else listing


def made_key(title: str, authors: Sequence[str], published: str) -> str:
    """Return a key for an entry whose file gives it none; it is the same whenever the file is read again."""
    digest = hashlib.sha256("\n".join((title, *authors, published)).encode()).hexdigest()[:6]
    words = [surname_of(authors[0]) if authors else "", published[:4], *title_words(title)[:2]]
    return "-".join((*(word for word in words if word), digest))


def plain_text(markup: str) -> str:
    """Return what a value with a few tags in it says: abstracts come with those of JATS or HTML."""
    if "<" not in markup and "&" not in markup:
        return " ".join(markup.split())
    parted = re.sub(r"</(?:jats:)?(?:p|title|sec|div|li)>|<br\s*/?>", "\n", markup, flags=re.IGNORECASE)
    bare = re.sub(r"</?[A-Za-z][\w:-]{0,30}(?:\s[^<>]{0,300})?/?>", "", parted)
    return " ".join(html.unescape(bare).split())


def _names_in_file(listing: Listing) -> tuple[str, ...]:
    """Chapters share the DOI of their book now and then; with the title it names one work."""
    doi, title = listing.identifiers.get("doi", ""), title_key(listing.title)
    return (f"key:{listing.key}", *([f"doi:{doi} {title}"] if doi else []))


def listing_of(entry: Entry) -> Listing:
    """Return an entry as a member: what is searched is its title, authors, venue, abstract and notes."""
    if entry.skipped:
        return Listing(key=entry.key, title=entry.title or entry.key, kind=KIND, skipped=entry.skipped)
    identifiers = _identifiers(entry)
    title = entry.title or entry.fields.get("booktitle") or entry.key
    return Listing(
        key=entry.key,
        title=title,
        kind=KIND,
        url=entry.link or entry.url or _address_of(identifiers),
        text=_text_of(entry, title),
        tags=tuple(dict.fromkeys(entry.keywords)),
        collections=tuple(dict.fromkeys(entry.collections)),
        fields=_fields(entry, identifiers),
        authors=entry.authors,
        published=entry.published,
        identifiers=identifiers,
        filename=_base_name(entry.files[0]) if entry.files else "",
        entry=entry.raw,
    )


def _identifiers(entry: Entry) -> dict[str, str]:
    stated = {**entry.identifiers, **({"url": entry.url} if entry.url else {})}
    found = {scheme: _first(scheme, value) for scheme, value in stated.items() if value}
    if not found.get("doi") and entry.url:
        found["doi"] = normalise("doi", entry.url)
    if not found.get("arxiv"):
        found["arxiv"] = normalise("arxiv", entry.url) or normalise("arxiv", found.get("doi", ""))
    return {scheme: value for scheme, value in found.items() if value}


def _first(scheme: str, value: str) -> str:
    """The first name of a value that may list several: "0028-0836, 1476-4687", "978-... (print)"."""
    whole = normalise(scheme, value)
    return whole or next((name for part in re.split(r"[,;\s]+", value)[:20] if (name := normalise(scheme, part))), "")


def _address_of(identifiers: Mapping[str, str]) -> str:
    if "doi" in identifiers:
        return f"https://doi.org/{identifiers['doi']}"
    return f"https://arxiv.org/abs/{identifiers['arxiv']}" if "arxiv" in identifiers else ""


def _text_of(entry: Entry, title: str) -> str:
    head = [title, "; ".join(entry.authors), _venue_of(entry)]
    parts = ["\n".join(line for line in head if line), entry.abstract, *entry.notes]
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _venue_of(entry: Entry) -> str:
    """Where and when it appeared, in one line."""
    fields = entry.fields
    places = [fields[name] for name in VENUE_FIELDS if name in fields and fields[name] != entry.title]
    issue = f"({fields['issue']})" if "issue" in fields else ""
    volume = f"{fields['volume']}{issue}" if "volume" in fields else issue
    pages = f"pp. {fields['pages']}" if "pages" in fields else ""
    return ", ".join(part for part in (*places, volume, pages, entry.published) if part)


def _fields(entry: Entry, identifiers: Mapping[str, str]) -> dict[str, str]:
    stated = {
        "type": entry.kind,
        **{name: entry.fields[name] for name in FIELD_NAMES if name in entry.fields},
        **identifiers,
        "file": "\n".join(entry.files),
    }
    return {name: value[:FIELD_MAX_CHARS] for name, value in stated.items() if value}


def _base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
