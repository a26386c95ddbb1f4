"""Few words in, claims, quotes and sources out; and one small dispute in full, written for these tests."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from trisynapse_memory.types import (
    QUALIFIERS,
    Claim,
    ClaimSide,
    ClaimStatus,
    Locator,
    Source,
    SourceStatus,
    Support,
)
from trisynapse_memory.wiki.compiler import Names, Subject
from trisynapse_memory.wiki.sentences import Quote

TITLES = {"src_m": "The mountain and the tube", "src_a": "Annapolis and Washington", "src_t": "Table of values"}
YEARS = {"src_m": 1936, "src_a": 1885, "src_t": 1983}


def support(excerpt, record="r_01", source="src_m", page=1, fact=None, start=0):
    return Support(
        fact_id=fact or f"f_{record}_{start}",
        record_id=record,
        source_id=source,
        title=TITLES.get(source, source),
        excerpt=excerpt,
        start=start,
        end=start + len(excerpt),
        locator=Locator(kind="page", page=page),
        observed_at=datetime(YEARS.get(source, 2000), 1, 1, tzinfo=UTC),
        pattern="measured",
    )


def side(value, *supports, **more):
    return ClaimSide(value=value, normalised=value.casefold(), supports=supports, **more)


def claim(claim_id, subject, relation, *sides, status=ClaimStatus.ACTIVE, **more):
    return Claim(
        claim_id=claim_id,
        subject=subject,
        relation=relation,
        object=sides[0].value if sides else "",
        text=sides[0].supports[0].excerpt if sides and sides[0].supports else "",
        status=status,
        sides=sides,
        shown=True,
        **more,
    )


def quote(text, record="r_90", source="src_m", page=1, cells=()):
    return Quote(text, (support(text, record, source, page, fact=record),), cells)


def source(source_id, **more):
    year = YEARS.get(source_id, 2000)
    values = {"title": TITLES.get(source_id, source_id), "published": f"{year}-01-01", "authors": ("Ada Writer",)}
    return Source(
        source_id=source_id,
        source_key=f"/home/ada/papers/{source_id}.pdf",
        kind="pdf",
        version=1,
        status=SourceStatus.ACTIVE,
        content_hash=source_id,
        uri=f"file:///home/ada/papers/{source_id}.pdf",
        **{**values, **more},
    )


SOURCES = {source_id: source(source_id) for source_id in TITLES}
NAMES = Names(
    entities={
        "speed of light": "speed-of-light",
        "c": "speed-of-light",
        "physical constant": "physical-constant",
        "rotating mirror": "rotating-mirror",
        "vacuum": "vacuum",
    },
    sources={"src_m": "the-mountain-and-the-tube", "src_a": "annapolis-and-washington", "src_t": "table-of-values"},
)

DEFINITION = claim(
    "c_def",
    "speed of light",
    "is_a",
    side("physical constant", support("The speed of light in vacuum is a physical constant.", "r_10", "src_t")),
)
DISPUTE = claim(
    "c_1930",
    "speed of light",
    "measured_as",
    side(
        "299,796 ± 4 km/s",
        support("Michelson's value of 1926 was 299,796 ± 4 km/s.", "r_02", page=2),
        valid_from="1926",
    ),
    side(
        "299,774 ± 11 km/s",
        support("Michelson, Pease and Pearson gave 299,774 ± 11 km/s in 1935.", "r_03", page=2),
        valid_from="1935",
    ),
    status=ClaimStatus.CONTESTED,
    qualifiers={"place": "vacuum"},
)
CORRECTED = claim(
    "c_1879",
    "speed of light",
    "measured_as",
    side(
        "299,910 ± 50 km/s",
        support("Michelson's 1879 value was corrected to 299,910 ± 50 km/s.", "r_05", "src_a", fact="f_correction"),
    ),
    side(
        "299,944 ± 51 km/s",
        support("The report gave 299,944 ± 51 km/s in vacuum.", "r_04", "src_a"),
        valid_from="1880",
        valid_to="1885",
    ),
    qualifiers={"time": "1879"},
)
USES = (
    claim("c_use1", "speed of light", "part_of", side("vacuum", support("c belongs to the vacuum.", "r_11", "src_t"))),
    claim(
        "c_use2",
        "rotating mirror",
        "increases",
        side("speed of light", support("It increases the precision of c.", "r_12")),
    ),
)
EVENT = claim(
    "c_fixed",
    "speed of light",
    "defines",
    side("metre", support("Since 1983 the speed of light defines the metre.", "r_13", "src_t")),
    qualifiers={"time": "1983"},
)
CLAIMS = (DEFINITION, DISPUTE, CORRECTED, *USES, EVENT)
REASON = "two small errors in the reduction"


def concept(claims=CLAIMS, lead=(), **more):
    values = {"slug": "speed-of-light", "title": "speed of light", "about": "speed of light", "aliases": ("c",)}
    return Subject(claims=tuple(claims), lead=tuple(lead), corrections={"f_correction": REASON}, **{**values, **more})


LEAD = (quote("Electric shutters gave a third opinion.", "r_20", page=3),)
HEADINGS = (
    quote("Between two mountains", "r_21", page=2, cells=("p. 2",)),
    quote("In the tube", "r_22", page=2, cells=("p. 2",)),
)


def source_subject(source_id="src_m", claims=CLAIMS, lead=LEAD, contents=HEADINGS):
    own = [one for one in claims if any(s.source_id == source_id for side in one.sides for s in side.supports)]
    return Subject(
        slug=NAMES.sources[source_id],
        title=TITLES[source_id],
        about=source_id,
        claims=tuple(own),
        lead=tuple(lead),
        contents=tuple(contents),
        source_ids=(source_id,),
    )


# -- random ones

_words = st.text("abcdeABC 019±.,-[]|#*_\n", min_size=1, max_size=24).filter(
    lambda text: any(c.isalnum() for c in text)
)
_supports = st.builds(
    support,
    _words,
    st.sampled_from([f"r_{n:02}" for n in range(8)]),
    st.sampled_from(sorted(TITLES)),
    st.integers(1, 9),
)
_sides = st.builds(
    lambda value, supports, since, until: side(value, *supports, valid_from=since, valid_to=until),
    _words,
    st.lists(_supports, min_size=1, max_size=3),
    st.sampled_from(("", "1926", "1935-02-01")),
    st.sampled_from(("", "", "1985")),
)
claims = st.builds(
    lambda number, subject, relation, sides, status, qualifiers, negated, resolution: claim(
        f"c_{number}",
        subject,
        relation,
        *sides,
        status=status,
        qualifiers=qualifiers,
        negated=negated,
        resolution=resolution,
    ),
    st.integers(0, 10**6),
    st.one_of(st.just("speed of light"), _words),
    st.sampled_from(("is_a", "measured_as", "has_result", "uses", "born_on", "stands_for", "measure", "about")),
    st.lists(_sides, min_size=1, max_size=3, unique_by=lambda one: one.normalised),
    st.sampled_from(tuple(ClaimStatus)),
    st.dictionaries(st.sampled_from(QUALIFIERS), _words, max_size=2),
    st.booleans(),
    st.sampled_from(("", "", "The tube had no air in it.")),
)
claim_lists = st.lists(claims, max_size=6, unique_by=lambda one: one.claim_id)
