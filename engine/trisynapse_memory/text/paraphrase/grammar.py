"""A sentence in, its clauses out: which words are said by which verb of what, in which part. Shallow, no model.

A clause knows for each of its words the parts it plays: before a verb ("subject"), behind it ("object"), or under a
preposition. Passives are turned round, a relative clause is tied to the noun it hangs on, and what a clause leaves out
("..., B only 9", "... and renew it") is taken from the one before. What is not recognised stays a plain word.
"""

from __future__ import annotations

from trisynapse_memory.text.paraphrase.clauses import Clause, Limit
from trisynapse_memory.text.paraphrase.completing import complete
from trisynapse_memory.text.paraphrase.lexemes import Kind
from trisynapse_memory.text.paraphrase.parts import PartsReader
from trisynapse_memory.text.paraphrase.segments import segments_of
from trisynapse_memory.text.paraphrase.tagging import tagged
from trisynapse_memory.text.paraphrase.telling import trace_teller


def clauses_of(sentence: str) -> tuple[Clause, ...]:
    """Read the clauses of a sentence that is said in its plainest turns of phrase."""
    clauses: list[Clause] = []
    doubts: list[Limit] = []
    for link, behind_comma, lexemes in segments_of(tagged(sentence)):
        passive = behind_comma or (bool(clauses) and clauses[-1].passive)
        clause = PartsReader(link, may_be_passive=passive).read(lexemes)
        if not clause.words:
            doubts += clause.limits  # "It is likely that ..."
            continue
        clause.limits += [Limit(limit.group, 0) for limit in doubts]
        doubts = []
        complete(clause, clauses)
        if clauses and _is_manner(clauses[-1]) and clause.finite:
            clause.words += clauses[-1].words  # "Working in Paris, he found ..."
        trace_teller(clause, clauses)
        clauses.append(clause)
    return tuple(clauses)


def _is_manner(clause: Clause) -> bool:
    """Whether a clause is only a gerund in front, whose words are said of whoever the next one is about."""
    first = clause.words[0]
    return first.kind is Kind.VERB and first.lower.endswith("ing") and len(clause.verbs) == 1 and not clause.link
