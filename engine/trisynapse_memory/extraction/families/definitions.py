"""A sentence in, definitions and kinds out: defined_as, is_a.

A definition runs to the end of its clause. A kind is a copula with an indefinite noun phrase that names a kind; praise
("a good choice"), examples, and times are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.clauses import Clause, clauses_of, phrases_of, propose
from trisynapse_memory.extraction.frames import behind, direct_object
from trisynapse_memory.extraction.moods import Mood
from trisynapse_memory.extraction.phrases import NOUNS, conjuncts, is_vague, noun_phrase, trimmed, whole_phrase
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.extraction.tiers import is_past_state, is_plain, is_ruined
from trisynapse_memory.extraction.vocabulary import DETERMINERS, NAMING_KINDS
from trisynapse_memory.text.units import read_unit
from trisynapse_memory.types import Proposal

PATTERN: Final = "definition"

_NOTED: Final = re.compile(r"\s[A-Z]{2,}\d$")
"""In "the Receptiviti API6" the digit may be that of a footnote."""
_QUALITY: Final = re.compile(r"[a-z-]+(?:al|ive|ous|ic|able|ible|ed|ful|less|ary)")
"""An adjective that was taken for a noun: "a bidirectional, masked model"."""
_LISTING: Final = frozenset(("dobj", "pobj"))
_BEARERS: Final = _LISTING | frozenset(("nsubj", "nsubjpass"))
"""Where a name may stand to be told its kind in passing."""
_TERM_WORDS: Final = frozenset("concept designation expression label name notion phrase term word".split())
_KIND_WORDS: Final = frozenset(
    "category class family form kind sort species subclass subtype type variant variety".split()
)
_NO_KINDS: Final = frozenset(
    """advantage aim alternative answer attempt barrier bit branch brother burden case cause challenge choice
    combination component consequence consideration couple criteria criterion danger day department difficulty
    direction disadvantage division effect element example exception fact factor failure fraction function goal good
    half handful help hour improvement instance issue joke joy kind lack lie lot majority matter member minute
    mistake mixture month necessity number obstacle option part pity pleasure point priority problem product puzzle
    question range reason relief requirement result risk sample second section series shame share sibling sign
    sister step subset subsidiary subunit success surprise symptom task thing third threat topic total use version
    victim waste way week winner year yes""".split()
)
_QUOTED: Final = "\u201c\"\u2018'\u00ab"
_MEANT: Final = re.compile(
    r"\bby\s+(?:the\s+(?:term|word|phrase)\s+)?[\"\u201c\u2018']?(?P<term>[^,;.\"\u201d\u2019]{2,60}?)[\"\u201d\u2019']?,?\s+"
    r"(?:we|i)\s+(?:shall\s+|will\s+)?(?:mean|understand)\s+(?P<value>[^;]{5,250}?)(?=[.;]|$)",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r"(?P<term>[A-Za-z][\w'\u2019-]*(?:\s[\w'\u2019-]+){0,5}?)\s*"
    r"\((?:which\s+is\s+)?(?:here\s+)?defined\s+as\s+(?P<value>[^()]{4,200})\)"
)


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield definitions ("X is defined as Y", "X refers to Y", "by X we mean Y") and kinds ("X is a Y")."""
    yield from _spelled(sentence)
    for clause in clauses_of(sentence):
        if clause.lemma == "be":
            yield from _kinds(sentence, clause)
        else:
            yield from _definitions(sentence, clause)
    yield from _beside(sentence)


def _beside(sentence: Sentence) -> Iterator[Proposal]:
    """Kinds beside a name: "X, a widely used drug, ..." and "drugs such as X and Y"."""
    words = sentence.words
    if sentence.raw.rstrip().endswith("?"):
        return
    for index, word in enumerate(words):
        if word.dep == "appos" and sentence.child(index, "det") is not None and words[index - 1].text != "(":
            kind, members = _kind_of(sentence, index), [word.head]
        elif word.lower == "as" and index and words[index - 1].lower == "such" and words[word.head].tag == "NNS":
            kind, target = noun_phrase(sentence, word.head), sentence.child(index, "pobj")
            members = conjuncts(sentence, target) if target is not None else []
        else:
            continue
        for subject in phrases_of(sentence, members):
            if kind is not None and not is_vague(kind.text) and kind.text.casefold() != subject.text.casefold():
                name = PATTERN if _is_beside(sentence, subject, kind, index) else f"{PATTERN}.loose"
                yield propose(sentence, subject, "is_a", kind, name, Mood())


def _is_beside(sentence: Sentence, subject: Phrase, kind: Phrase, head: int) -> bool:
    """Whether a name, a comma, an article, a kind and a stop stand in a row: "Ruth Castellan, a historian, found".

    Where another noun is joined to either, it may be a list ("a lamp, a rope and a spade").
    """
    words = sentence.words
    named = words[head].head
    if words[head].dep != "appos" or words[named].pos != "PROPN" or words[head].tag not in {"NN", "NNP"}:
        return False
    if words[named].dep not in _BEARERS or is_ruined(subject.text) or not subject.text[:1].isupper():
        return False
    if _NOTED.search(subject.text) or _QUALITY.fullmatch(kind.text) or _is_in_quotes(sentence, subject):
        return False
    if any(sentence.child(one, "conj", "cc") is not None for one in (named, head) if words[named].dep in _LISTING):
        return False
    first = sentence.word_at(kind.start)
    return first is not None and _leads_in(sentence, subject, first) and _has_stop(sentence, head)


def _is_in_quotes(sentence: Sentence, phrase: Phrase) -> bool:
    """Whether a quotation that opens before a phrase is still open there: another's words."""
    before = sentence.passage.text[sentence.start : phrase.start]
    return before.count("\u201c") > before.count("\u201d") or before.count('"') % 2 == 1


def _leads_in(sentence: Sentence, subject: Phrase, first: int) -> bool:
    """Whether a comma and an article stand between a name and what follows, asides apart."""
    before = sentence.words[max(first - 3, 0) : first]
    if [word.lower for word in before[1:]] not in ([",", "a"], [",", "an"]):
        return False
    return subject.start <= before[0].start < subject.end


def _has_stop(sentence: Sentence, head: int) -> bool:
    """Whether what hangs on a kind ends where the clause goes on or ends."""
    below = sentence.subtree(head)
    following = below[-1] + 1
    last = sentence.words[below[-1]].text
    comma = below[-1] if last == "," else following
    behind_comma = sentence.words[comma + 1 : comma + 3]
    if len(behind_comma) > 1 and behind_comma[0].tag in {"JJ", "VBN", "VBG"} and behind_comma[1].pos in NOUNS:
        return False  # "a bidirectional, masked model"
    return last == "," or following >= len(sentence.words) or sentence.words[following].text in {",", ".", ";", ")"}


def _spelled(sentence: Sentence) -> Iterator[Proposal]:
    """Definitions that show by their words alone."""
    if sentence.raw.rstrip().endswith("?"):
        return
    for form in (_MEANT, _ASIDE):
        for match in form.finditer(sentence.passage.text, sentence.start, sentence.end):
            term = _term_at(sentence, match.start("term"), match.end("term"))
            value = _without_article(sentence, match.start("value"), match.end("value"))
            if term is not None and value is not None and not is_vague(term.text):
                yield propose(sentence, term, "defined_as", value, PATTERN, Mood())


def _term_at(sentence: Sentence, start: int, end: int) -> Phrase | None:
    """The noun phrase that ends there, when the text of a form began too early."""
    last = sentence.word_at(end - 1)
    if last is None:
        return trimmed(sentence, start, end)
    head = last
    while sentence.words[head].head > start and sentence.words[head].dep in {"compound", "amod"}:
        head = sentence.words[head].head
    phrase = noun_phrase(sentence, head)
    return phrase if phrase is not None and phrase.end == end else trimmed(sentence, start, end)


def _definitions(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    first = _value_start(sentence, clause)
    if first is None:
        yield from _namings(sentence, clause)
        return
    value = _value_from(sentence, clause.verb, first)
    mood = clause.mood
    terms = _terms(sentence, clause)
    if clause.lemma == "define" and not clause.is_passive:
        mood = mood._replace(speaker=mood.speaker or _definer(sentence, clause))
    for term in terms:
        if value is not None and not is_vague(term.text):
            name = PATTERN if _is_certain(sentence, clause, term) else f"{PATTERN}.loose"
            yield propose(sentence, term, "defined_as", value, name, mood)


def _namings(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    """Definitions the other way round: "The ratio of X to Y is called Z", "... is known as Z"."""
    if not clause.is_passive or clause.lemma not in {"call", "term", "name", "know"} or clause.subject_head is None:
        return
    named = sentence.child(clause.verb, "oprd", "attr")
    if named is None:
        named = behind(sentence, clause.verb, "as")
    head = sentence.words[clause.subject_head]
    if named is None or head.pos != "NOUN" or sentence.child(clause.subject_head, "det") is None:
        return
    if sentence.child(clause.subject_head, "prep", "relcl", "acl") is None:
        return
    term, value = noun_phrase(sentence, named), whole_phrase(sentence, clause.subject_head)
    if term is not None and value is not None and not is_vague(term.text):
        yield propose(sentence, term, "defined_as", value, f"{PATTERN}.loose", clause.mood)


def _value_start(sentence: Sentence, clause: Clause) -> int | None:
    """Index of the first word of what defines, or None when the clause does not define."""
    words = sentence.words
    if clause.lemma == "define":
        for owner in (clause.verb, *sentence.children(clause.verb, "dobj", "xcomp", "advcl")):
            for child in sentence.children(owner, "prep", "mark"):
                if words[child].lower == "as" and child > clause.verb:
                    return child + 1
        nested = sentence.child(clause.verb, "xcomp")
        if nested is not None and words[nested].lemma == "be" and clause.is_passive:
            return nested + 1
        return None
    if clause.lemma == "refer" and not clause.is_passive and _is_present(sentence, clause.verb):
        to = next((one for one in sentence.children(clause.verb, "prep") if words[one].lower == "to"), None)
        return to + 1 if to is not None else None
    if clause.lemma in {"mean", "denote", "signify", "designate"} and _is_present(sentence, clause.verb):
        return clause.verb + 1 if direct_object(sentence, clause.verb) is not None else None
    return None


def _is_present(sentence: Sentence, verb: int) -> bool:
    return sentence.words[verb].tag in {"VBZ", "VBP", "VB"}


def _terms(sentence: Sentence, clause: Clause) -> tuple[Phrase, ...]:
    """What is defined: the subject, the object of "we define", or what stands behind "the term"."""
    head = clause.subject_head
    if clause.lemma == "define" and not clause.is_passive:
        head = direct_object(sentence, clause.verb)
        if head is not None and sentence.words[head].lower in {"which", "that"}:
            head = sentence.words[clause.verb].head
        return phrases_of(sentence, conjuncts(sentence, head)) if head is not None else ()
    if head is None:
        return ()
    if sentence.words[head].lower in _TERM_WORDS:
        named = trimmed(sentence, sentence.words[head].end, sentence.words[clause.verb].start)
        return (named,) if named is not None else ()
    if sentence.words[head].entity == "PERSON" and not _is_quoted(sentence, head):
        return ()
    return clause.subjects


def _definer(sentence: Sentence, clause: Clause) -> str:
    if clause.subject_head is None or sentence.words[clause.subject_head].pos == "PRON":
        return ""
    phrase = noun_phrase(sentence, clause.subject_head)
    return phrase.text if phrase is not None else ""


def _is_quoted(sentence: Sentence, head: int) -> bool:
    phrase = noun_phrase(sentence, head)
    return phrase is not None and phrase.start > 0 and sentence.passage.text[phrase.start - 1] in _QUOTED


def _is_certain(sentence: Sentence, clause: Clause, term: Phrase) -> bool:
    """Whether the verb can only define: "means" does so for a quoted term and for one that "the term" names."""
    if term.anaphor or clause.mood.hedged:
        return False
    if clause.lemma in {"define", "denote"}:
        return True
    head = clause.subject_head
    if clause.lemma == "refer" and head is not None and sentence.words[head].pos == "PROPN":
        return False
    quoted = term.start > 0 and sentence.passage.text[term.start - 1] in _QUOTED
    named = head is not None and sentence.words[head].lower in _TERM_WORDS
    return quoted or named or clause.lemma == "refer"


def _value_from(sentence: Sentence, verb: int, first: int) -> Phrase | None:
    """What defines, from its first word to the end of the clause."""
    if first >= len(sentence.words):
        return None
    below = [one for one in sentence.subtree(verb) if one >= first]
    below = below or [first]
    last = below[-1]
    for child in sentence.children(verb, "conj", "advcl", "parataxis", "ccomp", "punct"):
        own = sentence.subtree(child)
        parted = own[0] > 0 and sentence.words[own[0] - 1].lower in {",", ";", ":", "and", "but", "or"}
        if (
            child > first
            and parted
            and (sentence.child(child, "nsubj", "nsubjpass") is not None or _is_stop(sentence, child))
        ):
            last = min(last, own[0] - 1)
    while last > first and sentence.words[last].lower in {"and", "but", ",", ";", ".", ":", "while", "whereas"}:
        last -= 1
    return _without_article(sentence, sentence.words[first].start, sentence.words[last].end)


def _is_stop(sentence: Sentence, index: int) -> bool:
    return sentence.words[index].text in {";", ":", "."}


def _without_article(sentence: Sentence, start: int, end: int) -> Phrase | None:
    index = sentence.word_at(start)
    while index is not None and sentence.words[index].lower in DETERMINERS and index + 1 < len(sentence.words):
        index += 1
        start = sentence.words[index].start
    return trimmed(sentence, start, end) if start < end else None


def _kinds(sentence: Sentence, clause: Clause) -> Iterator[Proposal]:
    attribute = sentence.child(clause.verb, "attr")
    if attribute is None or clause.subject_head is None or attribute < clause.verb:
        return
    if is_past_state(sentence, clause.verb):
        return
    between = sentence.words[clause.verb : attribute]
    if not _is_indefinite(sentence, attribute) or any(word.text in {":", ";"} for word in between):
        return
    for head in conjuncts(sentence, attribute):
        kind = _kind_of(sentence, head)
        if kind is None:
            continue
        for subject in clause.subjects:
            named = _is_named(sentence, clause.subject_head)
            plain = is_plain(sentence, clause, subject, kind, value_may_go_on=named and not clause.mood.negated)
            yield propose(sentence, subject, "is_a", kind, PATTERN if plain else f"{PATTERN}.loose", clause.mood)


def _is_named(sentence: Sentence, head: int) -> bool:
    """Whether a subject is a name or a thing in general ("A covenant is a promise under seal")."""
    articles = {sentence.words[child].lower for child in sentence.children(head, "det")}
    return sentence.words[head].pos == "PROPN" or not articles.isdisjoint({"a", "an"})


def _kind_of(sentence: Sentence, head: int) -> Phrase | None:
    """The kind that an indefinite noun names, or None."""
    word = sentence.words[head]
    if not _is_indefinite(sentence, head):
        return None
    if word.lemma.lower() in _KIND_WORDS and (target := behind(sentence, head, "of")) is not None:
        head = target
    elif word.lemma.lower() in _NO_KINDS:
        return None
    kind = noun_phrase(sentence, head)
    if kind is None or kind.text[0].isdigit() or read_unit(kind.text) is not None:
        return None  # "is 299,792 km" gives an amount and no kind.
    if is_vague(kind.text) and kind.text.lower() not in NAMING_KINDS:
        return None
    return kind


def _is_indefinite(sentence: Sentence, head: int) -> bool:
    determiners = [sentence.words[child].lower for child in sentence.children(head, "det")]
    if sentence.child(head, "poss", "nummod") is not None:
        return False
    if determiners:
        return determiners[0] in {"a", "an", "no"}
    return sentence.words[head].tag == "NNS" or sentence.words[head].dep == "conj"
