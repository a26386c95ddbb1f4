"""What the readers of office formats share: packages, drawings, equations, tables. No loader is in here.

Each loader is a leaf of ``loaders`` that only judges what a file is; how it is read stands here. Why python-docx,
python-pptx, odfdo and EbookLib write the inputs of our tests and read nothing: ``docs/decisions/0009``.
"""
