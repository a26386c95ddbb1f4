"""Build data in, build data out: ships resources/ inside the wheel. Nothing is generated or downloaded here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ResourcesHook(BuildHookInterface[Any]):
    """Puts resources/ under trisynapse_desktop/ in a wheel.

    An editable install reads the folder where it lies; a copy in site-packages would go stale.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        resources = Path(self.root, "resources")
        if version == "standard" and resources.is_dir():
            build_data["force_include"][str(resources)] = "trisynapse_desktop/resources"
