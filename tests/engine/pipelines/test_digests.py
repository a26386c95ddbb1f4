"""The summary job: one touched group at a time, and a rebuild gives the same summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph_cases import Ledger, collect, fact, raw, source, written
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import FloatArray
from trisynapse_memory.errors import WorkerDiedError
from trisynapse_memory.indexing import summary_tables
from trisynapse_memory.indexing.indexes.summaries import SummaryIndex
from trisynapse_memory.indexing.summary_bodies import Body, BodySentence
from trisynapse_memory.indexing.summary_upkeep import evidence_hash_of
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.scoring.patterns import Worth
from trisynapse_memory.types import Modality, QueryTerm, Record, RecordId, Scope, SourceId

ANYONE = Scope()
LORA = "LoRA freezes the pretrained weights and trains two small matrices in every layer."
ADAM = "Adam keeps running averages of the gradient and of its square for each weight."
MIRROR = "Foucault measured the speed of light with a rotating mirror in his laboratory."


@pytest.fixture(autouse=True)
def _shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pattern is good enough to be shown, whatever is measured today."""
    good = Worth("good", 200, 200)
    monkeypatch.setattr(summary_tables, "worth_of", lambda name: good if name == "good" else Worth(name, 0, 0))


class Reading(Ledger):
    """A log that notes what is read of it."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[int] = []

    def by_seqs(self, seqs: Sequence[int]) -> tuple[Record, ...]:
        self.read += seqs
        return super().by_seqs(seqs)


class Vault:
    def __init__(self, folder: Path, ledger: Ledger) -> None:
        folder.mkdir(exist_ok=True)
        self.ledger = ledger
        self.index = SummaryIndex(folder / "index.db", Config())
        self.job = Digests(self.index.upkeep, ledger)

    def tell(self, *flips: int) -> None:
        self.ledger.tell(self.index, flips)

    def drain(self) -> int:
        count = 0
        while self.job.step():
            count += 1
        assert self.job.pending() == 0
        return count

    def texts(self, group_id: str) -> list[str]:
        found = self.index.get(group_id)
        return [] if found is None else [one.text for one in found.sentences]


@pytest.fixture
def ledger() -> Reading:
    return Reading()


@pytest.fixture
def vault(tmp_path: Path, ledger: Reading) -> Iterator[Vault]:
    opened = Vault(tmp_path / "vault", ledger)
    yield opened
    opened.index.close()


def test_only_the_touched_group_is_read(vault: Vault, ledger: Reading):
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    ledger.add(raw(2, ADAM, source_id=SourceId("b")))
    vault.tell()
    assert (vault.job.pending(), vault.drain()) == (2, 2)
    ledger.add(raw(3, MIRROR, source_id=SourceId("b")))
    vault.tell()
    ledger.read.clear()
    assert (vault.job.pending(), vault.drain(), ledger.read) == (1, 1, [2, 3])


def test_a_long_source_is_read_in_part(vault: Vault, ledger: Reading):
    for seq in range(1, 200):
        ledger.add(raw(seq, f"Sentence number {seq}x says that the method has a property.", source_id=SourceId("a")))
    vault.tell()
    vault.drain()
    found = vault.index.get("source:a")
    assert found is not None
    assert found.record_count == 199
    assert ledger.read == list(range(1, 33))


def test_the_hash_is_that_of_the_visible_records_in_order(vault: Vault, ledger: Reading):
    for seq, text in enumerate((LORA, ADAM, MIRROR), start=1):
        ledger.add(raw(seq, text, source_id=SourceId("a")))
    ledger.hidden = {2}
    vault.tell()
    vault.drain()
    found = vault.index.get("source:a")
    assert found is not None
    assert found.evidence_hash == evidence_hash_of(["r1", "r3"])
    assert evidence_hash_of(["r1", "r3"]) == "dc89bc22d8c178b5ac2904a622464d1fb1fad0ca5e2d39b4d977ef725f3187f0"


def test_a_collection_follows_its_sources(vault: Vault, ledger: Reading):
    ledger.add(source(1, "a", "Paper A", collections=("light",)))
    ledger.add(raw(2, MIRROR, source_id=SourceId("a")))
    ledger.add(raw(3, LORA, source_id=SourceId("b")))
    vault.tell()
    vault.drain()
    assert vault.texts("collection:light") == [MIRROR]
    ledger.add(collect(4, "light", "b"))
    vault.tell()
    found = vault.index.get("collection:light")
    assert found is not None
    assert (found.stale, found.title) == (True, "light")
    vault.drain()
    assert vault.texts("collection:light") == [MIRROR, LORA]
    ledger.add(collect(5, "light", "a", removed=True))
    vault.tell()
    vault.drain()
    assert vault.texts("collection:light") == [LORA]


def test_a_chat_has_a_summary_under_its_group(vault: Vault, ledger: Reading):
    for seq, text in enumerate((LORA, MIRROR), start=1):
        ledger.add(raw(seq, text, group_id="team", source_id=SourceId("chat"), modality=Modality.CONVERSATION))
    vault.tell()
    vault.drain()
    assert vault.texts("chat:team") == [LORA, MIRROR]
    assert vault.index.get("source:chat") == vault.index.get("chat:team")  # a card asks by the source


def _add_concept(ledger: Ledger, first: int, pattern: str = "good") -> None:
    sentences = (
        "LoRA freezes the pretrained weights of a large language model.",
        "LoRA was introduced by Edward Hu and others at Microsoft in 2021.",
        "LoRA reduces the number of parameters that have to be trained.",
    )
    for place, text in enumerate(sentences):
        seq = first + 2 * place
        ledger.add(raw(seq, f"Before it. {text}", source_id=SourceId(f"s{place}")))
        ledger.add(fact(seq + 1, ("LoRA", "uses", f"part {place}x"), [seq], text=text, pattern=pattern))


def test_three_shown_facts_make_a_concept_with_their_evidence(vault: Vault, ledger: Reading):
    _add_concept(ledger, 1)
    vault.tell()
    vault.drain()
    found = vault.index.get("concept:lora")
    assert found is not None
    assert (found.title, found.record_count) == ("LoRA", 3)
    assert {one.record_ids for one in found.sentences} <= {("r1",), ("r3",), ("r5",)}
    for one in found.sentences:
        (evidence,) = ledger.by_seqs([int(one.record_ids[0][1:])])
        assert evidence.text[one.start : one.end] == one.text
    ledger.hidden = {4}
    vault.tell(4)
    vault.drain()
    assert vault.index.get("concept:lora") is None  # two are too few


def test_facts_that_are_not_shown_make_no_concept_and_no_summary_stale(vault: Vault, ledger: Reading):
    ledger.add(raw(1, LORA, source_id=SourceId("s0")))
    vault.tell()
    vault.drain()
    for seq in (2, 3, 4):
        ledger.add(fact(seq, ("LoRA", "uses", "x-1"), [1], source_id=SourceId("s0")))
    vault.tell()
    assert vault.job.pending() == 0
    assert vault.index.get("concept:lora") is None


def test_a_summary_that_a_model_wrote_wins_while_its_evidence_is_the_same(vault: Vault, ledger: Reading):
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    ledger.add(raw(2, ADAM, source_id=SourceId("a")))
    fitting = evidence_hash_of(["r1", "r2"])
    ledger.add(written(3, "source:a", fitting, [("It tunes models.", [1]), ("It counts.", [2]), ("No proof.", [])]))
    vault.tell()
    vault.drain()
    found = vault.index.get("source:a")
    assert found is not None
    assert (found.model, found.topic) == ("writer-1", "a topic of its own")
    assert [(one.text, one.record_ids) for one in found.sentences] == [
        ("It tunes models.", ("r1",)),
        ("It counts.", ("r2",)),
    ]
    ledger.hidden = {2}
    vault.tell(2)
    stale = vault.index.get("source:a")
    assert stale is not None
    assert (stale.text, stale.topic, stale.alt_phrasings) == ("It tunes models.", "", ())
    vault.drain()
    assert vault.texts("source:a") == [LORA]
    ledger.hidden = set()
    vault.tell(2)
    vault.drain()
    assert vault.index.get("source:a") == found


def test_a_removed_summary_record_takes_its_words_along(vault: Vault, ledger: Reading, tmp_path: Path):
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    ledger.add(written(2, "source:a", evidence_hash_of(["r1"]), [("It tunes Xq7 models.", [1])]))
    vault.tell()
    vault.drain()
    assert vault.texts("source:a") == ["It tunes Xq7 models."]
    ledger.removed = {2}
    vault.index.drop([2])
    assert b"Xq7" not in b"".join(path.read_bytes() for path in (tmp_path / "vault").glob("index.db*"))
    vault.drain()
    assert vault.texts("source:a") == [LORA]


def test_a_group_that_changes_while_its_summary_is_made_waits_on(vault: Vault, ledger: Reading):
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    vault.tell()
    upkeep = vault.index.upkeep
    turn = upkeep.next_turn()
    assert turn is not None
    basis = upkeep.basis(turn)
    ledger.add(raw(2, ADAM, source_id=SourceId("a")))
    vault.tell()
    assert basis is not None
    text = BodySentence(text=LORA, record_ids=(RecordId("r1"),), seqs=(1,), end=len(LORA))
    upkeep.put(turn, basis, Body(sentences=(text,)))
    found = vault.index.get("source:a")
    assert found is not None
    assert found.stale
    assert vault.job.pending() == 1
    vault.drain()
    assert vault.texts("source:a") == [LORA, ADAM]


def embed(texts: Sequence[str]) -> FloatArray:
    """A direction per first letter."""
    rows = np.zeros((len(texts), 26), np.float32)
    for row, text in zip(rows, texts, strict=True):
        row[ord(text[0].lower()) - 97] = 1.0
    return rows


def test_vectors_are_made_when_all_summaries_are(vault: Vault, ledger: Reading):
    vault.job = Digests(vault.index.upkeep, ledger, embed, "letters")
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    ledger.add(raw(2, MIRROR, source_id=SourceId("b")))
    vault.tell()
    vault.drain()
    query = embed(["foo"])[0]
    assert vault.index.nearest(query, "letters", ANYONE, 1) == (("source:b", 1.0),)
    assert vault.index.nearest(query, "other", ANYONE, 1) == ()


def test_an_embedder_that_fails_leaves_the_summaries(vault: Vault, ledger: Reading):
    def fail(texts: Sequence[str]) -> FloatArray:
        raise WorkerDiedError("gone")

    vault.job = Digests(vault.index.upkeep, ledger, fail, "letters")
    ledger.add(raw(1, LORA, source_id=SourceId("a")))
    vault.tell()
    assert vault.job.step() == 1
    with pytest.raises(WorkerDiedError):
        vault.job.step()
    assert (vault.texts("source:a"), vault.job.pending()) == ([LORA], 1)


# ------------------------------------------------------------ rebuild = incremental

SENTENCES = (
    LORA,
    ADAM,
    MIRROR,
    "BERT reads a text in both directions and was trained on books and on the encyclopedia.",
    "Priya Raman leads the project Atlas and reports to the board every month.",
)
DEEDS = st.lists(
    st.one_of(
        st.tuples(st.just("raw"), st.integers(0, 2), st.integers(0, 4)),
        st.tuples(st.just("chat"), st.integers(0, 1), st.integers(0, 4)),
        st.tuples(st.just("fact"), st.integers(0, 1), st.integers(0, 4)),
        st.tuples(st.just("collect"), st.integers(0, 2), st.integers(0, 1)),
        st.tuples(st.just("flip"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("drop"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("step"), st.just(0), st.just(0)),
    ),
    max_size=40,
)


def _act(vault: Vault, deed: str, first: int, second: int) -> None:
    ledger, seq = vault.ledger, vault.ledger.head + 1
    citable = [one.seq for one in ledger.records if one.kind in ("raw_source", "fact")]
    if deed == "raw":
        ledger.add(raw(seq, SENTENCES[second], source_id=SourceId(f"s{first}")))
    elif deed == "chat":
        kind = Modality.CONVERSATION
        ledger.add(raw(seq, SENTENCES[second], group_id=f"g{first}", source_id=SourceId("c"), modality=kind))
    elif deed == "fact" and citable:
        text = SENTENCES[second]
        ledger.add(fact(seq, (("LoRA", "Adam")[first], "uses", "x-1"), citable[-1:], text=text, pattern="good"))
    elif deed == "collect":
        ledger.add(collect(seq, "all", f"s{first}", removed=bool(second)))
    elif deed == "flip" and citable:
        chosen = citable[first % len(citable)]
        ledger.hidden ^= {chosen}
        vault.tell(chosen)
    elif deed == "drop" and citable:
        chosen = citable[first % len(citable)]
        facts = [one.seq for one in ledger.records if f"r{chosen}" in one.evidence_ids]
        vault.tell()
        ledger.removed |= {chosen, *facts}
        vault.index.drop([chosen, *facts])
    elif deed == "step":
        vault.tell()
        vault.job.step()


def _picture(vault: Vault) -> object:
    groups = vault.index.list(ANYONE)
    words = [vault.index.search([QueryTerm("the"), QueryTerm(key)], ANYONE, 50) for key in ("lora", "adam", "text")]
    return groups, words


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(DEEDS)
def test_a_rebuild_gives_the_same_summaries(deeds: list[tuple[str, int, int]]):
    with TemporaryDirectory() as folder:
        ledger = Ledger()
        vault, again = Vault(Path(folder) / "one", ledger), Vault(Path(folder) / "two", ledger)
        for deed in deeds:
            _act(vault, *deed)
        for one in (vault, again):
            one.tell()
            one.drain()
        assert _picture(vault) == _picture(again)
        vault.index.close()
        again.index.close()
