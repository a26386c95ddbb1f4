"""Key phrases: what a text is about, in the words it uses, without what every paper says."""

from __future__ import annotations

from trisynapse_memory.indexing.summary_topics import key_phrases, questions_about


def test_the_longer_phrase_wins_over_its_part():
    text = "Causal reasoning is hard. We test causal reasoning. A causal reasoning task. Causal graphs. Causal graphs."
    assert key_phrases([text]) == ("causal reasoning", "Causal graphs")


def test_a_title_counts_more_and_is_written_as_most_often():
    texts = [
        "Speed of light. The speed of light is measured.",
        "Rotating mirrors measured the light; rotating mirrors.",
    ]
    assert key_phrases(texts, "Rotating Mirrors")[0] in ("Rotating mirrors", "rotating mirrors")


def test_generic_words_and_single_mentions_are_no_topic():
    assert key_phrases(["The method gives results. The method gives results. A zebra came by."]) == ()


def test_names_in_capitals_may_be_short():
    assert key_phrases(["RAG helps. RAG retrieves."]) == ("RAG",)


def test_plural_and_case_are_one_phrase():
    assert key_phrases(["Language models here.", "A language model there.", "Language models again."]) == (
        "Language models",
    )


def test_questions_name_the_phrases():
    assert questions_about(()) == ()
    assert questions_about(("LoRA",)) == ("What is LoRA?", "What is known about LoRA?")
    assert questions_about(("LoRA", "Adam", "BERT")) == (
        "What is known about LoRA?",
        "How are LoRA and Adam connected?",
    )
