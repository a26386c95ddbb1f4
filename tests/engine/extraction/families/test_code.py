"""Names that a file of code defines and imports."""

from __future__ import annotations

import pytest

from trisynapse_memory.extraction.families.code import find
from trisynapse_memory.types import Modality, Passage

PYTHON = '''"""def no(): class Never"""
import os, sys as system
from a.b import c
class Tree(Base):
    def grow(self): pass
async def walk(x):
    return grow(x)
# def commented()
'''
C = """#include <stdio.h>
#define MAX 3
/* int never(int a) { } */
static int add(int a, int b) {
  if (a) { return b; }
  return foo(a);
}
"""
RUST = "use std::collections::HashMap;\npub fn go(x: u8) -> u8 { x }\nstruct P;\n"
TYPESCRIPT = 'import { a } from "./b";\nexport const go = async (x: number) => { return x; };\n'
GO = 'package main\nimport (\n\t"fmt"\n)\nfunc main() { fmt.Println() }\n'


def found(text: str, title: str) -> set[tuple[str, str, str]]:
    passage = Passage(seq=1, text=text, title=title, modality=Modality.CODE)
    facts = list(find(passage))
    assert all(one.subject == title and one.object in text[one.start : one.end] for one in facts)
    return {(one.pattern, one.relation, one.object) for one in facts}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            PYTHON,
            {
                ("code", "defines", "Tree"),
                ("code", "defines", "walk"),
                ("code.member", "defines", "grow"),
                ("code", "imports", "os"),
                ("code", "imports", "sys"),
                ("code", "imports", "a.b"),
            },
        ),
        (C, {("code", "imports", "stdio.h"), ("code", "defines", "MAX"), ("code", "defines", "add")}),
        (RUST, {("code", "imports", "std::collections::HashMap"), ("code", "defines", "go"), ("code", "defines", "P")}),
        (TYPESCRIPT, {("code", "imports", "./b"), ("code", "defines", "go")}),
        (GO, {("code", "imports", "fmt"), ("code", "defines", "main")}),
    ],
)
def test_each_language_by_its_own_words(text: str, names: set[tuple[str, str, str]]) -> None:
    assert found(text, "file") == names


def test_prose_about_code_defines_nothing() -> None:
    assert list(find(Passage(seq=1, text="def walk(): is a function", title="note"))) == []
