"""A third reading of a paraphrase, over the grammar that a parser found; the door is ``objections``."""
