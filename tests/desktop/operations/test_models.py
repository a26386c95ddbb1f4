from __future__ import annotations

from trisynapse_desktop.operations import models
from trisynapse_desktop.operations import privacy as leaving
from trisynapse_memory.types import Role, Sharing


def test_who_could_write_is_the_setting_first_then_files_then_nobody(window, ask):
    context = window.context
    assert ask(models.writers(context)) == (
        ("", "No model (as set)"),
        ("local/smollm2-135m", "SmolLM2 135M Instruct"),
        ("none", "No model"),
    )
    ask(models.choose(context, models.EVERYTHING, "openai", "small-1"))
    assert ask(models.writers(context))[0] == ("", "small-1 (as set)")


def test_nobody_is_offered_where_there_is_no_model_at_all(window, ask):
    ask(models.remove_file(window.context, "smollm2-135m"))
    assert ask(models.writers(window.context)) == ()


def test_a_model_writes_only_when_it_can(window, ask):
    context = window.context
    assert ask(models.writer(context)) == ""
    ask(models.choose(context, models.EVERYTHING, "openai", "small-1"))
    assert ask(models.writer(context)) == ""
    ask(leaving.allow(context, "openai"))
    assert ask(models.writer(context)) == "small-1"
    ask(models.choose(context, models.EVERYTHING, models.LOCAL, "smollm2-135m"))
    assert ask(models.writer(context)) == "SmolLM2 135M Instruct"
    ask(models.clear(context, Role.ANSWER))
    assert ask(models.writer(context)) == ""


def test_rules_come_back_as_they_were_set(window, ask):
    rules = ask(leaving.set_rule(window.context, "Optics", Sharing.NEVER))
    assert {one.collection: one.sharing for one in rules}["Optics"] is Sharing.NEVER
    assert ask(leaving.set_budget(window.context, 5.0)).budget_usd == 5.0
    assert ask(leaving.set_budget(window.context, None)).budget_usd is None
