"""Text in, words, spans and sentences out: pure functions over strings. No file, log or index is touched here."""
