"""A clause and its two sides in, whether it is of the plain tier out. No fact is made here.

A small parser reads main clauses with short, whole, named sides well, and the rest often wrong. The facts of the rest
carry a pattern name that ends in ``.loose``; each tier is measured for itself.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from trisynapse_memory.extraction.clauses import Clause
from trisynapse_memory.extraction.qualifying import qualifier_name
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.vocabulary import (
    RAISING_FACT,
    RAISING_FAILURE,
    SAYING,
    VAGUE_DETERMINERS,
    VAGUE_HEADS,
)
from trisynapse_memory.text.words import FUNCTION_WORDS

_LONGEST_PHRASE: Final = 8  # words
_LONGEST_SENTENCE: Final = 40  # words
_PLAIN_POSITIONS: Final = frozenset(("ROOT", "ccomp"))
_BARE: Final = frozenset(("NN", "VB", "VBP"))  # a noun without an article, or what a parser takes for a verb
_FINITE: Final = frozenset(("VBZ", "VBP", "VBD"))
_MANNERS: Final = frozenset(("by", "through", "via"))
"""Prepositions that tell how something is done, wherever a parser hangs them."""
_LIST: Final = re.compile(r",| and ")
"""Inside a side these are more often a list that was cut wrong than part of a name."""
_EXAMPLE: Final = re.compile(r"\b(?:e\.\s?g|i\.\s?e)\.")
_SHARE: Final = re.compile(
    r"%|\bper ?cent|^(?:about|almost|around|at least|fewer|less|more|nearly|up to)\b"
    r"|^(?:\w+ )?(?:amount|majority|number|range|share|set|variety) of\b"
)
_TAILS: Final = re.compile(r" (?:at|from|in|near|on|within) ")
_NOTED: Final = re.compile(r"(?<!\d)(?:1[5-9]|20)\d{3}(?!\d)|[a-z]{4}\d{1,2}$")
_SHOUT: Final = re.compile(r"\A(?:(?:[A-Z]{2,} )+[A-Z]{2,} (?=[A-Z][a-z])|[A-Z]{8,} (?=[A-Z][a-z]))")
_POINTED: Final = re.compile(r"\b(?:this|that|these|those|its|their|his|her|our)\b")
_EVIDENCE: Final = frozenset(
    """analysis author comparison data evidence example experiment figure finding investigation measurement observation
    paper research result study survey table test trial work""".split()
)
"""What may show something; what anything else is said to state ("the summary states that") need not be so."""
_STATISTICS: Final = frozenset(
    "average balance difference gap maximum mean median minimum peak percentage ratio sum total".split()
)
_POINTING: Final = frozenset("other others further additional remaining respective such certain various".split())
"""A subject that begins so means something only beside the one before it."""
_OVER: Final = frozenset("until till before formerly previously once originally initially".split())


def is_plain(
    sentence: Sentence, clause: Clause, subject: Phrase, value: Phrase, *, value_may_go_on: bool = False
) -> bool:
    """Whether a clause is of the kind that a small parser reads well: a main clause with short, whole, named sides.

    ``value_may_go_on`` is for relations whose object is a kind: "a promise under seal" is a promise.
    """
    if not _is_main(sentence, clause) or subject.anaphor or value.anaphor or "=" in sentence.raw:
        return False
    sides = (subject.text, value.text)
    if max(len(side.split()) for side in sides) > _LONGEST_PHRASE or any(_LIST.search(side) for side in sides):
        return False
    if (goes_on(sentence, value) and not value_may_go_on) or goes_on(sentence, subject) or _is_broken(sentence, value):
        return False
    if not _is_beside(sentence, clause, subject):
        return False
    if any(
        is_ruined(side) or _is_listed(sentence, phrase) for side, phrase in zip(sides, (subject, value), strict=True)
    ):
        return False
    return not is_bare_definite(sentence, subject) and not _is_described(subject.text) and not _is_share(value.text)


def _is_main(sentence: Sentence, clause: Clause) -> bool:
    """Whether the verb is finite, said outright, and the sentence ends and is not too long."""
    word = sentence.words[clause.verb]
    if sentence.words[0].text in FUNCTION_WORDS:  # in lower case: the sentence has lost its beginning
        return False
    if (
        _is_anothers(sentence, clause.verb)
        or not _is_outright(sentence, clause.verb)
        or len(sentence.words) > _LONGEST_SENTENCE
        or clause.mood.hedged
    ):
        return False
    if word.tag == "VBG" and sentence.child(clause.verb, "aux") is None:
        return False
    head = clause.subject_head
    return head is None or (
        sentence.words[head].dep not in {"csubj", "csubjpass"} and sentence.words[head].tag != "VBG"
    )


def _is_outright(sentence: Sentence, verb: int) -> bool:
    """Whether a verb is that of the main clause or of what it reports, "fails to" and "was found to" included."""
    word = sentence.words[verb]
    if word.dep == "xcomp" and sentence.words[word.head].lemma.lower() in RAISING_FACT | RAISING_FAILURE:
        return _is_outright(sentence, word.head)
    return word.dep in _PLAIN_POSITIONS or _is_joined(sentence, verb)


def _is_joined(sentence: Sentence, verb: int) -> bool:
    """Whether a verb goes on from the main one: "reduces pain and improves sleep", "A is B, and C is D"."""
    word = sentence.words[verb]
    first = sentence.words[word.head]
    if word.dep != "conj" or first.dep != "ROOT" or word.tag not in _FINITE or first.tag not in _FINITE:
        return False
    joint = max((one for one in sentence.children(word.head, "cc") if one < verb), default=None)
    subject = sentence.child(verb, "nsubj", "nsubjpass")
    if joint is None:
        return subject is not None
    start = min(sentence.subtree(subject)) if subject is not None else verb
    return all(sentence.words[one].pos in {"ADV", "AUX", "PUNCT"} for one in range(joint + 1, start))


def _is_broken(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether a phrase ends inside a compound: "multi | -year"."""
    return sentence.passage.text[phrase.end : phrase.end + 1] in {"-", "\u2010", "\u2011", "/"}


def _is_anothers(sentence: Sentence, verb: int) -> bool:
    """Whether a clause is what some thing is said to state: "the summary states that A is B" leaves A open."""
    governor = sentence.words[verb].head
    if sentence.words[verb].dep != "ccomp" or sentence.words[governor].lemma.lower() not in SAYING:
        return False
    sayer = sentence.child(governor, "nsubj")
    return (
        sayer is not None
        and sentence.words[sayer].pos == "NOUN"
        and sentence.words[sayer].lemma.lower() not in _EVIDENCE
    )


def is_ruined(side: str) -> bool:
    """Whether a side holds a footnote's number or a heading in capitals, or points elsewhere ("of that cluster")."""
    return any(form.search(side) for form in (_NOTED, _SHOUT, _POINTED))


def _is_listed(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether a phrase may be a piece of a list or of an apposition that was cut wrong.

    In "a simple split and map method" one article leads two nouns; in "the established baselines BM25 and DPR" a name
    stands beside its kind.
    """
    words = sentence.words
    inside = [at for at, word in enumerate(words) if phrase.start <= word.start < phrase.end]
    for first, second in pairwise(inside):
        if words[first].tag == "NNS" and words[first].pos == "NOUN" and words[second].pos == "PROPN":
            return True
    head = next((at for at in inside if words[at].head not in inside or words[at].head == at), None)
    if head is None:
        return False
    leader = words[head].head if words[head].dep == "conj" else head
    joined = [head] if words[head].dep == "conj" else sentence.children(head, "conj")
    led = any(words[one].lower in {"a", "an"} for one in sentence.children(leader, "det"))
    return led and any(words[one].tag in _BARE and sentence.child(one, "det", "poss") is None for one in joined)


def goes_on(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether words that hang on a phrase follow it at once, so that it is not whole ("models | that were trained").

    What only limits the statement ("on MNLI", "in adults") and what a comma parts off does not count.
    """
    words = sentence.words
    following = next((index for index, word in enumerate(words) if word.start >= phrase.end), None)
    if following is None:
        return False
    if _is_broken(sentence, phrase):
        return True
    if words[following].pos == "PUNCT" and words[following].text not in {"(", "-"}:
        return False
    inside = {index for index, word in enumerate(words) if phrase.start <= word.start < phrase.end}
    tops = [index for index in inside if words[index].head not in inside or words[index].head == index]
    if not any(following in sentence.subtree(top) for top in tops) or words[following].dep in {"cc", "conj"}:
        return False
    if words[following].dep == "prep" and (target := sentence.child(following, "pobj")) is not None:
        return words[following].lower not in _MANNERS and not qualifier_name(sentence, following, target)
    if words[following].dep == "prep" and words[following].lower in _MANNERS:
        return False
    return words[following].pos not in {"VERB", "AUX"} or words[following].dep in {"acl", "relcl"}


def _is_beside(sentence: Sentence, clause: Clause, subject: Phrase) -> bool:
    """Whether subject and verb belong together: no colon, quotation, example or lone comma stands between them.

    A verb in the singular with two subjects has one, with "and" in its name ("neither ... nor" apart).
    """
    verb = sentence.words[clause.verb]
    if len(clause.subjects) > 1 and verb.tag == "VBZ" and not clause.mood.negated:
        return False
    if subject.end >= verb.start:
        return True
    text = sentence.passage.text
    between = text[subject.end : verb.start]
    if any(mark in between for mark in ":;\u201c") or between.count(",") == 1:
        return False
    return _EXAMPLE.search(text, sentence.start, verb.start) is None


def is_unnamed(name: str) -> bool:
    """Whether a name is a vague noun with its place only: "value in vacuum", "results for adults"."""
    first, _, rest = name.lower().partition(" ")
    if not rest and first in _STATISTICS:
        return True
    return first in VAGUE_HEADS and re.match(r"(?:at|by|for|from|in|near|on|under|with|within)\b", rest) is not None


def _is_share(value: str) -> bool:
    return _SHARE.search(value) is not None


def _is_described(subject: str) -> bool:
    """Whether a subject is told by its place or its number only ("laboratory in Kyoto", "each record", "some")."""
    first = subject.split()[0].lower()
    if first in _POINTING:
        return True
    return _TAILS.search(subject) is not None or first in VAGUE_DETERMINERS or first == "only" or _is_share(subject)


def is_past_state(sentence: Sentence, verb: int) -> bool:
    """Whether a state is told to be over: "was the director until 2019", "had once belonged to"."""
    for child in sentence.children(verb):
        word = sentence.words[child]
        if word.lower in _OVER or (
            word.dep == "advcl" and _OVER & {sentence.words[one].lower for one in sentence.children(child)}
        ):
            return True
    return False


def is_bare_definite(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether a phrase is "the" with one common noun, which means something only where it stands ("the museum")."""
    if " " in phrase.text or phrase.text != phrase.text.lower():
        return False
    index = sentence.word_at(phrase.start)
    return index is not None and index > 0 and sentence.words[index - 1].lower == "the"
