"""What models write: answers, facts, summaries, pages, descriptions; each is checked before it is kept or shown."""
