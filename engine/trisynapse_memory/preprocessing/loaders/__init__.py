"""One leaf branch per family of files, loaded by name from ``branches.py``; nothing imports them."""
