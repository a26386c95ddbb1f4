"""Nothing in, a folder with tiny corpora out: one conversation in LoCoMo's form, written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trisynapse_memory.bench import embeddings


def turn(number: int, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"speaker": speaker, "dia_id": f"D1:{number}", "text": text, **more}


def question(text: str, category: int, *evidence: str) -> dict[str, Any]:
    return {"question": text, "answer": "-", "category": category, "evidence": list(evidence)}


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of a stub must never reach the cache of whoever runs the tests."""
    monkeypatch.delenv(embeddings.CACHE_VARIABLE, raising=False)


@pytest.fixture
def conversation() -> list[dict[str, Any]]:
    """One conversation of two sessions, with a malformed evidence id, an unanswerable question and a caption."""
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    turn(1, "Ann", "I bought a telescope."),
                    turn(2, "Ben", "Which planets did you see?"),
                    turn(3, "Ann", "Look!", blip_caption="a photo of Saturn with rings"),
                ],
                "session_2_date_time": "10:05 am on 1 June, 2023",
                "session_2": [
                    {"speaker": "Ben", "dia_id": "D2:1", "text": "My sister moved to Lisbon."},
                    {"speaker": "Ann", "dia_id": "D2:2", "text": "Our garden has tomatoes."},
                ],
            },
            "qa": [
                question("Who bought a telescope?", 4, "D1:1"),
                question("Where did the sister of Ben move, and who has tomatoes?", 1, "D2:1", "D2:2", "D9:1 D4:4"),
                question("What was on the photo?", 4, "D"),
                question("Did Ben buy a telescope?", 5, "D1:1"),
            ],
        }
    ]


@pytest.fixture
def corpora(tmp_path: Path, conversation: list[dict[str, Any]]) -> Path:
    """A folder of corpora with one LoCoMo file."""
    folder = tmp_path / "corpora" / "locomo"
    folder.mkdir(parents=True)
    (folder / "tiny.json").write_text(json.dumps(conversation), encoding="utf-8")
    return folder.parent
