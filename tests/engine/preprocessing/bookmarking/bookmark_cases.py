"""The same few bookmarks as each browser and service writes them; all made here."""

from __future__ import annotations

import json
import plistlib
import sqlite3
from datetime import datetime
from pathlib import Path

SECONDS = 1_700_000_000  # 2023-11-14T22:13:20Z
MICRO = SECONDS * 1_000_000
WEBKIT = MICRO + 11_644_473_600_000_000
EXACT = "https://www.Example.org/Paper?id=7&b=2&copy=3&utm_source=mail#page=2"

CHROME = {
    "checksum": "0",
    "roots": {
        "bookmark_bar": {
            "children": [
                {
                    "children": [
                        {"date_added": str(WEBKIT), "guid": "g1", "id": "6", "name": "Memory & evidence", "type": "url",
                         "url": EXACT, "meta_info": {"Description": "On remembering.", "Nickname": "mem"}},
                        {"date_added": "0", "id": "7", "name": "Run", "type": "url", "url": "javascript:alert(1)"},
                    ],
                    "date_added": str(WEBKIT), "id": "5", "name": "Papers", "type": "folder",
                },
                {"date_added": str(WEBKIT + 5_000_000), "id": "8", "name": "", "type": "url", "url": "http://b.example/"},
            ],
            "id": "1", "name": "Bookmarks bar", "type": "folder",
        },
        "other": {"children": [], "id": "2", "name": "Other bookmarks", "type": "folder"},
        "sync_transaction_version": "1",
    },
    "version": 1,
}  # fmt: skip

FIREFOX = {
    "guid": "root________", "title": "", "id": 1, "typeCode": 2, "type": "text/x-moz-place-container",
    "root": "placesRoot",
    "children": [
        {"guid": "menu________", "title": "menu", "typeCode": 2, "type": "text/x-moz-place-container",
         "root": "bookmarksMenuFolder", "children": [
             {"title": "Papers", "typeCode": 2, "type": "text/x-moz-place-container", "children": [
                 {"title": "Memory & evidence", "typeCode": 1, "type": "text/x-moz-place", "uri": EXACT,
                  "dateAdded": MICRO, "lastModified": MICRO + 100_000_000, "tags": "memory,evidence", "keyword": "mem",
                  "annos": [{"name": "bookmarkProperties/description", "value": "On remembering."}]},
                 {"typeCode": 3, "type": "text/x-moz-place-separator", "title": ""}]},
             {"title": "Recent", "typeCode": 1, "uri": "place:sort=8", "dateAdded": MICRO}]},
        {"guid": "tags________", "title": "tags", "typeCode": 2, "root": "tagsFolder", "children": [
            {"title": "later", "typeCode": 2, "children": [{"typeCode": 1, "uri": "http://b.example/"}]}]},
        {"guid": "unfiled_____", "title": "unfiled", "typeCode": 2, "root": "unfiledBookmarksFolder", "children": [
            {"title": "B", "typeCode": 1, "uri": "http://b.example/", "dateAdded": MICRO}]},
    ],
}  # fmt: skip

SAFARI = {
    "Title": "", "WebBookmarkType": "WebBookmarkTypeList", "Children": [
        {"Title": "History", "WebBookmarkIdentifier": "History", "WebBookmarkType": "WebBookmarkTypeProxy"},
        {"Title": "BookmarksBar", "WebBookmarkType": "WebBookmarkTypeList", "Children": [
            {"Title": "Papers", "WebBookmarkType": "WebBookmarkTypeList", "Children": [
                {"URLString": EXACT, "URIDictionary": {"title": "Memory & evidence"},
                 "WebBookmarkType": "WebBookmarkTypeLeaf"}]}]},
        {"Title": "com.apple.ReadingList", "WebBookmarkType": "WebBookmarkTypeList", "Children": [
            {"URLString": "http://b.example/", "URIDictionary": {"title": "B"},
             "WebBookmarkType": "WebBookmarkTypeLeaf",
             "ReadingList": {"DateAdded": datetime(2023, 11, 14, 22, 13, 20), "PreviewText": "A preview."}}]},
    ],
}  # fmt: skip

POCKET_CSV = f'title,url,time_added,tags,status\nMemory & evidence,"{EXACT}",{SECONDS},memory|evidence,unread\n'
INSTAPAPER_CSV = (
    "URL,Title,Selection,Folder,Timestamp,Tags\n"
    f'"{EXACT}",Memory & evidence,On remembering.,Papers,{SECONDS},"[""memory"", ""evidence""]"\n'
)
RAINDROP_CSV = (
    "id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
    f'1,Memory & evidence,"My note,\nin two lines",On remembering.,"{EXACT}",Papers/Deep,"memory, evidence",'
    "2023-11-14T22:13:20.000Z,,,true\n"
    f"2,B,,,http://b.example/,Unsorted,,2023-11-14T22:13:20.000Z,,,false\n"
)
PINBOARD = [
    {"href": EXACT, "description": "Memory & evidence", "extended": "On remembering.", "meta": "x", "hash": "y",
     "time": "2023-11-14T22:13:20Z", "shared": "no", "toread": "yes", "tags": "memory evidence"},
    {"href": "http://b.example/", "description": "B", "extended": "", "time": "2023-11-14T22:13:20Z", "shared": "yes",
     "toread": "no", "tags": ""},
]  # fmt: skip
PINBOARD_XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<posts user="her">\n'
    f'<post href="{EXACT.replace("&", "&amp;")}" time="2023-11-14T22:13:20Z" description="Memory &amp; evidence"'
    ' extended="On remembering." tag="memory evidence" shared="no" toread="yes" hash="y" />\n</posts>\n'
)
WALLABAG = [
    {"is_archived": 1, "is_starred": 1, "tags": ["memory", "evidence"], "id": 3, "title": "Memory & evidence",
     "url": EXACT, "content": "<p>The page</p>", "created_at": "2023-11-14T22:13:20+00:00"},
]  # fmt: skip
KARAKEEP = {
    "bookmarks": [
        {"createdAt": SECONDS, "title": "Memory & evidence", "tags": ["memory", "evidence"],
         "content": {"type": "link", "url": EXACT}, "note": "On remembering.", "favourited": True},
        {"createdAt": SECONDS, "title": "A text", "tags": [], "content": {"type": "text", "text": "Hers."},
         "note": None},
    ]
}  # fmt: skip
NETSCAPE = (
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META CONTENT="text/html; charset=UTF-8">\n'
    "<TITLE>B</TITLE>\n<H1>B</H1>\n<DL><p>\n"
    f'<DT><H3 ADD_DATE="{SECONDS}">Papers</H3>\n<DD>what I read\n<DL><p>\n<DT><A HREF="{EXACT}" ADD_DATE="{SECONDS}"'
    f' LAST_MODIFIED="{SECONDS + 100}" TAGS="memory,evidence" SHORTCUTURL="mem" PRIVATE="1">Memory &amp; evidence</A>\n'
    "<DD>On remembering:\n- one\n  - two &lt;b&gt;\n<HR>\n<DT><H3>Deep</H3>\n<DL><p>\n"
    '<DT><A HREF="http://b.example/" ADD_DATE="1">B "quoted" &gt; \'single\'</A>\n</DL><p>\n</DL><p>\n'
    '<DT><H3>Mirror</H3>\n<DL><p>\n<DT><A HREF="https://b.example" TAGS="later">B again</A>\n</DL><p>\n</DL><p>\n'
)


def jsonlz4(content: bytes) -> bytes:
    """A Firefox frame around one LZ4 block of literals only."""
    length = len(content)
    head = bytes([min(length, 15) << 4])
    rest = length - 15
    while rest >= 255:
        head, rest = head + b"\xff", rest - 255
    tail = bytes([rest]) if length >= 15 else b""
    return b"mozLz40\0" + length.to_bytes(4, "little") + head + tail + content


def places(path: Path) -> bytes:
    """A Firefox database with the tables and roots that every profile has."""
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        PRAGMA journal_mode = WAL;
        CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR);
        CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER, position INTEGER,
            title LONGVARCHAR, keyword_id INTEGER, folder_type TEXT, dateAdded INTEGER, lastModified INTEGER,
            guid TEXT);
        CREATE TABLE moz_keywords (id INTEGER PRIMARY KEY, keyword TEXT UNIQUE, place_id INTEGER, post_data TEXT);
        CREATE TABLE moz_anno_attributes (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE moz_items_annos (id INTEGER PRIMARY KEY, item_id INTEGER, anno_attribute_id INTEGER, content TEXT);
        INSERT INTO moz_anno_attributes VALUES (1, 'bookmarkProperties/description');
        INSERT INTO moz_keywords VALUES (1, 'mem', 1, NULL);
        """
    )
    connection.executemany("INSERT INTO moz_places VALUES (?, ?, '')", [(1, EXACT), (2, "http://b.example/")])
    rows = [
        (1, 2, None, 0, 0, "", "root________"),
        (2, 2, None, 1, 0, "menu", "menu________"),
        (3, 2, None, 1, 1, "toolbar", "toolbar_____"),
        (4, 2, None, 1, 2, "tags", "tags________"),
        (5, 2, None, 1, 3, "unfiled", "unfiled_____"),
        (6, 2, None, 2, 0, "Papers", "f1"),
        (7, 1, 1, 6, 1, "Memory & evidence", "b1"),
        (8, 3, None, 6, 0, None, "s1"),
        (9, 1, 2, 5, 0, "B", "b2"),
        (10, 2, None, 4, 0, "memory", "t1"),
        (11, 2, None, 4, 1, "evidence", "t2"),
        (12, 1, 1, 10, 0, None, "t3"),
        (13, 1, 1, 11, 0, None, "t4"),
        (14, 2, None, 15, 0, "in a ring", "r1"),
        (15, 2, None, 14, 0, "in a ring too", "r2"),
    ]
    connection.executemany(
        "INSERT INTO moz_bookmarks VALUES (?, ?, ?, ?, ?, ?, NULL, '', ?, ?, ?)",
        [(*row[:6], MICRO, MICRO + 100_000_000, row[6]) for row in rows],
    )
    connection.execute("INSERT INTO moz_items_annos VALUES (1, 7, 1, 'On remembering.')")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.read_bytes()


def write_all(folder: Path) -> dict[str, Path]:
    """Every flavour as a file: name -> path."""
    contents = {
        "netscape": ("bookmarks.html", NETSCAPE.encode()),
        "chrome": ("Bookmarks", json.dumps(CHROME, indent=3).encode()),
        "firefox": ("bookmarks-2023-11-14.json", json.dumps(FIREFOX).encode()),
        "jsonlz4": ("bookmarks-2023-11-14.jsonlz4", jsonlz4(json.dumps(FIREFOX).encode())),
        "places": ("places.sqlite", places(folder / "made.sqlite")),
        "safari": ("Bookmarks.plist", plistlib.dumps(SAFARI, fmt=plistlib.FMT_BINARY)),
        "safari_xml": ("Bookmarks2.plist", plistlib.dumps(SAFARI, fmt=plistlib.FMT_XML)),
        "pocket": ("part_000000.csv", POCKET_CSV.encode()),
        "instapaper": ("instapaper-export.csv", INSTAPAPER_CSV.encode()),
        "raindrop": ("raindrop.csv", ("\ufeff" + RAINDROP_CSV).encode()),
        "pinboard": ("pinboard_export.json", json.dumps(PINBOARD).encode()),
        "pinboard_xml": ("pinboard.xml", PINBOARD_XML.encode()),
        "wallabag": ("All articles.json", json.dumps(WALLABAG).encode()),
        "karakeep": ("karakeep.json", json.dumps(KARAKEEP).encode()),
    }
    for name, content in contents.values():
        (folder / name).write_bytes(content)
    return {flavour: folder / name for flavour, (name, _) in contents.items()}
