from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_desktop.theme import resources_folder
from trisynapse_desktop.wording import KINDS, VERDICT_WORDS, container_name, day_text, kind_icon, kind_text, size_text
from trisynapse_memory.branches import BRANCHES
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import PageVerdict

LOADERS = [branch.name for branch in BRANCHES if branch.kind == "loader"]
MEMBERS = ("bookmark", "reference", "chat")


def test_every_kind_of_source_that_is_made_has_a_word_and_an_icon():
    made = [name for name in LOADERS if not Registry().load("loader", name).container]
    assert [name for name in (*made, *MEMBERS) if name not in KINDS] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_icon_is_there(kind):
    assert (resources_folder() / "icons" / f"{kind_icon(kind)}.svg").is_file()


def test_kinds_that_are_the_same_to_her_share_a_word():
    assert {kind_text(kind) for kind in ("docx", "odf", "rtf")} == {"Document"}
    assert {kind_text(kind) for kind in ("spreadsheet", "delimited")} == {"Table"}
    assert {kind_text(kind) for kind in ("mail", "outlook")} == {"Mail"}
    assert (kind_text("lab_notes"), kind_icon("lab_notes"), kind_text("")) == ("Lab notes", "file-text", "Unknown")


def test_every_verdict_has_its_words():
    assert set(VERDICT_WORDS) == {str(verdict) for verdict in PageVerdict}


@pytest.mark.parametrize(
    ("container", "name"),
    [
        ("/mails/2019.zip", "2019.zip"),
        ("/mails/2019.zip!/week 3/budget.msg", "budget.msg"),
        ("C:\\Users\\ana\\bookmarks.html", "bookmarks.html"),
        ("/home/ana/Zotero/", "Zotero"),
        ("", ""),
    ],
)
def test_a_container_is_named_by_its_last_part(container, name):
    assert container_name(container) == name


def test_sizes_and_days_are_said_shortly():
    assert [size_text(count) for count in (0, 900, 1500, 2_300_000)] == ["", "900 bytes", "1.5 KB", "2.3 MB"]
    assert (day_text(datetime(2026, 3, 4, tzinfo=UTC)), day_text(None)) == ("4 Mar 2026", "")
