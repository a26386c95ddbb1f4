"""Background work follows whoever fills its role, and says why it waits."""

from __future__ import annotations

from dataclasses import dataclass, field

from trisynapse_memory.contracts import Completer
from trisynapse_memory.pipelines.jobs import Work
from trisynapse_memory.pipelines.staffing.duties import Duty
from trisynapse_memory.types import Completion, Prompt, Role, RoleChoice


class Model:
    provider, max_tokens, is_remote = "lab", 4096, False

    def __init__(self, model: str) -> None:
        self.model = model

    def complete(self, prompt: Prompt, on_text: object = None, stop: object = None) -> Completion:
        return Completion(text=self.model)


class Pile:
    def __init__(self, count: int) -> None:
        self.count = count

    def pending(self) -> int:
        return self.count

    def step(self) -> int:
        self.count -= 1
        return 1


@dataclass
class Office:
    """Who fills the role, and what was begun and ended."""

    who: Completer | None = None
    state: str = "off"
    begun: list[str] = field(default_factory=list)
    ended: int = 0

    def holder(self, role: Role) -> Completer | None:
        return self.who

    def choice(self, role: Role, *, in_haste: bool) -> RoleChoice:
        assert in_haste
        return RoleChoice(role=role, state=self.state, note="" if self.state in ("off", "ready") else "It waits.")

    def begin(self, completer: Completer) -> Work:
        self.begun.append(completer.model)
        return Pile(2)

    def end(self) -> None:
        self.ended += 1

    def duty(self) -> Duty:
        return Duty(Role.EXTRACTION, self, self.begin, self.end)


def test_without_anybody_there_is_no_such_work():
    office = Office()
    duty = office.duty()
    duty.prepare()
    assert (duty.held_up(), duty.pending(), duty.step(), office.begun) == (None, 0, 0, [])


def test_somebody_who_is_chosen_later_takes_the_work_up_in_the_thread_that_works():
    office = Office()
    duty = office.duty()
    office.who, office.state = Model("a"), "ready"
    assert (duty.held_up(), duty.pending(), office.begun) == ("", 1, [])
    assert (duty.step(), office.begun, duty.pending()) == (0, ["a"], 2)
    assert (duty.step(), duty.pending()) == (1, 1)


def test_another_model_begins_anew_and_the_first_ones_work_is_let_go():
    office = Office(Model("a"), "ready")
    duty = office.duty()
    duty.prepare()
    office.who = Model("b")
    assert (duty.step(), office.begun, office.ended, duty.pending()) == (0, ["a", "b"], 1, 2)


def test_a_role_that_is_emptied_is_left_and_then_is_no_work_any_more():
    office = Office(Model("a"), "ready")
    duty = office.duty()
    duty.prepare()
    office.who, office.state = None, "off"
    assert (duty.held_up(), duty.pending()) == ("", 1)
    assert (duty.step(), office.ended) == (0, 1)
    assert (duty.held_up(), duty.pending()) == (None, 0)


def test_somebody_who_may_not_be_asked_is_waited_for_with_the_reason():
    office = Office(Model("a"), "not-allowed")
    duty = office.duty()
    duty.prepare()
    assert (duty.held_up(), duty.pending()) == ("It waits.", 2)
