"""A page told as prose says nothing the page does not say, lasts as long as that does, and is never made by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from threading import Event

from msgspec import structs
from pytest import fixture, mark, raises

from tests.engine.wiki.wiki_bench import Bench, furnish
from trisynapse_memory.contracts import OnText
from trisynapse_memory.errors import InvalidInputError, ProviderError
from trisynapse_memory.log.sensitivity import Sensitivity
from trisynapse_memory.memory_engine import MemoryEngine
from trisynapse_memory.pipelines.staffing.sharing import Sharer
from trisynapse_memory.pipelines.subjects import Subjects
from trisynapse_memory.pipelines.wiki import Wiki
from trisynapse_memory.pipelines.writing.model_answers import Models, Offer, Stops
from trisynapse_memory.pipelines.writing.model_prose import ModelProse
from trisynapse_memory.registry import Registry
from trisynapse_memory.text.prompts import WIKI, load_prompt
from trisynapse_memory.types import Completion, Finish, Kind, Prompt, Role, SourceInput, SummaryDetails

IS = "The rotating mirror is a spinning reflector."
USES = "Foucault uses rotating mirror."
MEASURED = "Foucault measured light with a rotating mirror."
SLUG = "rotating-mirror"


class Teller:
    """Tells what it is told to; a function of the prompt gives the reply."""

    provider, model, max_tokens = "scripted", "teller/1", 8_192

    def __init__(self, say: Callable[[Prompt], str], *, is_remote: bool = False) -> None:
        self.is_remote, self._say = is_remote, say
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt, on_text: OnText | None = None, stop: Event | None = None) -> Completion:
        if prompt.role is not Role.WIKI:
            return Completion(text="{}")
        if stop is not None and stop.is_set():
            return Completion(text="", finish=Finish.CANCELLED)
        self.prompts.append(prompt)
        return Completion(text=self._say(prompt))


class Desk:
    """One model for every role, or a sentence why there is none."""

    def __init__(self, teller: Teller | None, note: str = "") -> None:
        self._offer = Offer(teller, note)

    def completer_for(self, role: Role, model: str | None = None) -> Offer:
        return self._offer


def rows(*sentences: tuple[str, list[int]]) -> str:
    return json.dumps({"sentences": [{"passages": numbers, "text": text} for text, numbers in sentences]})


def tells(*texts: str) -> Callable[[Prompt], str]:
    return lambda prompt: rows(*((text, [1]) for text in texts))


@fixture
def bench(log, tmp_path) -> Bench:
    made = furnish(log, tmp_path / "wiki")
    made.say("c_use", "uses", ("rotating mirror", made.mirror, MEASURED), subject="Foucault")
    return made


def wiki_with(bench: Bench, desk: Desk, stops: Stops | None = None) -> Wiki:
    subjects = Subjects(bench.log, bench.shelves.shelf, bench.claims, bench.summaries, lambda _: False)
    prose = ModelProse(bench.log, Models(desk, Sharer(bench.log, dict)), stops or Stops())
    registry, folder = Registry(guests=False), bench.folder
    return Wiki(bench.log, subjects, registry, folder, lambda: bench.scope, lambda: None, prose)


def told(page) -> list[str]:
    return [one.text for one in page.prose]


def test_prose_is_the_page_in_another_order_with_the_same_evidence(bench):
    teller = Teller(tells(USES, IS))
    wiki = wiki_with(bench, Desk(teller))
    before = wiki.show(SLUG)
    page = wiki.write(SLUG)
    assert (told(before), told(page)) == ([], [USES, IS])
    assert page.prose_model == "scripted/teller/1"
    assert wiki.show(SLUG) == page
    assert structs.replace(page, prose=(), prose_model="") == before
    evidence = {one.text: one.record_ids for one in page.sentences}
    assert all(one.record_ids in evidence.values() and one.supports for one in page.prose)


def test_it_is_kept_with_who_wrote_it_from_what(bench):
    wiki_with(bench, Desk(Teller(tells(IS)))).write(SLUG)
    (record,) = bench.log.of_kind(Kind.SUMMARY)
    assert (record.actor.model, record.actor.prompt_version) == ("teller/1", "wiki-1")
    assert isinstance(record.payload, SummaryDetails)
    assert record.payload.prompt_sha256 == load_prompt(WIKI).sha256
    assert {bench.mirror.id, bench.wheel.id} <= set(record.evidence_ids)


def test_what_the_page_does_not_say_is_left_out_and_nothing_is_told_twice(bench):
    said = tells("The rotating mirror is a fixed prism.", IS, IS, "The rotating mirror was bought in 1899.")
    assert told(wiki_with(bench, Desk(Teller(said))).write(SLUG)) == [IS]


@mark.parametrize("reply", ["I will not.", '{"sentences": []}', rows(("The mirror was bought in 1899.", [1]))])
def test_where_nothing_stands_the_page_stays_and_she_is_told(bench, reply: str):
    wiki = wiki_with(bench, Desk(Teller(lambda prompt: reply)))
    head = bench.log.head()
    with raises(ProviderError, match="could be checked"):
        wiki.write(SLUG)
    assert (bench.log.head(), told(wiki.show(SLUG))) == (head, [])


def test_prose_of_which_a_sentence_changed_is_no_longer_shown(bench):
    wiki = wiki_with(bench, Desk(Teller(tells(IS, USES))))
    wiki.write(SLUG)
    bench.say("c_is", "is_a", ("turning reflector", bench.mirror, IS))
    bench.claims.all = [one for one in bench.claims.all if one.claim_id != "c_is"]
    assert told(wiki.show(SLUG)) == []


def test_prose_stays_where_the_page_gains_a_sentence(bench):
    wiki = wiki_with(bench, Desk(Teller(tells(IS, USES))))
    wiki.write(SLUG)
    _, other = bench.shelves.add("note", "The rotating mirror is a fine toy.", "A note")
    bench.say("c_toy", "is_a", ("fine toy", other, "The rotating mirror is a fine toy."))
    assert told(wiki.show(SLUG)) == [IS, USES]


def test_a_remote_model_is_not_shown_what_is_sensitive(bench):
    more = "The rotating mirror is a disc of steel. The rotating mirror is a gift of the king."
    _, other = bench.shelves.add("more", more, "More")
    bench.say("c_disc", "is_a", ("disc of steel", other, "The rotating mirror is a disc of steel."))
    bench.say("c_gift", "is_a", ("gift of the king", other, "The rotating mirror is a gift of the king."))
    Sensitivity(bench.log).mark(record_ids=[bench.wheel.id])
    teller = Teller(tells(IS), is_remote=True)
    wiki = wiki_with(bench, Desk(teller))
    page = wiki.write(SLUG)
    assert told(page) == [IS]
    (prompt,) = teller.prompts
    assert "wheel" not in prompt.text
    assert bench.wheel.source_id not in prompt.source_ids
    assert told(wiki.show(SLUG)) == [IS]


def test_without_a_model_she_is_told_why(bench):
    with raises(ProviderError, match="No model is chosen for wiki pages"):
        wiki_with(bench, Desk(None)).write(SLUG)
    with raises(ProviderError, match="There is no key"):
        wiki_with(bench, Desk(None, "There is no key for it.")).write(SLUG)
    with raises(ProviderError, match="No model can be chosen"):
        bench.wiki.write(SLUG)


def test_a_page_that_says_little_is_left_as_it_is(bench):
    bench.claims.all = []
    with raises(InvalidInputError, match="too little"):
        wiki_with(bench, Desk(Teller(tells(IS)))).write("the-turning-mirror")


def test_stopping_leaves_the_page_as_it_was(bench):
    stops = Stops()
    stops.cancel("w1")
    wiki = wiki_with(bench, Desk(Teller(tells(IS))), stops)
    with raises(ProviderError, match="You stopped the model"):
        wiki.write(SLUG, ask_id="w1")
    assert bench.log.of_kind(Kind.SUMMARY) == ()


ATLAS = (
    "Project Atlas launches on 14 October 2026. Priya Raman is the tech lead of Project Atlas. "
    "Omar Reyes is the designer of Project Atlas. Ines Wolf is the tester of Project Atlas."
)


def repeats(prompt: Prompt) -> str:
    """A model that says every statement it is shown again."""
    blocks = prompt.text.split("[[passage ")[1:]
    return rows(*((block.partition("Text:\n")[2].partition("\n[[end")[0], [1]) for block in blocks))


@fixture
def vault(tmp_path, in_process) -> Iterator[tuple[MemoryEngine, Teller, str]]:
    """A vault with a page that was told as prose, its model, and the page's slug."""
    teller = Teller(repeats)
    with MemoryEngine.open(tmp_path / "one.vault", completer=teller, offline=True) as engine:
        engine.ingest(SourceInput(text=ATLAS, title="Atlas plan"))
        engine.jobs.wait(20.0)
        slug = next(page.slug for page in engine.wiki.pages() if page.kind == "concept" and len(page.sentences) >= 3)
        assert engine.wiki.write(slug).prose
        yield engine, teller, slug


def test_a_vault_with_prose_rebuilds_without_a_model_and_lists_no_group_for_it(vault):
    engine, teller, slug = vault
    prose, groups, asked = engine.wiki.show(slug).prose, engine.groups.list(), len(teller.prompts)
    engine.reindex()
    engine.jobs.wait(20.0)
    assert engine.wiki.show(slug).prose == prose
    assert (engine.groups.list(), len(teller.prompts)) == (groups, asked)
    assert not any(group.group_id.startswith("prose:") for group in groups)
    assert engine.validate().ok


def test_what_is_removed_leaves_no_word_in_the_prose(vault):
    engine, _, _ = vault
    (record,) = engine.list_records(kind="raw_source")
    engine.remove([record.id], "Private.")
    kept = engine.list_records(kind="summary", include_retracted=True)
    assert not any("Priya" in one.text or "Priya" in str(one.payload) for one in kept)
    assert engine.validate().ok
