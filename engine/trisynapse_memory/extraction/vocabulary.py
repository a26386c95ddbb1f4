"""Word lists that decide what a sentence asserts and what is too vague to be a fact. Tables only.

They were written from grammar books' closed classes and from what papers, reports and notes say; measured together
with the patterns (``scoring/patterns.py``).
"""

from __future__ import annotations

from typing import Final

PRONOUNS: Final = frozenset(
    """i you he she it we they me him her us them mine yours hers ours theirs this that these those who
    whom which what whoever whichever something anything nothing everything someone anyone everyone
    somebody nobody everybody itself themselves himself herself one ones another other others each both
    all some any none many few several most much more less former latter here there so such same rest
    half today tomorrow yesterday now""".split()
)
"""Words that stand for something else; none of them can be a subject or an object."""

DEMONSTRATIVES: Final = frozenset(
    "this that these those such my our your his her its their whose which what another".split()
)
"""A noun phrase that begins with one of these means something only where it stands."""

DETERMINERS: Final = frozenset("a an the".split())
"""What is taken off the front of a subject or an object."""

VAGUE_HEADS: Final = frozenset(
    """ability act action addition advantage aim algorithm amount analysis answer application approach
    architecture article aspect attempt author authors baseline basis behavior behaviour benefit case
    category challenge change chapter choice class combination comparison component concept conclusion
    condition consequence context contribution data dataset datasets degree design detail difference
    discussion effect element entity equation event evidence example experiment experiments extent fact
    factor feature field figure finding findings form formula framework function goal group guideline
    hypothesis idea implementation improvement increase input instance issue job kind layer level line
    literature loss lot majority manner matter means measure measurement method methods mechanism metric
    model models network notion number object observation operation option order outcome output page
    paper part parameter parameters participant participants patient patients people performance person
    phenomenon piece place plan point position possibility practice problem procedure process program
    project property purpose question range rate reason region relation relationship report
    representation requirement research researcher researchers respect result results role rule sample
    scenario scheme section sentence series set setting setup side situation size solution sort source
    space state statement step steps strategy structure study studies subject subset system systems table
    task tasks team technique techniques term test text theorem theory thing things time top topic
    treatment trial type unit use user users value values variable variant version view way ways word
    words work works year years default decade day week month company firm agency office bank court
    government""".split()
)
"""Nouns that name nothing by themselves: "the model", "results", "this section"."""

NAMING_KINDS: Final = frozenset(
    """agency algorithm architecture bank city company country dataset drug firm framework function
    language library machine method metric model network office package product program project protein
    server team technique theorem tool town village""".split()
)
"""Vague nouns that still tell what a named thing is ("Leipzig is a city")."""

WEAK_MODIFIERS: Final = frozenset(
    """above actual additional aforementioned alternative available basic best better big certain common
    complete considered corresponding crucial current different earlier entire essential existing
    experimental final first following former full fundamental further general given good great high
    identical important individual initial interesting key large larger last latter likely little low
    main major many new next novel numerous old only original other overall own particular popular
    possible powerful present previous primary prior proposed recent related relevant remaining
    respective resulting same second separate several significant similar simple single small smaller
    special specific standard strong subsequent such suggested third total two three four typical useful
    usual various very whole""".split()
)
"""Adjectives that do not make a vague noun mean anything ("the proposed method", "other work")."""

MODALS_OF_DOUBT: Final = frozenset("may might".split())
MODALS_OF_WISH: Final = frozenset("should would shall must ought will wo can could ca".split())
"""After these a verb tells what is wanted, to come, or possible, not what is."""

DOUBTING_ADVERBS: Final = frozenset(
    """allegedly apparently arguably conceivably likely maybe perhaps possibly potentially presumably
    probably purportedly reportedly seemingly supposedly theoretically""".split()
)
DENYING_ADVERBS: Final = frozenset("never no not n't nowhere neither nor".split())
LIMITING_ADVERBS: Final = frozenset("barely hardly rarely scarcely seldom almost nearly only partly partially".split())
"""With these the plain statement would say more than the sentence does."""

RAISING_DOUBT: Final = frozenset(
    "appear seem tend believe think suppose assume hypothesize hypothesise suspect claim allege say".split()
)
"""Verbs whose infinitive is held with doubt: "is thought to cause", "seems to reduce"."""
RAISING_FACT: Final = frozenset(
    """find show know observe report prove demonstrate continue begin start see help reveal discover
    measure come serve manage""".split()
)
"""Verbs whose infinitive is held as it is: "was found to reduce", "continues to use"."""
RAISING_FAILURE: Final = frozenset("fail refuse decline neglect".split())
"""Verbs whose infinitive is denied: "fails to improve"."""

SAYING: Final = frozenset(
    """acknowledge add admit affirm allege announce argue assert believe claim comment conclude confirm
    contend declare demonstrate discover emphasize emphasise establish estimate explain find hold
    indicate insist maintain mention note observe point predict propose prove read realize realise recall
    recognize recognise record remark report reveal say see show state stress suggest suppose tell
    testify think verify warn write hypothesize hypothesise speculate know imply mean ensure agree""".split()
)
"""Verbs that give a clause to a speaker."""
SAYING_WITH_DOUBT: Final = frozenset(
    """believe estimate expect hypothesize hypothesise imply indicate propose speculate suggest suppose
    suspect think predict""".split()
)
"""Of those, the ones that leave it open."""
CONDITIONAL_MARKS: Final = frozenset(
    "if unless whether provided providing assuming suppose supposing lest until".split()
)
"""A clause behind one of these is not said to be so."""

NEGATIVE_DETERMINERS: Final = frozenset("no neither".split())
VAGUE_DETERMINERS: Final = frozenset("few any either every each some many most all several both half".split())
