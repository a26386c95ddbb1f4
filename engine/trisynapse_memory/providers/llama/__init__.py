"""A model in a process of its own: the child, what is said to it, and what its file and this machine allow."""
