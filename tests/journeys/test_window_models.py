"""The installed program in a real window, with a model server on loopback: asked, listed, then offline."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.eyes import COMPOSER, SIDEBAR, Eyes
from tests.model_servers import MODEL, ModelServer, Trouble
from trisynapse_desktop.theme import LIGHT

pytestmark = [pytest.mark.journey, pytest.mark.slow, pytest.mark.timeout(240)]

PAPER = Path(__file__).resolve().parents[2] / "resources" / "sample" / "01-the-turning-mirror.pdf"
QUESTION = "Who first measured the speed of light with a rotating mirror?"
SENTENCE = "Léon Foucault was the first to measure the speed of light with a rotating mirror, in 1862."
PASSAGE = re.compile(r"\[\[passage (\d+) \w+\]\].*?Text:\n(.*?)\n\[\[end", re.DOTALL)
WORD_PAUSE_S = 0.15  # of the model, so that there is something to see between two sentences
SWITCH = (690, 140, 884, 184)  # the offline switch in Settings, Privacy
LEDGER = (80, 560, 880, 764)  # the rows of the ledger below
WIDE = 300  # px; a chosen row is wider, a ring around a button is not


def reply(body: Any) -> str:
    """Two rows out of the passage that answers: the sentence she waits for, and another one to wait on."""
    passages = [(number, " ".join(text.split())) for number, text in PASSAGE.findall(body["messages"][-1]["content"])]
    number, text = next((one for one in passages if SENTENCE in one[1]), passages[0])
    texts = (SENTENCE, text.partition(SENTENCE)[2].strip().partition(". ")[0] + ".")
    rows = [{"text": one, "passages": [int(number)], "evidence": [int(number)]} for one in texts]
    return json.dumps({"sentences": rows}, ensure_ascii=False)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(reply) as made:
        yield made


@pytest.fixture
def eyes(screen: Any) -> Eyes:
    return Eyes(screen)


def test_a_streamed_answer_its_line_in_the_ledger_and_quotes_again_when_offline(desktop, screen, eyes, wait, server):
    desktop.start()
    desktop.drop(PAPER)
    wait(lambda: [source for source in desktop.sources() if source["record_count"]], "a paper in the vault", 60)
    desktop.program.ask("models", "add-service", "Lab", server.url)
    assert desktop.program.ask("models", "set", "answer", "lab", MODEL)["role"]["state"] == "ready"

    server.troubles.append(Trouble("slow", pause_s=WORD_PAUSE_S))
    screen.keys("ctrl+l")
    screen.write(QUESTION)
    screen.keys("Return")
    wait(
        lambda: eyes.count(LIGHT.chosen, SIDEBAR) > 200 and is_writing(eyes),
        "a sentence with its chip, while it writes",
    )
    assert desktop.answers() == []
    (answer,) = wait(desktop.answers, "the answer in the thread", 60)
    assert (answer["model"], answer["sentences"][0]["text"]) == (f"lab/{MODEL}", SENTENCE)
    assert server.requests[-1].body["stream"]

    (row,) = desktop.program.ask("egress")["requests"]
    assert (row["host"], row["sent_bytes"]) == ("127.0.0.1", server.received_bytes)
    screen.keys("ctrl+shift+comma")
    wait(lambda: chosen_row(screen, eyes), "the request in the ledger")

    screen.keys("ctrl+shift+comma")
    wait(lambda: switch_by_tab(screen, eyes), "the switch, by Tab")
    screen.keys("space")
    wait(lambda: desktop.program.ask("privacy", "offline")["offline"], "offline")
    screen.keys("ctrl+l")
    screen.write(QUESTION)
    screen.keys("Return")
    answers = wait(lambda: found if len(found := desktop.answers()) == 2 else None, "the second answer")
    assert (answers[1]["model"], answers[1]["answer"]) == (None, SENTENCE)
    assert "offline" in answers[1]["note"]
    assert len(server.requests) == 1
    assert desktop.close() == 0


def is_writing(eyes: Eyes) -> bool:
    """The button beside the question stops the answer."""
    return eyes.find_icon("square", COMPOSER, LIGHT.muted, LIGHT.window) is not None


def chosen_row(screen: Any, eyes: Eyes) -> bool:
    """Click where the first row of a table would be; only a row is marked in its whole width."""
    for y in range(LEDGER[1], LEDGER[3], 24):
        screen.click((LEDGER[0] + 60, y))
        time.sleep(0.1)
        if (eyes.mask(LIGHT.chosen, LEDGER).sum(axis=1) > WIDE).any():
            return True
    return False


def switch_by_tab(screen: Any, eyes: Eyes) -> bool:
    """Go on by Tab until the switch has the accent's ring."""
    screen.keys("Tab")
    return eyes.count(LIGHT.accent, SWITCH) > 20
