"""An answer says how sure its gate was, whether it answered or refused."""

from __future__ import annotations

from pathlib import Path

from trisynapse_memory.memory_engine import MemoryEngine


def test_an_answer_is_surer_than_a_refusal_and_both_say_how_sure(engine: MemoryEngine, papers: Path) -> None:
    engine.ingest(papers)
    answered = engine.query("Who measured the speed of light with a rotating mirror?")
    refused = engine.query("Who composed the opera about a rotating mirror?")
    assert not answered.abstain
    assert refused.abstain
    assert 0.0 < refused.confidence < answered.confidence <= 1.0


def test_where_nothing_is_found_nothing_is_sure(engine: MemoryEngine) -> None:
    assert engine.query("Who measured the speed of light?").confidence == 0.0
