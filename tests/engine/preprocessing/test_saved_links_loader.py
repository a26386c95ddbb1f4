"""Exports of services that keep links: told by their columns, with folders, tags, dates and notes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from tests.engine.preprocessing.bookmarking import bookmark_cases as cases
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.loaders.saved_links import SavedLinksLoader
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.registry import Registry

ADDED = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
EXPECTED = {
    "pocket": (("unread",), "Memory & evidence", {}),
    "instapaper": (("Papers",), "Memory & evidence\nOn remembering.", {}),
    "raindrop": (
        ("Papers", "Deep"),
        "Memory & evidence\nMy note,\nin two lines\n\nOn remembering.",
        {"favourite": "yes"},
    ),
    "pinboard": ((), "Memory & evidence\nOn remembering.", {"private": "yes", "to read": "yes"}),
    "wallabag": ((), "Memory & evidence", {"favourite": "yes"}),
    "karakeep": ((), "Memory & evidence\nOn remembering.", {"favourite": "yes"}),
    "pinboard_xml": ((), "Memory & evidence\nOn remembering.", {"private": "yes", "to read": "yes"}),
}


@pytest.fixture
def files(tmp_path):
    return cases.write_all(tmp_path)


def members(path):
    return list(SavedLinksLoader().open(path).members())


@pytest.mark.parametrize("flavour", EXPECTED)
def test_folders_tags_dates_and_notes_of_every_service(files, flavour):
    path = files[flavour]
    assert choose_loader(path.read_bytes()[:65_536], path.name, Registry(guests=False)) == "saved_links"
    first = members(path)[0]
    assert (first.url, first.tags, first.observed_at) == (cases.EXACT, ("memory", "evidence"), ADDED)
    assert (first.path, first.text, first.fields) == EXPECTED[flavour]


def test_an_inbox_is_no_folder_and_what_is_shared_is_not_private(files):
    assert members(files["raindrop"])[1].path == ()
    assert members(files["pinboard"])[1].fields == {}


def test_a_table_with_addresses_that_no_service_writes_is_left_to_others():
    suits = SavedLinksLoader().suits
    assert suits(b"name,url,price\nA,https://a.example/,3\n", "shop.csv") == 0
    assert suits(b'[{"href": "/x", "rel": "self"}]', "links.json") == 0
    assert suits(b"<posts><post id='1'>words</post></posts>", "blog.xml") == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", b"title,url,time_added,tags,status\n"),
        ("a.csv", b"title,url\nA,https://a.example\n"),
        ("a.json", b'[{"href": "https://a.example/", "description": '),
        ("a.json", json.dumps([{"href": "x"}, 5]).encode()),
        ("a.xml", b'<posts><post href="https://a.example/" description="A" tag=""'),
        (
            "a.xml",
            b'<!DOCTYPE posts [<!ENTITY a "b">]><posts><post href="https://a.example/" description="&a;" tag=""/>',
        ),
    ],
)
def test_a_damaged_or_hostile_export_is_refused_by_its_name(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceDamagedError, match=name):
        members(path)


def test_rows_that_are_short_or_empty_cost_only_themselves(tmp_path):
    path = tmp_path / "pocket.csv"
    path.write_text("title,url,time_added,tags,status\n\nA,https://a.example/\n,,,,\nB,,1700000000,,unread\n")
    assert [(one.title, one.skipped) for one in members(path)] == [("A", ""), ("B", "no address")]
