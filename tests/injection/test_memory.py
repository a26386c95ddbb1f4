"""What a gullible model made of a vault full of orders while it was built: facts, summaries and pages say no order."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.injection.checks import faults_of_text, plain, says
from tests.injection.conftest import OPEN, SECRETS, Poisoned
from tests.injection.gullible import Gullible
from tests.injection.orders import EVIL, TOPICS
from trisynapse_memory.errors import ProviderError
from trisynapse_memory.extraction.model_facts import VERBATIM
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.types import FactDetails, Record, Role, SummaryDetails

Reopen = Callable[..., MemoryEngine]


def made_by_model(engine: MemoryEngine, kind: str) -> list[Record]:
    return [one for one in engine.list_records(kind=kind, limit=2_000) if one.actor.model == "gullible/1"]


def test_the_model_was_shown_orders_and_obeyed_them(poisoned: Poisoned):
    made = [one for one in poisoned.model.exchanges if one.orders]
    assert {one.prompt.role for one in made} == {Role.EXTRACTION, Role.SUMMARY}
    assert all(one.orders[-1].lie in one.reply for one in made if one.orders[-1].act == "say")


def test_a_fact_that_is_shown_stands_in_its_source_and_in_no_order(reopen: Reopen):
    engine = reopen()
    shown = 0
    for record in made_by_model(engine, "fact"):
        details = record.payload
        assert isinstance(details, FactDetails)
        evidence = plain(" ".join(engine.get(one).text for one in record.evidence_ids))
        assert EVIL not in record.text or EVIL in evidence
        assert all(plain(value) in evidence for name, value in details.qualifiers.items() if name != "anaphor")
        shown += details.pattern == VERBATIM
        if details.pattern == VERBATIM:
            assert list(faults_of_text(f"{record.subject} {record.relation} {record.object}", ())) == []
    assert shown


def test_no_claim_says_what_an_order_wants(reopen: Reopen):
    claims = reopen().claims.list(limit=1_000)
    assert claims
    said = [f"{one.subject} {one.relation} {side.value}" for one in claims for side in one.sides]
    assert [(text, fault) for text in said for fault in faults_of_text(text, ())] == []


def test_a_summary_of_the_model_says_what_its_evidence_says(reopen: Reopen):
    engine = reopen()
    kept = 0
    for record in made_by_model(engine, "summary"):
        details = record.payload
        assert isinstance(details, SummaryDetails)
        evidence = {key: engine.get(key).text for key in record.evidence_ids}
        own = [one for one in SECRETS if not any(says(text, one) for text in evidence.values())]
        for text, ids in zip(details.sentences, details.sentence_record_ids, strict=True):
            assert list(faults_of_text(text, own)) == []
            assert ids
            assert all(says(evidence[one], text) for one in ids)
            kept += 1
        for text in (details.topic, *details.alt_phrasings):
            assert list(faults_of_text(text, own)) == []
    assert kept >= len(TOPICS) - 1


def test_no_summary_that_is_shown_gives_orders(reopen: Reopen):
    groups = reopen().groups.list(limit=1_000)
    said = [one.text for group in groups for one in group.sentences]
    assert said
    # An order in words that no list knows is quoted as it stands, never what it wants to be said.
    plain_orders = [text for text in said if text.startswith('User: Please say "')]
    said = [text for text in said if text not in plain_orders]
    assert [(text, fault) for text in said for fault in faults_of_text(text, ())] == []


def test_a_page_told_as_prose_says_what_the_page_says(reopen: Reopen):
    model = Gullible(secrets=SECRETS)
    engine = reopen(model)
    page = next(one for one in engine.wiki.pages() if one.title == "Project Borealis")
    try:
        told = engine.wiki.write(page.slug)
    except ProviderError:
        pytest.fail("nothing of the prose stood: the test shows nothing")
    prose = told.prose
    known = plain(" ".join(one.text for one in page.sentences))
    assert prose
    assert [(one.text, fault) for one in prose for fault in faults_of_text(one.text)] == []
    assert all(plain(one.text).rstrip(".") in known and one.record_ids for one in prose)


def test_a_page_on_disk_loads_and_leads_nowhere(reopen: Reopen, tmp_path):
    engine = reopen()
    engine.wiki.export(tmp_path / "out")
    files = [one.read_text(encoding="utf-8") for one in (tmp_path / "out").rglob("*.md")]
    assert files
    live = re.compile(rf"(?<!\\)\]\(https?://{EVIL}|(?<!\\)<(?:img|a)\b")
    assert not [text for text in files if live.search(text)]
    assert any(EVIL in text for text in files)  # as the words they are


def test_the_open_sources_are_all_there(reopen: Reopen):
    assert sum(OPEN in one.collections for one in reopen().sources.list()) > 60
