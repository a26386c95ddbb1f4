"""Types: pyright, under the project's own settings, is strict on the engine and sees an error in the app."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from house_files import ROOT

UNTYPED = '"""M."""\n\n\ndef double(value):\n    """Double."""\n    return value + value\n'
WRONG = '"""M."""\n\nCOUNT: int = "three"\n'


def test_planted_type_errors_are_found_where_they_should_be(tmp_path: Path):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    for package in ("engine/trisynapse_memory", "trisynapse_desktop"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
        (tmp_path / package / "wrong.py").write_text(WRONG, encoding="utf-8")
        (tmp_path / package / "untyped.py").write_text(UNTYPED, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--project", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=110)
    errors = {
        (Path(found["file"]).parent.name, Path(found["file"]).stem)
        for found in json.loads(done.stdout)["generalDiagnostics"]
        if found["severity"] == "error"
    }
    assert errors == {
        ("trisynapse_memory", "wrong"),
        ("trisynapse_memory", "untyped"),
        ("trisynapse_desktop", "wrong"),
    }
