"""All presets by name, and the words `preset:NAME=MODEL` of the command lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lean_gym.errors import unknown_name
from trainers.errors import PolicyError
from trainers.policies.presets import (
    bfs,
    deepseek,
    goedel,
    internlm,
    kimina,
    leandojo,
    llmstep,
    ntp,
    real_prover,
    reprover,
)
from trainers.policies.presets.base import Preset

PREFIX: Final = "preset:"
_FAMILIES = (reprover, llmstep, ntp, internlm, bfs, real_prover, deepseek, goedel, kimina, leandojo)
PRESETS: Final[dict[str, Preset]] = {preset.name: preset for family in _FAMILIES for preset in family.PRESETS}
"""By name, in the order of the list."""


def find_preset(name: str) -> Preset:
    """Return a preset.

    Raises:
        PolicyError: There is none of this name.
    """
    if name not in PRESETS:
        raise PolicyError(unknown_name("preset", name, PRESETS))
    return PRESETS[name]


@dataclass(frozen=True, slots=True)
class Named:
    """A preset, and the folder, hub id or endpoint of the model that it is used with."""

    preset: Preset
    model: str


def read_name(text: str) -> Named | None:
    """Read `preset:NAME` or `preset:NAME=MODEL`; `None` for a text that names no preset.

    Raises:
        PolicyError: There is no such preset, or it has no model of its own and none is given.
    """
    if not text.startswith(PREFIX):
        return None
    name, _, model = text.removeprefix(PREFIX).partition("=")
    preset = find_preset(name)
    if not model and not preset.hub:
        raise PolicyError(
            f"preset {name}: it has no published model of its own; name one as {PREFIX}{name}=FOLDER_OR_HUB_ID"
        )
    return Named(preset, model or preset.hub[0])
