"""One leaf branch per format that leaves the vault, loaded by name from ``branches.py``; nothing imports them."""
