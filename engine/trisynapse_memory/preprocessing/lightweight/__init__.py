"""Texts in light markup in, blocks out: reStructuredText by docutils, AsciiDoc by a reader of our own.

Nothing that a text asks to be read, run or inserted is: no include, no raw, no passthrough.
"""
