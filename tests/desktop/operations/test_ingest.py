from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QUrl

from trisynapse_desktop.operations import ingest
from trisynapse_memory.types import SourceInput


def test_dropped_files_folders_and_links_keep_their_order(qapp):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile("/papers"), QUrl("https://example.org/a"), QUrl.fromLocalFile("/b c.pdf")])
    assert ingest.inputs_of_mime(mime) == (
        SourceInput(path="/papers"),
        SourceInput(url="https://example.org/a"),
        SourceInput(path="/b c.pdf"),
    )


def test_an_empty_or_pictured_clipboard_gives_nothing(qapp):
    mime = QMimeData()
    assert ingest.inputs_of_mime(mime) == ()
    mime.setText("  \n ")
    assert ingest.inputs_of_mime(mime) == ()


def test_a_list_of_links_is_links_and_a_sentence_with_a_link_is_text():
    links = ingest.inputs_of_text("https://a.org/1\nhttp://b.org https://a.org/1")
    assert [entry.url for entry in links] == ["https://a.org/1", "http://b.org"]
    (text,) = ingest.inputs_of_text("see https://a.org/1 for more")
    assert (text.url, text.text) == (None, "see https://a.org/1 for more")


def test_hosts_are_named_once_each():
    inputs = ingest.inputs_of_text("https://a.org/1 https://a.org/2 https://b.org/")
    assert ingest.hosts_of((*inputs, SourceInput(path="/x"))) == ("a.org", "b.org")


def test_a_long_first_line_is_cut_to_a_title():
    assert ingest.title_of("word " * 40 + "\nmore") == "word " * 11 + "word…"


def test_taking_in_says_what_came_and_undo_forgets_exactly_that(window, ask, calls, qtbot):
    run = ask(ingest.ingest(window.context, [SourceInput(path="/a.pdf"), SourceInput(path="/b.pdf")]))
    toast, *cards = window.toasts.showing()
    assert (toast.text, toast.hint) == ("Added 2 sources.", "Askable by its words now.")
    assert [(card.text, card.hint, card.undo_text) for card in cards] == [
        ("“a”", "1 key claim · 1 disagrees with the vault · 1 new concept", "Show"),
        ("“b”", "1 key claim · 1 disagrees with the vault · 1 new concept", "Show"),
    ]
    assert ingest.fresh_source_ids(run) == ("s8", "s9")
    assert calls("ingest")[0]["wait"] is False, "she is told when the words answer, not when all is embedded"
    ask(ingest.undo(window.context, run))
    assert [call["source_id"] for call in calls("sources.forget")] == ["s8", "s9"]


def test_nothing_to_take_in_asks_the_engine_nothing(window, ask, calls):
    assert ask(ingest.ingest(window.context, ())) is None
    assert calls("ingest") == []


@pytest.mark.parametrize("fetch", [True, False])
def test_hosts_are_contacted_only_after_her_yes(window, ask, calls, fetch):
    ask(ingest.ingest(window.context, [SourceInput(url="https://a.org")], fetch))
    assert calls("ingest")[0]["fetch"] is fetch


def test_a_run_that_only_failed_says_why(window, ask):
    ask(ingest.retry(window.context, "r0"))
    toast = window.toasts.showing()[-1]
    assert toast.text == "Added 5 sources."
    assert toast.hint.startswith("1 could not be read")


def test_reading_again_tries_the_run_that_brought_a_source_in(window, ask, calls):
    brought, elsewhere = (ask(window.context.bridge.call("sources.show", source_id=one)) for one in ("s2", "s7"))
    ask(ingest.read_again(window.context, brought))
    assert calls("runs.retry") == [{"run_id": "r0"}]
    texts = [one.text for one in window.toasts.showing()]
    assert "Reading “Michelson and Newcomb on the Potomac” again." in texts
    ask(ingest.read_again(window.context, elsewhere))
    assert len(calls("runs.retry")) == 1, "its run is not in the history"
    assert window.toasts.showing()[-1].text == "The import that brought it in is no longer in the history."
