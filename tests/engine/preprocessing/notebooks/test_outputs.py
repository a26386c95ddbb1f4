"""Results of cells as text: no colours, no progress bars, no pictures, no controls."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.notebooks.outputs import OUTPUT_MAX_CHARS, without_images, words_of


def shown(**data):
    return {"output_type": "display_data", "data": data}


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ({"output_type": "stream", "text": ["\x1b[1;31mred\x1b[0m\n", "two"]}, ["red\ntwo"]),
        ({"output_type": "stream", "text": "10%|#  |\r50%|## |\r100%|###|\nready"}, ["100%|###|\nready"]),
        (shown(**{"text/plain": ["a\n", "b"], "text/html": "<b>a</b>"}), ["a\nb"]),
        (
            shown(**{"text/html": "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>&lt;2</td></tr></table>"}),
            ["a | b\n1 | <2"],
        ),
        (shown(**{"text/html": "<style>b{}</style><p>x</p><script>y()</script>"}), ["x"]),
        (shown(**{"image/png": "aGk=", "text/plain": "<Figure size 1x1>"}), ["[image: png]"]),
        (shown(**{"image/svg+xml": "<svg/>", "text/plain": "Tower(3)"}), ["Tower(3)\n[image: svg]"]),
        (shown(**{"application/vnd.jupyter.widget-view+json": {}, "text/plain": "HBox()"}), []),
        (shown(**{"application/vnd.plotly.v1+json": {"data": []}}), ["[image: chart]"]),
        (
            {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m", "E: v"]},
            ["E\nE: v"],
        ),
        ({"output_type": "error", "ename": "E", "evalue": "v"}, ["E: v"]),
        ({"output_type": "pyout", "text": ["42"], "png": "aGk="}, ["42\n[image: png]"]),
        ({"output_type": "display_data", "data": "broken"}, []),
        ("no output", []),
    ],
)
def test_a_result_becomes_words(output, words):
    assert list(words_of([output])) == words


def test_the_parts_of_one_stream_are_one():
    parts = [{"output_type": "stream", "text": f"{number}\n"} for number in range(3)]
    assert list(words_of([*parts, shown(**{"text/plain": "end"})])) == ["0\n1\n2", "end"]


def test_a_long_log_is_told_by_its_beginning_and_end():
    (words,) = words_of([{"output_type": "stream", "text": "begin" + "x" * 3 * OUTPUT_MAX_CHARS + "end"}])
    assert words.startswith("begin")
    assert words.endswith("end")
    assert "characters of output left out]" in words
    assert len(words) < OUTPUT_MAX_CHARS + 100


def test_pictures_inside_texts_become_placeholders():
    assert without_images("![a](data:image/png;base64,iVBORw0KGgo=) b") == "![a]([image: png]) b"
