from __future__ import annotations

from datetime import UTC, datetime

import pytest

from trisynapse_desktop.theme import resources_folder
from trisynapse_desktop.wording import (
    KINDS,
    VERDICT_WORDS,
    container_name,
    day_text,
    kind_icon,
    kind_text,
    novelty_hint,
    novelty_text,
    novelty_tone,
    size_text,
)
from trisynapse_memory.branches import BRANCHES
from trisynapse_memory.registry import Registry
from trisynapse_memory.types import Novelty, PageVerdict

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
        ("https://light.example/news/rss.xml?page=1", "light.example/news/rss.xml"),
        ("", ""),
    ],
)
def test_a_container_is_named_by_its_last_part(container, name):
    assert container_name(container) == name


def test_sizes_and_days_are_said_shortly():
    assert [size_text(count) for count in (0, 900, 1500, 2_300_000)] == ["", "900 bytes", "1.5 KB", "2.3 MB"]
    assert (day_text(datetime(2026, 3, 4, tzinfo=UTC)), day_text(None)) == ("4 Mar 2026", "")


def novelty(**more) -> Novelty:
    given = {"source_id": "s", "median": 0.62, "highest": 0.81, "level": "new", "passage_count": 4}
    return Novelty(**(given | more))


@pytest.mark.parametrize(
    ("more", "words", "tone"),
    [
        ({}, "Mostly new", "good"),
        ({"level": "mixed"}, "Partly new", "muted"),
        ({"level": "known"}, "Little new", "muted"),
        ({"level": "known", "contradicting_count": 2}, "Little new \u00b7 2 disputed", "warning"),
    ],
)
def test_how_new_a_source_is_takes_two_words(more, words, tone):
    assert (novelty_text(novelty(**more)), novelty_tone(novelty(**more))) == (words, tone)


def test_what_the_badge_rests_on_is_said_in_sentences():
    typical = "When it came, its typical passage was 38 % like the nearest one in the library, its newest 19 %."
    assert novelty_hint(novelty()) == typical
    counted = novelty(claim_count=5, new_claim_count=4, contradicting_count=1)
    assert novelty_hint(counted) == f"{typical} 4 of its 5 claims were new. 1 is in dispute with other sources."
    assert novelty_hint(novelty(claim_count=5)).endswith("None of its 5 claims was new.")
    assert novelty_hint(novelty(claim_count=1, new_claim_count=1)).endswith("Its one claim was new.")
    first = novelty(median=1.0, highest=1.0)
    assert novelty_hint(first) == "When it came, there was nothing like it in the library."
