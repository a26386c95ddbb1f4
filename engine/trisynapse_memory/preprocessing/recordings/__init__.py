"""Sound and film files: what they are and say of themselves, their sound, and their words once they are written down.

``sketches`` knows a file by its first bytes, ``media`` reads its container, ``sound`` decodes a stretch of it, and
``transcripts`` makes pages with times of the words that a transcriber heard.
"""
