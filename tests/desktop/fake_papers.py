# ruff: noqa: E501 - the passages read better on one line
"""Nothing in, the invented papers of the fake engine out: sources and passages, the same at every start."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from trisynapse_memory.types import Hit, Kind, Locator, Record, Source, SourceStatus

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
PAPERS = (
    ("The turning mirror", ("A. Bellmer",), "1862", "pdf", {"ok": 4}),
    ("The toothed wheel", ("A. Bellmer", "J. Ferrand"), "1849", "pdf", {"ok": 3}),
    ("Michelson and Newcomb on the Potomac", ("R. Olin",), "1882", "pdf", {"ok": 11, "garbled": 1}),
    ("The mountain and the tube", ("R. Olin", "T. Haas", "L. Meyer"), "1935", "pdf", {"ok": 9}),
    ("From the cavity to the laser", ("K. Iwata",), "1983", "html", {"ok": 1}),
    ("Table of values, 1862–1983", ("K. Iwata",), "1983", "spreadsheet", {"ok": 6}),
    ("Notes on aberration", (), "", "markdown", {"ok": 1}),
    ("Scanned letters of the observatory", ("Various",), "1879", "pdf", {"image-only": 8, "ocr": 14}),
)


KIN: dict[str, dict] = {
    "s2": {
        "identifiers": {"doi": "10.5555/potomac.1882", "arxiv": "1882.01234", "citekey": "olin1882"},
        "container": "/mails/2019.zip",
        "same_text_as": "s6",
        "reference": "s4",
        "uri": "https://observatory.example/papers/potomac.pdf",
    },
    "s4": {"files": ("s2",)},
}
"""What is known of a source beside its row, and what it has to do with others."""


def make_source(
    number: int, title: str, authors: tuple[str, ...], year: str, kind: str, verdicts: dict[str, int]
) -> Source:
    return Source(
        source_id=f"s{number}",
        source_key=f"/papers/{number}.{kind}",
        title=title,
        kind=kind,
        version=1,
        status=SourceStatus.ACTIVE,
        content_hash=f"{number:064x}",
        record_count=17 * (number + 1),
        page_count=sum(verdicts.values()),
        byte_size=183_000 * (number + 1),
        filename=f"{number:02d}.{kind}",
        verdicts=verdicts,
        added_at=NOW - timedelta(days=number * 9),
        authors=authors,
        published=year,
        collections=("Speed of light",) if number < 6 else (),
        tags=("optics",) if number % 2 == 0 else ("history",),
        **KIN.get(f"s{number}", {}),
    )


PASSAGES = (
    (
        "s0",
        2,
        "In 1862 the turning mirror gave a velocity of light of 298,000 kilometres a second, a result that surprised even its author. The rotating mirror had been proposed long before, and the light of the sun was sent into the dark room by a heliostat.",
    ),
    (
        "s2",
        7,
        "Michelson's value of 299,910 kilometres a second was corrected two years later; the earlier figure rested on a mirror whose speed had been measured with a tuning fork that was slightly out of tune.",
    ),
    (
        "s3",
        4,
        "On the mountain the mirror had eight faces. The light travelled thirty-five kilometres and came back, and the velocity of light in air was found from the speed at which the image stood still.",
    ),
    (
        "s1",
        1,
        "The toothed wheel came first: with seven hundred and twenty teeth and a distant mirror, light that left through one gap returned through the next.",
    ),
    (
        "s5",
        3,
        "1926: 299,796 ± 4 km/s. 1935: 299,774 ± 11 km/s. The two values exclude each other within their stated errors.",
    ),
)


def make_hit(rank: int, title: str, source_id: str, page: int, text: str) -> Hit:
    """Return the hit at a rank; each scores a little less than the one before."""
    locator = Locator(kind="page", page=page, page_label=str(page), start=10, end=60)
    record = Record(
        id=f"rec-{rank}",
        seq=rank,
        device_id="d",
        device_seq=rank,
        written_at=NOW,
        kind=Kind.RAW_SOURCE,
        content_hash="0",
        chain_hash="0",
        text=text,
        source_id=source_id,
        locator=locator,
    )
    score = 1.21 - 0.13 * rank
    shares = {"lexical": 0.55, "semantic": 0.35, "exact": 0.1}
    parts = {name: round(score * share, 2) for name, share in shares.items()}
    return Hit(record=record, score=score, title=title, excerpt=text, locator=locator, parts=parts, kind="pdf")
