"""Presets as the model that a program trains: `--model preset:NAME`."""

from __future__ import annotations

from typing import TypeVar

from trainers.config.base import sections
from trainers.config.cli import Given
from trainers.config.run import TrainingConfig
from trainers.policies.presets.catalogue import read_name

Kind = TypeVar("Kind", bound=TrainingConfig)


def trained_settings(given: Given[Kind]) -> Kind:
    """Return the settings of a program that trains.

    A preset that is named as the model is replaced by its model, and gives the settings of prompts and sampling that
    the user does not name. Its `top_p` is left out, as training scores tactics under the whole distribution.

    Raises:
        ConfigError: A setting cannot be used.
        PolicyError: There is no such preset, or it has no model.
    """
    config = given.settings()
    named = read_name(config.model)
    if named is None:
        return config
    used = sections(type(config))["rollout"].model_fields.keys() - {"top_p"}
    rollout = {name: value for name, value in named.preset.rollout().items() if name in used}
    return given.settings(below={"rollout": rollout}).model_copy(update={"model": named.model})
