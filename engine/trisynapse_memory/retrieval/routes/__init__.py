"""The routes, one module each, loaded by name from ``branches.py``; none of them imports another."""
