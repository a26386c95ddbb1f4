"""tantivy: BM25 over one text field, any word of the question, by its own English stems and stop words; no vectors."""

from __future__ import annotations

from pathlib import Path

import tantivy
from pipe import Record, Vector, Wire, serve
from tantivy import Filter, Occur, Query

ANALYZER = "english"
QUESTION_WORDS = "what when where which who whose whom why how do does did have has had can could would should".split()


class TantivyPeer:
    """One index on disk.

    Its ready-made analyzer ``en_stem`` looks for "is" and "what" too, which no plain baseline of ours does; so this is
    that one with the stop words it brings along, and with those of questions, which it does not (locomo recall@10 .582
    without the latter, .626 with them).
    """

    method = "BM25, English stems and stop words"

    def __init__(self, folder: Path, _: Wire) -> None:
        steps = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(Filter.lowercase())
        steps = steps.filter(Filter.stopword("english")).filter(Filter.custom_stopword(QUESTION_WORDS))
        self._analyzer = steps.filter(Filter.stemmer("english")).build()
        fields = tantivy.SchemaBuilder()
        fields.add_text_field("id", stored=True, tokenizer_name="raw")
        fields.add_text_field("text", stored=False, tokenizer_name=ANALYZER)
        self._schema = fields.build()
        self._index = tantivy.Index(self._schema, path=str(folder))
        self._index.register_tokenizer(ANALYZER, self._analyzer)
        self._writer = self._index.writer(num_threads=1)

    def add(self, records: list[Record]) -> None:
        for record in records:
            self._writer.add_document(tantivy.Document(id=record.id, text=record.text))

    def finish(self) -> None:
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, question: str, vector: Vector, count: int) -> list[str]:
        # Not by its parser of queries, to which an apostrophe opens a phrase.
        words = dict.fromkeys(self._analyzer.analyze(question))
        terms = [(Occur.Should, Query.term_query(self._schema, "text", word)) for word in words]
        hits = self._searcher.search(Query.boolean_query(terms), count).hits
        return [self._searcher.doc(address)["id"][0] for _, address in hits]


if __name__ == "__main__":
    serve("tantivy", TantivyPeer)
