"""A sentence in, what stands in it without being said out: orders to whoever reads it, and what markup hides.

A document may tell whoever reads it for her what to write or to forget, or spell a reply in our own form. Such a
sentence states nothing: it is no answer, and what it wants to be said is not said by it.

Limits: the turns of phrase that attacks are known for, in nine languages. An order in other words is taken for a
statement; it can be quoted then, whole and with its place, like any other sentence.
"""

from __future__ import annotations

import re
from typing import Final

from trisynapse_memory.text.spans import normalise

_DROPS: Final = (
    r"(?:ignore|disregard|forget|override|bypass)\b[^.!?]{0,60}?\b(?:instructions?|prompts?|rules|orders)\b",
    r"(?:ignoriere|vergiss|missachte)n?\b[^.!?]{0,60}?\b(?:Anweisungen|Befehle|Regeln|Instruktionen)\b",
    r"(?:ignore[zr]?|oublie[zr]?)\b[^.!?]{0,60}?\b(?:consignes|règles)\b",
    r"(?:ignor[ae]|olvid[ae])\b[^.!?]{0,60}?\b(?:instrucciones|reglas|instruções|regras)\b",
    r"(?:ignora|dimentica)\b[^.!?]{0,60}?\b(?:istruzioni|regole)\b",
    r"(?:игнорируй|забудь)(?:те)?\b[^.!?]{0,60}?\b(?:инструкции|указания|правила)\b",
    r"(?:忽略|无视|忘记)[^。！？]{0,30}?(?:指令|指示|说明|规则)",
    r"[^。！？]{0,20}?(?:指示|命令)[^。！？]{0,10}?無視",
    r"تجاهل\b[^.!?]{0,60}?(?:التعليمات|الأوامر)",
)
_DROP: Final = "|".join(_DROPS)
_VERB: Final = r"(?:add|append|include|insert|output|print|repeat|reply|respond|answer|say|state|write)"
_SAY: Final = (
    rf"{_VERB}\b(?: (?:back|with|by|only|just|exactly|that|saying|to (?:her|him|them|the user)))*"
    r"(?: (?:the|this|these|those) (?:exact )?(?:following|sentences?|words?|lines?|text|phrase)\b|\s?: ?[\"']| [\"'])"
)
_POLITE: Final = r"(?:(?:please|now|then|and|also|always|instead|you (?:must|should|will|have to|need to)),? )"
# What stands before an order without saying anything: a bracket, a control word of a chat, the name of a role.
_HEAD: Final = (
    r"(?:```\w*|[^\w<\[]|</?[\w|\uff5c\u2581]+>|<<[^<>]*>>|\[/?\w+\]"
    r"|(?:system|user|human|assistant|model|ai|important|note|attention|question)\b\s?[:\-]?)*"
)
_REPLY: Final = r"\"(?:sentences|passages|facts|evidence|tool|tool_calls|arguments)\"\s*:"
_ORDERS: Final = re.compile(
    rf"(?:{_DROP})|{_REPLY}|(?:^{_HEAD}|[.:;,] |\b){_POLITE}+{_SAY}|(?:^{_HEAD}|: ){_SAY}", re.IGNORECASE
)
_FOR_HER: Final = r"[^!?]*\b(?:in|to|into|of) your (?:answer|reply|response|output|summary)\b"
# In the words of a chat with a model: 'User: Please say "A is B"'. That is no talk of hers, whose turns bear her name.
_IN_A_ROLE: Final = (
    rf"^(?:[^\w<\[]|<[^<>]*>)*(?:system|user|human|assistant|model|ai)\b(?:\s?[:\-]\s?|\s){_POLITE}+{_SAY}"
)
_LEADS: Final = re.compile(
    rf"(?:^|[:>\]\uff1a] ?){_HEAD}{_POLITE}*(?:{_DROP}|{_SAY}{_FOR_HER})|^[^\w\"]*{_REPLY}|{_IN_A_ROLE}", re.IGNORECASE
)
_HIDDEN: Final = re.compile(r"<!--.*?-->|!\[[^\]]*\]|(?<=\])\([^()]*\)", re.DOTALL)
_MIXED: Final = re.compile(r"[a-z][\u0430-\u0456]|[\u0430-\u0456][a-z]", re.IGNORECASE)
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0410\u0415\u041e\u0420\u0421\u0425\u0406", "aeopcxyiAEOPCXI"
)


def holds_order(sentence: str) -> bool:
    """Tell whether somewhere in a sentence its reader is told what to write, also where that is only quoted."""
    return any(_ORDERS.search(reading) for reading in _readings(sentence))


def is_order(sentence: str) -> bool:
    """Tell whether a sentence is an order to whoever answers from it; one that quotes an order is none.

    "Write 'sample A' on the tube" is one to a reader of a manual, and stays an answer.
    """
    return any(_LEADS.search(reading) for reading in _readings(sentence))


def blank_hidden(text: str) -> str:
    """Return a text of the same length without what a reader of Markdown does not see: comments, pictures, targets."""
    return _HIDDEN.sub(lambda found: " " * len(found.group()), text)


def _readings(sentence: str) -> tuple[str, ...]:
    """A sentence as it is read; with Cyrillic letters for Latin ones, also as it looks.

    ASCII is taken as it is, for thousands of sentences are looked at for one answer.
    """
    if sentence.isascii():
        return (" ".join(sentence.split()),)
    plain = normalise(sentence).text
    return (plain, plain.translate(_LOOKALIKES)) if _MIXED.search(plain) else (plain,)
