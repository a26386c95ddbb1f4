"""What pymupdf reported of a page in, its text, order, sections and verdict out. No file is opened here.

The pure parts of the PDF loader; ``loaders/pdf.py`` alone speaks to pymupdf.
"""
