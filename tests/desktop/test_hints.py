from __future__ import annotations

import pytest
from PySide6.QtGui import Qt, QTextDocument

from trisynapse_desktop.hints import hint_of


@pytest.mark.parametrize("words", ["<img src='//evil.example/share/a.png'>", "<b>Light</b> & shade", "a<br>b.pdf"])
def test_a_title_that_looks_like_html_is_shown_as_it_is(qapp, words):
    shown = hint_of(words)
    document = QTextDocument()
    document.setHtml(shown)
    assert Qt.mightBeRichText(shown)
    assert document.toPlainText() == words
    assert "<img" not in shown


@pytest.mark.parametrize("words", ["", "The turning mirror", "p < .05 & n > 3"])
def test_other_words_are_left_alone(words):
    assert hint_of(words) == words
