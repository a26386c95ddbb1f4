"""Texts of a group in, its key phrases and two questions about them out. No storage and no model.

A phrase is a run of noun-like words between function words and punctuation. Phrases are weighed by their C-value: long
ones that come often count, a part of a longer phrase counts only where it stands without it. Words that any paper
has ("model", "results") are no topics by themselves.

Source:
    Frantzi, Ananiadou and Mima, C-value, 2000. The word lists are ours; English.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log2
from typing import Final

from trisynapse_memory.indexing.summary_sentences import as_read
from trisynapse_memory.text.entities import is_generic
from trisynapse_memory.text.words import FUNCTION_WORDS

PHRASE_COUNT: Final = 3
LONGEST_PHRASE: Final = 4  # words
TITLE_BONUS: Final = 3.0  # times; a title says what its text is about
SINGLE_PENALTY: Final = 0.4  # times, for one plain word: "personality" says less than "user personality"
LEAST_COUNT: Final = 2  # times a phrase must come, unless the title has it

_WORD: Final = re.compile(r"[^\W\d_][\w'\u2019]*(?:-[\w'\u2019]+)*|\S")
_NOT_A_NOUN: Final = frozenset(
    """able achieve achieved achieves add added adds aim aims allow allows also analyze analyzed apply applied applies
    appear appears argue ask asks assume available based become becomes best better big call called can cannot carried
    case cases certain change clear clearly collect collected come common compare compared conduct conducted consider
    considered consist contain contains could current demonstrate demonstrated demonstrates depend derive derived
    describe described design designed despite determine develop developed differ different difficult discuss discussed
    due effective efficient enable enables ensure especially evaluate evaluated even every examine example exist
    existing explore extend find finding first focus follow followed following found full further furthermore general
    generally get give given gives go good great help high higher highest however identify important improve
    improved improves include included includes including increase increased indicate indicates interesting introduce
    introduced investigate investigated involve keep know known large larger largest last lead leads learn let
    like likely limited long look low lower main major make makes making many mean means measure measured might more
    moreover much must need needed needs new non novel number observe observed obtain obtained often only
    original others out paper particular people perform performed performs possible potential predict present
    presented previous previously proper propose proposed proposes provide provided provides put rather real recent
    recently reduce reduced reduces refer related relevant rely report reported represent require required requires
    respectively result results reveal review same say second see seen select selected separate set several show showed
    shown shows significant significantly similar simple simply single small so some specific specifically still
    strong study such suggest suggests support take taken takes task tasks test tested than then therefore thing think
    third thus times together top train trained try two three four type types typical typically use used useful
    uses using usually validate various vary very want way ways well whether within without work works would year years
    yet et al eg ie etc via per vs figure fig table section eq equation appendix reference ref university department
    institute email org http https www doi arxiv page pages vol proceedings conference journal copyright author
    abstract introduction conclusion keywords permission
    outperform outperforms enhance enhances employ employs employed utilize utilizes utilized leverage leverages relies
    combine combines combined involve involves involving generate generates generated ensures exceed exceeds achieving
    adopt adopts adopted encourage facing""".split()
)


def key_phrases(texts: Sequence[str], title: str = "", limit: int = PHRASE_COUNT) -> tuple[str, ...]:
    """Return the phrases a group is about, the weightiest first, as they are written most often.

    Args:
        texts: what the group says; each text's phrases count.
        title: of the group; its phrases count more and need to come once only.
        limit: how many at most.
    """
    counts: Counter[str] = Counter()
    before: Counter[str] = Counter()  # occurrences that another noun-like word precedes
    behind: Counter[str] = Counter()  # ... or follows
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for run in (run for text in (title, *texts) for run in _runs(text)):
        for phrase in _parts(run):
            counts[_fold(phrase)] += 1
            forms[_fold(phrase)][phrase] += 1
        before.update(_fold(phrase) for phrase in _parts(run[1:]))
        behind.update(_fold(phrase) for phrase in _parts(run[:-1]))
    named = {_fold(phrase) for run in _runs(title) for phrase in _parts(run)}
    weights: dict[str, float] = {}
    for key, count in counts.items():
        if count >= LEAST_COUNT or key in named:
            value = _c_value(key.count(" ") + 1, count, max(before[key], behind[key]))
            weights[key] = value * (TITLE_BONUS if key in named else 1.0)
    return _distinct(weights, {key: _form(found) for key, found in forms.items() if key in weights}, limit)


def questions_about(phrases: Sequence[str]) -> tuple[str, ...]:
    """Return two other ways to ask for a group with these key phrases; none without a phrase."""
    if not phrases:
        return ()
    if len(phrases) == 1:
        return (f"What is {phrases[0]}?", f"What is known about {phrases[0]}?")
    return (f"What is known about {phrases[0]}?", f"How are {phrases[0]} and {phrases[1]} connected?")


def _runs(text: str) -> Iterator[list[str]]:
    """Stretches of noun-like words: nothing else stands between them."""
    run: list[str] = []
    for word in _WORD.findall(as_read(text)):
        if _is_noun_like(word):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _is_noun_like(word: str) -> bool:
    low = word.lower()
    if not word[0].isalpha() or low in FUNCTION_WORDS or low in _NOT_A_NOUN:
        return False
    return len(word) > 2 and not low.endswith("ly")


def _parts(run: Sequence[str]) -> Iterator[str]:
    for size in range(1, LONGEST_PHRASE + 1):
        for start in range(len(run) - size + 1):
            part = run[start : start + size]
            phrase = " ".join(part)
            if not (part[-1].lower().endswith("ed") or _is_scrap(phrase)):
                yield phrase


def _fold(phrase: str) -> str:
    """What one phrase's forms share: no case, no plural; ``entity_key`` folds more and would cost ten times as much."""
    key = phrase.lower()
    return key[:-1] if len(key) > 4 and key.endswith("s") and key[-2] not in "sui" else key


def _is_scrap(phrase: str) -> bool:
    """Three letters alone, unless their capitals say that they are a name."""
    return len(phrase) < 4 and not any(letter.isupper() for letter in phrase[1:])


def _c_value(word_count: int, count: int, nested_count: int) -> float:
    """log2(words + 1) times the occurrences outside longer phrases, at least a tenth of all."""
    plain = SINGLE_PENALTY if word_count == 1 else 1.0
    return log2(word_count + 1) * max(count - nested_count, count / 10.0) * plain


def _distinct(weights: dict[str, float], forms: dict[str, str], limit: int) -> tuple[str, ...]:
    """The best phrases as written, none of them generic or inside another."""
    kept: list[str] = []
    for key in sorted(weights, key=lambda one: (-weights[one], one)):
        if len(kept) == limit:
            break
        if not is_generic(forms[key]) and not any(f" {key} " in f" {o} " or f" {o} " in f" {key} " for o in kept):
            kept.append(key)
    return tuple(forms[key] for key in kept)


def _form(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], sum(letter.isupper() for letter in form), form))
