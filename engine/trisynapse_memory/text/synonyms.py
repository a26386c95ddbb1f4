"""No input: the word tables that verdicts read: synonyms, negators, hedges, quantifiers, prepositions, populations.

Only words that keep a statement true when they stand for each other are synonyms here. Near misses are left out on
purpose (suggest / show, many / most, correlate / cause): a word that is missing costs a withheld paraphrase, a word too
many shows a false citation. All of it is our own; nothing is derived from a thesaurus.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from trisynapse_memory.text.words import FUNCTION_WORDS, stem

_SYNONYMS: Final = """
measure determine gauge
obtain get gain
obtain find
measure find
measure measurement
find discover detect identify
show demonstrate reveal
report state say note mention
use employ utilise utilize apply adopt
build construct make create produce manufacture
begin start commence
end finish conclude complete
large big great
small little tiny
higher greater larger bigger
lower smaller less fewer
faster quicker
quick fast rapid
slower
increase rise grow growth raise
decrease reduce lower decline drop fall lessen diminish
improve enhance boost
outperform beat surpass exceed
method approach technique procedure
propose introduce present
describe depict
need require
allow enable permit let
help assist aid
contain include hold comprise
consist compose
choose select pick
change alter modify
edit change modify revise
keep retain preserve maintain
correct amend revise fix
publish release issue
buy purchase acquire
show display
collect gather
evaluate assess test
train teach
train training
explain clarify
prevent avoid avert
remove delete eliminate
reach attain achieve hit
cover span
link connect join tie
split divide separate
speed velocity
accuracy accurate
precise precision
error mistake
value figure
number count
amount quantity
part portion share fraction section
whole entire full
complete full
way manner
place location site
author writer
paper article
device apparatus instrument
experiment trial
dataset corpus
metre meter
kilometre kilometer
centimetre centimeter
millimetre millimeter
litre liter
percent per-cent percentage
year annual yearly
day daily
month monthly
start beginning
centre center
colour color
behaviour behavior
doctor physician
drug medication medicine
illness disease
car automobile
company firm
child children
man men
woman women
city town
town municipality
road street
teacher instructor
job occupation
live reside dwell
inhabitant resident
house home
fire blaze
turn rotate spin revolve
rotation revolution
ray beam
send transmit
carry transport convey
travel move
go travel
fast quickly
main chief principal primary
important crucial essential
new novel
old ancient
first initial initially
last final finally
later subsequently afterwards
earlier previously before
almost nearly
wide broad width wideness
long length
high height
deep depth
heavy weigh weight
hot warm
own possess
give provide supply offer deliver yield
produce yield deliver
take last
show indicate
pay cost
answer reply respond
ask inquire
write author
die death
born birth
win victory
lead head direct
found establish
open opening
close shut
happen occur
let permit
different distinct
same identical
near close
far distant
similar alike
second seconds
hour hourly
agree concur
compute calculate
introduce introduction
reduce reduction
decide decision
describe description
destroy ruin demolish
erupt eruption
locate situate location
lie situate locate
name call
rule govern
separately independently
together jointly
replace substitute
repeat redo
vote ballot
store save
read reading
draw sketch
cut trim
grow cultivate
"""

# Words that carry no claim of their own; a sentence may have them although its source does not.
LIGHT: Final = frozenset(
    """also however thus therefore hence then moreover furthermore indeed namely accordingly author authors paper study
    work show shows showed shown found find finds report reports reported according there itself himself herself
    themselves one ones its it's that's s per upon whose him them another been become became use used using
    et al do does did have has had having amount total contain contains contained possess
    possesses possessed""".split()
)

NEGATORS: Final = frozenset(
    """not no never neither nor without cannot none nobody nothing nowhere hardly barely scarcely unable lack lacks
    lacked lacking fail fails failed failing refuse refused refuses except excluding""".split()
)
_HEDGES: Final = """
possible: may might could possibly perhaps possible potentially potential conceivably
probable: probably likely presumably
about: about approximately roughly approx circa nearly almost around ~ ≈
evidence: suggest suggests suggested suggesting seem seems seemed appear appears appeared hint hints hinted
evidence: seemingly apparently
belief: believe believes believed think thinks thought claim claims claimed argue argues argued assume assumes
belief: assumed suppose supposes supposed hypothesise hypothesised hypothesize hypothesized speculate speculated
belief: allege alleged allegedly purported reportedly
expected: expect expects expected predict predicts predicted forecast plan plans planned intend intends intended
expected: aim aims aimed should hope hoped
estimated: estimate estimates estimated
often: often frequently usually typically generally commonly normally tend tends tended
sometimes: sometimes occasionally
rarely: rarely seldom infrequently
partly: partly partially mainly mostly largely primarily chiefly
only: only just merely solely exclusively alone
condition: if unless provided assuming
least: atleast
most_bound: atmost upto
preliminary: preliminary tentative tentatively unconfirmed
can: can able
"""
_QUANTIFIERS: Final = """
all: all every each always everyone everything entirely
some: some several
majority: most majority
many: many numerous
few: few handful
half: half
both: both
any: any
"""
_PREPOSITIONS: Final = """
place: in at on during within inside throughout across
with: with using via through
from: from
to: to into toward towards onto
for: for
than: than
before: before until prior
after: after since following
by: by
against: against over versus
between: between among amongst
under: under below beneath
above: above beyond
of: of
as: as
per: accordingto
"""
COMPARISONS: Final = frozenset(
    """more less fewer most least higher lower greater smaller larger bigger better worse faster slower quicker longer
    shorter older younger earlier later stronger weaker heavier lighter deeper wider brighter warmer cooler hotter
    colder cheaper safer harder easier""".split()
)
POPULATIONS: Final = frozenset(
    """mice mouse rats rat humans human patients patient adults adult children child women woman men man participants
    participant students student users user people infants infant teenagers adolescents volunteers respondents workers
    nurses teachers cells rodents monkeys dogs cats pupils residents veterans newborns seniors households schools
    hospitals farms rivers lakes birds plants seedlings""".split()
)
BINDERS: Final = frozenset("and or , & as_well".split())
PRONOUNS: Final = frozenset("it he she they this these that those its his her their such both".split())
IRREGULAR_PARTICIPLES: Final = frozenset(
    """built made found held sent taken given written driven shown known seen kept led lost won beaten drawn cut read
    told thought brought bought caught taught sold chosen broken begun done gone put set hit struck hidden grown thrown
    flown worn spoken laid paid met run bound spun""".split()
)
# Word and number: "twelve teeth" is "12 teeth". "one" is left out: it is also a pronoun.
NUMBER_WORDS: Final = MappingProxyType(
    {
        **{
            word: str(value)
            for value, word in enumerate(
                "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(), start=2
            )
        },
        "twenty": "20",
        "thirty": "30",
        "forty": "40",
        "fifty": "50",
        "sixty": "60",
        "hundred": "100",
    }
)
MONTHS: Final = MappingProxyType(
    {
        month: f"{number:02d}"
        for number, month in enumerate(
            "january february march april may june july august september october november december".split(), start=1
        )
    }
)


def _irregular_stems() -> Mapping[str, str]:
    rows = """built:build made:make found:find held:hold sent:send taken:take took:take given:give gave:give wrote:write
    written:write driven:drive drove:drive shown:show kept:keep led:lead lost:lose won:win drew:draw drawn:draw
    told:tell said:say thought:think brought:bring bought:buy caught:catch taught:teach sold:sell chose:choose
    chosen:choose broke:break broken:break began:begin begun:begin went:go gone:go fell:fall fallen:fall grew:grow
    grown:grow rose:rise risen:rise saw:see seen:see met:meet paid:pay laid:lay spun:spin ran:run beaten:beat
    struck:strike mice:mouse children:child men:man women:woman feet:foot teeth:tooth lay:lie lain:lie spoke:speak
    spoken:speak got:get came:come left:leave knew:know known:know stood:stand threw:throw bore:bear died:die""".split()
    pairs = (row.partition(":") for row in rows)
    return MappingProxyType({form: plain for form, _, plain in pairs})


def _groups(table: str) -> Mapping[str, str]:
    groups: dict[str, str] = {}
    for line in table.strip().splitlines():
        name, words = line.split(": ")
        groups.update(dict.fromkeys(words.split(), name))
    return MappingProxyType(groups)


def _neighbours(table: str) -> Mapping[str, frozenset[str]]:
    near: dict[str, set[str]] = {}
    for line in table.strip().splitlines():
        row = {stem(word) for word in line.split()}
        for word in row:
            near.setdefault(word, set()).update(row)
    return MappingProxyType({word: frozenset(others) for word, others in near.items()})


IRREGULAR: Final = _irregular_stems()
HEDGES: Final = _groups(_HEDGES)
QUANTIFIERS: Final = _groups(_QUANTIFIERS)
PREPOSITIONS: Final = _groups(_PREPOSITIONS)
_NEAR: Final = _neighbours(_SYNONYMS)
# What a verb and its noun differ by after stemming: conduct / conductor. Shorter stems share too much by chance.
_SUFFIXES: Final = frozenset({"or", "er", "ion", "ment", "al"})
_DERIVED_LENGTH: Final = 5  # letters


_MEASURES: Final = frozenset(
    """second seconds minute minutes hour hours day days week weeks month months year years decade century millennium
    moment instant metre meter kilometre kilometer centimetre centimeter millimetre millimeter micron mile foot inch
    yard gram gramme kilogram kilo tonne ton pound ounce litre liter gallon pint degree celsius fahrenheit watt volt
    percent per hundred thousand million billion trillion dozen first second third fourth fifth sixth seventh eighth
    ninth tenth last next monday tuesday wednesday thursday friday saturday sunday morning afternoon evening night noon
    spring summer autumn fall winter north south east west left right mother father sister brother son daughter uncle
    aunt wife husband king queen buyer seller dollar euro cent penny""".split()
)


def is_measured_word(word: str) -> bool:
    """Whether a lower-case word counts, measures, limits, relates or names a kin: no other word may stand for it."""
    tables = (NEGATORS, HEDGES, QUANTIFIERS, PREPOSITIONS, COMPARISONS, POPULATIONS, NUMBER_WORDS, MONTHS, _MEASURES)
    return word in FUNCTION_WORDS or any(word in one for one in tables)


def base(word: str) -> str:
    """The stem of a lower-case word, with irregular forms led back first: "built" and "builds" meet in "build"."""
    return stem(IRREGULAR.get(word, word))


def likes_of(word: str) -> frozenset[str]:
    """The stems that may stand for this one, itself included: by the table, or a verb and its noun. Not transitive."""
    likes = {word, *_NEAR.get(word, ())}
    if len(word) >= _DERIVED_LENGTH:
        likes |= {word + suffix for suffix in _SUFFIXES}
    likes |= {word.removesuffix(suffix) for suffix in _SUFFIXES if len(word) >= _DERIVED_LENGTH + len(suffix)}
    return frozenset(likes)


def agree(left: str, right: str) -> bool:
    """Whether two stems may stand for each other, in either direction."""
    return left == right or right in likes_of(left)
