"""Scores of the next token in, the likeliest one that a grammar allows out. Always the same one: nothing is drawn."""

from __future__ import annotations

import ctypes
import json
import re
from types import TracebackType
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from trisynapse_memory.errors import ProviderError

_TOKEN: Final = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])  # llama_token_data of llama.h

LONGEST_TEXT: Final = 400
"""Longest text, in characters, that a schema can hold a reply to; 1,500 is refused (measured)."""

_PAIR: Final = re.compile(r"\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w")  # a character beyond 16 bits, as JSON spells it


class Chooser:
    """Picks the next token, held to a JSON schema where there is one. Close it: the grammar lives outside Python.

    Args:
        library: the module ``llama_cpp``.
        vocabulary: the handle of the model's vocabulary.
        word_count: how many tokens it has.
        schema: the JSON Schema of the reply, None for prose.

    Raises:
        ProviderError: the schema is none that llama.cpp can hold a reply to.
    """

    def __init__(self, library: Any, vocabulary: Any, word_count: int, schema: dict[str, object] | None) -> None:
        self._library = library
        self._grammar = None if schema is None else _grammar(library, vocabulary, schema)
        self._pointer: Any = ctypes.POINTER(library.llama_token_data)
        self._one: Any = (library.llama_token_data * 1)()
        self._row: NDArray[Any] = np.zeros(0 if schema is None else word_count, dtype=_TOKEN)
        self._row["id"] = np.arange(len(self._row))

    def __enter__(self) -> Chooser:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._grammar is not None:
            self._library.llama_sampler_free(self._grammar)
            self._grammar = None

    def choose(self, scores: NDArray[np.float32]) -> int | None:
        """Return the likeliest token that may come now; None where the grammar leaves none."""
        best = int(scores.argmax())
        if self._grammar is None or self._is_allowed(best):
            return best
        # Trying all words is what makes a grammar slow; the likeliest one is allowed six times in seven (measured on
        # Qwen2.5 with 152,000 words: 7.7 tokens/s, and 6.9 when all are always tried).
        self._row["logit"] = scores
        self._apply(self._row.ctypes.data_as(self._pointer), len(self._row))
        best = int(self._row["logit"].argmax())
        return best if np.isfinite(self._row["logit"][best]) else None

    def accept(self, token: int) -> None:
        """Tell the grammar that this token was written."""
        if self._grammar is not None:
            self._library.llama_sampler_accept(self._grammar, token)

    def _is_allowed(self, token: int) -> bool:
        self._one[0].id, self._one[0].logit = token, 0.0
        self._apply(self._one, 1)
        return bool(np.isfinite(self._one[0].logit))

    def _apply(self, tokens: Any, count: int) -> None:
        array = self._library.llama_token_data_array(data=tokens, size=count, selected=-1, sorted=False)
        self._library.llama_sampler_apply(self._grammar, ctypes.byref(array))


def _grammar(library: Any, vocabulary: Any, schema: dict[str, object]) -> Any:
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    try:
        rules = json_schema_to_gbnf(json.dumps(_holdable(schema)))
    except (AssertionError, LookupError, TypeError, ValueError) as error:
        raise ProviderError("The schema of the reply is none that a local model can be held to.") from error
    grammar = library.llama_sampler_init_grammar(vocabulary, _mended(rules).encode(), b"root")
    if not grammar:
        raise ProviderError("The schema of the reply is none that a local model can be held to.")
    return grammar


def _holdable(schema: Any) -> Any:
    """Leave out bounds of long texts: each character is a rule, and llama.cpp refuses so many. Tokens bound them."""
    if isinstance(schema, list):
        return [_holdable(one) for one in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    long = isinstance(fields.get("maxLength"), int) and fields["maxLength"] > LONGEST_TEXT
    return {key: _holdable(value) for key, value in fields.items() if not (long and key == "maxLength")}


def _mended(rules: str) -> str:
    """Repair what llama-cpp-python 0.3.36 writes: strings with raw line breaks, and halves of characters."""
    rules = rules.replace('char ::= [^"\\\\] |', 'char ::= [^"\\\\\\x7F\\x00-\\x1F] |')
    return _PAIR.sub(_whole_character, rules)


def _whole_character(pair: re.Match[str]) -> str:
    character = json.loads(f'"{pair[0]}"')
    return f"\\U{ord(character):08X}"
