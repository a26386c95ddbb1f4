"""Settings are read as they stand, comments with what they speak of; nothing is constructed, no alias grows."""

from __future__ import annotations

import time

import pytest

from trisynapse_memory.preprocessing.structured.outlines import (
    NotYamlError,
    sections_of,
    table_borders,
    toml_fault,
    yaml_borders,
)


def told(text, borders):
    return [(one.path, text[one.start : one.end]) for one in sections_of(text, borders)]


def test_yaml_keys_open_sections_and_comments_belong_to_what_follows():
    text = "# top\nname: demo\n\n# why\nservers:\n  - host: a\n"
    assert told(text, yaml_borders(text)) == [
        (("name",), "# top\nname: demo"),
        (("servers",), "# why\nservers:\n  - host: a"),
    ]


def test_long_values_open_sections_of_their_own():
    text = "servers:\n" + "".join(f"  - host: alpha{n}\n    note: {'x' * 60}\n" for n in range(20)) + "last: 1\n"
    found = told(text, yaml_borders(text))
    assert found[0] == (("servers",), "servers:")
    assert sections_of(text, yaml_borders(text))[0].kind == "heading"  # it says nothing by itself
    assert found[2] == (("servers", "[1]"), f"  - host: alpha1\n    note: {'x' * 60}")
    assert found[-1] == (("last",), "last: 1")


def test_several_documents_are_told_apart():
    text = "a: 1\n---\nb: 2\n"
    assert [path for path, _ in told(text, yaml_borders(text))] == [("[0]",), ("[1]",)]


def test_a_tag_constructs_nothing_and_aliases_do_not_grow():
    text = 'x: !!python/object/apply:os.system ["echo hacked"]\n'
    assert told(text, yaml_borders(text)) == [(("x",), text.strip())]
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    )
    began = time.perf_counter()
    assert len(told(bomb, yaml_borders(bomb))) == 10
    flat = "{" + ", ".join(line.rstrip() for line in bomb.splitlines()) + ", z: '" + "z" * 2000 + "'}\n"
    assert told(flat, yaml_borders(flat))
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize("text", ["a: [1, 2\nb: }", "[" * 20_000, "a: \x07"])
def test_what_is_no_yaml_is_told(text):
    with pytest.raises(NotYamlError, match="not valid YAML"):
        list(yaml_borders(text))


def test_tables_of_toml_and_sections_of_ini_open_sections():
    text = 'title = "T"\n\n# the owner\n[owner]\nname = "Tom"\n[[servers.alpha]]  # two\nip = 1\n'
    assert told(text, table_borders(text)) == [
        ((), 'title = "T"'),
        (("owner",), '# the owner\n[owner]\nname = "Tom"'),
        (("servers", "alpha"), "[[servers.alpha]]  # two\nip = 1"),
    ]
    assert toml_fault(text) == ""
    assert "line 1" in toml_fault("a = = 1")
