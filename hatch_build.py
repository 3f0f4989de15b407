"""Build hook of the wheel: proves minilean's library and ships the result (`minilean/library/cache.py`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProvedLibrary(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `minilean/library/proved.bin` to a wheel, so that no installation has to prove the library."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Prove the library. An editable installation gets no file: its sources are going to change."""
        self._folder: str | None = None
        if version == "editable":
            return
        self._folder = tempfile.mkdtemp(prefix="minilean-")
        path = os.path.join(self._folder, "proved.bin")
        try:
            subprocess.run(
                [sys.executable, "-m", "minilean.library.ship", path],
                cwd=self.root,
                env={**os.environ, "PYTHONPATH": self.root, "PYTHONDONTWRITEBYTECODE": "1"},
                check=True,
            )
        except BaseException:
            self._clean()
            raise
        build_data["force_include"][path] = "minilean/library/proved.bin"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary file, which the wheel holds by now."""
        self._clean()

    def _clean(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
