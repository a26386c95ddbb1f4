"""A sentence in, the same sentence in fewer turns of phrase out: one form for what can be said in several.

"has to", "shall" and "is required to" become "must", "no later than" and "up to" become "atmost", "twenty-three"
becomes "23", "1.2 million" becomes "1200000", "each month" becomes "permonth". Nothing that differs in meaning may
meet here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from trisynapse_memory.text.numerals import NUMBER, read_number
from trisynapse_memory.text.spans import normalise

_N: Final = r"(?=[$€£]?\s?\d)"
_UPWARD: Final = "older|hotter|longer|taller|heavier|larger|bigger|higher|faster|warmer|later|wider|deeper|greater|more"
_DOWNWARD: Final = "younger|cooler|colder|shorter|lighter|smaller|lower|slower|earlier|narrower|shallower|less|fewer"
_PERIOD: Final = "second|minute|hour|day|week|month|year"
_PERIOD_WORD: Final = rf"(?:{_PERIOD})s?\b"
_PERIODS: Final = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"} | dict.fromkeys(
    ("yearly", "annually", "annual"), "year"
)
_FRACTIONS: Final = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_FRACTION: Final = "|".join(_FRACTIONS)
_MAGNITUDES: Final = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}

_Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _rules(rows: Iterable[tuple[str, str | Callable[[re.Match[str]], str]]]) -> tuple[_Rule, ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), into) for pattern, into in rows)


CONTRACTED: Final = _rules(
    (
        (r"(?<!\w)[\"'](\w+)[\"'](?!\w)", r"quoted_\1"),  # the word "may" is no leave
        (r"\b([A-Za-z])\(([\w ^]{1,20})\)", lambda m: m.group(1) + m.group(2).replace(" ", "")),  # "O(n log n)"
        (r"\bwon't\b", "will not"),
        (r"\bcan(?:'t|not)\b", "can not"),
        (r"n't\b", " not"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"\b(it|he|she|that|there)'s\b", r"\1 is"),
        (r"\bFigs?\.", "figure"),
        (r"\bEqs?\.", "equation"),
        (r"\bSecs?\.", "section"),
        (r"\bNos?\. ?(?=\d)", "number "),
        (r"\b(approx|vs|mr|mrs|ms|dr|prof|st)\.", r"\1"),
        (r"\b(?:mr|mrs|ms|dr|prof|professor|doctor) (?=(?-i:[A-Z]))", ""),
    )
)
# "Marek: sold the van", "Priya: I won't be there": who speaks is who is meant.
_SPEAKER: Final = re.compile(r"^([A-Z][\w.-]+): (?!//)(.+)$", re.DOTALL)
_SPOKEN: Final = _rules(((r"\b(?:I|me)\b", "{}"), (r"\b(?:my|mine)\b", "{}'s")))
_BARE_ACT: Final = re.compile(
    r"\w+ed\b|(?:sold|got|made|went|bought|took|sent|saw|found|left|met|lost|paid|gave|told|put|had|will|can|is|was)\b"
)
_WORDED: Final = re.compile(rf"\b{NUMBER}(?!\w)", re.IGNORECASE)


def _digits(match: re.Match[str]) -> str:
    """Number words and magnitudes as digits; what is written in digits only stays as it is."""
    text = match.group()
    if not re.search(r"[A-Za-z]{3}", text) or text.strip().lower() in ("one", "zero", "hundred", "thousand"):
        return text
    value = read_number(match).value
    return str(int(value)) if value == int(value) else repr(value)


def digits_for_words(text: str) -> str:
    """Write the numbers of a text in digits: "twenty-three" becomes "23"."""
    return _WORDED.sub(_digits, text)


_PHRASES: Final = _rules(
    (
        # Duty, leave and power.
        (
            r"\b(?:do|does|did) not (?:have|need) to\b|\bneed not\b|\b(?:is|are) not (?:required|obliged) to\b",
            "neednot",
        ),
        (r"\b(?:has|have|had) to\b|\b(?:is|are|was|were|be) (?:required|obliged|obligated) to\b", "must"),
        (r"\bneeds? to\b|\bshall\b|\b(?:is|are) to\b(?= be\b)", "must"),
        (r"\b(?:is|are|was|were) (?:allowed|permitted|free) to\b", "may"),
        (r"\b(?:is|are|was|were) (?:able to|capable of)\b|\bit is possible to\b", "can"),
        (r"\b(?:is|are|was|were) (?:un|not )able to\b", "can not"),
        (r"\b(?:is|are) (?:un)?likely to\b", lambda m: "probably not" if "unlikely" in m.group() else "probably"),
        (r"\bnot (?:yet|now)\b|\bno longer\b", "not"),
        (r"\b(?:any ?more|any longer)\b", ""),
        (r"\byet(?=[.;,]|$)|\bat the latest\b|\bas well(?! as)\b|\bso far\b|\bin total\b", ""),
        # Bounds.
        (r"\bno(?:t)? (?:more|later|longer|older|higher|greater|larger) than\b", "atmost"),
        (r"\bno(?:t)? (?:less|fewer|earlier|lower|shorter|younger|smaller) than\b", "atleast"),
        (r"\b(?:at most|up to|a maximum of|maximally|as (?:many|much) as)\b", "atmost"),
        (r"\b(?:at least|a minimum of)\b", "atleast"),
        (rf"\b(?:{_UPWARD}) than {_N}", "morethan "),
        (rf"\b(?:{_DOWNWARD}) than {_N}", "lessthan "),
        # "over 90 days" is how long it took, "over 1990" is against that year.
        (rf"\bover {_N}(?!\d[\d.,]* {_PERIOD_WORD}|(?:1[89]|20)\d\d\b)", "morethan "),
        (rf"\b(?:above|in excess of|exceeding|beyond) {_N}", "morethan "),
        (rf"\b(?:under|below|beneath) {_N}(?!(?:1[89]|20)\d\d\b)", "lessthan "),
        (r"\bonce or more\b", "atleast 1 times"),
        (r"(\d[\w.,/]*(?: [a-z°]+)?),? or (?:more|older|longer|above|over|higher|later|upwards)\b", r"atleast \1"),
        (r"(\d[\w.,/]*(?: [a-z°]+)?),? or (?:less|fewer|younger|below|under|lower|earlier)\b", r"atmost \1"),
        # Shares and times.
        (
            rf"\b(?:a|one|1) ({_FRACTION})(?= (?:of|the|as)\b|[.,;]|$)",
            lambda m: f"1/{_FRACTIONS[m.group(1).lower()]}",
        ),
        (rf"\b(\d+)[- ]({_FRACTION})s\b", lambda m: f"{m.group(1)}/{_FRACTIONS[m.group(2).lower()]}"),
        (r"\b(\d)/(2|4|5|10)(?= of\b)", lambda m: f"{100 * int(m.group(1)) // int(m.group(2))} percent"),
        (r"\bone (?=in \d|of the|out of)", "1 "),
        (r"\bout of (?:the |every )?(?=\d)|\bof the (?=\d)", "of "),
        (r"\btwice\b", "2 times"),
        (r"\bonce\b(?=[.,;]| (?:an?|per|every|or)\b|$)", "1 times"),
        (r"\b(?:%|per ?cent)(?!\w)|(?<=\d)\s?%", " percent"),
        (rf"\b(?:every|each|per) ({_PERIOD})\b|(?<=times )an? ({_PERIOD})\b|(?<=once )an? ({_PERIOD})\b", "per{}"),
        (r"\b(?:" + "|".join(_PERIODS) + r")\b", lambda m: f"per{_PERIODS[m.group().lower()]}"),
        (r"\bper annum\b", "peryear"),
        (r"\bevery (?=\d)", "per "),
        # Contrast and link.
        (r",? (?:instead of|rather than|as opposed to)\b", ", not"),
        (r",? (?:compared (?:with|to)|as against|in contrast to)\b", ", comparedwith"),
        (r"\bas well as\b|\bin addition to\b|\balong with\b|\btogether with\b", "and"),
        (r"\b(?:due to|owing to|on account of|because of|as a result of|thanks to)\b", "becauseof"),
        (r"\b(?:with the exception of|except for|apart from|except (?:where|if|when))\b", "unless"),
        (r"\b(?:on condition that|provided that|only if)\b", "only if"),
        (r"\bin order to\b", "to"),
        (r"\bprior to\b", "before"),
        (r"\b(?:subsequent to|following) (?=the |an? )", "after "),
        (r"\b(?:starting|beginning|as) (?:on|from|of|in) (?=\d|[A-Z])", "from "),
        (r"^should (?=(?:the|a|an|any|it|he|she|they)\b)", "if "),
        (r",? (?:provided|assuming|on condition)(?: that)?(?= (?:the|a|an|both|all|it|he|she|they|no)\b)", " if"),
        (r"\b(?:nobody|no one|nothing|none) (?:but|except)\b", "only"),
        (r"\bwhoever\b", "anyone who"),
        (r"\bnone of the\b", "no"),
        (r"\bby (?:accident|chance)\b", "accidentally"),
        (r"\bdespite\b|\bin spite of\b", "although"),
        (r"\baccording to\b", "accordingto"),
        # Verbs of several words.
        (r"\b(?:went|gone|goes|go|going) up\b", "rose"),
        (r"\b(?:went|gone|goes|go|going) down\b", "fell"),
        (r"\b(?:take|takes|took|taken) place\b", "occurred"),
        (r"\b(?:carr(?:y|ies|ied)|carrying) out\b", "performed"),
        (r"\bset up\b", "established"),
        (r"\bmake(?:s)? use of\b|\bmade use of\b", "use"),
        (r"\b(?:get|gets|got|getting) rid of\b", "removed"),
        (r"\bfound out\b", "discovered"),
        (r"\bin full\b", "fully"),
        (r"\bin part\b", "partly"),
        (r"\bin writing\b", "written"),
        (r"\bon average\b", "onaverage"),
        (r"\ba (?:number|couple) of\b", "several"),
        (r"\bthe (?:majority) of\b", "most"),
        (r"\b(?:account(?:s|ed)? for|make(?:s)? up|made up|amount(?:s|ed)? to)\b", "is"),
    )
)
_LONG_FORM: Final = re.compile(r"((?:[\w-]+\s+){1,7}?[\w-]+)\s+\((?-i:([A-Z][A-Za-z]*[A-Z]\w*))s?\)")


def abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """What short forms stand for: "Low-Rank Adaptation (LoRA)" gives LoRA, where the initials agree."""
    found: dict[str, str] = {}
    for text in texts:
        for match in _LONG_FORM.finditer(text):
            words, short = match.group(1), match.group(2)
            long = _spelled_out(words, short)
            if long:
                found[short] = long
    return found


def _spelled_out(words: str, short: str) -> str:
    """The last words before a short form whose initials are its capitals, or an empty string."""
    capitals = [letter.lower() for letter in short if letter.isupper()]
    starts = [match.start() for match in re.finditer(r"(?<!\w)\w|(?<=-)\w", words)]
    initials = [words[start].lower() for start in starts]
    if len(capitals) < 2 or initials[-len(capitals) :] != capitals:
        return ""
    return words[starts[-len(capitals)] :]


def _spoken(text: str) -> str:
    """A line of a chat with the speaker's name for "I", and before a verb that has no subject."""
    match = _SPEAKER.match(text)
    if match is None:
        return text
    name, said = match.groups()
    for pattern, into in _SPOKEN:
        said = pattern.sub(str(into).format(name), said)
    return f"{name} {said}" if _BARE_ACT.match(said) else f"{name}: {said}"


def canonical(text: str, short: dict[str, str] | None = None) -> str:
    """Say a sentence in its plainest turns of phrase; ``short`` maps abbreviations to what they stand for."""
    plain = normalise(text).text.replace("\u2019", "'")
    for name, long in (short or {}).items():
        plain = re.sub(rf"\s\({re.escape(name)}\)", "", plain)
        plain = re.sub(rf"\b{re.escape(name)}\b", long, plain)
    for pattern, into in CONTRACTED:
        plain = pattern.sub(into, plain)
    plain = _spoken(plain)
    plain = digits_for_words(plain)
    for pattern, into in _PHRASES:
        if into == "per{}":
            plain = pattern.sub(lambda match: f"per{next(filter(None, match.groups())).lower()}", plain)
        else:
            plain = pattern.sub(into, plain)
    return " ".join(plain.split())
