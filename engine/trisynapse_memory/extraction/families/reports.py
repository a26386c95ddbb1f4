"""A sentence in, what somebody says in it out (stated): "Mr. Hart said that the pier had stood for ninety years".

Minutes, hearings, judgments and news are made of such sentences. Who speaks must have a name; what is said ends where
the writer may have taken over again (", but", ";"). Whether it is true is another matter, so sources never disagree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from trisynapse_memory.extraction.clauses import Clause, clauses_of, propose
from trisynapse_memory.extraction.phrases import trimmed
from trisynapse_memory.extraction.sentence import Phrase, Sentence
from trisynapse_memory.text.sentences import sentence_spans
from trisynapse_memory.types import Proposal

PATTERN: Final = "reports"

_SAYING: Final = frozenset(
    """acknowledge add admit agree allege announce argue assert believe claim conclude confirm contend decide declare
    emphasise emphasize estimate explain find hold insist maintain note observe point predict remark reply report
    respond rule say state stress suggest tell testify think warn write""".split()
)
_BARE: Final = frozenset(("say", "think", "believe"))
"""Verbs that often leave "that" out."""
_THAT: Final = re.compile(r"(?:\s+out)?\s*,?\s+that,?\s+")
_TOLD: Final = re.compile(r"\s+(?:the\s+)?[\w.\u2019' ]{1,40}?\s+that\s+")
_COMMA: Final = re.compile(r"\s*,\s+(?=(?:he|she|it|they|there|the|this|all|no|in|his|her|their)\b)")
_SPACE: Final = re.compile(r"\s+(?=(?:he|she|it|they|the|there|no|this|his|her|their|[A-Z]\w+)\b)")
_TURN: Final = re.compile(
    r"\s*(?:;|,\s+(?:but|while|whereas|although|though|yet|however|and\s+(?:that|he|she|it|they|[A-Z]\w+))\b"
    r"|\s+and\s+(?:that|added|argued|noted|said|stated)\b|(?<=[a-z]{3})\.\s+(?=[A-Z]))"
)
_SPEAKER: Final = re.compile(
    r"(?!(?:Fig(?:ure|\.)|Table|Section|Chapter|Appendix|Equation|Act|Rule|Article|Theorem|Lemma|Part|Note|Id)\b)"
    r"[A-Z][\w.\u2019'-]*(?:,?\s(?:[A-Z&][\w.\u2019'-]*|of|the|and|for|de|van|von|al\.|et|[a-z]+))*"
)
_UNSAID: Final = re.compile(
    r"\?\s*[\"\u201d')]*$|^(?:if|whether|suppose|unless|let|having|had|what|how|why|who)\b", re.IGNORECASE
)
_QUOTED: Final = re.compile('["\u201c\u201d\u00ab\u00bb]')
_DASH: Final = re.compile(r"\s[\u2013\u2014-]\s|\u2014")
_FINITE: Final = frozenset(("VBD", "VBZ", "VBP", "MD"))
_VERB: Final = re.compile(r"\b(?:is|are|was|were|has|had|have|will|would|can|could|did|does)\b")
_STOP: Final = re.compile(r"[.!][\"\u201d')\]\d*\u2020]{0,4}\s*$")
_FULL_LINE: Final = 50  # characters; a shorter line without a stop may be a heading
_FEWEST_WORDS: Final = 3
_MOST_WORDS: Final = 40
_LONGEST: Final = 300  # characters


def find(sentence: Sentence) -> Iterator[Proposal]:
    """Yield what named persons and bodies say.

    A page's layout may cut a sentence with an empty line: it is followed to its stop, and left alone where none comes.
    """
    if sentence.passage.speaker or _UNSAID.search(sentence.text) or _begins_inside(sentence):
        return
    end = _end_of(sentence)
    for clause in clauses_of(sentence):
        if clause.lemma not in _SAYING or clause.is_passive or not _is_outright(sentence, clause):
            continue
        said = _said(sentence, clause, end)
        for speaker in clause.subjects if said else ():
            if said is not None and not speaker.anaphor and _SPEAKER.fullmatch(speaker.text):
                found = propose(sentence, speaker, "stated", said, PATTERN, clause.mood)
                yield msgspec.structs.replace(found, end=end or sentence.end)


def _begins_inside(sentence: Sentence) -> bool:
    """Whether an empty line before the sentence cuts another one: "He thought", and below "Mr. Hart said that"."""
    before = sentence.passage.text[: sentence.start].rstrip()
    line = before.rsplit("\n", 1)[-1]
    return bool(before) and (before[-1].islower() or before[-1] == ",") and len(line) > _FULL_LINE


def _end_of(sentence: Sentence) -> int:
    """Where the sentence ends in the passage, with what an empty line cut off; 0 where it has no end."""
    text = sentence.passage.text
    if _STOP.search(sentence.raw):
        return sentence.end
    end = sentence.end
    for start, stop in sentence_spans(text):
        if start < end:
            continue
        if not text[start].islower() or text[end:start].strip():
            return 0
        end = stop
        if _STOP.search(text[start:stop]):
            return end
    return 0


def _is_outright(sentence: Sentence, clause: Clause) -> bool:
    """Whether the main clause says so, of a subject with a name: not "may have said", not "did not say"."""
    words, head = sentence.words, clause.subject_head
    if head is None or head > clause.verb or clause.mood.negated or clause.mood.hedged or clause.mood.speaker:
        return False
    helpers = sentence.children(clause.verb, "aux", "neg", "mark")
    if words[clause.verb].dep != "ROOT" or any(words[one].tag == "MD" or words[one].dep != "aux" for one in helpers):
        return False
    return words[head].text[0].isupper() and (words[head].pos == "PROPN" or words[head].start > sentence.start)


def _said(sentence: Sentence, clause: Clause, stop: int) -> Phrase | None:
    """The clause behind the verb, up to where the writer may speak again or, if it is known, the sentence stops."""
    text, end = sentence.passage.text, sentence.words[clause.verb].end
    lead = _THAT.match(text, end, sentence.end)
    if lead is None and clause.lemma == "tell":
        lead = _TOLD.match(text, end, sentence.end)
    elif lead is None and clause.lemma in _BARE and _has_clause(sentence, clause.verb):
        lead = _COMMA.match(text, end, sentence.end) or _SPACE.match(text, end, sentence.end)
    if lead is None:
        return None
    turn = _TURN.search(text, lead.end(), stop or sentence.end)
    said = trimmed(sentence, lead.end(), turn.start() if turn else stop) if turn or stop else None
    if said is None or _QUOTED.search(said.text) or len(said.text) > _LONGEST or not _is_clause(sentence, said):
        return None
    return said if _FEWEST_WORDS <= len(said.text.split()) <= _MOST_WORDS else None


def _has_clause(sentence: Sentence, verb: int) -> bool:
    """Whether what is said has a finite verb: "thought it was late", not "thought it essential"."""
    said = sentence.child(verb, "ccomp")
    if said is None:
        return False
    own = (said, *sentence.children(said, "aux", "auxpass"))
    return any(sentence.words[one].tag in _FINITE for one in own)


def _is_clause(sentence: Sentence, said: Phrase) -> bool:
    """Whether the words have a verb of their own, and no single dash behind which the writer may speak."""
    has_verb = any(word.tag in _FINITE for word in sentence.words if said.start <= word.start < said.end)
    # What an empty line cut off was not parsed with the sentence.
    has_verb = has_verb or _VERB.search(sentence.passage.text, sentence.end, max(sentence.end, said.end)) is not None
    return has_verb and len(_DASH.findall(sentence.passage.text[said.start : said.end])) != 1
