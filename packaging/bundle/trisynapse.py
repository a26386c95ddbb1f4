"""The window's executable."""

from __future__ import annotations

import sys

from frozen import start


def main() -> int:
    """Import the window only where it is wanted: a child must not load Qt."""
    from trisynapse_desktop.app import main as run

    return run()


if __name__ == "__main__":
    sys.exit(start(main))
