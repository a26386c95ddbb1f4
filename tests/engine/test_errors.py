"""Every error says what and what to do, has a code of its own, and survives the way out of a process."""

from __future__ import annotations

import pickle
import re

import pytest

from trisynapse_memory import errors
from trisynapse_memory.errors import TrisynapseError, UnknownRecordError

CLASSES = [found for found in vars(errors).values() if isinstance(found, type) and issubclass(found, TrisynapseError)]


def test_no_two_errors_share_a_code():
    codes = [found.code for found in CLASSES]
    assert len(set(codes)) == len(codes)


def test_the_drawing_at_the_head_shows_every_class_with_its_code():
    drawn = dict(re.findall(r"(\w+Error)\s+([a-z_]+\.[a-z_]+)", errors.__doc__ or ""))
    assert drawn == {found.__name__: found.code for found in CLASSES if found is not TrisynapseError}


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_the_text_is_the_problem_and_the_hint(found: type[TrisynapseError]):
    error = found("'a' is wrong.", hint="Do b.")
    assert str(error) == "'a' is wrong. Do b."
    assert str(found("'a' is wrong.")) == "'a' is wrong."


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_problem_and_hint_survive_a_pickle(found: type[TrisynapseError]):
    error = pickle.loads(pickle.dumps(found("problem", hint="hint")))
    assert (type(error), error.problem, error.hint) == (found, "problem", "hint")


@pytest.mark.parametrize("found", CLASSES, ids=lambda found: found.__name__)
def test_the_exit_code_is_one_of_the_command_line_contract(found: type[TrisynapseError]):
    by_family = {"vault": 5, "source": 4, "provider": 6, "network": 6, "service": 5}
    family = found.code.partition(".")[0]
    if found.code in ("vault.exists", "source.unknown", "provider.unknown"):
        assert found.exit_code == 2
    elif family in by_family:
        assert found.exit_code == by_family[family]
    else:
        assert found.exit_code in (1, 2, 6)


def test_lookups_can_be_caught_as_pythons_own_errors():
    with pytest.raises(KeyError, match="r_1"):
        raise UnknownRecordError("There is no record 'r_1'.")
