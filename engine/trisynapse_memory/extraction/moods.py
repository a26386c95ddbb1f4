"""A verb of a parsed sentence in, how it is meant out: said to be so, denied, doubted, or not asserted at all.

Questions, conditions, wishes, purposes and quotations assert nothing and get no mood; what someone is said to claim
keeps that speaker.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from trisynapse_memory.extraction.phrases import noun_phrase
from trisynapse_memory.extraction.sentence import Sentence
from trisynapse_memory.extraction.vocabulary import (
    CONDITIONAL_MARKS,
    DENYING_ADVERBS,
    DOUBTING_ADVERBS,
    LIMITING_ADVERBS,
    MODALS_OF_DOUBT,
    MODALS_OF_WISH,
    NEGATIVE_DETERMINERS,
    RAISING_DOUBT,
    RAISING_FACT,
    RAISING_FAILURE,
    SAYING,
    SAYING_WITH_DOUBT,
)

_HYPOTHESIS: Final = re.compile(r"\b(?:hypothes[ie]s|conjecture|assumption|question|possibility|claim|whether)\b", re.I)
_ACCORDING: Final = re.compile(r"\b[Aa]ccording to ([^,;]{2,60}),")
_QUOTED: Final = re.compile('[\u201c\u00ab"]([^\u201d\u00bb"]{12,})[\u201d\u00bb"]')
_LONGEST_CHAIN: Final = 6  # verbs above a verb; deeper parses are wrong more often than right
_SUBJECTS: Final = ("nsubj", "nsubjpass", "csubj", "csubjpass")


class Mood(NamedTuple):
    """How a statement is meant; ``speaker`` is who is said to hold it, empty when the text itself does."""

    negated: bool = False
    hedged: bool = False
    speaker: str = ""


def mood_of(sentence: Sentence, verb: int) -> Mood | None:
    """Tell how the statement around a verb (or a copula) is meant; None when nothing is asserted.

    "Smith argues that X causes Y" gives the speaker "Smith", "X may cause Y" is hedged, "X fails to cause Y" and
    "neither X nor Z causes Y" are negated; "if X causes Y", "does X cause Y?", "X should cause Y" give None.
    """
    if sentence.raw.rstrip(" \"'\u201d)").endswith("?") or _is_quoted(sentence, verb):
        return None
    mood = _own_mood(sentence, verb)
    speaker = _ACCORDING.search(sentence.text)
    if mood and speaker:
        mood = mood._replace(speaker=speaker[1].strip())
    child = verb
    for step, above in enumerate(sentence.ancestors(verb)):
        if mood is None or step > _LONGEST_CHAIN:
            return None
        mood = _mood_under(sentence, child, above, mood)
        child = above
    return mood


def _own_mood(sentence: Sentence, verb: int) -> Mood | None:
    """What the verb's own auxiliaries, adverbs and subject say."""
    negated = hedged = False
    for child in sentence.children(verb):
        word = sentence.words[child]
        if word.dep == "neg" or (word.dep in {"advmod", "preconj"} and word.lower in DENYING_ADVERBS):
            negated = not (word.lower == "not" and _next_is(sentence, child, "only"))
        elif word.lower == "longer" and (_previous_is(sentence, child, "no") or _previous_is(sentence, child, "any")):
            negated = True
        elif word.dep in {"aux", "auxpass"} and (word.lower in MODALS_OF_WISH or word.lemma in MODALS_OF_WISH):
            return None
        elif word.dep in {"aux", "auxpass"} and word.lower in MODALS_OF_DOUBT:
            hedged = True
        elif word.dep == "advmod" and word.lower in LIMITING_ADVERBS and child < verb:
            return None
        elif word.dep == "advmod" and word.lower in DOUBTING_ADVERBS:
            hedged = True
        elif (word.dep == "mark" and word.lower in CONDITIONAL_MARKS) or (
            word.dep == "advcl" and _is_conditional(sentence, child)
        ):
            return None
        elif word.dep in _SUBJECTS and (denied := _denies(sentence, child)):
            negated = denied == "no"
            if denied == "some":
                return None
        elif word.dep in {"dobj", "attr"} and sentence.child(child, "det") is not None:
            negated = negated or sentence.words[sentence.children(child, "det")[0]].lower in NEGATIVE_DETERMINERS
    return Mood(negated, hedged)


def _denies(sentence: Sentence, subject: int) -> str:
    """Return "no" for a subject that is none ("no drug", "neither X nor Y"), "some" for "not all X", else ""."""
    for child in sentence.children(subject):
        word = sentence.words[child]
        if word.dep in {"det", "preconj", "cc"} and word.lower in {"no", "neither", "nor"}:
            return "no"
        if word.dep == "neg" or (word.dep == "det" and _previous_is(sentence, child, "not")):
            return "some"
        if word.lower in {"few", "only", "hardly"} and child < subject:
            return "some"
    return ""


def _is_conditional(sentence: Sentence, clause: int) -> bool:
    return any(sentence.words[child].lower in CONDITIONAL_MARKS for child in sentence.children(clause, "mark", "prep"))


def _mood_under(sentence: Sentence, child: int, above: int, mood: Mood) -> Mood | None:
    """The mood after one more step up the tree: what the word above makes of the clause below it."""
    word, head = sentence.words[child], sentence.words[above]
    if word.dep in {"conj", "appos", "dep"}:
        if any(sentence.words[one].lower in {"or", "nor"} for one in sentence.children(above, "cc")):
            return None if head.pos in {"VERB", "AUX"} else mood
        return _shared(sentence, child, above, mood)
    if word.dep in {"ccomp", "parataxis"} or (
        word.dep == "acl" and head.pos in {"NOUN", "PROPN"} and _has_that(sentence, child)
    ):
        return _reported(sentence, child, above, mood)
    if word.dep == "xcomp":
        return _raised(sentence, above, mood)
    if word.dep == "advcl":
        if _is_conditional(sentence, child) or _own_mood(sentence, above) is None:
            return None
        return mood if _is_finite(sentence, child) or word.tag == "VBN" else None
    if word.dep in {"relcl", "acl", "pobj", "dobj", "nsubj", "nsubjpass", "attr", "prep", "pcomp", "agent", "poss"}:
        return mood if word.pos not in {"VERB", "AUX"} or _is_plain_relative(sentence, above) else None
    return mood


def _shared(sentence: Sentence, child: int, above: int, mood: Mood) -> Mood | None:
    """A joined verb shares auxiliaries and conditions of the first ("may cause and prevent")."""
    if sentence.words[above].pos not in {"VERB", "AUX"}:
        return mood
    own = _own_mood(sentence, above)
    if own is None:
        return None
    has_own = any(sentence.words[one].dep in {*_SUBJECTS, "aux", "auxpass", "neg"} for one in sentence.children(child))
    return mood if has_own else mood._replace(hedged=mood.hedged or own.hedged)


def _is_finite(sentence: Sentence, verb: int) -> bool:
    return any(sentence.words[child].dep in _SUBJECTS for child in sentence.children(verb))


def _is_plain_relative(sentence: Sentence, noun: int) -> bool:
    """Whether the noun that a clause describes is one that there is, unlike that of "no model that ..."."""
    return not any(
        sentence.words[child].lower in {"no", "any", "every", "each", "neither"}
        for child in sentence.children(noun, "det")
    )


def _has_that(sentence: Sentence, clause: int) -> bool:
    return any(sentence.words[child].lower == "that" for child in sentence.children(clause, "mark"))


def _reported(sentence: Sentence, child: int, above: int, mood: Mood) -> Mood | None:
    """A clause that a verb or a noun of saying governs."""
    head = sentence.words[above]
    if head.pos in {"NOUN", "PROPN"}:
        return None if _HYPOTHESIS.search(head.text) else mood._replace(hedged=True)
    if head.lemma.lower() not in SAYING:
        return None if sentence.child(child, "mark") is not None and head.pos == "VERB" else mood
    own = _own_mood(sentence, above)
    if own is None or own.negated or (head.tag == "VB" and sentence.child(above, "nsubj", "nsubjpass", "aux") is None):
        return None
    if any(sentence.words[one].lower in {"whether", "if", "how", "why"} for one in sentence.children(child)):
        return None
    hedged = mood.hedged or own.hedged or head.lemma.lower() in SAYING_WITH_DOUBT
    return mood._replace(hedged=hedged, speaker=mood.speaker or _speaker(sentence, above))


def _speaker(sentence: Sentence, verb: int) -> str:
    """Who says so, if that has a name; empty for the author, for "results show", and for "it is known"."""
    subject = sentence.child(verb, "nsubj")
    if subject is None:
        return ""
    word = sentence.words[subject]
    phrase = noun_phrase(sentence, subject)
    return phrase.text if phrase and word.pos == "PROPN" else ""


def _raised(sentence: Sentence, above: int, mood: Mood) -> Mood | None:
    """An infinitive or participle under another verb: "was found to", "seems to", "fails to"."""
    head = sentence.words[above]
    own = _own_mood(sentence, above)
    if own is None:
        return None
    lemma = head.lemma.lower()
    hedged = mood.hedged or own.hedged
    if lemma in RAISING_FAILURE:
        return None if own.negated else mood._replace(negated=not mood.negated, hedged=hedged)
    negated = mood.negated != own.negated
    if lemma in RAISING_FACT:
        return mood._replace(negated=negated, hedged=hedged)
    if lemma in RAISING_DOUBT or lemma in {"likely", "unlikely"}:
        return mood._replace(negated=negated != (lemma == "unlikely"), hedged=True)
    return None


def _is_quoted(sentence: Sentence, verb: int) -> bool:
    """Whether the verb stands inside a quotation of a whole statement, which is another's word."""
    at = sentence.words[verb].start - sentence.start
    return any(match.start(1) <= at < match.end(1) for match in _QUOTED.finditer(sentence.raw))


def _next_is(sentence: Sentence, index: int, word: str) -> bool:
    return index + 1 < len(sentence.words) and sentence.words[index + 1].lower == word


def _previous_is(sentence: Sentence, index: int, word: str) -> bool:
    return index > 0 and sentence.words[index - 1].lower == word
