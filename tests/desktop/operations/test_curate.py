from __future__ import annotations

from trisynapse_desktop.operations import curate
from trisynapse_memory.types import SourceStatus


def test_forgetting_can_be_undone_from_the_message(window, ask, qtbot):
    source = ask(window.context.bridge.call("sources.show", source_id="s1"))
    ask(curate.forget(window.context, (source,)))
    assert status(window, ask) is SourceStatus.FORGOTTEN
    toast = window.toasts.showing()[-1]
    assert toast.text == "Forgot “The toothed wheel”."
    toast.undo()
    qtbot.waitUntil(lambda: window.toasts.showing()[-1].text == "Brought back “The toothed wheel”.")
    assert status(window, ask) is SourceStatus.ACTIVE


def test_several_sources_are_named_by_their_number(window, ask):
    sources = ask(window.context.bridge.call("sources.list"))
    assert curate.name_of(sources[:3]) == "3 sources"


def status(window, ask):
    return ask(window.context.bridge.call("sources.show", source_id="s1")).status
