"""The way out of this machine, in parts: addresses, connections, what comes in, and the kernel's wall."""
