"""Settings in, a quiet test process out: the environment is laid down before any Qt or numeric library is imported."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# Without a platform and without a display Qt aborts the process. A journey that wants a real window starts its own
# process with QT_QPA_PLATFORM=xcb; nothing in this process needs a screen.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
# The machine is shared and small: threads of a numeric library would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The keyring of whoever runs the tests is not ours to read.
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
# Nor are their model files, their device id and their ledger of what left the machine.
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="trisynapse-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_DATA_HOME"], ignore_errors=True)

LONGEST_FIRST = ("tests/engine/test_life_cycle.py", "tests/journeys/", "tests/injection/")


def pytest_collection_modifyitems(items):
    """Begin with what takes minutes: begun last, it would keep one core waiting for the other."""
    items.sort(key=lambda one: next((n for n, part in enumerate(LONGEST_FIRST) if one.nodeid.startswith(part)), 9))
