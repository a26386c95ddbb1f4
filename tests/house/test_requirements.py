"""Requirements: one list in pyproject.toml, the same in the .in files, and locks that hold pins and hashes only."""

from __future__ import annotations

import re
import tomllib

import pytest

from house_files import ROOT, read

FOLDER = ROOT / "packaging" / "requirements"
PROJECT = tomllib.loads(read("pyproject.toml"))
LOCKS = sorted(path.name for path in FOLDER.glob("*.txt"))


def wanted(name: str) -> list[str]:
    lines = (line.strip() for line in (FOLDER / f"{name}.in").read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def pins(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (FOLDER / name).read_text(encoding="utf-8"), flags=re.MULTILINE))


@pytest.mark.parametrize("extra", ["runtime", "dev", "local-llm", "sentence-transformers", "ocr", "speech"])
def test_the_lists_to_lock_say_what_pyproject_says(extra: str):
    project = PROJECT["project"]
    listed = project["dependencies"] if extra == "runtime" else project["optional-dependencies"][extra]
    assert wanted(extra) == listed


def test_the_build_tool_is_locked_as_declared():
    assert set(PROJECT["build-system"]["requires"]) <= set(wanted("build"))
    assert {"hatchling", "editables"} <= pins("build.txt").keys()


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_exact_pins_with_hashes_and_no_place(name: str):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert not re.search(r"://|^\s*--(?!hash)|^-", text, flags=re.MULTILINE)
    blocks = re.split(r"^(?=[a-z0-9])", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    blocks = [block for block in blocks if block.strip()]
    assert blocks
    assert [
        block for block in blocks if not re.match(r"[a-z0-9.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", block, re.DOTALL)
    ] == []


@pytest.mark.parametrize("name", [name for name in LOCKS if name != "runtime.txt"])
def test_all_locks_agree_with_the_runtime(name: str):
    runtime, other = pins("runtime.txt"), pins(name)
    assert {key: other[key] for key in other.keys() & runtime.keys()} == {
        key: runtime[key] for key in other.keys() & runtime.keys()
    }


def test_everything_declared_is_locked():
    names = [re.split(r"[<>=\[]", line)[0].lower().replace("_", "-") for line in wanted("runtime")]
    assert [name for name in names if name not in pins("runtime.txt")] == []
    assert pins("runtime.txt").keys() <= pins("dev.txt").keys()
