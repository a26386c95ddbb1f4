"""Group summaries as they are read: what waits, what is hidden at once, who may see them, and what is erased."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graph_cases import Ledger, correction, raw, retitle, source
from trisynapse_memory.config import Config
from trisynapse_memory.contracts import Index
from trisynapse_memory.indexing.indexes.summaries import SummaryIndex
from trisynapse_memory.pipelines.digests import Digests
from trisynapse_memory.types import Namespace, QueryTerm, Scope, SourceId

ANYONE = Scope()
PAPER, THESIS = SourceId("paper"), SourceId("thesis")
LORA = "LoRA freezes the pretrained weights and trains two small matrices in every layer."
ADAM = "Adam keeps running averages of the gradient and of its square for each weight."
MIRROR = "Foucault measured the speed of light with a rotating mirror in his laboratory."


class Vault:
    """An index with its job over a log in memory."""

    def __init__(self, folder: Path) -> None:
        self.index = SummaryIndex(folder / "index.db", Config())
        self.ledger = Ledger()
        self.job = Digests(self.index.upkeep, self.ledger)

    def settle(self, *flips: int) -> None:
        self.ledger.tell(self.index, flips)
        while self.job.step():
            pass

    def texts(self, group_id: str, scope: Scope = ANYONE) -> list[str]:
        found = self.index.get(group_id, scope)
        return [] if found is None else [one.text for one in found.sentences]

    def search(self, *keys: str, scope: Scope = ANYONE) -> list[str]:
        return [group for group, _ in self.index.search([QueryTerm(key) for key in keys], scope, 10)]


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    opened = Vault(tmp_path)
    yield opened
    opened.index.close()


@pytest.fixture
def paper(vault: Vault) -> Vault:
    """A paper of three records, each with one sentence that stands alone."""
    vault.ledger.add(source(1, PAPER, "Tuning Large Models"))
    for seq, text in enumerate((LORA, ADAM, MIRROR), start=2):
        vault.ledger.add(raw(seq, text, source_id=PAPER))
    vault.settle()
    return vault


def test_it_is_an_index_of_all_facts(vault: Vault):
    assert isinstance(vault.index, Index)
    assert (vault.index.name, vault.index.takes_all_facts, vault.index.applied_seq()) == ("summaries", True, 0)


def test_a_source_has_a_summary_of_verbatim_sentences_with_their_places(paper: Vault):
    found = paper.index.get("source:paper")
    assert found is not None
    assert [(one.text, one.record_ids, one.start, one.end) for one in found.sentences] == [
        (LORA, ("r2",), 0, len(LORA)),
        (ADAM, ("r3",), 0, len(ADAM)),
        (MIRROR, ("r4",), 0, len(MIRROR)),
    ]
    assert (found.title, found.record_count, found.stale, found.model) == ("Tuning Large Models", 3, False, "")
    assert found.topic
    assert len(found.alt_phrasings) == 2


def test_a_new_record_makes_it_stale_and_a_title_is_new_at_once(paper: Vault):
    paper.ledger.add(raw(5, "Nothing.", source_id=PAPER))
    paper.ledger.add(retitle(6, PAPER, "Another Title"))
    paper.ledger.tell(paper.index)
    found = paper.index.get("source:paper")
    assert found is not None
    assert (found.stale, found.title, len(found.sentences)) == (True, "Another Title", 3)
    paper.settle()
    again = paper.index.get("source:paper")
    assert again is not None
    assert (again.stale, again.record_count) == (False, 4)
    assert again.evidence_hash != found.evidence_hash


def test_a_hidden_record_is_gone_from_the_stale_summary_at_once(paper: Vault):
    whole = paper.index.get("source:paper")
    assert whole is not None
    paper.ledger.hidden = {4}
    paper.ledger.tell(paper.index, [4])
    found = paper.index.get("source:paper")
    assert found is not None
    assert found.stale
    assert [one.text for one in found.sentences] == [LORA, ADAM]
    said = f"{found.topic} {' '.join(found.alt_phrasings)}".lower()
    assert "mirror" not in said
    assert "light" not in said
    assert "foucault" not in said
    assert paper.search("mirror") == []  # not even by the lost word
    paper.settle()
    assert paper.texts("source:paper") == [LORA, ADAM]
    assert paper.search("adam") == ["source:paper"]
    paper.ledger.hidden = set()
    paper.settle(4)
    assert paper.index.get("source:paper") == whole


def test_a_group_without_visible_records_has_no_summary(paper: Vault):
    paper.ledger.hidden = {2, 3, 4}
    paper.ledger.tell(paper.index, [2, 3, 4])
    assert paper.index.get("source:paper") is None
    assert paper.index.list(ANYONE) == ()
    paper.settle()
    assert paper.index.get("source:paper") is None
    assert paper.search("lora") == []


def test_a_struck_sentence_is_gone_at_once_and_comes_back_with_the_correction(paper: Vault):
    right = "Adam keeps running averages of the gradient alone, as its second edition says."
    paper.ledger.add(correction(5, right, 3, [(0, len(ADAM))], source_id=PAPER, group_id=PAPER, subject="Adam"))
    paper.ledger.tell(paper.index)
    assert paper.texts("source:paper") == [LORA, MIRROR]
    paper.settle()
    assert ADAM not in paper.texts("source:paper")
    paper.ledger.hidden = {5}
    paper.settle(5)
    assert ADAM in paper.texts("source:paper")


def test_the_records_a_group_rests_on(paper: Vault):
    paper.ledger.hidden = {3}
    paper.ledger.tell(paper.index, [3])
    assert paper.index.members("source:paper", ANYONE) == (2, 4)
    assert paper.index.members("source:paper", ANYONE, limit=1) == (2,)
    assert paper.index.members("source:paper", Scope(as_of_seq=3)) == (2,)
    assert paper.index.members("source:paper", Scope(source_ids=(THESIS,))) == ()
    assert paper.index.members("source:unknown", ANYONE) == ()


def test_words_find_summaries_best_first_inside_the_scope(paper: Vault):
    paper.ledger.add(source(5, THESIS, "A Thesis"))
    paper.ledger.add(raw(6, f"{LORA} {LORA.replace('LoRA', 'QLoRA')}", source_id=THESIS))
    paper.settle()
    assert set(paper.search("lora")) == {"source:paper", "source:thesis"}
    assert paper.search("mirror") == ["source:paper"]
    assert paper.search("unknown") == []
    assert paper.search("lora", scope=Scope(source_ids=(THESIS,))) == ["source:thesis"]
    scores = [score for _, score in paper.index.search([QueryTerm("lora")], ANYONE, 10)]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0
    assert [one.group_id for one in paper.index.list(ANYONE)] == ["source:thesis", "source:paper"]
    assert [one.group_id for one in paper.index.list(ANYONE, limit=1)] == ["source:thesis"]


def test_a_question_as_of_a_position_sees_no_later_sentence(paper: Vault):
    assert paper.texts("source:paper", Scope(as_of_seq=2)) == [LORA]
    assert paper.index.get("source:paper", Scope(as_of_seq=1)) is None


def test_nobody_reads_what_another_wrote(vault: Vault):
    ada, bob = Namespace(user_id="ada"), Namespace(user_id="bob")
    vault.ledger.add(raw(1, LORA, source_id=PAPER, namespace=ada))
    vault.ledger.add(raw(2, ADAM, source_id=PAPER, namespace=bob))
    vault.settle()
    assert vault.texts("source:paper", Scope(namespace=ada)) == [LORA]
    assert vault.texts("source:paper", Scope(namespace=bob)) == [ADAM]
    assert vault.index.list(Scope(namespace=Namespace(user_id="eve"))) == ()
    assert vault.search("adam", scope=Scope(namespace=ada)) == []


def test_removed_records_take_every_byte_of_the_summary_with_them(paper: Vault, tmp_path: Path):
    paper.ledger.removed = {4}
    paper.index.drop([4])
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*")).lower()
    assert [word for word in (b"foucault", b"mirror", b"laboratory") if word in stored] == []
    assert paper.index.get("source:paper") is None
    paper.settle()
    assert paper.texts("source:paper") == [LORA, ADAM]
    paper.index.drop([])
    paper.index.drop([1, 2, 3])
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("index.db*")).lower()
    assert [word for word in (b"lora", b"adam", b"tuning") if word in stored] == []


def test_what_was_made_is_there_after_opening_again_and_a_wipe_takes_it(paper: Vault, tmp_path: Path):
    before = paper.index.get("source:paper")
    paper.index.close()
    paper.index = SummaryIndex(tmp_path / "index.db", Config())
    assert (paper.index.get("source:paper"), paper.index.applied_seq()) == (before, 4)
    paper.index.wipe()
    assert (paper.index.get("source:paper"), paper.index.applied_seq(), paper.index.list(ANYONE)) == (None, 0, ())
