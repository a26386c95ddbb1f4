"""What a wheel holds, and that the app works from it alone: icons, styles and the sample lie inside the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from trisynapse_desktop.operations.vault import sample_inputs
from trisynapse_desktop.theme import resources_folder

ROOT = Path(__file__).resolve().parents[2]
PAPERS = {path.name for path in (ROOT / "resources" / "sample").glob("*.pdf")}
# The window's own way to a sample vault, over the real engine; told is where the code and each source came from.
SAMPLE = """
import asyncio, json, sys
from pathlib import Path
import qasync
import trisynapse_desktop, trisynapse_memory
from trisynapse_desktop.app import compose, make_application
from trisynapse_desktop.bridge import Bridge
from trisynapse_desktop.session import Session

async def fill(window):
    window.context.actions.action("vault.sample").trigger()
    call = window.context.bridge.call
    for _ in range(600):
        names = [source.filename for source in await call("sources.list") if source.record_count]
        if len([name for name in names if name.endswith(".pdf")]) == 6:
            return names
        await asyncio.sleep(0.05)

application = make_application()
loop = qasync.QEventLoop(application)
asyncio.set_event_loop(loop)
window = compose(application, Session(Path(sys.argv[1])), Bridge())
with loop:
    names = loop.run_until_complete(fill(window))
    window.close()
print(json.dumps([trisynapse_desktop.__file__, trisynapse_memory.__file__, names]))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of a fresh wheel: what a plain installation puts into site-packages."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run([*command, "-w", str(folder), str(ROOT)], capture_output=True, text=True, check=False)
    if "No module named" in done.stderr and "hatchling" in done.stderr:
        pytest.skip("needs hatchling: pip install -r packaging/requirements/build.txt")
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(site: Path | None, home: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "OMP_NUM_THREADS": "1",
        "HOME": str(home),
        "XDG_DOCUMENTS_DIR": str(home / "Documents"),
    }
    environment.pop("PYTHONPATH", None)
    if site is not None:
        # Before the editable install's own path, so that nothing of the source tree is found.
        environment["PYTHONPATH"] = str(site)
    command = [sys.executable, "-P", *map(str, words)]
    return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, timeout=110, check=False)


def test_the_source_tree_finds_its_resources():
    paths = [Path(entry.path) for entry in sample_inputs()]
    assert all(path.is_file() for path in paths)
    assert {path.name for path in paths} >= PAPERS
    assert (resources_folder() / "styles" / "app.qss").is_file()


@pytest.mark.slow
def test_a_wheel_holds_the_app_the_engine_and_what_they_show(unpacked: Path):
    resources = unpacked / "trisynapse_desktop" / "resources"
    for folder, pattern in (("icons", "*.svg"), ("styles", "*.qss"), ("sample", "*.pdf"), ("sample", "questions.json")):
        ours = {path.name for path in (ROOT / "resources" / folder).glob(pattern)}
        assert ours
        assert {path.name for path in (resources / folder).glob(pattern)} == ours
    assert (unpacked / "trisynapse_memory" / "service.py").is_file()
    assert {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")} == {
        "trisynapse_desktop",
        "trisynapse_memory",
    }
    (scripts,) = unpacked.glob("*.dist-info/entry_points.txt")
    assert "trisynapse = trisynapse_desktop.app:main" in scripts.read_text()


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("how", ["editable", "wheel"])
def test_the_app_makes_its_sample_vault(how: str, request: pytest.FixtureRequest, tmp_path: Path):
    site = request.getfixturevalue("unpacked") if how == "wheel" else None
    done = run(site, tmp_path, "-c", SAMPLE, tmp_path / "session.json")
    assert done.returncode == 0, done.stderr
    app, engine, names = json.loads(done.stdout)
    home = site or ROOT
    assert Path(app).is_relative_to(home)
    assert Path(engine).is_relative_to(home)
    assert set(names) >= PAPERS
    assert f"trisynapse_desktop{os.sep}" not in done.stderr, "no file of the app stands in a traceback"
    assert (tmp_path / "Documents" / "Trisynapse" / "The speed of light.vault" / "vault.toml").is_file()


@pytest.mark.slow
@pytest.mark.real
def test_the_self_check_passes_from_a_wheel(unpacked: Path, tmp_path: Path):
    picture = tmp_path / "window.png"
    done = run(
        unpacked, tmp_path, "-m", "trisynapse_desktop", "--selfcheck", tmp_path / "v", "--screenshot", picture, "--json"
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"], report["problem"]) == (0, True, "")
    assert "Foucault" in report["answer"]
    assert report["highlighted"][0]["page"] == 1
    assert picture.stat().st_size > 20_000
    assert f"trisynapse_desktop{os.sep}" not in done.stderr, "no file of the app stands in a traceback"
