"""Two sentences in a row in, what the pronoun that opens the second stands for out. Only clear cases are answered."""

from __future__ import annotations

from trisynapse_memory.extraction.phrases import NOUNS, is_vague, noun_phrase
from trisynapse_memory.extraction.sentence import Sentence, Word


def antecedent_of(before: Sentence | None, words: tuple[Word, ...]) -> str:
    """Return what "It", "They" or "This method" at the start of a sentence stands for, or "" when that is not clear.

    It is the subject of the sentence before, if that names no second thing, or its only noun when its subject is "we";
    one thing for "it", several for "they". A pronoun there hands on what it stands for itself.
    """
    if before is None or not words or words[0].lower not in {"it", "they", "this", "these"}:
        return ""
    root = next((index for index, word in enumerate(before.words) if word.head == index), None)
    subject = before.child(root, "nsubj", "nsubjpass") if root is not None else None
    if subject is None or before.words[0].dep == "expl":
        return ""
    head = before.words[subject]
    if head.lower in {"we", "i"}:
        subject = _only_noun(before)
        if subject is None:
            return ""
        head = before.words[subject]
    elif _names_another(before, subject):
        return ""
    if head.lower in {"it", "they"}:
        return before.antecedent
    if head.pos not in NOUNS or head.entity == "PERSON" or before.child(subject, "conj", "relcl", "appos") is not None:
        return ""
    plural = head.tag in {"NNS", "NNPS"}
    if plural != (words[0].lower in {"they", "these"}):
        return ""
    phrase = noun_phrase(before, subject)
    return "" if phrase is None or is_vague(phrase.text) else phrase.text


def _only_noun(sentence: Sentence) -> int | None:
    """The one noun that is a subject or an object in a sentence, or None when there are more."""
    places = ("dobj", "pobj", "nsubj", "nsubjpass", "conj", "attr")
    found = [index for index, word in enumerate(sentence.words) if word.dep in places and word.pos in NOUNS]
    return found[0] if len(found) == 1 else None


def _names_another(sentence: Sentence, subject: int) -> bool:
    """Whether the sentence names a second thing outright, which a pronoun may mean as well."""
    places = ("dobj", "dative", "attr", "conj")
    return any(word.pos == "PROPN" and word.dep in places for at, word in enumerate(sentence.words) if at != subject)
