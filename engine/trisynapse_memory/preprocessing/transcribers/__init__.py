"""Who writes down speech: one leaf branch a file, loaded by name (``branches.py``)."""
