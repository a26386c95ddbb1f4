from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from trisynapse_desktop.widgets.inline_form import Entry, InlineForm


@pytest.fixture
def form(qtbot):
    made = InlineForm("Correct…", (Entry("What is right", "", "298,000"), Entry("Why", "")), name="Correct it")
    qtbot.addWidget(made)
    made.show()
    return made


def test_a_link_turns_into_its_fields_with_what_they_begin_with(form, qtbot):
    assert not any(field.isVisible() for field in form.fields)
    qtbot.mouseClick(form.link, Qt.MouseButton.LeftButton)
    assert [field.text() for field in form.fields] == ["298,000", ""]
    assert form.link.isHidden()


def test_enter_goes_on_to_what_is_missing_and_then_keeps(form, qtbot):
    said = []
    form.submitted.connect(said.append)
    form.unfold()
    form.fields[0].setText(" 299,000 ")
    qtbot.keyClick(form.fields[0], Qt.Key.Key_Return)
    assert said == [], "the reason is missing"
    form.fields[1].setText("misread")
    qtbot.keyClick(form.fields[1], Qt.Key.Key_Return)
    assert said == [["299,000", "misread"]]


def test_escape_leaves_everything_as_it_was(form, qtbot):
    form.unfold()
    form.fields[0].setText("something else")
    with qtbot.waitSignal(form.folded):
        qtbot.keyClick(form.fields[0], Qt.Key.Key_Escape)
    assert not form.link.isHidden()
    form.unfold()
    assert form.fields[0].text() == "298,000"


def test_it_has_a_name_for_screen_readers(form):
    assert form.link.accessibleName() == "Correct it"
    assert [field.accessibleName() for field in form.fields] == ["What is right", "Why"]
