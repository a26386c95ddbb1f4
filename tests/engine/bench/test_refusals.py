from __future__ import annotations

import pytest
from msgspec import structs

from trisynapse_memory.bench.abstention import Outcome, report_of, scores_of
from trisynapse_memory.bench.machine import Stopwatch
from trisynapse_memory.bench.refusals import auroc, auroc_interval, curve_of, refused_at, risk_at


def test_auroc_is_the_chance_of_the_right_order_and_ties_count_half():
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5, 0.9], [0.5, 0.1]) == pytest.approx(0.875)
    assert auroc([], [0.3]) == 0.5


def test_the_threshold_refuses_no_more_of_the_answerable_than_allowed():
    answerable = [place / 100 for place in range(100)]
    assert refused_at(answerable, [0.049, 0.051, 0.2, 0.01], 0.05) == 0.5
    assert refused_at(answerable, [0.024, 0.026], 0.025) == 0.0  # two of a hundred may go: below 0.02
    assert refused_at(answerable, [0.019, 0.5], 0.025) == 0.5


def test_equal_scores_never_count_as_refused():
    assert refused_at([0.5] * 10, [0.5] * 10, 0.05) == 0.0


def test_risk_grows_with_coverage_and_ends_at_the_share_without_an_answer():
    answerable, unanswerable = [0.9, 0.8, 0.7], [0.75, 0.1]
    assert risk_at(answerable, unanswerable, 0.4) == 0.0
    assert risk_at(answerable, unanswerable, 0.6) == pytest.approx(1 / 3, abs=1e-4)
    assert risk_at(answerable, unanswerable, 1.0) == 0.4


def test_of_equal_scores_the_question_without_an_answer_comes_first():
    assert risk_at([0.5], [0.5], 0.5) == 1.0


def test_the_curve_carries_the_names_of_the_report():
    assert set(curve_of([0.9], [0.1])) == {
        "auroc",
        "auroc_low",
        "auroc_high",
        "refused@2.5%",
        "refused@5.0%",
        "risk@0.2",
        "risk@0.4",
        "risk@0.6",
        "risk@0.8",
        "risk@1",
    }


def outcome(confidence, *, abstained):
    return Outcome(group="g", kind="", answerable=True, confidence=confidence, abstained=abstained)


def test_the_interval_of_the_area_holds_it_and_narrows_with_more_questions():
    few, many = ([0.6, 0.4, 0.8], [0.5, 0.3, 0.7]), ([0.6, 0.4, 0.8] * 40, [0.5, 0.3, 0.7] * 40)
    (low, high), (lower, higher) = auroc_interval(*few), auroc_interval(*many)
    assert low <= auroc(*few) <= high
    assert high - low > higher - lower > 0.0
    assert auroc_interval(*few) == (low, high)


def test_what_was_refused_for_another_reason_than_its_confidence_scores_below_all_others():
    found = scores_of([outcome(0.9, abstained=True), outcome(0.4, abstained=False), outcome(0.2, abstained=True)])
    assert found == [pytest.approx(-0.1), 0.4, 0.2]


def test_where_nothing_is_answered_the_confidence_alone_counts():
    assert scores_of([outcome(0.9, abstained=True)]) == [0.9]


def test_a_report_says_what_further_looks_changed_on_either_side():
    there = [outcome(0.9, abstained=False), outcome(0.6, abstained=False), outcome(0.3, abstained=True)]
    gone = [structs.replace(one, answerable=False) for one in (*there, there[2])]
    looked = [structs.replace(one, looked_again=number > 0) for number, one in enumerate(there)]
    looked += [structs.replace(one, looked_again=number > 1) for number, one in enumerate(gone)]
    (row,) = report_of(looked, Stopwatch(), "").by_category
    assert row.metrics["looked_again"] == pytest.approx(4 / 7, abs=1e-4)
    assert row.metrics["answered_by_a_look"] == pytest.approx(1 / 3, abs=1e-4)
    assert row.metrics["let_through_by_a_look"] == 0.0
