"""Questions of the fake engine process, answered from memory, by a model or in the words of the papers.

A model writes the answers to ``!write``, ``!stream`` (which goes on until it is stopped) and ``!asks`` (for which it
was not shown everything).
"""

from __future__ import annotations

import os
import threading

import msgspec
from fake_papers import PASSAGES

from trisynapse_memory.types import (
    Answer,
    AnswerSentence,
    AnswerStage,
    AnswerStep,
    Citation,
    CitationVerdict,
    Locator,
    Nearest,
    Source,
)


class FakeAnswers:
    """The verb ``query``; the fake engine is one of these."""

    sources: dict[str, Source]

    def start_answers(self) -> None:
        self.stopped = threading.Event()

    def obey(self, question: str) -> None:
        if question == "!die":
            os._exit(7)
        if question == "!silence":
            raise TimeoutError
        if question == "!refuse":
            raise PermissionError

    def do_query(self, question: str, report, ask_id: str = "", share: list[str] = (), **_rest: object) -> Answer:
        self.obey(question)
        passages = [
            Nearest(
                record_id=f"rec-{rank}",
                source_id=source_id,
                source_key="",
                title=self.sources[source_id].title,
                locator=Locator(kind="page", page=page, page_label=str(page)),
                excerpt=text,
            )
            for rank, (source_id, page, text) in enumerate(PASSAGES)
            if source_id in self.sources and "zzz" not in question
        ]
        asked_as = "When was the mirror turned?" if question == "And when?" else ""
        report(AnswerStep(ask_id=ask_id, stage=AnswerStage.EVIDENCE, passages=tuple(passages), asked_as=asked_as))
        if "zzz" in question or not self.sources:
            return Answer(
                query_id="q2",
                question=question,
                answer="",
                abstain=True,
                reason="Nothing in the vault says so.",
                level="none",
            )
        citation = Citation(
            n=1,
            record_id="rec-0",
            source_id="s0",
            source_key="/papers/0.pdf",
            title="The turning mirror",
            locator=Locator(kind="page", page=2, page_label="2", start=10, end=60),
            excerpt="In 1862 the turning mirror gave 298,000 kilometres a second.",
            verdict=CitationVerdict.VERBATIM,
        )
        sentence = AnswerSentence(text="In 1862 the turning mirror gave 298,000 kilometres a second.", citations=(1,))
        answer = Answer(
            query_id="q2",
            question=question,
            answer=f"{sentence.text} [1]",
            abstain=False,
            sentences=(sentence,),
            citations=(citation,),
            asked_as=asked_as,
        )
        return self.written(answer, report, ask_id, share)

    def written(self, answer: Answer, report, ask_id: str, share: list[str]) -> Answer:
        """The same answer as a model gives it, where the question is for one."""
        if answer.question not in ("!write", "!stream", "!asks"):
            return answer
        self.stopped.clear()
        report(AnswerStep(ask_id=ask_id, stage=AnswerStage.WRITING, model="local/smollm2-135m"))
        (first,) = answer.sentences
        report(AnswerStep(ask_id=ask_id, stage=AnswerStage.SENTENCE, sentence=first, citations=answer.citations))
        answer = msgspec.structs.replace(answer, model="local/smollm2-135m")
        if answer.question == "!stream":
            self.stopped.wait(30)
            return answer
        second = AnswerSentence(text="Nobody had turned a mirror before.", citations=(1,))
        report(AnswerStep(ask_id=ask_id, stage=AnswerStage.SENTENCE, sentence=second))
        held = answer.question == "!asks" and "Interviews" not in share
        return msgspec.structs.replace(
            answer,
            answer=f"{answer.answer} {second.text} [1]",
            sentences=(first, second),
            withheld=1,
            not_sent=2 if held else 0,
            asks=("Interviews",) if held else (),
        )
