"""The corridors: ingest, query, backlog; each a plain sequence in the order of the drawing in docs/flow.md."""
