"""The extractors, loaded by name: each reads passages its own way and proposes facts."""
