"""One word per thing: no banned word in the name of a module or a class of ours."""

from __future__ import annotations

import pytest

from house_files import PRODUCT, expect_none, python_files, read
from house_words import check_words, words


def test_no_module_or_class_bears_an_empty_word():
    expect_none([found for name in python_files(PRODUCT) for found in check_words(name, read(name))])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("engine/x/pdf_helper.py", ""),
        ("engine/utils/pdf.py", ""),
        ("engine/x/pdf.py", "class SourceManager: ..."),
        ("engine/x/pdf.py", "class Outer:\n    class HTTPHandler: ..."),
        ("engine/x/pdf.py", "class SourceInfo2: ..."),
    ],
)
def test_a_banned_word_is_found_in_folders_modules_and_classes(path: str, text: str):
    assert len(check_words(path, text)) == 1


def test_a_word_inside_a_longer_word_is_not_meant():
    assert check_words("engine/x/dataclass_metadata.py", "class Informed: ...\nclass Itemise: ...") == []


def test_names_fall_into_their_words():
    assert words("PDFLoader2_from_httpRequests") == ["pdf", "loader", "from", "http", "requests"]
