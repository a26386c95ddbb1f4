"""Who may import whom: the contracts hold, leaf branches stay leaves, and start-up loads nothing heavy."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

import house_imports as rules
from house_files import PRODUCT, ROOT, expect_none, python_files, read

TABLE = "engine/trisynapse_memory/branches.py"
LEAF_FOLDERS = frozenset(
    f"engine/trisynapse_memory/{folder}"
    for folder in (
        "preprocessing/loaders",
        "preprocessing/sites",
        "extraction/extractors",
        "indexing/indexes",
        "retrieval/routes",
        "providers",
        "exporters",
    )
)


def test_every_contract_is_kept():
    broken, report = rules.broken_contracts(ROOT, ROOT / "engine", ROOT)
    assert broken == set(), report


def test_no_module_imports_a_leaf_branch():
    leaves = rules.leaf_modules(read(TABLE))
    assert leaves
    found = [v for name in python_files(PRODUCT) for v in rules.check_leaf_imports(name, read(name), leaves)]
    expect_none(found)


def test_heavy_libraries_are_imported_by_leaves_at_first_use():
    found = [v for name in python_files(PRODUCT) for v in rules.check_heavy_imports(name, read(name), LEAF_FOLDERS)]
    expect_none(found)


ASK_VERSION = """
import sys
from trisynapse_memory.surfaces.cli import main
sys.argv = ["trisynapse-memory", "--version"]
try:
    code = main()
except SystemExit as stop:
    code = stop.code
assert not code, code
"""
COLD_STARTS = [
    ("trisynapse_memory", "import trisynapse_memory"),
    ("trisynapse_memory.surfaces.cli", ASK_VERSION),
    ("trisynapse_desktop.app", "import trisynapse_desktop.app"),
]


@pytest.mark.parametrize(("module", "code"), COLD_STARTS, ids=[module for module, _ in COLD_STARTS])
def test_starting_loads_no_heavy_library(module: str, code: str):
    if module != "trisynapse_memory" and find_spec(module) is None:
        pytest.skip(f"{module} is not written yet")
    assert rules.heavy_modules_after(code) == set()


def test_a_heavy_library_at_start_is_noticed():
    assert rules.heavy_modules_after("import onnxruntime") == {"onnxruntime"}


ENGINE_LADDER = "Engine: a line imports lines below it, never above"
APP_LADDER = "App: a line imports lines below it, never above"
FRONT_DOOR = "App: knows the engine's public names, types and errors only"
NO_QT = "Engine: imports neither the app nor Qt"
LOG_READERS = "Engine: only grounding, indexing, pipelines and the facade import the log"
HEAVY = "Heavy libraries: imported by leaf branches only"

PLANTED = [
    ("trisynapse_memory/text/tokens.py", "import trisynapse_memory.vault", {ENGINE_LADDER}),
    ("trisynapse_memory/retrieval/x.py", "from trisynapse_memory.indexing import projector", {ENGINE_LADDER}),
    ("trisynapse_memory/registry.py", "from trisynapse_memory import config", {ENGINE_LADDER}),
    ("trisynapse_memory/client.py", "import trisynapse_memory.service", {ENGINE_LADDER}),
    ("trisynapse_memory/attic.py", "", {ENGINE_LADDER}),
    ("trisynapse_memory/retrieval/x.py", "from trisynapse_memory.log import store", {LOG_READERS}),
    ("trisynapse_memory/surfaces/x.py", "import trisynapse_memory.log.store", {LOG_READERS}),
    ("trisynapse_memory/scoring/x.py", "from PySide6.QtCore import QObject", {NO_QT}),
    ("trisynapse_memory/scoring/x.py", "import trisynapse_desktop.theme", {NO_QT}),
    ("trisynapse_memory/pipelines/x.py", "import pymupdf", {HEAVY}),
    ("trisynapse_desktop/theme.py", "import onnxruntime", {HEAVY}),
    ("trisynapse_desktop/theme.py", "import trisynapse_desktop.window", {APP_LADDER}),
    ("trisynapse_desktop/theme.py", "import trisynapse_desktop.bridge", {APP_LADDER}),
    ("trisynapse_desktop/models/x.py", "import trisynapse_desktop.operations.ask", {APP_LADDER}),
    ("trisynapse_desktop/bridge.py", "from trisynapse_memory.vault import Vault", {FRONT_DOOR}),
    ("trisynapse_memory/preprocessing/loaders/a.py", "from . import b", {"Leaves: loaders never import each other"}),
    ("trisynapse_memory/extraction/extractors/a.py", "from . import b", {"Leaves: extractors never import each other"}),
    ("trisynapse_memory/indexing/indexes/a.py", "from . import b", {"Leaves: indexes never import each other"}),
    ("trisynapse_memory/retrieval/routes/a.py", "from . import b", {"Leaves: routes never import each other"}),
    ("trisynapse_memory/exporters/a.py", "from . import b", {"Leaves: exporters never import each other"}),
    ("trisynapse_desktop/panes/a.py", "from . import b", {"Leaves: panes never import each other"}),
    (
        "trisynapse_memory/providers/gemini.py",
        "from . import anthropic",
        {"Leaves: providers never import each other, only keys and egress"},
    ),
]

SOUND = {
    "trisynapse_memory/retrieval/routes/a.py": "from trisynapse_memory import contracts",
    "trisynapse_memory/preprocessing/loaders/a.py": "import pymupdf",
    "trisynapse_memory/pipelines/x.py": "import trisynapse_memory.log.store, trisynapse_memory.indexing",
    "trisynapse_memory/memory_engine.py": "import trisynapse_memory.pipelines.x",
    "trisynapse_memory/surfaces/x.py": "from trisynapse_memory import memory_engine",
    "trisynapse_memory/providers/gemini.py": "from . import keys",
    "trisynapse_desktop/panes/a.py": "from trisynapse_desktop import bridge\nfrom PySide6 import QtWidgets",
    "trisynapse_desktop/bridge.py": "from trisynapse_memory.types import Hit\nimport trisynapse_memory.errors",
}


@pytest.fixture
def small_house(tmp_path: Path) -> Path:
    """Lay down empty rooms of every storey under the project's own contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    packages = ("text", "retrieval/routes", "indexing/indexes", "log", "providers", "pipelines", "surfaces", "scoring")
    packages += ("preprocessing/loaders", "extraction/extractors", "exporters")
    modules = ["trisynapse_memory/" + name for name in ("vault", "types", "errors", "config", "contracts", "service")]
    modules += ["trisynapse_memory/" + name for name in ("log/store", "indexing/projector", "providers/keys")]
    modules += ["trisynapse_memory/providers/anthropic", "trisynapse_desktop/operations/ask"]
    modules += ["trisynapse_desktop/" + name for name in ("window", "theme", "bridge")]
    modules += [f"trisynapse_memory/{folder}/b" for folder in packages] + ["trisynapse_desktop/panes/b"]
    for module in (*modules, "trisynapse_desktop/models/b"):
        plant(tmp_path, f"{module}.py", "")
    return tmp_path


def plant(root: Path, path: str, text: str) -> None:
    file = root / path
    for folder in (file.parent, *file.parent.parents):
        if folder == root:
            break
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    file.write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize(("path", "text", "expected"), PLANTED, ids=[f"{path}: {text}" for path, text, _ in PLANTED])
def test_a_planted_import_breaks_its_contract_and_no_other(small_house: Path, path: str, text: str, expected: set[str]):
    plant(small_house, path, text)
    broken, report = rules.broken_contracts(small_house, small_house)
    assert broken == expected, report


def test_imports_in_the_right_direction_break_nothing(small_house: Path):
    for path, text in SOUND.items():
        plant(small_house, path, text)
    broken, report = rules.broken_contracts(small_house, small_house)
    assert broken == set(), report


def test_an_imported_leaf_is_found_whatever_the_spelling():
    table = 'ROWS = (("loader", "pdf", "trisynapse_memory.preprocessing.loaders.pdf:PdfLoader"),)'
    leaves = rules.leaf_modules(table)
    path = "engine/trisynapse_memory/preprocessing/loading.py"
    for text in (
        "import trisynapse_memory.preprocessing.loaders.pdf",
        "from trisynapse_memory.preprocessing.loaders import pdf",
        "from trisynapse_memory.preprocessing.loaders.pdf import PdfLoader",
        "def f():\n    from .loaders import pdf",
    ):
        assert len(rules.check_leaf_imports(path, text, leaves)) >= 1, text
    assert rules.check_leaf_imports(path, "from .loaders import html", leaves) == []


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("engine/trisynapse_memory/providers/a.py", "import onnxruntime", 1),
        ("engine/trisynapse_memory/providers/a.py", "from onnxruntime import InferenceSession", 1),
        ("engine/trisynapse_memory/providers/a.py", "def f():\n    import onnxruntime", 0),
        ("engine/trisynapse_memory/providers/a.py", "if TYPE_CHECKING:\n    import onnxruntime", 0),
        ("engine/trisynapse_memory/preprocessing/chunking.py", "def f():\n    import pymupdf", 1),
        ("trisynapse_desktop/window.py", "def f():\n    import pymupdf.utils", 1),
    ],
)
def test_a_heavy_import_in_the_wrong_place_is_found(path: str, text: str, count: int):
    assert len(rules.check_heavy_imports(path, text, LEAF_FOLDERS)) == count
