"""Check of the names in the settings of a run, before torch is loaded, which takes seconds."""

from __future__ import annotations

from pathlib import Path

from trainers.config.run import TrainingConfig
from trainers.curriculum.theorems import load_sets
from trainers.policies.model_folder import check_model_folder


def check_names(config: TrainingConfig, resume: Path | None) -> None:
    """Check that the theorem sets can be read, and that a model that is named by its folder has one.

    Args:
        config: The settings.
        resume: Folder of the run that goes on; its model is its own.

    Raises:
        ConfigError: A set does not exist or cannot be used.
        PolicyError: There is no such folder, or it is a run instead of a model.
    """
    load_sets(config.theorems)
    if resume is None:
        check_model_folder(config.model)
