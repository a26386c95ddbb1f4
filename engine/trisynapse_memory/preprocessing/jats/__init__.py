"""What is known of articles in JATS (and NLM) XML: their front matter, their words, their blocks. No file is opened."""
