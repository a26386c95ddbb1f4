"""PDFs and questions about them in, page recall and refusals of engine and baselines out. No PDF is parsed here.

All PDFs lie in one vault. A question is asked twice: of its own PDF (recall@5) and of the whole library (recall@10).
A page stands where its best record stands. The baselines rank whole page texts, and also the engine's own chunks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from msgspec import structs

from trisynapse_memory.bench.baselines import Baselines
from trisynapse_memory.bench.corpora import PageQuestion, files_in, read_page_questions
from trisynapse_memory.bench.embeddings import Note
from trisynapse_memory.bench.evidence_report import skipped_peers
from trisynapse_memory.bench.machine import Stopwatch, describe_machine, digest_of, peak_rss_mb
from trisynapse_memory.bench.metrics import distinct, means, ratios, recall_at
from trisynapse_memory.bench.paper_peers import EVERYWHERE, ask_by_scope
from trisynapse_memory.bench.peer_runs import PeerRun, Units
from trisynapse_memory.bench.report import BaselineRow, CategoryRow, Difference, Report, Skip
from trisynapse_memory.bench.shelves import units_of
from trisynapse_memory.bench.statistics import compare
from trisynapse_memory.bench.workplace import Workplace, workplace
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.types import Record

Page = tuple[str, int]
"""Source id and page number."""

RECORD_DEPTH: Final = 100  # records asked for; the engine ranks no more, and ten pages seldom hide behind a hundred
PDF_DEPTH, LIBRARY_DEPTH = 5, 10
ENGINE: Final = "engine"
READABLE: Final = frozenset({"Pure-text (Plain-text)", "Table"})
"""Evidence that is text on the page; charts and figures are pixels, and no method here reads those."""


@dataclass(slots=True)
class Stand:
    """One set of units (pages or chunks) with the page of each, for one PDF or for the library."""

    pages: list[Page]
    baselines: Baselines
    units: Units


@dataclass(slots=True)
class Tally:
    """What a run has collected so far."""

    figures: dict[tuple[str, str], list[dict[str, float]]] = field(
        default_factory=dict[tuple[str, str], list[dict[str, float]]]
    )
    skipped: Counter[str] = field(default_factory=Counter[str])
    search: Stopwatch = field(default_factory=Stopwatch)
    answer: Stopwatch = field(default_factory=Stopwatch)
    words: Stopwatch = field(default_factory=Stopwatch)
    peers: PeerRun = field(default_factory=PeerRun)

    def add(self, categories: Sequence[str], method: str, row: dict[str, float]) -> None:
        """Keep the figures of one question in each of its categories; "" is all questions."""
        for category in ("", *categories):
            self.figures.setdefault((category, method), []).append(row)


@dataclass(slots=True)
class Shelf:
    """The library as it was taken in."""

    sources: dict[str, str]
    records: tuple[Record, ...]
    page_records: tuple[Record, ...]
    chunk_matrix: FloatArray
    page_matrix: FloatArray
    intake: Stopwatch

    def page_count(self, document: str) -> int:
        """Return how many pages a PDF has."""
        source_id = self.sources[document]
        return sum(record.source_id == source_id for record in self.page_records)


def run(data: Path, limit: int | None, note: Note, peers: Sequence[str] = ()) -> Report:
    """Measure ``papers``; ``limit`` stops after so many questions and takes in only the PDFs these ask about."""
    folder = data / "papers"
    questions = [one for path in files_in(folder, "*.json") for one in read_page_questions(path)]
    pdfs = {path.name: path for path in files_in(folder / "pdfs", "*.pdf")}
    chosen = questions[:limit]
    wanted = [pdfs[name] for name in distinct(one.document for one in chosen) if name in pdfs]
    tally = Tally(peers=PeerRun(peers, note))
    tally.skipped["question beyond the limit"] = len(questions) - len(chosen)
    with workplace(note) as place:
        shelf = _take_in(place, wanted, tally, note)
        stands = dict(_stands(shelf))
        for number, question in enumerate(chosen, start=1):
            note(f"question {number} of {len(chosen)}")
            if question.document in shelf.sources:
                _measure(place, shelf, stands, question, tally)
            else:
                tally.skipped["question about a PDF that is not here"] += 1
        for method, question, row in _peer_figures(place, shelf, stands, chosen, tally.peers):
            tally.add(_categories(question), method, row)
        for stand in stands.values():
            stand.baselines.close()
        ingest = _ingest(place, shelf)
    return _report(tally, ingest, digest_of([*files_in(folder, "*.json"), *pdfs.values()], folder))


def take_pdfs(
    place: Workplace, pdfs: Sequence[Path], watch: Stopwatch, note: Note
) -> tuple[dict[str, str], Counter[str]]:
    """Take PDFs into one vault, without vectors; return the source id of each name, and why others have none."""
    sources: dict[str, str] = {}
    lost: Counter[str] = Counter()
    for path in pdfs:
        note(f"reading {path.name}")
        with watch.lap():
            result = place.engine.ingest(path, wait=False).results[0]
        if result.source_id is None:
            lost[f"PDF ({result.error.code if result.error else result.reason})"] += 1
        else:
            sources[path.name] = result.source_id
    return sources, lost


def _take_in(place: Workplace, pdfs: Sequence[Path], tally: Tally, note: Note) -> Shelf:
    intake = Stopwatch()
    sources, lost = take_pdfs(place, pdfs, intake, note)
    tally.skipped.update(lost)
    records, page_records = place.records(), place.records("page")
    chunk_matrix = place.embed_all(records)
    page_matrix = place.embeddings.rows([record.text for record in page_records])
    return Shelf(sources, records, page_records, chunk_matrix, page_matrix, intake)


def _stands(shelf: Shelf) -> Iterator[tuple[tuple[str, str], Stand]]:
    """Build the baselines: (unit, source id) for each PDF, and (unit, "") for the library."""
    for unit, records, matrix in (
        ("pages", shelf.page_records, shelf.page_matrix),
        ("chunks", shelf.records, shelf.chunk_matrix),
    ):
        for scope in ("", *shelf.sources.values()):
            rows = [row for row, record in enumerate(records) if scope in ("", record.source_id)]
            pages = [page for row in rows if (page := page_of(records[row])) is not None]
            units = units_of([records[row] for row in rows], matrix[rows], kind="passage")
            if unit == "pages":  # what was read, without the fields the engine adds
                units = replace(units, texts=[records[row].text for row in rows])
            yield (unit, scope), Stand(pages, Baselines(units.texts, units.matrix), units)


def page_of(record: Record) -> Page | None:
    """Return the page a record stands on; None for a record that stands on none."""
    if record.source_id is None or record.locator is None or record.locator.page is None:
        return None
    return record.source_id, record.locator.page


def _measure(
    place: Workplace, shelf: Shelf, stands: Mapping[tuple[str, str], Stand], question: PageQuestion, tally: Tally
) -> None:
    source_id = shelf.sources[question.document]
    with tally.answer.lap():
        refused = place.engine.query(question.text, source_ids=[source_id]).abstain
    if not question.answerable:
        tally.add((), ENGINE, {"refused": float(refused)})
        return
    gold = _gold(shelf, question)
    tally.skipped["evidence page that the PDF does not have"] += len(question.pages) - len(gold)
    if not gold:
        tally.skipped["answerable question without an evidence page"] += 1
        tally.add((), ENGINE, {"false_refusals": float(refused)})
        return
    for method, row in _figures(place, stands, question, source_id, gold, tally):
        refusal = {"false_refusals": float(refused)} if method == ENGINE else {}
        tally.add(_categories(question), method, {**row, **refusal})


def _gold(shelf: Shelf, question: PageQuestion) -> set[Page]:
    """Return the evidence pages of a question that its PDF has; none where the PDF was not taken in."""
    source_id = shelf.sources.get(question.document)
    if source_id is None:
        return set()
    return {(source_id, page) for page in question.pages if 1 <= page <= shelf.page_count(question.document)}


def _figures(
    place: Workplace,
    stands: Mapping[tuple[str, str], Stand],
    question: PageQuestion,
    source_id: str,
    gold: set[Page],
    tally: Tally,
) -> Iterator[tuple[str, dict[str, float]]]:
    with tally.search.lap():
        here = place.engine.search(question.text, top_k=RECORD_DEPTH, source_ids=[source_id])
    everywhere = place.engine.search(question.text, top_k=RECORD_DEPTH)
    pages = [distinct(page for hit in found.hits if (page := page_of(hit.record))) for found in (here, everywhere)]
    yield ENGINE, _row(pages[0], pages[1], gold)
    vector = place.opened.rooms.embedder.embed([question.text])[0]
    for unit in ("pages", "chunks"):
        narrow, wide = stands[unit, source_id], stands[unit, ""]
        watch = tally.words if unit == "chunks" else None
        inside = narrow.baselines.rank(question.text, vector, watch)
        across = wide.baselines.rank(question.text, vector)
        for name, rows in inside.items():
            ranked = distinct(narrow.pages[row] for row in rows)
            yield f"{name}-{unit}", _row(ranked, distinct(wide.pages[row] for row in across[name]), gold)


def _peer_figures(
    place: Workplace,
    shelf: Shelf,
    stands: Mapping[tuple[str, str], Stand],
    chosen: Sequence[PageQuestion],
    peers: PeerRun,
) -> Iterator[tuple[str, PageQuestion, dict[str, float]]]:
    """Ask peers what the baselines were asked, of the same pages and chunks."""
    asked = [(one, gold) for one in chosen if one.answerable and (gold := _gold(shelf, one))]
    if not peers.figures or not asked:
        return
    vectors = place.opened.rooms.embedder.embed([one.text for one, _ in asked])
    scoped = [(shelf.sources[one.document], one.text, vector) for (one, _), vector in zip(asked, vectors, strict=True)]
    for unit in ("chunks", "pages"):
        here = {scope: stand for (other, scope), stand in stands.items() if other == unit}
        units = {scope: stand.units for scope, stand in here.items()}
        found = ask_by_scope(peers, units, scoped, RECORD_DEPTH, place.embeddings.rows, counted=unit == "chunks")
        for name, pairs in found.items():
            for (question, gold), (scope, _, _), (inside, across) in zip(asked, scoped, pairs, strict=True):
                narrow, wide = here[scope].pages, here[EVERYWHERE].pages
                ranked = distinct(narrow[row] for row in inside), distinct(wide[row] for row in across)
                yield f"{name}-{unit}", question, _row(*ranked, gold)


def _row(here: Sequence[Page], everywhere: Sequence[Page], gold: set[Page]) -> dict[str, float]:
    return {
        f"recall@{PDF_DEPTH}": recall_at(here, gold, PDF_DEPTH),
        f"recall@{LIBRARY_DEPTH}": recall_at(everywhere, gold, LIBRARY_DEPTH),
    }


def _categories(question: PageQuestion) -> tuple[str, ...]:
    """A question counts in each kind of evidence it has; "text or table" is the kind the published notes report."""
    readable = ("text or table",) if READABLE.issuperset(question.sources) and question.sources else ()
    return (*readable, *question.sources)


def _differences(tally: Tally, categories: Sequence[str], methods: Sequence[str]) -> Iterator[Difference]:
    """The engine minus the best baseline, over all questions and over each kind; rows without pages say nothing."""
    measures = tuple(_row((), (), {("", 0)}))
    for category in ("", *categories):
        ours = [row for row in tally.figures.get((category, ENGINE), []) if measures[0] in row]
        theirs = {name: tally.figures[category, name] for name in methods}
        yield from compare(ours, theirs, corpus="papers", category=category)


def _ingest(place: Workplace, shelf: Shelf) -> dict[str, float]:
    embeddings, page_count = place.embeddings, len(shelf.page_records)
    figures = {
        "sources": float(len(shelf.sources)),
        "pages": float(page_count),
        "records": float(len(shelf.records)),
        "pages_per_s": page_count / max(shelf.intake.wall_s, 1e-9),
        "bytes_per_record": place.close_and_weigh() / max(len(shelf.records), 1),
    }
    if embeddings.embedded_count:
        figures["embedded_per_cpu_s"] = embeddings.embedded_count / max(embeddings.watch.cpu_s, 1e-9)
    return {name: round(value, 1) for name, value in figures.items()}


def _report(tally: Tally, ingest: dict[str, float], digest: str) -> Report:
    ours = means(tally.figures.get(("", ENGINE), []))
    methods = distinct(name for _, name in tally.figures if name != ENGINE and not tally.peers.is_out(name))
    plain = {name: means(tally.figures["", name]) for name in methods}
    search_ms = tally.search.latency_ms()
    answer_ms = {f"answer_{name}": value for name, value in tally.answer.latency_ms().items()}
    categories = distinct(category for category, name in tally.figures if category and name == ENGINE)
    return Report(
        suite="papers",
        corpus_sha256=digest,
        metrics=ours,
        by_category=tuple(
            CategoryRow(
                corpus="papers",
                category=category,
                count=len(tally.figures[category, ENGINE]),
                metrics=means(tally.figures[category, ENGINE]),
                baselines={name: means(tally.figures[category, name]) for name in methods},
            )
            for category in categories
        ),
        baselines={name: _baseline_row(name, found, ours, tally) for name, found in plain.items()},
        differences=tuple(_differences(tally, categories, methods)),
        skipped=(
            *(
                Skip(what=what, count=count, reason="It cannot be judged.")
                for what, count in tally.skipped.items()
                if count
            ),
            *skipped_peers(tally.peers),
        ),
        latency_ms={**search_ms, **answer_ms},
        ingest=ingest,
        rss_mb=peak_rss_mb(),
        machine=describe_machine(),
    )


def _baseline_row(name: str, found: dict[str, float], ours: dict[str, float], tally: Tally) -> BaselineRow:
    row = BaselineRow(metrics=found, ratios=ratios(ours, found))
    if name == "fts5-chunks":
        return structs.replace(row, latency_ms=tally.words.latency_ms())
    peer = tally.peers.of(name.removesuffix("-chunks"))
    if peer is None:
        return row
    rows = [row for row in tally.figures["", ENGINE] if f"recall@{PDF_DEPTH}" in row]
    differences = compare(rows, {name: tally.figures["", name]}, corpus="", category="")
    return structs.replace(
        row, latency_ms=peer.search.latency_ms(), differences=differences, about=peer.about, ingest=peer.ingest()
    )
