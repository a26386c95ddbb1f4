"""References of the library in, a CSL JSON file out. Text only: nothing is read or written.

An entry that came from a CSL file goes out exactly as it came in, unknown fields included. What came in another format
is written from what it says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from trisynapse_memory.contracts import Holding

OWN_FORMAT: Final = "csl"

_KINDS: Final = {
    "article": "article-journal", "book": "book", "collection": "book", "proceedings": "book", "booklet": "pamphlet",
    "incollection": "chapter", "inbook": "chapter", "inproceedings": "paper-conference",
    "conference": "paper-conference", "thesis": "thesis", "phdthesis": "thesis", "mastersthesis": "thesis",
    "report": "report", "techreport": "report", "manual": "report", "online": "webpage", "electronic": "webpage",
    "patent": "patent", "dataset": "dataset", "software": "software", "unpublished": "manuscript",
    "inreference": "entry-encyclopedia", "video": "motion_picture", "audio": "song",
}  # fmt: skip
"""The CSL word of each kind; ``document`` for the others."""

_NAMED: Final = {
    "journal": "container-title", "booktitle": "container-title", "series": "collection-title", "volume": "volume",
    "issue": "issue", "pages": "page", "publisher": "publisher", "institution": "publisher",
    "place": "publisher-place", "edition": "edition", "chapter": "chapter-number", "language": "language",
    "doi": "DOI", "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "url": "URL",
}  # fmt: skip


class CslExporter:
    """Writes bibliographies that Zotero, Pandoc and every citation processor read."""

    name = "csl"
    kinds = ("reference",)
    suffixes = (".json", ".csljson")

    def compose(self, holdings: Sequence[Holding]) -> str:
        """Return the text of the file: every reference, in the order given."""
        entries = [_entry(holding) for holding in holdings]
        return "[\n" + ",\n".join(dict.fromkeys(entries)) + "\n]\n"


def _entry(holding: Holding) -> str:
    if holding.loader == OWN_FORMAT and holding.entry:
        return holding.entry
    return json.dumps(_made(holding), ensure_ascii=False, indent=2)


def _made(holding: Holding) -> dict[str, Any]:
    """Write an entry from what a source says."""
    source = holding.source
    said: Mapping[str, str] = holding.records[0].fields if holding.records else {}
    made: dict[str, Any] = {
        "id": source.identifiers.get("citekey") or str(source.source_id),
        "type": _KINDS.get(said.get("type", ""), "document"),
        "title": source.title,
        "author": [_person(name) for name in source.authors],
        "editor": [_person(name) for name in said.get("editors", "").split("; ") if name],
        "issued": _date(source.published),
        "accessed": _date(said.get("accessed", "")),
        "keyword": ", ".join(source.tags),
    }
    for ours, theirs in _NAMED.items():
        if ours in said and theirs not in made:
            made[theirs] = said[ours].replace("–", "-") if ours == "pages" else said[ours]
    if "arxiv" in said:
        made |= {"archive": "arXiv", "archive_location": said["arxiv"]}
    return {name: value for name, value in made.items() if value}


def _person(name: str) -> dict[str, str]:
    """A name without a comma is that of an organisation."""
    family, comma, rest = name.partition(", ")
    if not comma:
        return {"literal": name}
    suffix, comma, given = rest.partition(", ")
    return {"family": family, "given": given, "suffix": suffix} if comma else {"family": family, "given": rest}


def _date(published: str) -> dict[str, list[list[int]]]:
    parts = [int(part) for part in published.split("-") if part.isdigit()]
    return {"date-parts": [parts]} if parts else {}
