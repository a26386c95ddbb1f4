"""Quotes from records: what a summary says is found in its evidence, or is not shown; headings tell what follows."""

from __future__ import annotations

from pytest import mark

from tests.engine.wiki.wiki_bench import furnish
from trisynapse_memory.log import lifecycle
from trisynapse_memory.pipelines.quotes import headings_of, quote_of_sentence, visible_records
from trisynapse_memory.types import SummarySentence


@mark.parametrize(
    ("text", "span", "found"),
    [
        ("Foucault measured light with a rotating mirror.", (0, 47), (0, 47)),
        ("Foucault measured light with a rotating mirror.", (0, 0), "whole"),
        ("Foucault measured sound with a rotating mirror.", (0, 47), None),
        ("Light was measured by Foucault with a rotating mirror.", (0, 0), "whole"),
    ],
)
def test_a_sentence_is_shown_where_its_evidence_carries_it(log, tmp_path, text, span, found):
    bench = furnish(log, tmp_path / "wiki")
    sentence = SummarySentence(text=text, record_ids=(bench.mirror.id,), start=span[0], end=span[1])
    records = visible_records(log, [bench.mirror.id])
    quote = quote_of_sentence(sentence, records, bench.shelves.shelf.titles([bench.mirror_id]))
    if found is None:
        assert quote is None
        return
    assert quote is not None
    (place,) = quote.supports
    assert (place.start, place.end) == ((0, len(bench.mirror.text)) if found == "whole" else found)
    assert (place.title, place.source_id) == ("The turning mirror", bench.mirror_id)
    lifecycle.forget_record(log, bench.mirror.id, "wrong")
    assert quote_of_sentence(sentence, visible_records(log, [bench.mirror.id]), {}) is None


def test_a_heading_leads_to_the_first_record_under_it_that_can_be_seen(log, tmp_path):
    bench = furnish(log, tmp_path / "wiki")
    source = bench.shelves.shelf.get(bench.mirror_id)
    (quote,) = headings_of(log, source)
    assert (quote.text, quote.supports[0].record_id, quote.cells) == ("The experiment", bench.mirror.id, ("p. 1",))
    lifecycle.forget_record(log, bench.mirror.id, "wrong")
    (later,) = headings_of(log, source)
    assert later.supports[0].record_id != bench.mirror.id
