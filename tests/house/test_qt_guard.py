"""Qt: the locked release is the one that survives void calls on this Python; a bump that aborts is caught here."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from house_files import read

LOCKED = "6.11.3"  # 6.12.0 aborts on Python 3.10 and 3.11 (none_dealloc) after about 5,000 void calls
CHILD = """
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication([])
widget = QWidget()
for _ in range(20_000):
    widget.update()
print("survived")
"""


def test_twenty_thousand_void_calls_leave_the_interpreter_alive():
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "survived"), done.stderr


@pytest.mark.parametrize("lock", ["runtime", "dev"])
@pytest.mark.parametrize("part", ["pyside6", "pyside6-addons", "pyside6-essentials", "shiboken6"])
def test_every_part_of_qt_is_locked_to_the_guarded_release(lock: str, part: str):
    pins = re.findall(rf"^{part}==(\S+)", read(f"packaging/requirements/{lock}.txt"), flags=re.MULTILINE)
    assert pins == [LOCKED]
