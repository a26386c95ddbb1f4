"""The words of one clause in, the part that each plays out: of which verb it is the subject or the object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from trisynapse_memory.text.paraphrase.clauses import COPULA, FREE, OBJECT, SUBJECT, VERB, Clause, Limit, Role, Word
from trisynapse_memory.text.paraphrase.lexemes import CONTENT, FINITE, PURE_PARTICIPLES, Kind, Lexeme, is_participle
from trisynapse_memory.text.paraphrase.thesaurus import is_irregular
from trisynapse_memory.text.statements import Sort
from trisynapse_memory.text.synonyms import IRREGULAR

_NUMERIC: Final = frozenset({Sort.NUMBER, Sort.DATE})
_ORDINALS: Final = frozenset("first second third fourth fifth last other latter former".split())
_PARTS_OF_ALL: Final = frozenset({"some", "all", "majority", "many", "few", "both"})
_MANNERS: Final = frozenset(
    """default hand law mail post air sea train car bus taxi mistake design phone email weight volume far half rail road
    ship boat bike foot radio letter""".split()
)
_POSSESSIVES: Final = frozenset("its his her their".split())
_TIMES: Final = frozenset(
    """week day month year today yesterday tomorrow morning afternoon evening night onaverage again still already ever
    soon last next ago later earlier""".split()
)


def _is_agent(rest: Sequence[Lexeme]) -> bool:
    """Whether "by" and somebody follow, not a number, a day or a way of doing it."""
    if len(rest) > 1 and rest[0].kind is Kind.PREPOSITION and rest[1].key == "by":
        rest = rest[1:]  # "paid for by the town"
    kinds = [one.kind for one in rest[:4] if one.kind not in (Kind.DETERMINER, Kind.LIMIT)]
    return kinds[:1] == [Kind.PREPOSITION] and rest[0].key == "by" and kinds[1:2] == [Kind.NOUN]


class PartsReader:
    """Walks over the words of one clause and gives each its parts."""

    def __init__(self, link: str, *, may_be_passive: bool) -> None:
        self._clause = Clause(link=link)
        self._may_be_passive = may_be_passive  # A participle at its head: behind a comma, or "is" stood before.
        self._part = SUBJECT  # of a word that stands under no preposition
        self._under = ""
        self._count = 0  # words since the preposition
        self._verb = ""
        self._passive = False
        self._be = False
        self._waiting: list[Word] = []  # before their verb
        self._outer: list[Word] | None = None  # the same of the clause around a relative one
        self._narrowed: Word | None = None
        self._phrase = 0
        self._infinitive = False
        self._in_apposition = False
        self._agent = False  # The phrase under "by" is the one who does it.
        self._partitive = False  # "36 of the women" stands for women.
        self._host: Word | None = None  # of the phrase under the preposition
        self._apposed = False  # A comma stands right before: "The bridge, built in 1931"
        self._had = False
        self._finite = False  # A verb with a subject was seen.

    def read(self, lexemes: Sequence[Lexeme]) -> Clause:
        """Read them all."""
        for index, lexeme in enumerate(lexemes):
            last = lexemes[index - 1] if index else None
            behind_one = last is not None and (last.kind is Kind.PRONOUN or last.lower in ("those", "these"))
            if not (lexeme.kind is Kind.RELATIVE and behind_one):  # "those who ..." narrows no noun
                self._take(lexeme, lexemes[index + 1 :])
        self._settle(COPULA if self._be else self._verb, SUBJECT)
        return self._clause

    def _take(self, lexeme: Lexeme, rest: Sequence[Lexeme]) -> None:
        kind = lexeme.kind
        stands_alone = bool(rest) and rest[0].kind in FINITE and self._part == SUBJECT and not self._under
        if stands_alone and (lexeme.lower in _ORDINALS or (kind is Kind.LIMIT and lexeme.key in _PARTS_OF_ALL)):
            self._clause.pronoun = self._clause.open_subject = True  # "the second succeeded", "some have vanished"
        if kind is Kind.LIMIT:
            self._clause.limits.append(Limit(lexeme.key, len(self._clause.words)))
        elif kind is Kind.PREPOSITION:
            self._enter(lexeme.key)
        elif kind is Kind.STOP:
            self._leave()
            self._apposed = True
            if self._narrowed is not None:  # "Of 480 women given the tablet, 36 ..."
                self._waiting, self._outer, self._narrowed = self._outer or [], None, None
                self._part, self._verb = SUBJECT, ""
        elif kind is Kind.DETERMINER:
            self._clause.pronoun |= lexeme.lower in _POSSESSIVES
            self._leave()
        elif kind is Kind.AND:
            self._phrase += 1
        elif kind is Kind.PRONOUN:
            self._clause.pronoun = True
            self._clause.alike |= lexeme.lower in ("one", "ones")
            self._clause.open_subject |= self._part == SUBJECT and not self._under
            self._leave()
        elif kind is Kind.RELATIVE:
            self._relate()
        elif kind is Kind.TO:
            self._infinitive = True
        elif kind is Kind.HAVE:
            self._have(rest)
        elif kind is Kind.BE:
            self._leave()
            self._be = True
            self._part = OBJECT if self._part == SUBJECT and not self._verb else self._part
            self._after_be(rest)
        elif kind is Kind.VERB:
            self._act(lexeme, rest)
        elif kind in CONTENT:
            self._apposed = False
            self._partitive = lexeme.kind is Kind.NUMBER and bool(rest) and rest[0].key == "of"
            self._say(lexeme)

    def _after_be(self, rest: Sequence[Lexeme]) -> None:
        """Settle the subject of a "be" that no verb follows, so that what it is stands behind it."""
        following = next(
            (one for one in rest if one.kind not in (Kind.LIMIT, Kind.ADVERB, Kind.GRAMMAR, Kind.BE)), None
        )
        if following is None or following.kind is not Kind.VERB:
            turned = (
                not self._waiting and bool(self._clause.words) and not self._clause.open_subject and not self._finite
            )
            self._settle(COPULA, SUBJECT)
            self._verb, self._be, self._finite = COPULA, False, True
            self._part = SUBJECT if turned else OBJECT  # "On loan are three of the drawings."
            self._clause.finite = True

    def _have(self, rest: Sequence[Lexeme]) -> None:
        """A "have" that no verb follows is itself the verb."""
        following = next((one for one in rest if one.kind not in (Kind.LIMIT, Kind.ADVERB, Kind.GRAMMAR)), None)
        self._leave()
        self._had = following is not None and following.kind in (Kind.VERB, Kind.BE)
        if not self._had:
            self._settle("have", SUBJECT)
            self._verb, self._part, self._finite = "have", OBJECT, True
            self._clause.finite = True

    def _enter(self, group: str) -> None:
        self._phrase += 1
        last = self._clause.words[-1] if self._clause.words else None
        if not (self._under and not self._count):
            self._host = last if last is not None and last.kind in (Kind.NOUN, Kind.NUMBER, Kind.UNIT) else None
        if self._under in ("than", "except") and not self._count:
            return  # "than in water"
        self._under, self._count = group, 0

    def _leave(self) -> None:
        if self._under and not self._count:
            return
        self._under = ""
        self._phrase += 1

    def _relate(self) -> None:
        nouns = [word for word in self._clause.words if word.kind is Kind.NOUN]
        if not nouns:
            return
        self._leave()
        self._outer = self._waiting if not self._verb or self._waiting else None
        self._narrowed = nouns[-1]
        self._waiting, self._part, self._verb = [nouns[-1]], SUBJECT, ""

    def _act(self, lexeme: Lexeme, rest: Sequence[Lexeme]) -> None:
        lower = lexeme.lower
        participle = is_participle(lower)
        by = _is_agent(rest)
        self._passive = participle and (self._be or by or self._is_bare_passive(lexeme, rest))
        noun = self._clause.words[-1] if self._clause.words and self._clause.words[-1].kind is Kind.NOUN else None
        behind = not (self._under and not self._count)  # not "by walking"
        apposed = self._apposed and bool(self._waiting) and (participle or lower.endswith("ing"))
        reduced = (
            behind
            and not self._be
            and not self._had
            and noun is not None
            and (apposed or self._is_reduced(lexeme, rest))
        )
        if reduced and noun is not None:
            self._outer, self._narrowed, self._in_apposition = self._waiting, noun, apposed
            self._waiting = [noun]
            self._passive = not lower.endswith("ing")
        elif self._outer is not None and self._verb and not self._infinitive:
            self._waiting, self._outer, self._narrowed = self._outer, None, None
        self._clause.passive |= self._passive and not self._clause.verbs
        word = self._word(lexeme)
        word.roles.append(Role(VERB, lexeme.key))
        if self._infinitive:
            word.governor = next((one for one in reversed(self._clause.words[:-1]) if one.kind is Kind.VERB), None)
        if self._infinitive and self._verb and not self._waiting:
            self._share(lexeme.key)
        self._settle(lexeme.key, OBJECT if self._passive else SUBJECT)
        first = not self._clause.words[:-1] and not self._clause.link and not self._clause.open_subject
        plain = not lower.endswith(("ing", "ed", "s")) and not is_irregular(lower) and lower not in IRREGULAR
        self._clause.ordered |= first and not self._be and plain
        self._verb, self._part, self._under = lexeme.key, OBJECT, ""
        self._finite |= not reduced and not (lower.endswith("ing") and not self._be)
        self._clause.finite |= not reduced
        self._clause.past |= lower.endswith("ed") or is_irregular(lower) or lower in IRREGULAR
        self._be = self._infinitive = self._had = False
        self._phrase += 1

    def _is_bare_passive(self, lexeme: Lexeme, rest: Sequence[Lexeme]) -> bool:
        """Whether a participle at the head of a clause is a passive: "..., built in 1931", "... and closed in 1988"."""
        if self._clause.words or self._clause.open_subject or self._clause.link or lexeme.lower.endswith("ing"):
            return False
        aimed = bool(rest) and rest[0].kind in (Kind.DETERMINER, Kind.PRONOUN, Kind.NOUN)
        return not aimed and (self._may_be_passive or lexeme.lower in PURE_PARTICIPLES)

    def _is_reduced(self, lexeme: Lexeme, rest: Sequence[Lexeme]) -> bool:
        """Whether a participle narrows the noun before it, because the verb of that noun is still to come."""
        if not (lexeme.lower.endswith("ing") or is_participle(lexeme.lower)) or self._infinitive:
            return False
        if lexeme.lower in PURE_PARTICIPLES or self._finite:
            return True
        if not self._waiting:
            return False
        later = next(
            (one for one in rest if one.kind in (Kind.VERB, Kind.BE, Kind.HAVE, Kind.AUXILIARY, Kind.TO)), None
        )
        modal = any(one.kind is Kind.LIMIT and one.key in ("must", "can", "possible") for one in rest)
        return modal or (later is not None and later.kind is not Kind.TO and not later.lower.endswith("ing"))

    def _share(self, verb: str) -> None:
        """Who does what an infinitive says: the object of the verb before it, else its subject."""
        words = self._clause.words[:-1]
        for part in (OBJECT, SUBJECT):
            doers = [word for word in words if Role(part, self._verb) in word.roles]
            if doers:
                for word in doers:
                    word.roles.append(Role(SUBJECT, verb))
                return

    def _settle(self, verb: str, part: str) -> None:
        for word in self._waiting:
            word.roles.append(Role(part, verb))
        self._waiting = []

    def _say(self, lexeme: Lexeme) -> None:
        last = self._clause.words[-1] if self._clause.words else None
        # A number or date fills a phrase: "in 1874 Brandt ...", "in winter 7 minutes".
        full = last is not None and self._count and (last.sort in _NUMERIC) != (lexeme.sort in _NUMERIC)
        if self._under and full and last is not None and lexeme.kind is not Kind.UNIT and self._breaks(last, lexeme):
            self._leave()
        if self._under and last is not None and last.kind is Kind.UNIT and not self._verb and not self._waiting:
            self._leave()  # "For stays of 30 days visitors need ..."
        word = self._word(lexeme)
        word.host = self._host if self._under else None
        if last is not None and last.text.endswith(("'s", "s'")):
            last.host = word
        self._count += 1
        if lexeme.lower in ("later", "earlier", "ago"):
            self._free_the_time()
        if lexeme.kind is Kind.ADVERB or lexeme.lower in _TIMES:
            word.roles.append(Role(FREE, self._verb))
        elif lexeme.kind is Kind.UNIT and last is not None and last.roles:
            word.roles += last.roles
        elif self._under == "by" and self._is_by_somebody(word):
            word.roles.append(Role(SUBJECT, self._verb))
        elif self._under:
            word.roles.append(Role(self._under, self._verb))
        elif lexeme.text.endswith(("'s", "s'")):
            word.roles.append(Role("of", self._verb))
        elif self._part == SUBJECT:
            self._waiting.append(word)
        else:
            word.roles.append(Role(OBJECT, self._verb))

    def _is_by_somebody(self, word: Word) -> bool:
        """Whether the phrase under "by" tells who does it: not "by 12 percent", "by Friday" or "by default"."""
        if self._count == 1:
            numeric = word.sort in _NUMERIC and not self._partitive
            self._agent = self._passive and not numeric and word.lower not in _MANNERS
        return self._agent

    def _free_the_time(self) -> None:
        """Let "two years" before "later" stand anywhere."""
        for word in self._clause.words[-3:-1]:
            if word.sort is Sort.NUMBER or word.kind is Kind.UNIT or word.lower.rstrip("s") in _TIMES:
                word.roles = [Role(FREE, self._verb)]
                self._waiting = [one for one in self._waiting if one is not word]

    def _breaks(self, last: Word, lexeme: Lexeme) -> bool:
        if lexeme.sort in _NUMERIC:
            limits = [one.group for one in self._clause.limits if one.target == len(self._clause.words)]
            if "only" in limits:
                return True
            bound = bool(limits)
            return self._under == "place" and last.sort is not Sort.NAME and not bound
        return last.sort is Sort.DATE or (lexeme.sort is Sort.NAME and len(last.key) == 4)

    def _word(self, lexeme: Lexeme) -> Word:
        word = Word(lexeme.key, lexeme.sort, lexeme.kind, lexeme.text, self._phrase, narrows=self._narrowed)
        word.apposed = self._in_apposition and self._narrowed is not None
        last = self._clause.words[-1] if self._clause.words else None
        if last is not None and last.kind is word.kind is Kind.NOUN and last.phrase == word.phrase:
            last.modifies = True
        self._clause.words.append(word)
        return word
