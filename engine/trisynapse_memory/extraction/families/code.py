"""A stretch of program text in, the names it defines and the modules it imports out, by the language's own words.

Comments and strings are not read. What stands inside a class is a member of it and comes under a pattern of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trisynapse_memory.extraction.amounts import confidence_of
from trisynapse_memory.types import Modality, Passage, Proposal

PATTERN: Final = "code"
MEMBER: Final = "code.member"

_HIDDEN: Final = re.compile(
    r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|/\*(?:.|\n)*?\*/|(?<![:\\"\'])//[^\n]*|(?m:^\s*#(?!include|define)[^\n]*)'
    r"|(?m:^\s*--\s[^\n]*)"
)
_EXPORT: Final = r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?"
_PUBLIC: Final = (
    r"(?:(?:pub(?:\([^)]*\))?|public|private|protected|internal|static|abstract|final|sealed|partial|async|unsafe|open|data)"
    r"\s+)*"
)
_KINDS: Final = r"(?:class|interface|enum|struct|trait|protocol|record|object|module|namespace|mod)"
_PROSE: Final = r"(?!(?:is|of|for|in|and|the|with|to|has)\b)"
_VARIABLE: Final = r"(?:const|let|var)\s+(?P<name>[\w$]+)\s*"
_ARROW: Final = r"(?::[^=\n]+)?=\s*(?:async\s*)?(?:\([^)\n]*\)|[\w$]+)\s*(?::[^=\n]+)?=>"
_SQL: Final = r"create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|index)\s+(?:if\s+not\s+exists\s+)?"
# A C-like function: a type, a name, its arguments, an opening brace; no call and no control word fits.
_MODIFIERS: Final = r"(?:(?:public|private|protected|static|inline|virtual|const|final|synchronized|extern)\s+)*"
_NO_TYPE: Final = r"(?!(?:return|else|new|if|for|while|switch|throw|case|do|fn|func|def|class|function|fun|sub)\b)"
_ARGUMENTS: Final = r"\((?:[^;{}()]|\([^()]*\))*\)\s*(?:const\s*|throws\s+[\w, ]+)?\{"
_DEFINITIONS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?P<indent>[ \t]*)(?:async\s+)?def\s+(?:self\.)?(?P<name>\w+[?!]?)",
        rf"^(?P<indent>[ \t]*){_EXPORT}{_PUBLIC}{_KINDS}\s+{_PROSE}(?P<name>[A-Za-z_]\w*)",
        rf"^(?P<indent>[ \t]*){_EXPORT}(?:async\s+)?function\*?\s+(?P<name>[\w$]+)\s*[(<]",
        rf"^(?P<indent>[ \t]*){_EXPORT}{_VARIABLE}{_ARROW}",
        rf"^(?P<indent>[ \t]*){_EXPORT}{_VARIABLE}=\s*(?:async\s+)?function\b",
        rf"^(?P<indent>[ \t]*){_EXPORT}type\s+(?P<name>[A-Za-z_]\w*)\s*(?:<[^>\n]*>)?\s*(?:=|struct|interface|func)",
        rf"^(?P<indent>[ \t]*){_PUBLIC}(?:const\s+|extern\s+(?:\"C\"\s+)?)*fn\s+(?P<name>\w+)\s*[(<]",
        r"^(?P<indent>[ \t]*)func\s+(?:\([^)\n]*\)\s*)?(?P<name>\w+)\s*[(\[<]",
        r"^(?P<indent>[ \t]*)(?:fun|sub)\s+(?P<name>\w+)\s*[({]",
        r"^(?P<indent>[ \t]*)(?P<name>[A-Za-z_.][\w.]*)\s*<-\s*function\s*\(",
        r"^(?P<indent>)(?:function\s+)?(?P<name>[A-Za-z_]\w*)\s*\(\)\s*\{",
        r"^(?P<indent>)\s*#define\s+(?P<name>\w+)",
        rf"(?i)^(?P<indent>){_SQL}(?P<name>[\w.]+)",
        rf"^(?P<indent>[ \t]*){_MODIFIERS}{_NO_TYPE}[A-Za-z_][\w:<>,\[\]]*[\s*&]+(?P<name>[A-Za-z_]\w*)\s*{_ARGUMENTS}",
    )
)
_IMPORTS: Final = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^[ \t]*from\s+(?P<name>\.*[\w.]*\w)\s+import\b",
        r"^[ \t]*import\s+(?P<name>[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)[ \t]*;?[ \t]*$",
        r"^[ \t]*import\s+(?:static\s+)(?P<name>[\w.*]+)\s*;",
        r"^[ \t]*(?:import|export)\s+(?:type\s+)?[\w$*{}\s,]+?\s+from\s+[\"'](?P<name>[^\"'\n]+)[\"']",
        r"^[ \t]*import\s+(?:\w+\s+)?[\"'](?P<name>[^\"'\n]+)[\"']",
        r"\brequire(?:_relative)?\s*\(?\s*[\"'](?P<name>[^\"'\n]+)[\"']",
        r"^[ \t]*#\s*include\s*[<\"](?P<name>[^>\"\n]+)[>\"]",
        r"^[ \t]*(?:pub\s+)?use\s+(?P<name>[\w:]+)(?:::\{[^}]*\}|::\*)?(?:\s+as\s+\w+)?\s*;",
        r"^[ \t]*using\s+(?!namespace\b|var\b)(?P<name>[\w.]+)\s*;",
        r"^[ \t]*(?:library|require)\((?P<name>[A-Za-z][\w.]*)\)",
    )
)
_GO_BLOCK: Final = re.compile(r"^import\s*\((?P<body>[^)]*)\)", re.MULTILINE)
_QUOTED: Final = re.compile(r"[\"'](?P<name>[^\"'\n]+)[\"']")
_CONTROL: Final = frozenset("if for while switch return else catch do try main() sizeof".split())


def find(passage: Passage) -> Iterator[Proposal]:
    """Yield what a file of code defines and imports; the subject is the source's title, the span its line."""
    if passage.modality is not Modality.CODE or not passage.title:
        return
    text = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), passage.text)
    seen: set[tuple[str, str]] = set()
    for relation, pattern, name, start, end in (*_definitions(text), *_imports(text, passage.text)):
        if name not in ("", "__future__") and (relation, name) not in seen:
            seen.add((relation, name))
            yield _fact(passage, relation, pattern, name, start, end)


def _definitions(text: str) -> Iterator[tuple[str, str, str, int, int]]:
    base = min((len(match.group()) for match in re.finditer(r"^[ \t]*(?=\S)", text, re.MULTILINE)), default=0)
    for definition in _DEFINITIONS:
        for match in definition.finditer(text):
            if match["name"] in _CONTROL:
                continue
            is_member = len(match["indent"]) > base
            yield "defines", MEMBER if is_member else PATTERN, match["name"], match.start("name"), match.end("name")


def _imports(text: str, original: str) -> Iterator[tuple[str, str, str, int, int]]:
    for imported in _IMPORTS:
        for match in imported.finditer(text):
            for name in match["name"].split(","):
                plain = re.split(r"\s+as\s+", name.strip())[0].strip()
                yield "imports", PATTERN, plain, match.start("name"), match.end("name")
    for block in _GO_BLOCK.finditer(original):
        for match in _QUOTED.finditer(original, block.start("body"), block.end("body")):
            yield "imports", PATTERN, match["name"], match.start("name"), match.end("name")


def _fact(passage: Passage, relation: str, pattern: str, name: str, start: int, end: int) -> Proposal:
    text = passage.text
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    return Proposal(
        seq=passage.seq,
        start=line_start,
        end=len(text) if line_end < 0 else line_end,
        subject=passage.title,
        relation=relation,
        object=name,
        pattern=pattern,
        confidence=confidence_of(pattern),
    )
