"""Source code in, its functions, classes and methods with their lines out. Nothing is run.

``languages`` says which grammar reads a file, ``symbols`` finds definitions in its tree, ``sections`` cuts the text.
"""
