"""Bookmarks that came in: their pages are read after her yes to a list of sites, and only then."""

from __future__ import annotations

from trisynapse_desktop.operations import exports, ingest
from trisynapse_memory.types import SourceInput


def test_pages_of_bookmarks_are_offered_named_and_fetched_after_her_yes(window, ask, calls, qtbot):
    ask(ingest.ingest(window.context, [SourceInput(path="/links.html")]))
    offer = next(toast for toast in window.toasts.showing() if toast.undo_text == "Read the pages…")
    assert (offer.text, offer.hint) == (
        "1 bookmark can be searched.",
        "By title, folder, tag and date. Their pages have not been fetched.",
    )
    offer.undo()
    sheet = window.commands.links
    qtbot.waitUntil(sheet.isVisible)
    assert sheet.accessibleName() == "Read 1 page of 1 site?"
    assert calls("links.fetch") == []
    sheet._yes.click()
    qtbot.waitUntil(lambda: bool(calls("links.fetch")))
    assert calls("links.fetch") == [{"source_ids": ["s8"]}]
    qtbot.waitUntil(lambda: any("Reading 1 page in" in toast.text for toast in window.toasts.showing()))


def test_no_is_no_and_files_without_links_offer_nothing(window, ask, calls, qtbot):
    ask(ingest.ingest(window.context, [SourceInput(path="/a.pdf")]))
    assert not any(toast.undo_text == "Read the pages…" for toast in window.toasts.showing())
    window.context.actions.action("links.read").trigger()
    qtbot.waitUntil(lambda: any("No page of a bookmark" in toast.text for toast in window.toasts.showing()))
    assert not window.commands.links.isVisible()
    assert calls("links.fetch") == []


def test_an_export_says_what_is_in_the_file_and_what_stayed_out(window, ask, calls):
    ask(exports.export(window.context, "/tmp/refs.bib"))
    (toast, *_) = window.toasts.showing()
    assert (toast.text, toast.hint) == ("Wrote 3 references into “refs.bib”.", "1 marked sensitive stayed out.")
    assert calls("sources.export") == [{"path": "/tmp/refs.bib"}]
