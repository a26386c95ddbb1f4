"""A small dispute about one number, as claims, a graph and wiki pages: what the fake engine process answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from trisynapse_memory.scoring.layout import place_nodes
from trisynapse_memory.types import (
    Claim,
    ClaimSide,
    ClaimStatus,
    ConfidencePart,
    Edge,
    Graph,
    Locator,
    Node,
    Source,
    SourceCard,
    Summary,
    SummarySentence,
    Support,
    WikiExport,
    WikiPage,
    WikiSentence,
)

LABELS = ("speed of light", "Michelson", "299,796 ± 4 km/s", "299,774 ± 11 km/s", "Mount Wilson", "Foucault", "1862")
EDGES = (
    ("speed of light", "measured as", "299,796 ± 4 km/s", "contested"),
    ("speed of light", "measured as", "299,774 ± 11 km/s", "contested"),
    ("Michelson", "located in", "Mount Wilson", "active"),
    ("Foucault", "measured", "speed of light", "active"),
    ("Foucault", "occurred on", "1862", "superseded"),
    ("Michelson", "measured", "speed of light", "active"),
)


def make_support(source_id: str, page: int, excerpt: str) -> Support:
    """A passage of one of the sample papers."""
    return Support(
        fact_id=f"fact-{source_id}",
        record_id=f"rec-{source_id}",
        source_id=source_id,
        title="The mountain and the tube" if source_id == "s3" else "The turning mirror",
        excerpt=excerpt,
        start=10,
        end=10 + len(excerpt),
        locator=Locator(kind="page", page=page, page_label=str(page), start=10, end=10 + len(excerpt)),
    )


def make_claim(claim_id: str, resolution: str = "") -> Claim:
    """The claim in dispute: two values for the speed of light."""
    texts = (
        ("299,796 ± 4 km/s", "Michelson's value of 1926 was 299,796 ± 4 km/s.", "s3"),
        ("299,774 ± 11 km/s", "Michelson, Pease and Pearson gave 299,774 ± 11 km/s in 1935.", "s0"),
    )
    sides = tuple(
        ClaimSide(value=value, normalised=value, supports=(make_support(source_id, 2, text),), valid_from=year)
        for (value, text, source_id), year in zip(texts, ("1926", "1935"), strict=True)
    )
    return Claim(
        claim_id=claim_id,
        subject="speed of light",
        relation="measured_as",
        object=texts[0][0],
        text=texts[0][1],
        status=ClaimStatus.CONTESTED,
        sides=sides,
        confidence=0.52,
        confidence_parts=(ConfidencePart("mean", 0.98, 0.45, "mean confidence of 2 facts"),),
        shown=True,
        resolution=resolution,
    )


def make_graph(about: str) -> Graph:
    """Seven concepts with one dispute."""
    places = place_nodes(LABELS, [(left, right) for left, _, right, _ in EDGES], LABELS)
    nodes = tuple(
        Node(node_id=name, kind="entity", label=name, weight=1 / (1 + rank), x=places[name][0], y=places[name][1])
        for rank, name in enumerate(LABELS)
    )
    edges = tuple(
        Edge(source=left, target=right, kind="claim", label=label, status=status, claim_id=f"claim-{rank}")
        for rank, (left, label, right, status) in enumerate(EDGES)
    )
    return Graph(nodes=nodes, edges=edges, about=about, left_out=3)


def make_sentence(key: str, text: str, section: str, source_id: str = "s0", page: int = 2, **more: Any) -> WikiSentence:
    """A sentence of a page with the passage it rests on."""
    quote = more.get("proposal") or text
    return WikiSentence(
        key=key,
        text=text,
        claim_ids=more.pop("claim_ids", (f"claim-{key}",)),
        record_ids=(f"rec-{source_id}",),
        section=section,
        supports=(make_support(source_id, page, quote),),
        **more,
    )


def value_sentences() -> tuple[WikiSentence, ...]:
    """What it is and its values, one of them stale."""
    return (
        make_sentence("k0", "The speed of light was measured ever better for three hundred years.", ""),
        make_sentence("k1", "Foucault measured the speed of light with a turning mirror in 1862.", "What it is"),
        make_sentence(
            "k4",
            "Foucault's value was 298,000 km/s.",
            "Measurements and results",
            cells=("measured as", "298,000 km/s", "turning mirror, Paris", "1862"),
        ),
        make_sentence(
            "k5",
            "Michelson's value of 1926 was 299,796 ± 4 km/s.",
            "Measurements and results",
            "s3",
            status="contested",
            claim_ids=("claim-0",),
            cells=("measured as", "299,796 ± 4 km/s", "mountain base line of 35 km", "1926"),
        ),
        make_sentence(
            "k2",
            "Essen gave its uncertainty as 3 km/s.",
            "Measurements and results",
            "s3",
            1,
            stale=True,
            reason="Its source has a new version.",
            proposal="The table of 1969 gives 1 km/s.",
        ),
    )


def history_sentences() -> tuple[WikiSentence, ...]:
    """When what happened, what is disputed, and what was replaced."""
    about = "speed of light: measured as"
    return (
        make_sentence("k6", "Fizeau timed it first on Earth.", "Timeline", "s0", cells=("1849",)),
        make_sentence("k7", "The metre was defined by it.", "Timeline", "s4", 1, cells=("21 October 1983",)),
        make_sentence(
            "k3",
            "Michelson's value of 1926 was 299,796 ± 4 km/s.",
            "Contested",
            "s3",
            status="contested",
            claim_ids=("claim-0",),
            cells=(about, "299,796 ± 4 km/s", "1926"),
        ),
        make_sentence(
            "k8",
            "Michelson, Pease and Pearson gave 299,774 ± 11 km/s in 1935.",
            "Contested",
            "s0",
            status="contested",
            claim_ids=("claim-0",),
            cells=(about, "299,774 ± 11 km/s", "1935"),
        ),
        make_sentence(
            "k9",
            "The speed of light is 299,910 km/s.",
            "Superseded",
            "s2",
            status="superseded",
            cells=("299,910 km/s", "until 1882", "replaced by a newer statement"),
        ),
    )


def make_pages() -> dict[str, WikiPage]:
    """A concept page with every kind of section, a source page and a collection page."""
    light = WikiPage(
        slug="speed-of-light",
        title="Speed of light",
        kind="concept",
        aliases=("velocity of light", "c"),
        sentences=(*value_sentences(), *history_sentences()),
        links=("the-turning-mirror",),
        last_changed="a source has a new version",
        updated_at="2026-10-14T09:00:00+00:00",
    )
    mirror = WikiPage(
        slug="the-turning-mirror",
        title="The turning mirror",
        kind="source",
        about="s0",
        sentences=(
            make_sentence("m1", "The mirror turned 800 times a second.", "Key claims"),
            make_sentence("m2", "The apparatus", "Contents", cells=("p. 1",)),
        ),
        backlinks=("speed-of-light",),
    )
    shelf = WikiPage(
        slug="speed-of-light-papers",
        title="Speed of light papers",
        kind="collection",
        about="Speed of light",
        sentences=(make_sentence("c1", "The mirror turned fast.", "Sources", cells=("The turning mirror",)),),
    )
    return {page.slug: page for page in (light, mirror, shelf)}


class FakeKnowledge:
    """The verbs of claims, graph, wiki and cards, answered from memory; the fake engine is one of these."""

    sources: dict[str, Source]
    resolution: str
    pages: dict[str, WikiPage]

    def do_graph_around(self, about: str = "", source_id: str = "", limit: int = 40) -> Graph:
        return make_graph(about) if self.sources and "zzz" not in about else Graph(nodes=(), edges=(), about=about)

    def do_graph_export(self, about: str = "", source_id: str = "") -> str:
        return "<graphml/>"

    def do_claims_show(self, claim_id: str) -> Claim:
        return make_claim(claim_id, self.resolution)

    def do_claims_resolve(self, claim_id: str, value: str, reason: str) -> Claim:
        self.resolution = f"{value}, because {reason}"
        return make_claim(claim_id, self.resolution)

    def do_claims_unresolve(self, claim_id: str) -> Claim:
        self.resolution = ""
        return make_claim(claim_id)

    def do_wiki_pages(self) -> list[WikiPage]:
        return list(self.pages.values())

    def do_wiki_show(self, slug: str) -> WikiPage:
        return self.pages[slug]

    def do_wiki_build(self) -> list[WikiPage]:
        self.pages = make_pages()
        return list(self.pages.values())

    def do_wiki_accept(self, slug: str, key: str = "") -> WikiPage:
        return self._settle(slug, key, take=True)

    def do_wiki_reject(self, slug: str, key: str = "") -> WikiPage:
        return self._settle(slug, key, take=False)

    def do_wiki_keep(self, slug: str, key: str) -> WikiPage:
        return self._settle(slug, key, take=False)

    def _settle(self, slug: str, key: str, take: bool) -> WikiPage:
        page = self.pages[slug]
        sentences = tuple(
            msgspec.structs.replace(one, text=one.proposal if take else one.text, stale=False, proposal="")
            if one.key == key
            else one
            for one in page.sentences
        )
        self.pages[slug] = msgspec.structs.replace(page, sentences=sentences)
        return self.pages[slug]

    def do_wiki_export(self, folder: str) -> WikiExport:
        Path(folder, "index.md").write_text("# Wiki\n")
        return WikiExport(folder=folder, pages=len(self.pages), files=1)

    def do_sources_card(self, source_id: str) -> SourceCard:
        title = self.sources[source_id].title
        summary = Summary(
            group_id=f"source:{source_id}",
            title=title,
            topic="speed of light",
            sentences=(SummarySentence(text="The velocity of light was measured again.", record_ids=("rec-0",)),),
        )
        return SourceCard(
            source_id=source_id,
            title=title,
            summary=summary,
            key_claims=(make_claim("claim-0"),),
            disagreements=(make_claim("claim-1"),),
            new_concepts=("turning mirror",),
            questions=("Who measured the velocity of light?",),
        )
