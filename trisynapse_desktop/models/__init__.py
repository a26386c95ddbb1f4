"""Engine values in, Qt item models out; no engine call is made here."""

from __future__ import annotations
