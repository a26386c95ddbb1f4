"""Exports of five services: each conversation a member, each turn with who said it and when."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime

import pytest

from trisynapse_memory.errors import SourceDamagedError, SourceEmptyError
from trisynapse_memory.preprocessing.loaders.chats import ChatsLoader
from trisynapse_memory.preprocessing.loaders.conversation import ConversationLoader
from trisynapse_memory.types import Modality


def members(tmp_path, content, name="conversations.json"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert ChatsLoader().suits(path.read_bytes()[:65_536], name) == 0.95
    document = ChatsLoader().open(path)
    try:
        return list(document.members())
    finally:
        document.close()


def turns(tmp_path, member):
    path = tmp_path / "member.json"
    path.write_bytes(member.content)
    assert ConversationLoader().suits(member.content[:65_536], member.filename) == 1.0
    document = ConversationLoader().open(path)
    return document, [
        (page.text[one.start : one.end], one.locator.speaker, one.observed_at)
        for page, sections in document.pages(1)
        for one in sections
    ]


def node(role, text, parent, moment=1_700_000_000.5, **more):
    content = {"content_type": "text", "parts": [text], **more.pop("content", {})}
    return {
        "message": {"author": {"role": role}, "create_time": moment, "content": content, "metadata": more},
        "parent": parent,
        "children": [],
    }


def chatgpt(mapping, **more):
    told = {"title": "Rice", "create_time": 1.7e9, "mapping": mapping, "current_node": "d", "conversation_id": "c-1"}
    return json.dumps([{**told, **more}])


MAPPING = {
    "root": {"message": None, "parent": None, "children": ["a"]},
    "a": node("system", "You are a bot.", "root"),
    "b": node("user", "What is rice?", "a"),
    "b2": node("user", "What is wheat?", "a", 1_800_000_000),
    "c": node("assistant", "hm", "b", content={"content_type": "thoughts", "thoughts": [{"content": "x"}]}),
    "d": node("assistant", "A grass.\n\nIt is grown wet.", "c", 1_700_000_060, attachments=[{"name": "map.pdf"}]),
}


def test_chatgpt_gives_the_branch_that_was_shown(tmp_path):
    (member,) = members(tmp_path, chatgpt(MAPPING))
    assert (member.key, member.title, member.kind, member.path) == ("c-1", "Rice", "file", ("ChatGPT",))
    document, found = turns(tmp_path, member)
    assert found == [
        ("You: What is rice?", "You", datetime(2023, 11, 14, 22, 13, 20, 500_000, UTC)),
        (
            "Assistant: A grass.\n\nIt is grown wet.\n\n[attached: map.pdf]",
            "Assistant",
            datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC),
        ),
    ]
    assert document.heading.title == "Rice"
    assert document.heading.published == "2023-11-14"
    assert document.heading.identifiers == {"url": "https://chatgpt.com/c/c-1"}


def test_a_conversation_without_a_current_message_is_read_to_its_last_one(tmp_path):
    (member,) = members(tmp_path, chatgpt(MAPPING, current_node=None))
    assert turns(tmp_path, member)[1][0][0] == "You: What is wheat?"


def test_parents_that_go_round_in_a_circle_end(tmp_path):
    circle = {"a": node("user", "One.", "d"), "d": node("assistant", "Two.", "a")}
    (member,) = members(tmp_path, chatgpt(circle))
    assert [text for text, _, _ in turns(tmp_path, member)[1]] == ["You: One.", "Assistant: Two."]


def test_a_conversation_that_is_not_as_it_should_be_costs_only_itself(tmp_path):
    good, bad = json.loads(chatgpt(MAPPING))[0], {"title": "Bad", "create_time": 1, "mapping": {"x": 3}}
    empty = {"title": "Empty", "create_time": 1, "mapping": {}, "id": "e"}
    found = members(tmp_path, json.dumps([good, bad, empty, good]))
    assert [bool(one.content) for one in found] == [True, False, False, True]
    assert found[1].skipped.startswith("it is not as its maker writes it")
    assert found[2].skipped == "it holds no words"
    assert [one.key for one in found] == ["c-1", "number-2", "e", "c-1#2"]


def test_claude_gives_what_was_said_and_what_was_attached(tmp_path):
    told = [
        {
            "uuid": "u-1",
            "name": "Delta",
            "chat_messages": [
                {
                    "sender": "human",
                    "text": "old",
                    "content": [{"type": "text", "text": "Read this."}],
                    "created_at": "2024-05-01T10:00:00Z",
                    "attachments": [{"file_name": "a.txt", "extracted_content": "Rice is wet."}],
                },
                {
                    "sender": "assistant",
                    "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "Done."}],
                    "created_at": "2024-05-01T10:00:05Z",
                },
            ],
        }
    ]
    (member,) = members(tmp_path, json.dumps(told))
    assert turns(tmp_path, member)[1] == [
        ("You: Read this.\n\n[attached: a.txt]\nRice is wet.", "You", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("Assistant: Done.", "Assistant", datetime(2024, 5, 1, 10, 0, 5, tzinfo=UTC)),
    ]


TELEGRAM = {
    "name": "Field team",
    "type": "private_group",
    "id": 42,
    "messages": [
        {"id": 1, "type": "service", "date": "2024-01-01T10:00:00", "date_unixtime": "1704103200", "action": "create"},
        {"id": 2, "type": "message", "date": "2024-01-01T10:01:00", "date_unixtime": "1704103260", "from": "Ann",
         "text": ["See ", {"type": "link", "text": "https://a.example"}, "."], "file_name": "map.pdf"},
    ],
}  # fmt: skip


def test_telegram_gives_one_chat_or_all_of_an_account(tmp_path):
    (member,) = members(tmp_path, json.dumps(TELEGRAM), "result.json")
    expected = [("Ann: See https://a.example.\n[map.pdf]", "Ann", datetime(2024, 1, 1, 10, 1, tzinfo=UTC))]
    assert (member.title, turns(tmp_path, member)[1]) == ("Field team", expected)
    account = {"personal_information": {"user_id": 1}, "chats": {"about": "x", "list": [TELEGRAM, {"id": 3}]}}
    found = members(tmp_path, json.dumps(account), "result.json")
    assert [(one.key, bool(one.content)) for one in found] == [("42", True), ("3", False)]


WHATSAPP = {
    "ios, day first": (
        "[25/12/2023, 10:15:22] Ann: Hi\nthere\n[25/12/2023, 10:16:00] Bo: \u200eimage omitted",
        (2023, 12, 25, 10, 15, 22),
    ),
    "android, month first": ("12/25/23, 10:15 PM - Ann: Hi\nthere\n12/25/23, 10:16 PM - Bo: x", (2023, 12, 25, 22, 15)),
    "german": ("[25.12.23, 10:15:22] Ann: Hi\nthere\n[25.12.23, 10:16:00] Bo: x", (2023, 12, 25, 10, 15, 22)),
    "day or month": ("04/03/2024, 09:00 - Ann: Hi\nthere\n05/03/2024, 09:00 - Bo: x", (2024, 3, 4, 9)),
    "us, day or month": ("3/4/24, 9:00\u202fAM - Ann: Hi\nthere\n3/5/24, 9:00\u202fAM - Bo: x", (2024, 3, 4, 9)),
}


@pytest.mark.parametrize(("text", "moment"), WHATSAPP.values(), ids=WHATSAPP)
def test_whatsapp_is_read_in_every_order_of_day_and_month(tmp_path, text, moment):
    first, _, rest = text.partition(" Ann:")
    notice = f"{first} Messages are end-to-end encrypted.\n"
    (member,) = members(tmp_path, notice + text, "WhatsApp Chat with Ann Lee.txt")
    _, found = turns(tmp_path, member)
    assert member.title == "Ann Lee"
    assert found[0] == ("Ann: Hi\nthere", "Ann", datetime(*moment, tzinfo=UTC))
    assert [speaker for _, speaker, _ in found] == ["Ann", "Bo"]
    assert rest


@pytest.mark.parametrize(
    "text",
    [
        "[2021-03-12, 10:15:22] ERROR: it broke\n[2021-03-12, 10:15:23] INFO: again",
        "A note about 12/03/2021, 10:15 - Ann: Hi\nand more words.",
        "12/03/2021, 10:15 - Ann: only one line",
    ],
)
def test_logs_and_notes_are_no_chats(text):
    assert ChatsLoader().suits(text.encode(), "notes.txt") == 0.0


def slack(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, told in files.items():
            archive.writestr(name, told if isinstance(told, str) else json.dumps(told))
    return packed.getvalue()


DAY = [
    {"type": "message", "user": "U1", "ts": "1704103260.000200",
     "text": "<@U2> see <https://a.example|the map> &amp; <#C1|field>", "files": [{"title": "Map"}]},
    {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1704103261.0", "text": "joined"},
    {"type": "message", "user": "U9", "user_profile": {"real_name": "Guest"}, "ts": "1704103262", "text": "Yes."},
]  # fmt: skip
USERS = [
    {"id": "U1", "name": "ann", "profile": {"display_name": "", "real_name": "Ann Lee"}},
    {"id": "U2", "name": "bo"},
]


def test_slack_gives_each_channel_with_its_days_in_order(tmp_path):
    export = slack(
        {
            "channels.json": [{"id": "C1", "name": "field"}],
            "users.json": USERS,
            "field/2024-01-02.json": [{"type": "message", "user": "U2", "ts": "1704189660", "text": "Later."}],
            "field/2024-01-01.json": DAY,
            "other/2024-01-01.json": "broken",
        }
    )
    found = members(tmp_path, export, "export.zip")
    assert [(one.key, one.title, bool(one.skipped)) for one in found] == [
        ("field", "#field", False),
        ("other/2024-01-01", "#other, 2024-01-01", True),
        ("other", "#other", True),
    ]
    assert [text for text, _, _ in turns(tmp_path, found[0])[1]] == [
        "Ann Lee: @bo see the map (https://a.example) & #field\n[Map]",
        "Guest: Yes.",
        "bo: Later.",
    ]


def test_one_day_of_slack_is_read_as_it_lies_there(tmp_path):
    (member,) = members(tmp_path, json.dumps(DAY), "2024-01-01.json")
    assert turns(tmp_path, member)[1][1][:2] == ("Guest: Yes.", "Guest")


def test_turns_are_sections_with_their_place_and_long_chats_have_pages(tmp_path):
    messages = [
        {
            "id": n,
            "type": "message",
            "date_unixtime": str(1704103260 + n),
            "from": "Ann",
            "text": f"{n} " + "word " * 200,
        }
        for n in range(200)
    ]
    (member,) = members(tmp_path, json.dumps({**TELEGRAM, "messages": messages}), "result.json")
    document, found = turns(tmp_path, member)
    assert len(found) == 200
    assert document.heading.page_count > 2
    assert document.heading.authors == ("Ann",)
    sections = [one for _, some in document.pages(1) for one in some]
    assert [one.locator.index for one in sections] == list(range(200))
    assert {one.modality for one in sections} == {Modality.CONVERSATION}


@pytest.mark.parametrize("loader", [ChatsLoader, ConversationLoader])
def test_what_is_no_export_is_refused(tmp_path, loader):
    path = tmp_path / "a.json"
    path.write_text('{"some": "data"}')
    with pytest.raises(SourceDamagedError, match=r"a\.json"):
        loader().open(path)
    path.write_text("")
    with pytest.raises(SourceEmptyError):
        loader().open(path)


def test_an_export_that_breaks_off_says_so(tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text(chatgpt(MAPPING)[:-40])
    with pytest.raises(SourceDamagedError, match="breaks off"):
        ChatsLoader().open(path)
