from __future__ import annotations

import msgspec
import pytest
from PySide6.QtWidgets import QProgressBar, QPushButton

from trisynapse_desktop.theme import Theme
from trisynapse_desktop.widgets.local_models import LocalModels, facts_of, names_near, size_words
from trisynapse_memory.types import LocalModel

MODELS = [
    LocalModel(
        name=f"m{size}",
        label=f"Model {size}B",
        file_name=f"{size}.gguf",
        size_bytes=size * 600_000_000,
        url="https://models.example",
        speed=60 / size,
        fit="good" if size < 9 else "too-large",
    )
    for size in range(1, 11)
]


def changed(model, **changes):
    return msgspec.structs.replace(model, **changes)


@pytest.fixture
def listed(qapp, qtbot):
    made = LocalModels(Theme(qapp))
    qtbot.addWidget(made)
    made.show()
    return made


def button(listed, name):
    (found,) = [one for one in listed.findChildren(QPushButton) if one.accessibleName() == name]
    return found


def test_of_a_long_list_only_what_suits_this_computer_is_shown_first(listed):
    models = [*MODELS[:8], changed(MODELS[8], state="ready", path="/9.gguf"), MODELS[9]]
    assert names_near(models) == {"m5", "m6", "m7", "m9"}  # ten tokens a second, its neighbours, and what is here
    listed.show_models(models)
    assert not button(listed, "Download Model 1B").isVisible()
    assert button(listed, "Download Model 6B").isVisible()
    listed._all.click()
    assert button(listed, "Download Model 1B").isVisible()
    listed.show_models(models)
    assert button(listed, "Download Model 1B").isVisible(), "news does not fold it"
    listed._all.click()
    assert not button(listed, "Download Model 1B").isVisible()


def test_on_a_slow_computer_the_smallest_are_shown(listed):
    slow = [changed(one, speed=1.0) for one in MODELS]
    assert names_near(slow) == {"m1", "m2"}


def test_a_short_list_is_shown_whole():
    assert names_near(MODELS[:3]) == {"m1", "m2", "m3"}


def test_a_download_shows_how_far_it_is_and_can_be_stopped(listed, qtbot):
    listed.show_models([changed(MODELS[0], state="downloading", done_bytes=150_000_000)])
    (bar,) = listed.findChildren(QProgressBar)
    assert bar.value() == 250
    with qtbot.waitSignal(listed.wanted, timeout=5_000):  # it asks for news by itself
        pass
    with qtbot.waitSignal(listed.stopped) as stopped:
        button(listed, "Stop Model 1B").click()
    assert stopped.args == ["m1"]
    listed.show_models([changed(MODELS[0], done_bytes=150_000_000)])
    assert button(listed, "Go on Model 1B").isVisible()
    assert not bar.isVisible()


def test_a_broken_file_says_why_and_can_be_fetched_anew_or_removed(listed):
    listed.show_models([changed(MODELS[0], state="broken", note="It is cut short.", path="/1.gguf")])
    assert button(listed, "Download Model 1B").isVisible()
    assert button(listed, "Remove Model 1B").isVisible()
    assert not button(listed, "Use Model 1B").isVisible()


def test_facts_leave_out_what_is_not_known():
    assert facts_of(MODELS[0]) == "600 MB · about 60 tokens a second here"
    bare = LocalModel(name="own", label="own", file_name="own.gguf", size_bytes=2_500, licence="MIT")
    assert facts_of(bare) == "2 kB · MIT"
    assert size_words(4_683_000_000) == "4.7 GB"
