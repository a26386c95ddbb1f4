"""How orders reach a model: between the fences, without control words, with nothing in them that no reader sees."""

from __future__ import annotations

import re
import unicodedata

import pytest

from tests.injection.conftest import Poisoned
from tests.injection.documents import PLANTED
from tests.injection.gullible import Gullible
from trisynapse_memory.text.windows import Part, Window, one_label, write_evidence
from trisynapse_memory.types import Passage, RecordId
from trisynapse_memory.types.compiled import Support, WikiSection
from trisynapse_memory.wiki.prose import write_brief
from trisynapse_memory.wiki.sentences import anchored

FENCE = re.compile(r"\[\[(?:passage \d+|context) (\w+)\]\]\n(.*?)\n\[\[end \1\]\]", re.DOTALL)
CONTROL = ("<|", "|>", "<｜", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>", "<end_of_turn>", "</s>", "<s>")


def outside(text: str) -> str:
    """A prompt without what stands between its fences."""
    return FENCE.sub("", text)


def test_an_order_stands_between_fences_only(poisoned: Poisoned):
    prompts = [one.prompt for one in poisoned.model.exchanges if one.orders]
    assert prompts
    words = [one.order.word for one in PLANTED]
    assert not [text for text in map(outside, (one.text for one in prompts)) if any(word in text for word in words)]
    assert not [one for one in prompts if any(word in one.instructions for word in words)]


def test_no_control_word_of_a_chat_template_and_nothing_unseen_reaches_a_model(poisoned: Poisoned):
    texts = [one.prompt.text for one in poisoned.model.exchanges]
    assert any("im_start" in text for text in texts)  # the words are there, torn apart
    assert not [(sign, text) for text in texts for sign in CONTROL if sign in text]
    assert not {
        one for text in texts for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf", "Co")
    }


@pytest.mark.parametrize("word", [*CONTROL, "<bos>", "<tool_call>", "[TOOL_CALLS]", "<think>"])
def test_a_control_word_is_torn_apart_wherever_it_stands(word: str):
    shown = write_evidence(Window((Part(Passage(seq=1, text=f"a {word} b", title=word), 0, len(word) + 4),), word))
    assert word not in shown
    assert word not in one_label(word)


@pytest.mark.parametrize("text", ["a < b and c > d", "x[1] <- y[2]", "<p>Hello</p>", "if (a<b) {}", "[12] p < .05"])
def test_other_brackets_stay_as_they_are(text: str):
    assert text in write_evidence(Window((Part(Passage(seq=1, text=text), 0, len(text)),)))


def test_the_title_of_a_page_is_quoted_like_its_statements():
    title = PLANTED[0].order.text
    support = Support(
        fact_id=RecordId("f"), record_id=RecordId("r"), source_id=None, title=title, excerpt="A is B.", start=0, end=7
    )
    one = anchored("k", "A is B.", (support,), section=WikiSection.LEAD)
    prompt, count = write_brief(title, (one, one, one), Gullible())
    assert count == 3
    assert title[:60] in prompt.text
    assert title[:60] not in outside(prompt.text)
