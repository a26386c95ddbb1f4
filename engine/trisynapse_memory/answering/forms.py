"""A question in, the form of answer it asks for out, by its words: a comparison, a list, yes or no, a definition.

No text of a vault is looked at. Words that only ask for a form ("list", "compare", "versus") are taken out of the core,
since no source that answers has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from trisynapse_memory.text.names import names_of
from trisynapse_memory.text.words import FUNCTION_WORDS
from trisynapse_memory.types import AnswerForm, Intent

MOST_SIDE_WORDS: Final = 9  # of one side of a comparison; longer ones are clauses that were split at a wrong place

_IN: Final = r"(?:by|on|in terms of|with (?:respect|regard) to|regarding|concerning|as to|in)"
_ABOUT: Final = rf"(?:(?:\s*[,:]\s*|\s+{_IN}\s+)(?P<z>(?!\d)(?-i:(?![A-Z])).+?))?"
_SHARED: Final = r"(?:(?:both|each|all) |(?:of |from |in |on |at |have |has |use |by )*the same |of the same )"


def _ask(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# X and Y are the sides, Z what they are compared by. The first that fits decides.
_COMPARISONS: Final = (
    _ask(r"^(?:compare|contrast|(?:what\s+(?:is|are)\s+)?the\s+differences?\s+between)\s+(?P<x>[^\s,]+)\s+and\s+(?P<y>[^\s,]+)['\u2019]s?\s+(?P<z>.+)$"),
    _ask(rf"^(?:compare|contrast)\s+(?P<x>.+?)\s+(?:and|with|to|versus|vs\.?|against)\s+(?P<y>.+?){_ABOUT}$"),
    _ask(
        rf"^(?:(?:what|which)\s+(?:is|are|was|were)\s+)?(?:the\s+)?(?:main\s+|key\s+|biggest\s+)?differences?"
        rf"(?:\s+in\s+(?P<w>.+?))?\s+between\s+(?P<x>.+?)\s+and\s+(?P<y>.+?){_ABOUT}$"
    ),
    _ask(rf"^how\s+(?:do|does|did|is|are)\s+(?P<x>.+?)\s+(?:differ(?:ent)?\s+from|compare\s+(?:with|to))\s+(?P<y>.+?){_ABOUT}$"),
    _ask(rf"^how\s+(?:do|does|did)\s+(?P<x>.+?)\s+and\s+(?P<y>.+?)\s+(?:differ|compare){_ABOUT}$"),
    _ask(rf"^(?P<x>.+?)\s+(?:versus|vs\.?)\s+(?P<y>.+?){_ABOUT}$"),
    _ask(rf"^(?:do|does|did|are|is|were|was|have|has|had)\s+(?P<x>.+?)\s+and\s+(?P<y>.+?)\s+{_SHARED}(?P<z>.+)$"),
    _ask(r"^(?P<z>(?:which|who|what|where)\b[^,:]*)[,:]\s+(?P<x>[^,]+?),?\s+or\s+(?P<y>[^,]+)$"),
    _ask(r"^(?P<z>(?:which|what)\s+.+?)\s+(?:at|in|of|by|for)\s+(?P<x>.+?)\s+and\s+(?:which|what)\s+(?:at|in|of|by|for)\s+(?P<y>.+?)(?:,?\s+compared)?$"),
)  # fmt: skip
# The left half holds its side somewhere ("How many parameters does Tavro have compared with Melin").
_LEFT: Final = (
    _ask(r"^(?P<left>.+?),?\s+(?:as\s+)?compared\s+(?:with|to|against)\s+(?P<y>.+)$"),
    _ask(r"^(?:is|are|was|were|does|do|did|has|have|had|can)\s+(?P<left>.+?\b(?:more|less|fewer|\w{2,}er)\b.*?)\s+than\s+(?P<y>.+)$"),
)  # fmt: skip
_COMPARATIVE: Final = _ask(
    r"\b(?:more|less|fewer|higher|lower|larger|smaller|bigger|greater|longer|shorter|taller|deeper|wider|faster|slower"
    r"|older|younger|heavier|lighter|hotter|colder|better|worse|earlier|later|farther|further|cheaper|dearer|stronger)\b"
)
_AMOUNT: Final = _ask(r"\bhow\s+(?:many|much|long|far|fast|old|large|big|high|tall|wide|deep|heavy|often)\b")
_TRIMMED: Final = _ask(
    r"^(?:(?:the|a|an|that|those|this|these|of|by|at|in|for|from|between|among|with)\s+)+|^[\"'\u201c]|[\"'\u201d?.!]+$"
)
_HEADED: Final = re.compile(
    r"^(?:the |an? )?(?P<head>[a-z][a-z -]*?)\s+(?:of|by|for|from|in|at|between)\s+(?P<side>.+)$"
)
_QUESTION_WORD: Final = _ask(r"\b(?:how|what|which|who|whom|whose|when|why|whether)\b")
_YEAR_LAST: Final = re.compile(r"(?P<rest>.*\D)(?P<year>(?:1[0-9]|20)\d\d)$")
_YEAR_FIRST: Final = re.compile(r"(?P<year>(?:1[0-9]|20)\d\d)(?P<rest>\D*)$")
_PLACE_LAST: Final = _ask(r"^(?P<side>.+?)\s+(?:at|in|on|from)\s+(?!\d).+$")
_ASKING: Final = _ask(
    r"^(?:please\s+)?(?:(?:can|could) you\s+)?"
    r"(?:list|enumerate|compare|contrast|name|give(?:\s+me)?|tell\s+me|show(?:\s+me)?)\s+(?:all\s+(?:of\s+)?)?(?=\w)(?:the\s+(?:things|ones)\s+that\s+(?:are|is|were)\s+)?"
)
_VERSUS: Final = _ask(r"\b(?:versus|vs\.?|compared\s+(?:with|to))(?!\w)")
_COMPARED: Final = _ask(r",\s*compared\b(?!\s+(?:with|to))")
_LIST: Final = _ask(
    r"^(?:please\s+)?(?:list|enumerate|name|give\s+me)\b|^what(?:'s|\u2019s|\s+is)\s+new\b"
    r"|^(?:what|which)\s+(?:are|were|corpora|criteria|phenomena|people|children|men|women|species)\b|^who\s+(?:are|were)\b|^(?:what|which)\s+(?:other\s+|different\s+|main\s+)?"
    r"(?:kinds?|types?|sorts?|forms?)\s+of\b|^what\s+(?:does|do|did|has|have|was|were|is|are)\b.+\b(?:\w+\s+on|sell|contain"
    r"|include|consist\s+of|comprise|offer|need|require|eat|grow|produce|list)$"
)
_DEFINITION: Final = _ask(
    r"^(?:what|who)\s+(?:is|are|was|were)\s+(?:meant\s+by\s+)?(?P<a>(?:an?\s+|the\s+)?[\w'\u2019-]+(?:\s+[\w'\u2019-]+){0,3})$"
    r"|^what\s+(?:does|do|did)\s+(?P<b>.+?)\s+(?:mean|stand\s+for|refer\s+to)$|^define\s+(?P<c>.+)$"
)
_YES_NO: Final = _ask(
    r"^(?P<verb>is|are|was|were|do|does|did|has|have|had|can|could|will)(?P<rest>\s+(?!not\b)(?:(?!\bor\b).)+)$"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asks for.

    ``core`` is the question without the words that only ask for a form. A comparison has two ``sides`` as the question
    names them, and ``about`` what they are compared by (empty where it does not say). ``amounts`` tells whether a
    comparison asks for more or less of something. ``subject`` is what is to be defined; ``verb`` and ``rest`` are the
    two parts of a question for yes or no.
    """

    form: AnswerForm
    core: str
    sides: tuple[str, ...] = ()
    about: str = ""
    amounts: bool = False
    subject: str = ""
    verb: str = ""
    rest: str = ""


def read_form(question: str, intent: Intent = Intent.FACT) -> Wanted:
    """Tell what form of answer a question asks for.

    Args:
        question: as it was asked; English words only are known, any other question is answered plainly.
        intent: what the planner made of it; ``Intent.LIST`` is a list where nothing else is found.

    Returns:
        ``AnswerForm.PLAIN`` where no words ask for another.
    """
    plain = " ".join(question.split()).strip(" ?.!")
    core = _core_of(question)
    compared = _read_comparison(plain)
    if compared is not None:
        x, y, about = compared
        amounts = _COMPARATIVE.search(plain) is not None or _AMOUNT.search(plain) is not None
        verb, rest = _yes_no_of(plain)
        return Wanted(
            AnswerForm.COMPARISON, core, (x, y), about, amounts, verb=verb if " than " in plain else "", rest=rest
        )
    verb, rest = _yes_no_of(plain)
    if verb:
        return Wanted(AnswerForm.YES_NO, core, verb=verb, rest=rest)
    defined = _DEFINITION.search(plain)
    subject = next((one for one in defined.groups() if one), "") if defined else ""
    if _LIST.search(plain) or (intent is Intent.LIST and not subject):
        return Wanted(AnswerForm.LIST, core)
    return Wanted(AnswerForm.PLAIN, core, subject=subject)


def _core_of(question: str) -> str:
    core = _VERSUS.sub(" and ", _COMPARED.sub("", _ASKING.sub("", question.strip(), count=1)))
    return " ".join(core.split()) or question


def _yes_no_of(plain: str) -> tuple[str, str]:
    found = _YES_NO.search(plain)
    return (found["verb"].lower(), found["rest"].strip()) if found else ("", "")


def _read_comparison(plain: str) -> tuple[str, str, str] | None:
    """The two sides and what they are compared by; None for a question that compares nothing."""
    for x, y, about in map(_placed, _readings(plain)):
        if (
            x
            and y
            and x.lower() != y.lower()
            and not _QUESTION_WORD.search(f"{x} {y}")
            and max(len(x.split()), len(y.split())) <= MOST_SIDE_WORDS
        ):
            return x, y, about
    return None


def _readings(plain: str) -> Iterator[tuple[str, str, str]]:
    for pattern in _COMPARISONS:
        found = pattern.search(plain)
        if found is not None:
            named = found.groupdict()
            about = " ".join(filter(None, (named.get("w"), named.get("z"))))
            yield _parted(found["x"], found["y"], about)
    for pattern in _LEFT:
        found = pattern.search(plain)
        side = _side_in(found["left"], _trim(found["y"])) if found is not None else ""
        if found is not None and side:
            left = found["left"].replace(side, " ", 1)
            yield side, _trim(found["y"]), " ".join(left.split())


def _placed(reading: tuple[str, str, str]) -> tuple[str, str, str]:
    """Without a place that stands behind the second side alone ("X than Y at Harn"): it is said of both."""
    x, y, about = reading
    found = _PLACE_LAST.match(y)
    if found is None or _PLACE_LAST.match(x):
        return reading
    return x, found["side"], about


def _parted(x: str, y: str, about: str) -> tuple[str, str, str]:
    """The sides without a head that they share: "the values of Foucault and Cornu" compares values."""
    first, second = _trim(x), _trim(y)
    one, two = _YEAR_LAST.match(first), _YEAR_FIRST.match(second)
    if one is not None and two is not None:  # "earnings per share 2003 versus 2002 of the company"
        return one["year"], two["year"], " ".join(" ".join((one["rest"], two["rest"], about)).split())
    headed = _HEADED.match(first)
    words = [set(side.lower().split()) - FUNCTION_WORDS for side in (first, second)]
    if headed is not None and words[0].isdisjoint(words[1]):
        return _trim(headed["side"]), second, " ".join(filter(None, (headed["head"], about)))
    return first, second, about


def _trim(side: str) -> str:
    before = ""
    while before != side:
        before, side = side, _TRIMMED.sub("", side.strip(" ,"))
    return side.removesuffix("'s").removesuffix("\u2019s") if len(side.split()) == 1 else side


def _side_in(left: str, other: str) -> str:
    """What stands in the left half where the right half has its side: it ends alike, or it is a name."""
    words, last = left.split(), other.split()[-1].lower() if other else ""
    if other.isdigit():
        return next((word for word in reversed(words) if word.isdigit()), "")
    places = [index for index, word in enumerate(words) if word.lower() == last]
    if places:
        length = len(other.split())
        return _trim(" ".join(words[max(0, places[0] + 1 - length) : places[0] + 1]))
    names = [name.text for name in names_of(left) if name.start > 0 or not _AMOUNT.search(left)]
    if names and other[:1].isupper():
        return _trim(names[-1])
    plain = _COMPARATIVE.split(left)[0].strip()
    return _trim(plain) if plain and len(plain.split()) <= MOST_SIDE_WORDS // 2 and plain != left else ""
