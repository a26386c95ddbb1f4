"""The same dice damage a file in the same way; every way changes it, and an archive stays one that opens."""

from __future__ import annotations

import io
import zipfile
from random import Random

import pytest

from trisynapse_memory.bench.mutations import MUTATIONS, mutate

TEXT = b"".join(b"Line %d of a text that is damaged.\n" % number for number in range(200))


def archive():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("a.xml", "<a>" + "1" * 500 + "</a>")
        made.writestr("b.txt", TEXT)
    return packed.getvalue()


@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_each_way_changes_a_file_and_the_same_dice_change_it_alike(name, seed):
    content = archive() if name == "member" else TEXT
    damaged = MUTATIONS[name](content, Random(seed))
    assert damaged == MUTATIONS[name](content, Random(seed))
    assert damaged != content or name == "swap"


@pytest.mark.parametrize(
    "content", [b"x", b"PK", b"PK\x03\x04", b"PK" + TEXT], ids=["letter", "sign", "head", "no zip"]
)
def test_the_smallest_and_the_broken_can_be_damaged(content):
    for seed in range(60):
        assert isinstance(mutate(content, Random(seed))[1], bytes)


def test_an_archive_is_mostly_damaged_inside_and_opens_again():
    ways = [mutate(archive(), Random(seed)) for seed in range(60)]
    inside = [content for way, content in ways if way == "member"]
    assert len(inside) > 30
    for content in inside:
        with zipfile.ZipFile(io.BytesIO(content)) as opened:
            assert opened.testzip() is None
