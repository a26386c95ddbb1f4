from __future__ import annotations

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from trisynapse_desktop.actions import ROWS
from trisynapse_desktop.pane import PANES
from trisynapse_desktop.theme import CONTRAST, DARK, LIGHT, Theme, contrast, draw_icon, resources_folder, style_sheet

ICONS = sorted((resources_folder() / "icons").glob("*.svg"))


@pytest.fixture
def theme(qapp):
    made = Theme(qapp)
    yield made
    qapp.setStyleSheet("")


@pytest.mark.parametrize("tones", [LIGHT, DARK, CONTRAST], ids=lambda tones: tones.name)
def test_every_text_stands_out_from_every_ground_it_is_painted_on(tones):
    weak = {pair: round(contrast(*pair), 2) for pair in tones.pairs() if contrast(*pair) < 4.5}
    assert weak == {}


def test_high_contrast_text_reaches_the_stricter_ratio():
    assert all(contrast(text, CONTRAST.window) >= 7 for text in (CONTRAST.text, CONTRAST.muted, CONTRAST.accent))


@pytest.mark.parametrize("tones", [LIGHT, DARK, CONTRAST], ids=lambda tones: tones.name)
def test_focus_rings_and_field_borders_can_be_seen(tones):
    assert contrast(tones.accent, tones.surface) >= 3
    assert contrast(tones.accent, tones.window) >= 3


def test_contrast_agrees_with_the_published_extremes():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_choosing_an_appearance_changes_palette_and_says_so(theme, qapp, qtbot):
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(DARK.window)
    assert theme.tones.dark
    with qtbot.assertNotEmitted(theme.changed):
        theme.choose("dark")


def test_an_unknown_appearance_follows_the_system(theme):
    theme.choose("plaid")
    assert theme.appearance == "system"


@pytest.mark.parametrize("tones", [LIGHT, DARK, CONTRAST], ids=lambda tones: tones.name)
def test_the_style_sheet_names_no_colour_of_its_own_and_fills_every_name(tones):
    source = (resources_folder() / "styles" / "app.qss").read_text()
    assert re.findall(r"#[0-9a-fA-F]{6}\b", source) == []
    assert "@" not in style_sheet(tones, 10)


@pytest.mark.parametrize("path", ICONS, ids=lambda path: path.stem)
def test_an_icon_takes_its_colour_from_the_text(path, qapp):
    source = path.read_text()
    assert 'viewBox="0 0 24 24"' in source
    assert "currentColor" in source
    assert not re.search(r'(fill|stroke)="(?!none|currentColor)', source)
    picture = draw_icon(path.stem, "#ff0000", 24, 1.0).toImage()
    painted = [picture.pixelColor(x, y) for x in range(24) for y in range(24) if picture.pixelColor(x, y).alpha() > 200]
    assert painted
    assert all(colour.red() > 240 and colour.green() < 15 for colour in painted)


def test_every_icon_the_tables_name_is_there():
    wanted = {row.icon for row in ROWS if row.icon} | {row.icon for row in PANES}
    assert wanted <= {path.stem for path in ICONS}


def test_a_name_without_a_file_gives_an_empty_picture_instead_of_failing(qapp):
    assert draw_icon("no-such-icon", "#000000", 16, 1.0).toImage().pixelColor(8, 8).alpha() == 0


def test_icons_are_drawn_for_the_screen_they_are_shown_on(qapp):
    dense = draw_icon("search", "#000000", 18, 2.0)
    assert dense.width() == 36
    small = dense.toImage().scaled(18, 18, mode=Qt.TransformationMode.SmoothTransformation)
    plain = draw_icon("search", "#000000", 18, 1.0).toImage()
    apart = [abs(small.pixelColor(x, y).alpha() - plain.pixelColor(x, y).alpha()) for x in range(18) for y in range(18)]
    assert sum(apart) / len(apart) < 16, "the same picture, with more points"
