"""The environment ids of lean_gym, and how Gymnasium comes to know them.

Gymnasium 1.x reads no entry points (its plug-in loader went with version 1.0), so an id exists only once
somebody has registered it. `import lean_gym` does that. For programs that never import us, the wheel ships
this file a second time as the top-level module `lean_gym_startup`, with a one-line `lean_gym_startup.pth`
that calls `install` when the interpreter starts: it costs one string comparison per import until Gymnasium is
imported, and then registers the ids by name, importing nothing of lean_gym. `lean_gym/__init__.py` is
therefore not needed here, and must not be: this file imports the standard library only.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

ENTRY_POINTS: Final[dict[str, tuple[str, str]]] = {
    "LeanProof-v0": ("lean_gym.env:LeanProofEnv", "lean_gym.vector:LeanProofVectorEnv"),
}
"""Environment id -> where its class and its vector class live."""

_TRIGGER: Final = "gymnasium.envs"


def register_envs() -> None:
    """Register every id of `ENTRY_POINTS` that Gymnasium does not know yet."""
    from gymnasium.envs.registration import register, registry

    for env_id, (entry_point, vector_entry_point) in ENTRY_POINTS.items():
        if env_id not in registry:
            register(id=env_id, entry_point=entry_point, vector_entry_point=vector_entry_point)


def install() -> None:
    """Register the ids now if Gymnasium is loaded, otherwise as soon as it has been imported."""
    if _TRIGGER in sys.modules:
        register_envs()
    else:
        sys.meta_path.insert(0, _AfterGymnasium())


class _AfterGymnasium(MetaPathFinder):
    """Waits for `gymnasium.envs`, lets its own loader run, registers the ids, and is gone."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _TRIGGER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def load_then_register(module: ModuleType) -> None:
            load(module)
            register_envs()

        spec.loader.exec_module = load_then_register  # type: ignore[method-assign]
        return spec
