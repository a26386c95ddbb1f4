"""``python -m trisynapse_desktop`` in, an exit status out; nothing but the hand-over happens here."""

from __future__ import annotations

import sys

from trisynapse_desktop.app import main

if __name__ == "__main__":
    sys.exit(main())
