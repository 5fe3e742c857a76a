"""Building a package: the commit goes into it, as ``pettui/build.py`` reads it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "pettui/commit"


class CommitHook(BuildHookInterface[Any]):
    """Adds the commit to what is built of a checkout; a source archive has it already."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or (root / NAME).exists():
            return
        try:
            words = ["git", "-C", self.root, "rev-parse", "HEAD"]
            found = subprocess.run(words, capture_output=True, check=True, text=True)
        except (OSError, subprocess.CalledProcessError):  # no checkout, or no git
            return
        self._directory = TemporaryDirectory()
        path = Path(self._directory.name, "commit")
        path.write_text(found.stdout)
        build_data["force_include"][str(path)] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_directory"):
            self._directory.cleanup()
