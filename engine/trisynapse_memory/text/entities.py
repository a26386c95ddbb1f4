"""Names in, entity keys out, and whether two names may mean one thing. Pure; no record and no merge is known here.

A key folds what does not tell two things apart: case, accents, articles, possessives, hyphens, punctuation, the plural
of the last word, and the title before a person's name. It is for comparing only and is never shown.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from trisynapse_memory.text.characters import UNIFIED, fold_diacritics, without_invisible

CACHE_SIZE: Final = 65_536  # names, near 20 MB; each name of a vault is asked for many times
ENTITY_WORDS_LIMIT: Final = 8  # words; a longer "name" is a clause
ACRONYM_LENGTH_LIMIT: Final = 4  # letters; a longer word in capitals may be a heading
ENTITY_LENGTH_LIMIT: Final = 80  # characters

_ARTICLES: Final = frozenset("the a an".split())
_DETERMINERS: Final = frozenset(
    "this that these those its his her their our my your each every some any such both all no another".split()
)
_TITLES: Final = frozenset("mr mrs ms mx miss dr prof professor sir madam mme mlle rev".split())
_DOTTED_TITLES: Final = frozenset("gen col capt lt sgt hon fr sr st".split()) - {"st"}
# Alone before a surname they tell a person from her husband: Mrs. Watson is not Watson.
_OWN_TITLES: Final = frozenset("mrs miss ms mme mlle madam".split())
_JOINED_PREFIXES: Final = frozenset("pre co re non multi semi anti post sub inter micro macro meta hyper".split())
# Names whose s is no plural; endings (-ss, -us, -is, -as, -os) cover the others.
_NOT_PLURAL: Final = frozenset(
    "adams williams roberts edwards peters stevens rogers phillips jacobs daniels michaels andrews matthews simmons"
    " jones holmes hughes davies evans richards watts james charles athens wales brussels mars netherlands windows"
    " kubernetes mercedes siemens philips series species news physics mathematics statistics economics genetics"
    " robotics linguistics ethics dynamics mechanics optics electronics semantics analytics aids means diabetes"
    " rabies measles hermes archimedes reuters unless always perhaps does ends sanders myers powers walters brooks"
    " collins jenkins perkins hawkins wilkins higgins robbins lens summons gauss hopkins parsons simons ames"
    " gates".split()
)
_GENERIC: Final = frozenset(
    "it he she they we i you one ones this that these those who which what there here someone something anyone"
    " anything everyone everything nothing nobody other others another same such both all none some many most few"
    " paper study work article report book chapter section table figure appendix page text document note"
    " author authors researcher researchers team group people person man woman user users reader"
    " method methods approach approaches model models system systems technique techniques framework algorithm"
    " result results finding findings experiment experiments evaluation analysis example examples case cases"
    " data dataset datasets sample samples value values number numbers amount part parts way ways thing things kind"
    " type types form forms set sets list lists item items point points step steps process time times year years day"
    " days problem problems question questions answer answers task tasks goal idea fact reason rest first second third"
    " last latter former above below following".split()
)
_LIGHT_ADJECTIVES: Final = frozenset(
    "proposed present presented new novel same following above other such first second third last previous earlier"
    " current main simple original given different various several many most own key overall final resulting".split()
)
_WORD: Final = re.compile(r"[^\W_]+(?:[.'][^\W_]+)*[+#]*|_+")
_TRAILING_NOTE: Final = re.compile(r"\s*[(\[][^()\[\]]{1,40}[)\]]\s*$")
_POSSESSIVE: Final = re.compile(r"'s\b|(?<=s)'(?!\w)")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.){2,}")
_NUMBERED: Final = re.compile(r"(?<=[^\W\d_]) (?=\d)")
_NUMBER: Final = re.compile(r"[\d\s.,%+-]+")
_NAME_PART: Final = r"(?:[^\W\d_]\.|[^\W\d_](?:[^\W\d_]|['-])+)"
_FULL_NAME: Final = re.compile(rf"{_NAME_PART}(?: {_NAME_PART}){{1,3}}")


@lru_cache(CACHE_SIZE)
def entity_key(name: str) -> str:
    """Return what all spellings of a name share; empty for a name without a letter or digit.

    "The Transformers" and "transformer", "Low-Rank Adaptation" and "low rank adaptation", "GPT-4" and "GPT4",
    "Dr. Jane Smith" and "Jane Smith" have one key each; "Mrs. Watson" and "Watson" have two.
    """
    return " ".join(_folded_words(name))


@lru_cache(CACHE_SIZE)
def is_generic(name: str) -> bool:
    """Tell whether a name names nothing by itself: a pronoun, a number, "our method", "these results", a whole clause.

    Such a name never becomes an entity, is never merged, and what is said of it counts inside its own source only.
    """
    words = _folded_words(name)
    if not words or len(words) > ENTITY_WORDS_LIMIT or len(name) > ENTITY_LENGTH_LIMIT:
        return True
    if len(words) == 1 and name.isupper() and name.isalpha() and 1 < len(name) <= ACRONYM_LENGTH_LIMIT:
        return False  # the WHO, the US
    if _NUMBER.fullmatch(" ".join(words)) or (len(words) == 1 and len(words[0]) == 1):
        return True
    kept = [word for word in words if word not in _DETERMINERS and word not in _LIGHT_ADJECTIVES]
    return not kept or (len(kept) == 1 and (kept[0] in _GENERIC or kept[0] in _GENERIC_SINGULARS))


def titled_surname(name: str) -> str:
    """Return the key of "Mr. Holmes" or "Professor Curie" where a title stands before one single name, else nothing."""
    first, _, rest = _plain(name).partition(" ")
    rest = rest.strip()
    if not rest or " " in rest or not rest[:1].isupper() or not _is_title(first):
        return ""
    return entity_key(name)


def full_name(name: str) -> tuple[str, str]:
    """Return (key, key of the surname) of a person's name with at least one given name, else two empty strings.

    Only the form is looked at: two to four capitalised words. "Neural Network" passes, so a caller asks for a titled
    form of the same surname before it believes in a person.
    """
    plain = _without_title(_plain(name))
    if not _FULL_NAME.fullmatch(plain) or not all(word[:1].isupper() for word in plain.split()):
        return "", ""
    return entity_key(name), entity_key(plain.rsplit(" ", 1)[1])


def stands_for(short: str, long: str) -> bool:
    """Tell whether a short form can abbreviate a long one: its letters occur there in this order, the first one early.

    "LoRA" fits "Low-Rank Adaptation", "XML" fits "Extensible Markup Language"; "BERT" does not fit "Transformer".
    """
    letters = [letter for letter in fold_diacritics(short.casefold()) if letter.isalpha()]
    letters = letters[:-1] if len(letters) > 2 and short.endswith("s") and not long.rstrip().endswith("s") else letters
    target = fold_diacritics(long.casefold())
    if len(letters) < 2 or len(letters) >= len(target):
        return False
    position = -1
    for letter in letters:
        position = target.find(letter, position + 1)
        if position < 0:
            return False
    return True


def _plain(name: str) -> str:
    """Unified characters, one space between words, no note in brackets behind, no article before."""
    text = " ".join(without_invisible(name).translate(UNIFIED).split())
    text = _TRAILING_NOTE.sub("", text) or text
    first, _, rest = text.partition(" ")
    return rest if rest and first.lower() in _ARTICLES else text


def _folded_words(name: str) -> list[str]:
    text = _POSSESSIVE.sub("", _without_title(_plain(name)))
    text = _INITIALS.sub(lambda match: match.group().replace(".", "") + " ", text)
    text = fold_diacritics(_joined(text.casefold()))
    words = _NUMBERED.sub("", " ".join(word.replace("'", "") for word in _WORD.findall(text))).split(" ")
    words = [word for word in words if word.strip("_")]
    if words:
        words[-1] = _singular(words[-1])
    return words


def _joined(text: str) -> str:
    """Hyphens become spaces, but pre-training is pretraining."""
    parts = text.split("-")
    joined = parts[0]
    for part in parts[1:]:
        joined += part if joined.rsplit(" ", 1)[-1] in _JOINED_PREFIXES else f" {part}"
    return joined


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or not word.isalpha() or word in _NOT_PLURAL:
        return word
    if word.endswith(("ss", "us", "is", "as", "os")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]


def _is_title(word: str) -> bool:
    plain = word.lower().rstrip(".")
    return plain in _TITLES or (word.endswith(".") and plain in _DOTTED_TITLES)


def _without_title(text: str) -> str:
    first, _, rest = text.partition(" ")
    if not rest or not _is_title(first):
        return text
    alone = " " not in rest.strip()
    return text if alone and first.lower().rstrip(".") in _OWN_TITLES else rest.strip()


_GENERIC_SINGULARS: Final = frozenset(_singular(word) for word in _GENERIC)
