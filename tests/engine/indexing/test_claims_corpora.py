"""True conflicts are found and near misses are left alone: on pairs judged by hand, and on a planted corpus."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path

import pytest

from claim_cases import Case, fact
from tests.corpora.planted import Planted, planted
from trisynapse_memory.bench import conflicts
from trisynapse_memory.text.entities import entity_key
from trisynapse_memory.types import Claim

CORPORA = Path(__file__).parents[2] / "corpora"
Key = tuple[str, str, tuple[tuple[str, str], ...]]


def test_conflicts_judged_by_hand(tmp_path: Path) -> None:
    report = conflicts.run(CORPORA, None, lambda _: None)
    assert report.metrics["found"] + report.metrics["missed"] == 40
    assert sum(row.count for row in report.by_category) == 140
    assert report.metrics["precision"] >= 0.95, report.by_category
    assert report.metrics["recall"] >= 0.9, report.by_category


def read_all(corpus: Planted, folder: Path) -> tuple[Claim, ...]:
    """Feed what the newest versions of all sources state, as facts, and what their old versions stated, hidden."""
    newest = {source.key: number for number, source in enumerate(corpus.sources)}
    case = Case(folder)
    case.tell(
        *(
            fact(
                seq,
                said.subject,
                said.relation,
                said.object,
                source=f"{corpus.sources[said.source].key}#{said.source}",
                text=corpus.sources[said.source].text[said.start : said.end],
                negated=said.negated,
                qualifiers=dict(said.qualifiers),
                observed_at=datetime.fromisoformat(corpus.sources[said.source].date).replace(tzinfo=UTC),
                visible=newest[corpus.sources[said.source].key] == said.source,
            )
            for seq, said in enumerate(corpus.statements, start=1)
        )
    )
    claims = case.claims(limit=10_000)
    case.index.close()
    return claims


def key_of(subject: str, relation: str, qualifiers: dict[str, str]) -> Key:
    return entity_key(subject), relation, tuple(sorted(qualifiers.items()))


@pytest.mark.parametrize("seed", [11, 12])
def test_a_planted_corpus(tmp_path: Path, seed: int) -> None:
    corpus = planted(seed)
    claims: dict[Key, list[Claim]] = defaultdict(list)
    for claim in read_all(corpus, tmp_path):
        claims[key_of(claim.subject, claim.relation, claim.qualifiers)].append(claim)
    wanted = {
        key_of(one.subject, one.relation, dict(one.qualifiers)) for one in corpus.expected if one.status == "contested"
    }
    called = {key for key, found in claims.items() if any(claim.status == "contested" for claim in found)}
    assert wanted
    assert len(called & wanted) >= 0.95 * len(called)
    assert len(called & wanted) >= 0.95 * len(wanted)
    for one in corpus.expected:
        found = claims[key_of(one.subject, one.relation, dict(one.qualifiers))]
        former = {value for claim in found if claim.status == "superseded" for value in claim.objects}
        assert former == set(one.superseded)
