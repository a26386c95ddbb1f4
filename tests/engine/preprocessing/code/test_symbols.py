"""Every language gives its functions, classes and methods by name, with the comments above them and their lines."""

from __future__ import annotations

import pytest

from trisynapse_memory.preprocessing.code.languages import language_of
from trisynapse_memory.preprocessing.code.sections import is_minified, sections_of

PYTHON = """\
import os

# why
@deco
class A(B):
    '''Doc.'''
    x = 1

    def m(self):
        def inner(): pass
        return 1

    async def n(self): pass

def top(): pass
"""
CASES = {
    "a.py": (
        PYTHON,
        [(None, 1, 1), ("A", 3, 7), ("A.m", 9, 11), ("A.n", 13, 13), ("top", 15, 15)],
    ),
    "a.js": (
        "export class A {\n  m(a) { return 1 }\n}\nconst f = (a) => { return a }\nexport default function g() {}\n",
        [("A", 1, 1), ("A.m", 2, 3), ("f", 4, 4), ("g", 5, 5)],
    ),
    "a.ts": (
        "export interface I { a: string }\nnamespace N {\n  export function q() {}\n}\ntype T = string\nenum E { A }\n",
        [("I", 1, 1), ("N", 2, 2), ("N.q", 3, 4), ("T", 5, 5), ("E", 6, 6)],
    ),
    "a.tsx": ("export const View = () => <b>x</b>\n", [("View", 1, 1)]),
    "a.java": (
        "package p;\n\n/** Doc. */\npublic class A {\n  int x;\n\n  A() { }\n\n  /** m */\n  void m() { }\n}\n",
        [(None, 1, 1), ("A", 3, 5), ("A.A", 7, 7), ("A.m", 9, 11)],
    ),
    "a.c": (
        "#include <a.h>\n\n/* adds */\nstatic int *add(int a)\n{\n  return 0;\n}\nstruct s { int a; };\nstruct s v;\n",
        [(None, 1, 1), ("add", 3, 7), ("s", 8, 8), (None, 9, 9)],
    ),
    "a.cpp": (
        "namespace n {\nclass A : B {\n public:\n  int m() const { return 1; }\n};\nint A::z() { return 1; }\n}\n",
        [("n", 1, 1), ("n.A", 2, 3), ("n.A.m", 4, 5), ("n.A::z", 6, 7)],
    ),
    "a.h": ("class A {\n  int m() { return 1; }\n};\n", [("A", 1, 1), ("A.m", 2, 3)]),
    "a.cs": (
        "using X;\nnamespace N {\n  class A {\n    int M() { return 1; }\n  }\n}\n",
        [(None, 1, 1), ("N", 2, 2), ("N.A", 3, 3), ("N.A.M", 4, 6)],
    ),
    "a.go": (
        "package a\n\n// F does.\nfunc F(a int) int { return 1 }\n\ntype T struct{ a int }\n\nfunc (t *T) M() {}\n",
        [(None, 1, 1), ("F", 3, 4), ("T", 6, 6), ("T.M", 8, 8)],
    ),
    "a.rs": (
        "/// Doc\n#[derive(X)]\npub struct S { a: i32 }\nimpl Q for S {\n  fn q() {}\n}\nmod m {\n  fn z() {}\n}\n",
        [("S", 1, 3), ("S as Q", 4, 4), ("S as Q.q", 5, 6), ("m", 7, 7), ("m.z", 8, 9)],
    ),
    "a.rb": (
        "module M\n  class A\n    def m(a)\n    end\n    def self.z; end\n  end\nend\n",
        [("M", 1, 1), ("M.A", 2, 2), ("M.A.m", 3, 4), ("M.A.z", 5, 7)],
    ),
    "a.php": (
        "<?php\nclass B {\n  public function m() {}\n}\nfunction f() {}\n",
        [(None, 1, 1), ("B", 2, 2), ("B.m", 3, 4), ("f", 5, 5)],
    ),
    "a.sh": ("x=1\nf() {\n  echo 1\n}\n", [(None, 1, 1), ("f", 2, 4)]),
    "a.scala": ("object O {\n  def f(x: Int) = 1\n}\ntrait T\n", [("O", 1, 1), ("O.f", 2, 3), ("T", 4, 4)]),
    "a.swift": ("extension A {\n  func q() {\n  }\n}\nprotocol P {}\n", [("A", 1, 1), ("A.q", 2, 4), ("P", 5, 5)]),
    "a.kt": (
        "package a\n\nclass A {\n    fun m() = 1\n}\n\nfun f() {\n}\n",
        [(None, 1, 1), ("A", 3, 3), ("A.m", 4, 5), ("f", 7, 8)],
    ),
    "a.lua": (
        "local function f(a) end\nM.h = function() end\nfunction M:k() end\n",
        [("f", 1, 1), ("M.h", 2, 2), ("M:k", 3, 3)],
    ),
    "a.jl": (
        "module M\nfunction f(x)\n 1\nend\ng(x) = 2\nstruct S\n a\nend\nend\n",
        [("M", 1, 1), ("M.f", 2, 4), ("M.g", 5, 5), ("M.S", 6, 9)],
    ),
    "a.sql": (
        "-- people\nCREATE TABLE people (id int);\n\nSELECT 1;\nCREATE VIEW v AS SELECT 1;\n",
        [("people", 1, 2), (None, 4, 4), ("v", 5, 5)],
    ),
}


def symbols(name, text):
    language = language_of(name, text)
    found = sections_of(text, language, name)
    return [(one.locator.symbol, one.locator.start_line, one.locator.end_line) for one in found], found


@pytest.mark.parametrize("name", CASES)
def test_definitions_are_found_with_their_lines(name):
    text, expected = CASES[name]
    found, sections = symbols(name, text)
    assert found == expected
    lines = text.split("\n")
    for section in sections:
        place = section.locator
        assert text[section.start : section.end].strip() in "\n".join(lines[place.start_line - 1 : place.end_line])
        assert section.path[0] == name
        assert section.fields["language"] == place.language


@pytest.mark.parametrize("name", CASES)
def test_sections_hold_every_word_of_the_file_once(name):
    text, _ = CASES[name]
    _, sections = symbols(name, text)
    held = "".join(text[one.start : one.end] for one in sections)
    assert "".join(held.split()) == "".join(text.split())


def test_lines_are_right_behind_letters_that_take_several_bytes():
    text = "# größe, 記憶\ndef größe():\n    return 'ü'\n\n\ndef zwei():\n    return '記憶'\n"
    found, sections = symbols("a.py", text)
    assert found == [("größe", 1, 3), ("zwei", 6, 7)]
    assert text[sections[1].start : sections[1].end] == "def zwei():\n    return '記憶'"


def test_code_that_does_not_parse_is_read_all_the_same():
    text = "def a(:\n  ]]]\n\ndef b():\n    return 1\n" + "(" * 3000
    _, sections = symbols("a.py", text)
    assert "".join("".join(text[one.start : one.end] for one in sections).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("name", "head", "language"),
    [
        ("x", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("x", "#!/bin/bash\n", "bash"),
        ("x", "#!/usr/bin/awk -f\n", None),
        ("x.txt", "#!/bin/bash\n", None),
        ("Makefile", "all:\n", None),
        ("A.PY", "", "python"),
    ],
)
def test_a_language_is_known_by_ending_or_first_line(name, head, language):
    found = language_of(name, head)
    assert (found.name if found else None) == language


def test_packed_code_is_told_from_written_code():
    assert is_minified("var a=1;" * 2000)
    assert not is_minified("var a = 1;\n" * 2000)
    assert not is_minified("data = '" + "x" * 9000 + "'\n" + "a = 1\n" * 200)
