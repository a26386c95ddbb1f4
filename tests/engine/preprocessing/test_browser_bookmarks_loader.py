"""The stores of browsers: tree, tags, dates and notes of each, and what a damaged or hostile one does."""

from __future__ import annotations

import json
import plistlib
from datetime import UTC, datetime

import pytest

from tests.engine.preprocessing.bookmarking import bookmark_cases as cases
from trisynapse_memory.errors import SourceDamagedError
from trisynapse_memory.preprocessing.bookmarking.entries import MAX_FOLDERS
from trisynapse_memory.preprocessing.loaders.browser_bookmarks import BrowserBookmarksLoader
from trisynapse_memory.preprocessing.loading import choose_loader
from trisynapse_memory.registry import Registry

ADDED = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.fixture
def files(tmp_path):
    return cases.write_all(tmp_path)


def members(path):
    document = BrowserBookmarksLoader().open(path)
    assert list(document.pages(1)) == []
    return list(document.members())


def taken(path):
    return {one.title: one for one in members(path) if not one.skipped}


def skipped(path):
    return {one.title: one.skipped for one in members(path) if one.skipped}


@pytest.mark.parametrize("flavour", ["chrome", "firefox", "jsonlz4", "places", "safari", "safari_xml"])
def test_every_store_is_known_by_its_content_and_keeps_the_address_as_it_stands(files, flavour):
    path = files[flavour]
    assert choose_loader(path.read_bytes()[:65_536], path.name, Registry(guests=False)) == "browser_bookmarks"
    assert taken(path)["Memory & evidence"].url == cases.EXACT


def test_chromium_tree_dates_and_notes(files):
    found = taken(files["chrome"])
    paper = found["Memory & evidence"]
    assert (paper.path, paper.observed_at) == (("Bookmarks bar", "Papers"), ADDED)
    assert (paper.text, paper.fields) == ("Memory & evidence\nOn remembering.", {"keyword": "mem"})
    assert found["b.example"].path == ("Bookmarks bar",)
    assert skipped(files["chrome"]) == {"Run": "'javascript:' is no web address"}


@pytest.mark.parametrize("flavour", ["firefox", "jsonlz4"])
def test_firefox_backup_tree_tags_dates_and_notes(files, flavour):
    found = taken(files[flavour])
    paper = found["Memory & evidence"]
    assert (paper.path, paper.tags, paper.observed_at) == (("Bookmarks Menu", "Papers"), ("memory", "evidence"), ADDED)
    assert paper.text == "Memory & evidence\nOn remembering."
    assert paper.fields == {"keyword": "mem", "modified": "2023-11-14T22:15:00Z"}
    assert (found["B"].path, found["B"].tags) == (("Other Bookmarks",), ("later",))
    assert skipped(files[flavour]) == {"Recent": "'place:' is no web address"}


def test_firefox_database_says_the_same_as_its_backup(files):
    found = taken(files["places"])
    paper = found["Memory & evidence"]
    assert (paper.path, paper.tags, paper.observed_at) == (("Bookmarks Menu", "Papers"), ("memory", "evidence"), ADDED)
    assert paper.text == "Memory & evidence\nOn remembering."
    assert paper.fields == {"keyword": "mem", "modified": "2023-11-14T22:15:00Z"}
    assert found["B"].path == ("Other Bookmarks",)
    assert set(found) == {"Memory & evidence", "B"}


def test_the_database_is_read_without_its_log_beside_it_and_nothing_is_written(files, tmp_path):
    alone = tmp_path / "alone"
    alone.mkdir()
    path = alone / "a b#c?.sqlite"
    path.write_bytes(files["places"].read_bytes())
    path.chmod(0o400)
    assert len(taken(path)) == 2
    assert [one.name for one in alone.iterdir()] == [path.name]


@pytest.mark.parametrize("flavour", ["safari", "safari_xml"])
def test_safari_folders_and_reading_list(files, flavour):
    found = taken(files[flavour])
    assert found["Memory & evidence"].path == ("Favorites", "Papers")
    unread = found["B"]
    assert (unread.path, unread.text, unread.observed_at) == (("Reading List",), "B\nA preview.", ADDED)


def test_folders_that_lie_very_deep_are_read_or_refused_but_cost_only_the_file(tmp_path):
    node = {"type": "url", "name": "T", "url": "https://a.example/"}
    for depth in range(300):
        node = {"type": "folder", "name": f"F{depth}", "children": [node]}
    path = tmp_path / "Bookmarks"
    path.write_text(json.dumps({"roots": {"bookmark_bar": node}}))
    assert taken(path)["T"].path == tuple(f"F{depth}" for depth in range(299, 299 - MAX_FOLDERS, -1))
    path.write_text('{"roots": {"other": ' + '{"children": [' * 100_000)
    with pytest.raises(SourceDamagedError, match="Bookmarks"):
        members(path)


def test_parts_of_the_wrong_type_cost_only_themselves(tmp_path):
    path = tmp_path / "Bookmarks"
    children = [7, None, {"url": 5}, {"url": "https://a.example/", "name": None, "date_added": True, "meta_info": "x"}]
    path.write_text(json.dumps({"roots": {"bookmark_bar": {"name": ["x"], "children": children}, "other": "none"}}))
    (bad, good) = members(path)
    assert (bad.skipped, good.title, good.path, good.observed_at) == ("not a full web address", "a.example", (), None)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("Bookmarks", b'{"roots": {"bookmark_bar": {"children": [{"url": "https://a'),
        ("Bookmarks", b'{"roots": {"bookmark_bar": {"children": []}}}'),
        ("b.json", b"[1, 2]"),
        ("b.jsonlz4", b"mozLz40\0\xff\xff\xff\xff\0"),
        ("b.jsonlz4", b"mozLz40\0\x40\0\0\0\x1fa\x05\0"),
        ("b.jsonlz4", b"mozLz40\0\x05\0\0\0\xf0"),
        ("places.sqlite", b"SQLite format 3\0" + b"\0" * 4096),
        ("Bookmarks.plist", b"bplist00" + b"\xff" * 64),
        (
            "Bookmarks.plist",
            b'<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "b">]><plist><string>&a;</string></plist>',
        ),
        ("Bookmarks.plist", plistlib.dumps({"Children": []})),
    ],
)
def test_a_damaged_or_hostile_store_is_refused_by_its_name(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceDamagedError, match=name):
        members(path)


def test_other_json_databases_and_lists_are_not_claimed(tmp_path):
    suits = BrowserBookmarksLoader().suits
    assert suits(b'{"roots": ["oak"], "type": "tree"}', "a.json") == 0
    assert suits(b"SQLite format 3\0" + b"CREATE TABLE items", "zotero.sqlite") == 0
    assert suits(plistlib.dumps({"a": 1}), "Info.plist") == 0
