"""Tables in files of text: where rows end, what their columns are called, and how they become lines of cells.

``dialects`` finds out how a file separates its cells, ``rows`` reads them, ``headers`` names the columns, ``lines``
writes them as text with sections.
"""
