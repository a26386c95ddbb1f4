"""Sizes, state, catches and ``Any``: the project keeps the limits, and each checker finds a planted violation."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch

import pytest

import house_limits as limits
from house_exceptions import BROAD_CATCHERS, EXCUSES, JSON_BORDERS, SMALLER_FILES, Excuse
from house_files import PRODUCT, Violation, expect_none, matches, python_files, read

Checker = Callable[[str, str], list[Violation]]

EVERYWHERE: tuple[Checker, ...] = (limits.check_file_lines, limits.check_function_lines)
PRODUCT_ONLY: tuple[Checker, ...] = (limits.check_public_methods, limits.check_parameters, limits.check_module_state)


def judge(check: Checker, files: list[str]) -> list[Violation]:
    return [violation for name in files for violation in check(name, read(name))]


def unexcused(found: list[Violation], excuses: tuple[Excuse, ...]) -> list[Violation]:
    return [
        violation
        for violation in found
        if not any(excuse.rule == violation.rule and fnmatch(violation.path, excuse.path) for excuse in excuses)
    ]


@pytest.mark.parametrize("check", EVERYWHERE, ids=lambda check: check.__name__)
def test_every_python_file_keeps_the_sizes(check: Checker):
    expect_none(unexcused(judge(check, python_files()), EXCUSES))


@pytest.mark.parametrize("check", PRODUCT_ONLY, ids=lambda check: check.__name__)
def test_the_engine_and_the_app_keep_the_limits(check: Checker):
    expect_none(unexcused(judge(check, python_files(PRODUCT)), EXCUSES))


@pytest.mark.parametrize(("name", "limit"), SMALLER_FILES)
def test_the_facade_and_the_window_stay_small(name: str, limit: int):
    if name in python_files(PRODUCT):
        expect_none(limits.check_file_lines(name, read(name), limit))


def test_everything_is_caught_only_at_the_last_stops():
    expect_none(unexcused(judge(limits.check_broad_catches, python_files(PRODUCT)), BROAD_CATCHERS))


def test_any_stands_only_at_json_borders():
    expect_none(unexcused(judge(limits.check_any, python_files(("engine/",))), JSON_BORDERS))


def test_every_excuse_is_still_needed():
    for excuse in EXCUSES:
        files = [name for name in python_files() if matches(name, [excuse.path])]
        found = [violation for check in (*EVERYWHERE, *PRODUCT_ONLY) for violation in judge(check, files)]
        assert excuse.rule in {violation.rule for violation in found}, excuse
    assert all(len(excuse.reason.split()) >= 5 for excuse in (*EXCUSES, *BROAD_CATCHERS, *JSON_BORDERS))


LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 50
MANY_METHODS = "class C:\n" + "".join(f"    def m{number}(self): ...\n" for number in range(21))

PLANTED = [
    (limits.check_file_lines, "x = 1\n" * 401, "x = 1\n" * 400),
    (limits.check_function_lines, LONG_FUNCTION, LONG_FUNCTION.replace("x = 1\n", "'''a\n    docstring'''\n", 1)),
    (limits.check_public_methods, MANY_METHODS, MANY_METHODS.replace("m20", "_m20")),
    (
        limits.check_parameters,
        "def f(a, b, c, d, e, f, *, g, h): ...",
        "class C:\n    def f(self, a, b, c, d, e, f, g): ...",
    ),
    (limits.check_module_state, "seen = {}", "SEEN = {'a': 1}\n__all__ = ['f']\nempty: Final = []"),
    (limits.check_module_state, "cache = defaultdict(list)", "def f():\n    cache = {}"),
    (limits.check_module_state, "if True:\n    seen = set()", "if True:\n    seen = frozenset()"),
    (limits.check_module_state, "SEEN = {}\ndef f():\n    SEEN['a'] = 1", "SEEN = {}\ndef f(SEEN):\n    SEEN['a'] = 1"),
    (limits.check_module_state, "SEEN = []\ndef f():\n    SEEN.append(1)", "SEEN = []\ndef f():\n    return SEEN[0]"),
    (limits.check_module_state, "n = 0\ndef f():\n    global n\n    n = 1", "n = 0\ndef f():\n    n = 1"),
    (limits.check_broad_catches, "try: f()\nexcept Exception: pass", "try: f()\nexcept ValueError: pass"),
    (limits.check_broad_catches, "try: f()\nexcept: pass", "try: f()\nexcept (OSError, ValueError): pass"),
    (limits.check_broad_catches, "try: f()\nexcept (OSError, BaseException): pass", "raise Exception"),
    (
        limits.check_broad_catches,
        "try: f()\nexcept Exception: raise X",
        "try: f()\nexcept Exception:\n    undo()\n    raise",
    ),
    (limits.check_broad_catches, "with suppress(Exception): f()", "with suppress(OSError): f()"),
    (limits.check_any, "def f(a: dict[str, Any]): ...", "def f(a: dict[str, object]): ...  # Any"),
    (limits.check_any, "x: typing.Any = 1", "x = any([])"),
]


@pytest.mark.parametrize(("check", "bad", "good"), PLANTED)
def test_each_checker_finds_what_it_looks_for_and_nothing_else(check: Checker, bad: str, good: str):
    assert check("m.py", bad) != []
    assert check("m.py", good) == []
