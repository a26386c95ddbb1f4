"""Reading the page of one source: its site is named first, and nothing of the other bookmarks is asked for."""

from __future__ import annotations


def test_the_page_of_the_chosen_source_alone_is_planned(window, calls, qtbot):
    window.context.selection.select_source("s2")
    window.context.actions.set_condition("source", True)
    window.context.actions.action("source.page").trigger()
    qtbot.waitUntil(lambda: calls("links.plan")[-1:] == [{"source_ids": ["s2"]}], timeout=10_000)
    assert calls("links.fetch") == []
