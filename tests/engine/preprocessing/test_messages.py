"""What goes into the pipe comes out of it alike, and half a character never stops it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from trisynapse_memory.preprocessing.messages import ListingReply, LoadedPage, receive_reply, send
from trisynapse_memory.types import Listing, Page, PageVerdict, Section


def returned(message):
    pipe = io.BytesIO()
    send(pipe, message)
    pipe.seek(0)
    return receive_reply(pipe)


def test_a_page_and_a_member_come_out_as_they_went_in():
    moment = datetime(2024, 1, 2, tzinfo=UTC)
    page = LoadedPage(
        page=Page(number=1, text="Words.", verdict=PageVerdict.OK, layout=b"\0\1"),
        sections=(Section(start=0, end=6, observed_at=moment),),
    )
    member = ListingReply(listing=Listing(key="k", title="T", content=b"\xff\0", observed_at=moment))
    assert returned(page) == page
    assert returned(member) == member


def test_half_a_character_is_replaced_and_every_offset_stays():
    moment = datetime(2024, 1, 2, tzinfo=UTC)
    page = LoadedPage(
        page=Page(number=1, text="a\ud83db", verdict=PageVerdict.OK, layout=b"\0\1"),
        sections=(Section(start=2, end=3, fields={"x": "\udc00"}, observed_at=moment),),
    )
    found = returned(page)
    assert found.page.text == "a\ufffdb"
    assert found.page.layout == b"\0\1"
    assert found.sections == (Section(start=2, end=3, fields={"x": "\ufffd"}, observed_at=moment),)
