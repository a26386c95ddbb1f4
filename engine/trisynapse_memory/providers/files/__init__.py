"""Model files of this machine: which are offered, how they are fetched, and where they lie."""
