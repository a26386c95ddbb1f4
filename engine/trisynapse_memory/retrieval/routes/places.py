"""A question that names a page, a figure or a table in, the records that stand there out. No link is stored here.

"Figure 3" leads to its caption in every source in scope, "page 9" to the records of that page in the sources that the
question is asked of or, where these are many, in those of the best candidates. A page counts by its place in the file
and by the number it bears, for page 9 of a report is often the twelfth of its file (docs/formulas.md, "Places").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from trisynapse_memory.contracts import LexicalReader, LinkReader, PageReader
from trisynapse_memory.text.named_places import LAST, NamedPlaces, Thing, bears_number, named_places, shows, spellings
from trisynapse_memory.text.tokens import phrase_terms
from trisynapse_memory.types import Candidate, Kind, QueryPlan, Record, Scope

# Sources whose pages are looked up: of the scope where it has no more, else those of as many best candidates.
SOURCE_COUNT: Final = 3
# Records that hold the label of one thing, the most frequent first; a book speaks of a figure less often.
HOLDER_COUNT: Final = 60
# Pages around a number in which it may be printed: covers, contents and prefaces in front take about as many.
SHIFT_MAX: Final = 24
PAGE_RECORD_COUNT: Final = 40  # records after the row of a page that may be its own; a full page has about 12
_WHY: Final = "place"


class PlaceRoute:
    """Proposes what stands at the places that a question names.

    Args:
        lexical: finds the labels of figures and tables.
        links: tells which records are in scope.
        pages: reads pages and records.
    """

    name = "places"

    def __init__(self, lexical: LexicalReader, links: LinkReader, pages: PageReader) -> None:
        self._lexical = lexical
        self._links = links
        self._pages = pages

    def candidates(self, plan: QueryPlan, scope: Scope, seeds: Sequence[Candidate]) -> tuple[Candidate, ...]:
        """Return the records at named places, each with score 1, in log order; nothing where none is named."""
        places = named_places(plan.question)
        found = {record.seq for thing in places.things for record in self._showing(thing, scope)}
        if places.pages:
            sources = self._sources(scope, seeds)
            on_pages = {record.seq: record for source in sources for record in self._on_pages(source, places)}
            found |= self._in_scope(sources, scope, on_pages)
        return tuple(Candidate(seq, 1.0, _WHY) for seq in sorted(found))

    def _showing(self, thing: Thing, scope: Scope) -> Iterator[Record]:
        """The captions and headings of a thing, in every source in scope."""
        keys = dict.fromkeys(tuple(term.key for term in phrase_terms(one)) for one in spellings(thing))
        # A word that is nowhere is soon told; the postings of a number are long, and read with each word that is there.
        known = self._lexical.frequencies([key for words in keys for key in words], scope)
        asked = (words for words in keys if all(known[key] for key in words))
        held = {one.seq for words in asked for one in self._lexical.phrase(words, scope, HOLDER_COUNT)}
        for record in self._pages.by_seqs(sorted(held)):
            titles = (record.fields.get("caption", ""), *record.fields.get("section", "").split(" > "))
            if shows(record.text, thing) or any(shows(title, thing, is_title=True) for title in titles):
                yield record

    # ------------------------------------------------------------ pages

    def _sources(self, scope: Scope, seeds: Sequence[Candidate]) -> tuple[str, ...]:
        if scope.source_ids is not None and len(scope.source_ids) <= SOURCE_COUNT:
            return tuple(map(str, scope.source_ids))
        read = self._pages.by_seqs([seed.seq for seed in seeds[:SOURCE_COUNT]])
        return tuple(dict.fromkeys(str(record.source_id) for record in read if record.source_id is not None))

    def _on_pages(self, source_id: str, places: NamedPlaces) -> Iterator[Record]:
        for number in places.pages:
            for page in self._pages_called(source_id, number):
                yield from self._records_of(page)

    def _pages_called(self, source_id: str, number: int) -> Iterator[Record]:
        """The page of that place, and those near it that bear the number, printed or as the file labels them."""
        if number == LAST:
            # A page that was read again is there twice, so the count may point behind the last one.
            count = self._pages.count_of_source(source_id, Kind.PAGE)
            last = (self._pages.page(source_id, place) for place in range(count, 0, -1))
            yield from filter(None, (next(filter(None, last), None),))
            return
        for place in range(max(1, number - SHIFT_MAX), number + SHIFT_MAX + 1):
            page = self._pages.page(source_id, place)
            if page is not None and (place == number or _is_called(page, number)):
                yield page

    def _records_of(self, page: Record) -> Iterator[Record]:
        """The records that were written after the row of their page and stand on it."""
        for record in self._pages.by_seqs(range(page.seq + 1, page.seq + 1 + PAGE_RECORD_COUNT)):
            if record.kind is Kind.PAGE or record.source_id != page.source_id:
                return
            if record.locator is not None and page.locator is not None and record.locator.page == page.locator.page:
                yield record

    def _in_scope(self, sources: Sequence[str], scope: Scope, found: dict[int, Record]) -> set[int]:
        """Those that a search in this scope may show."""
        entrances = self._links.entrances(sources, scope, list(found))
        return {seq for seqs in entrances.values() for seq in seqs if seq in found}


def _is_called(page: Record, number: int) -> bool:
    label = page.locator.page_label if page.locator is not None else None
    return label == str(number) or bears_number(page.text, number)
