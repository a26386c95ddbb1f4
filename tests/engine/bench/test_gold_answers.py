from __future__ import annotations

import pytest

from trisynapse_memory.bench.gold_answers import is_right


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("The defence gave up just 308 points.", "308"),
        ("It has nine icons.", "9"),
        ("It costs 1,200 dollars.", "1200 dollars"),
        ("Accuracy rose to 5.0 % in 1998.", "5%"),
        ("They used the Gaussian Mixture Models here.", "gaussian mixture models"),
        ("The “ﬁrst” layer is frozen.", "The first layer"),
        ("Slayer ← sorted(top k)[:k].nodes", "slayer sorted top k"),
    ],
)
def test_a_wording_counts_where_its_words_stand_in_a_row(answer, gold):
    assert is_right(answer, ((gold,),))


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("The defence gave up 3080 points.", "308"),
        ("He was born in 1998.", "199"),
        ("Mixture of Gaussian models.", "gaussian mixture models"),
        ("It has 5.5 layers.", "5"),
        ("", "308"),
        ("Anything.", ""),
    ],
)
def test_other_numbers_other_orders_and_nothing_are_wrong(answer, gold):
    assert not is_right(answer, ((gold,),))


def test_one_wording_is_enough_and_every_item_of_a_list_is_needed():
    assert is_right("It was Ann.", (("Anna Lee", "Ann"),))
    assert is_right("green and yellow nodes", (("green",), ("yellow",)))
    assert not is_right("green nodes", (("green",), ("yellow",)))


def test_a_question_without_gold_is_never_right():
    assert not is_right("Anything.", ())


def test_a_long_gold_answer_may_be_worded_otherwise_but_not_about_something_else():
    gold = (("The project was stopped because keeping up with the growing number of requests became too hard",),)
    assert is_right("Keeping up with the growing number of requests became too hard, so the project stopped.", gold)
    assert not is_right("The project was stopped because the money ran out.", gold)
