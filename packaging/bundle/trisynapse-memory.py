"""The command line's executable."""

from __future__ import annotations

import sys

from frozen import start


def main() -> int | None:
    """Import the command line only where it is wanted."""
    from trisynapse_memory.surfaces.cli import main as run

    return run()


if __name__ == "__main__":
    sys.exit(start(main))
