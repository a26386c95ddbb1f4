"""WordNet's data files in, the tables that verdicts read out: likely synonyms, and words that are mostly verbs.

    python packaging/scripts/make_synonyms.py --wordnet /usr/share/wordnet

The files are those of WordNet 3.0 (Debian: ``wordnet-base``). A pair is kept where it stands for a sense that both
words are mostly used in, a tenth of all their uses in WordNet's own counts. A word that was never counted is taken in
its first sense, and only beside one that was. Verbs and what is derived from them are kept the same way.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

from trisynapse_memory.text.synonyms import base, is_measured_word

OUT: Final = Path(__file__).resolve().parents[2] / "engine/trisynapse_memory/text/paraphrase/wordnet"
POS: Final = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
CODES: Final = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
# Derived from, opposite of, pertaining to ("lunar"), of one group of verbs, much like (adjectives).
POINTERS: Final = frozenset({"+", "!", "\\", "$", "&"})
SHARE: Final = 0.1  # of a word's counted uses: below it a sense is too rare to be meant
WORD: Final = re.compile(r"[a-z]{3,}")
HEAD: Final = """\
# {what} Made by packaging/scripts/make_synonyms.py
# from WordNet 3.0, Copyright 2006 by Princeton University, all rights reserved; see LICENSE beside this file.
"""

Sense = tuple[str, str, str]  # lemma, part of speech, offset of the synset


def counted(folder: Path) -> dict[tuple[str, str, int], int]:
    """How often each sense of a word was counted, by lemma, part of speech and number of the sense."""
    counts: dict[tuple[str, str, int], int] = {}
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        key, number, count = line.split()
        lemma, _, rest = key.partition("%")
        counts[lemma, CODES[rest[0]], int(number)] = int(count)
    return counts


def usual_senses(folder: Path) -> set[Sense]:
    """The senses that a word is mostly used in; a word that was never counted is mostly used in its first."""
    counts, usual = counted(folder), set[Sense]()
    totals: Counter[str] = Counter()
    for (lemma, _, _), count in counts.items():
        totals[lemma] += count
    for name, pos in POS.items():
        for line in (folder / f"index.{name}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            lemma, offsets = fields[0], fields[-int(fields[2]) :]
            for number, offset in enumerate(offsets, start=1):
                uses = counts.get((lemma, pos, number), 0)
                if uses >= SHARE * totals[lemma] and (uses or (number == 1 and not totals[lemma])):
                    usual.add((lemma, pos, offset))
    return usual


def related(folder: Path) -> Iterator[tuple[Sense, Sense, bool]]:
    """Pairs of senses that share a synset, or are derived from each other, or are opposites (True)."""
    words: dict[tuple[str, str], list[str]] = {}
    pointers: list[tuple[str, str, str, str, str, str]] = []
    for name, pos in POS.items():
        for line in (folder / f"data.{name}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            fields = line.partition(" | ")[0].split()
            offset, count = fields[0], int(fields[3], 16)
            words[pos, offset] = [re.sub(r"\(\w+\)$", "", word) for word in fields[4 : 4 + 2 * count : 2]]
            rest = fields[5 + 2 * count :]
            pointers += [
                (rest[i], pos, offset, rest[i + 3], rest[i + 2].replace("s", "a"), rest[i + 1])
                for i in range(0, 4 * int(fields[4 + 2 * count]), 4)
                if rest[i] in POINTERS
            ]
    for (pos, offset), lemmas in words.items():
        for one, two in combinations(lemmas, 2):
            yield (one, pos, offset), (two, pos, offset), False
    for sign, pos, offset, ends, other_pos, other in pointers:
        here, there = words[pos, offset], words[other_pos, other]
        if ends == "0000":  # from synset to synset
            pairs = [(one, two) for one in here for two in there]
        else:
            pairs = [(here[int(ends[:2], 16) - 1], there[int(ends[2:], 16) - 1])]
        for one, two in pairs:
            yield (one, pos, offset), (two, other_pos, other), sign == "!"


def table(folder: Path) -> dict[str, set[str]]:
    """Each stem and those that may stand for it."""
    usual, near, opposite = usual_senses(folder), defaultdict[str, set[str]](set), set[tuple[str, str]]()
    known = {lemma for lemma, _, _ in counted(folder)}
    for one, two, opposed in related(folder):
        left, right = one[0], two[0]
        if not (WORD.fullmatch(left) and WORD.fullmatch(right)) or is_measured_word(left) or is_measured_word(right):
            continue
        first, second = base(left), base(right)
        if opposed:
            opposite |= {(first, second), (second, first)}
        elif first != second and one in usual and two in usual and (left in known or right in known):
            near[first].add(second)
            near[second].add(first)
    return {word: {other for other in others if (word, other) not in opposite} for word, others in near.items()}


def verbs(folder: Path) -> list[str]:
    """All verbs, with a star where they are counted as such at least as often as as anything else."""
    uses: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (lemma, pos, _), count in counted(folder).items():
        uses[lemma][pos] += count
    known = [line.split()[0] for line in lines_of(folder / "index.verb")]
    return sorted(
        f"{lemma}*" if uses[lemma]["v"] and 2 * uses[lemma]["v"] >= uses[lemma].total() else lemma
        for lemma in known
        if WORD.fullmatch(lemma)
    )


def irregular_forms(folder: Path) -> list[str]:
    """Irregular forms of counted verbs and nouns, each with its plain form."""
    known = {(lemma, pos) for lemma, pos, _ in counted(folder)}
    rows = [(line.split(), POS[name]) for name in ("verb", "noun") for line in lines_of(folder / f"{name}.exc")]
    kept = {
        forms[0]: forms[1]
        for forms, pos in reversed(rows)
        if (forms[1], pos) in known and all(WORD.fullmatch(form) for form in forms[:2]) and forms[0] != forms[1]
    }
    return sorted(f"{form} {plain}" for form, plain in kept.items())


def lines_of(path: Path) -> list[str]:
    """The lines of a data file that are no comment."""
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith(" ")]


def write(name: str, what: str, lines: list[str]) -> None:
    """Write one table with its head."""
    (OUT / name).write_text(HEAD.format(what=what) + "\n".join(lines) + "\n", "utf-8")
    print(f"{name}: {len(lines)} lines")


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--wordnet", type=Path, required=True, help="the folder with index.noun, data.noun, cntlist.rev"
    )
    folder = parser.parse_args().wordnet
    near = table(folder)
    stems = [f"{word} {' '.join(sorted(near[word]))}" for word in sorted(near) if near[word]]
    write("synonyms.txt", "Likely synonyms: one stem a line, then the stems that may stand for it.", stems)
    write("verbs.txt", "Words that are used as verbs, one a line; a star: mostly so.", verbs(folder))
    write("irregular.txt", "Irregular forms of verbs and nouns, each with its plain form.", irregular_forms(folder))


if __name__ == "__main__":
    main()
