"""The memory log: drafts in, records out, in order and for ever. Nothing here knows an index or an answer."""
