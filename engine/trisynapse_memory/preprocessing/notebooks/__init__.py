"""Notebooks in, their cells in order out: what was written, what was run, and what came of it as text.

``cells`` reads the file format (versions 3 and 4), ``outputs`` turns results into text.
"""
