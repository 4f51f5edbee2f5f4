"""The build hook: a wheel or an editable install holds the bundled front end, whether or not Node is on the PATH."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# By path: the hook runs before anything here is importable.
front_end = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "labextension" / "front_end.py")))


class FrontEndHook(BuildHookInterface[Any]):
    """Bundles ``labextension/`` into ``tapeviz/widgets/static/`` before the files of a wheel are collected."""

    def dependencies(self) -> list[str]:
        """Ask for Node's wheel where the PATH has no Node that is new enough."""
        return list(front_end.node_requirements())

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Build, unless the bundle already comes from these very sources."""
        front_end.build()
