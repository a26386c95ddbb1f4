"""Words in, the folder of a small real cross-encoder out: it judges by the share of a question's words in a passage.

The graph is written as ONNX by hand (onnx.proto, field by field), so that tests need no package to write it. What it
gives depends on the tokens alone, as in any cross-encoder: other words, another order.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from trisynapse_memory.pipelines.staffing.rerankers import ANSWERING, QUESTION, UNRELATED

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
OUTPUTS = ("one", "flat", "two", "hidden", "nan")
"""What a graph gives: one logit in a column, one flat, two, hidden states, or no number at all."""

_FLOAT, _INT64 = 1, 7


def write_cross_encoder(
    folder: Path,
    texts: Iterable[str],
    *,
    output: str = "one",
    inputs: Sequence[str] = (),
    weights: str = "model.onnx",
    has_segments: bool = True,
) -> Path:
    """Write the folder of a cross-encoder that knows the words of some texts, and return it.

    Args:
        folder: made where it is missing.
        texts: whose words it knows; a word it does not know counts for nothing.
        output: one of ``OUTPUTS``.
        inputs: more inputs that the graph asks for.
        weights: the file of the graph, below the folder.
        has_segments: the graph is told which token is the passage's, as BERT is; else it looks for the first [SEP], as
            XLM-RoBERTa has to.
    """
    (folder / weights).parent.mkdir(parents=True, exist_ok=True)
    words = sorted({word for text in (*texts, QUESTION, ANSWERING, UNRELATED) for word in _words(text)})
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer(words)), encoding="utf-8")
    config = {"architectures": ["BertForSequenceClassification"], "max_position_embeddings": 512, "model_type": "bert"}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512}))
    (folder / weights).write_bytes(_model(output, inputs, has_segments))
    return folder


def overlap_logit(question: str, passage: str) -> float:
    """What the graph gives for a pair whose words it knows all."""
    asked, said = _words(question), set(_words(passage))
    return 8.0 * sum(word in said for word in asked) / (len(asked) + 1e-6) - 4.0


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]+", text.lower())


def _tokenizer(words: Sequence[str]) -> dict[str, object]:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *words))}
    markers = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    added = [
        {"id": vocabulary[name], "content": name, "special": True, "single_word": False}
        | {"lstrip": False, "rstrip": False, "normalized": False}
        for name in SPECIAL
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_marker("[CLS]", 0), _words_of("A", 0), _marker("[SEP]", 0)],
            "pair": [
                *(_marker("[CLS]", 0), _words_of("A", 0), _marker("[SEP]", 0)),
                *(_words_of("B", 1), _marker("[SEP]", 1)),
            ],
            "special_tokens": markers,
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }


def _marker(name: str, segment: int) -> dict[str, object]:
    return {"SpecialToken": {"id": name, "type_id": segment}}


def _words_of(name: str, segment: int) -> dict[str, object]:
    return {"Sequence": {"id": name, "type_id": segment}}


# ---------------------------------------------------------------- the graph


def _model(output: str, inputs: Sequence[str], has_segments: bool) -> bytes:
    """``logit = 8 * |words of the question that the passage holds| / |words of the question| - 4``."""
    nodes = [
        _node("Greater", ("input_ids", "last_special"), "is_word"),
        _node("Cast", ("is_word",), "word", to=_FLOAT),
        _node("Cast", ("attention_mask",), "mask", to=_FLOAT),
        *_segments(has_segments),
        _node("Sub", ("one", "second"), "first"),
        _node("Mul", ("word", "mask"), "read"),
        _node("Mul", ("read", "first"), "asked"),
        _node("Mul", ("read", "second"), "said"),
        _node("Unsqueeze", ("input_ids", "axis_2"), "down"),
        _node("Unsqueeze", ("input_ids", "axis_1"), "across"),
        _node("Equal", ("down", "across"), "is_same"),
        _node("Cast", ("is_same",), "same", to=_FLOAT),
        _node("Unsqueeze", ("said", "axis_2"), "said_down"),
        _node("Mul", ("same", "said_down"), "met"),
        _node("ReduceMax", ("met",), "is_held", axes=[1], keepdims=0),
        _node("Mul", ("is_held", "asked"), "held"),
        _node("ReduceSum", ("held", "axis_1"), "held_count", keepdims=1),
        _node("ReduceSum", ("asked", "axis_1"), "asked_count", keepdims=1),
        _node("Add", ("asked_count", "small"), "divisor"),
        _node("Div", ("held_count", "divisor"), "share"),
        _node("Mul", ("share", "eight"), "stretched"),
        _node("Sub", ("stretched", "four"), "logit"),
    ]
    ends = {
        "one": ("logit", 2, []),
        "flat": ("flat", 1, [_node("Squeeze", ("logit", "axis_1"), "flat")]),
        "two": ("both", 2, [_node("Neg", ("logit",), "not"), _node("Concat", ("not", "logit"), "both", axis=1)]),
        "hidden": ("met", 3, []),
        "nan": ("broken", 2, [_node("Sqrt", ("below",), "root"), _node("Mul", ("logit", "root"), "broken")]),
    }
    name, rank, more = ends[output]
    asked = ("input_ids", "attention_mask", *(("token_type_ids",) if has_segments else ()), *inputs)
    constants = {"axis_1": np.array([1]), "axis_2": np.array([2]), "last_special": np.array(len(SPECIAL) - 1)}
    constants["axis"] = np.array(1)
    numbers = {"zero": 0.0, "one": 1.0, "small": 1e-6, "eight": 8.0, "four": 4.0, "below": -1.0}
    graph = b"".join(
        (
            *(_bytes(1, node) for node in (*nodes, *more)),
            _bytes(2, b"overlap"),
            *(_bytes(5, _tensor(key, value.astype(np.int64))) for key, value in constants.items()),
            *(_bytes(5, _tensor(key, np.array(value, np.float32))) for key, value in numbers.items()),
            *(_bytes(11, _value(key, _INT64, 2)) for key in asked),
            _bytes(12, _value(name, _FLOAT, rank)),
        )
    )
    return _number(1, 8) + _bytes(2, b"tests") + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _number(2, 13))


def _segments(are_told: bool) -> list[bytes]:
    """1 for each token of the passage, 0 for each of the question."""
    if are_told:
        return [_node("Cast", ("token_type_ids",), "second", to=_FLOAT)]
    return [
        _node("Equal", ("input_ids", "last_special"), "is_end"),
        _node("Cast", ("is_end",), "end", to=_FLOAT),
        _node("CumSum", ("end", "axis"), "end_count", exclusive=1),
        _node("Clip", ("end_count", "zero", "one"), "second"),
    ]


def _node(kind: str, inputs: Sequence[str], output: str, **attributes: int | list[int]) -> bytes:
    parts = [*(_bytes(1, name.encode()) for name in inputs), _bytes(2, output.encode()), _bytes(4, kind.encode())]
    for name, value in attributes.items():
        stated = b"".join(_number(8, one) for one in value) if isinstance(value, list) else _number(3, value)
        parts.append(_bytes(5, _bytes(1, name.encode()) + stated + _number(20, 7 if isinstance(value, list) else 2)))
    return b"".join(parts)


def _tensor(name: str, values: np.ndarray) -> bytes:
    kind = _INT64 if values.dtype == np.int64 else _FLOAT
    shape = b"".join(_number(1, size) for size in values.shape)
    return shape + _number(2, kind) + _bytes(8, name.encode()) + _bytes(9, values.tobytes())


def _value(name: str, kind: int, rank: int) -> bytes:
    sizes = b"".join(_bytes(1, _bytes(2, f"{name}_{axis}".encode())) for axis in range(rank))
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, sizes)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(parts) + struct.pack("B", value)
