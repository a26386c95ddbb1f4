"""Chosen sentences and the way to the record beside one in, the same with cut sentences whole out. Nothing is ranked.

A sentence that runs over the end of a page lies in two records. Each piece is quoted from its own record, with its own
citation, so that every word stands where the citation says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from trisynapse_memory.answering.selection import Choice
from trisynapse_memory.answering.sentences import Sentence, edge_of, ends_sentence
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import TokenCounter
from trisynapse_memory.types import Hit

Beside = Callable[[Hit, int], Hit | None]


def complete(
    choices: Sequence[Choice], beside: Beside, count_tokens: TokenCounter, config: Config
) -> tuple[Choice, ...]:
    """Bring the missing piece of the best sentence where a border of pages or chunks cut it.

    Args:
        choices: best first; only the first is completed.
        beside: a hit and -1 or 1 -> the record before or after it in the same source, as a hit, or None.
        count_tokens: how long a piece is.
        config: its caps on sentences, characters and tokens hold for pieces too; further sentences make room for a
            piece, and a piece that does not fit is left out.
    """
    if not choices or choices[0].sentence.speaker or choices[0].sentence.is_row:
        return tuple(choices)
    best = choices[0]
    before, after = _head(best, beside), _tail(best, beside)
    pieces = [piece for piece in (before, best, after) if piece is not None]
    others = [other for other in choices[1:] if not any(_same_place(other, piece) for piece in pieces)]
    if not 1 < len(pieces) <= config.answer_max_sentences or not _fits(pieces, count_tokens, config):
        return tuple(choices)
    room = config.answer_max_sentences - len(pieces)
    return (*pieces, *(others[:room] if _fits([*pieces, *others], count_tokens, config) else ()))


def _fits(pieces: Sequence[Choice], count_tokens: TokenCounter, config: Config) -> bool:
    texts = [piece.sentence.hit.record.text[piece.start : piece.end] for piece in pieces]
    most = min(config.context_max_tokens, config.source_max_tokens)
    return max(map(len, texts)) <= config.excerpt_max_chars and sum(count_tokens(texts)) <= most


def _head(best: Choice, beside: Beside) -> Choice | None:
    text = best.sentence.hit.record.text
    begins_low = best.sentence.text[:1].islower()
    if not begins_low or text[: best.start].strip():
        return None
    hit = beside(best.sentence.hit, -1)
    piece = edge_of(hit, last=True) if hit is not None else None
    return None if piece is None or ends_sentence(piece.text) else _as_choice(piece, best)


def _tail(best: Choice, beside: Beside) -> Choice | None:
    text = best.sentence.hit.record.text
    if ends_sentence(best.sentence.text) or text[best.end :].strip():
        return None
    hit = beside(best.sentence.hit, 1)
    piece = edge_of(hit, last=False) if hit is not None else None
    return _as_choice(piece, best) if piece is not None and piece.text[:1].islower() else None


def _as_choice(sentence: Sentence, best: Choice) -> Choice:
    return Choice(replace(sentence, rank=best.sentence.rank), sentence.start, sentence.end, best.score)


def _same_place(one: Choice, two: Choice) -> bool:
    return one.sentence.hit.record.id == two.sentence.hit.record.id and one.start == two.start
