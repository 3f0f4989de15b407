"""Settings of each program. Nothing here imports torch."""

from __future__ import annotations

from typing import Final

from trainers.config.base import Settings
from trainers.config.lifelong import LifelongConfig
from trainers.config.run import RunConfig
from trainers.config.serve import ServeConfig
from trainers.config.tasks import (
    EvaluateConfig,
    ExpertIterationConfig,
    ProgressConfig,
    ProveConfig,
    SftConfig,
)

PROGRAMS: Final[dict[str, type[Settings]]] = {
    "python -m trainers.grpo": RunConfig,
    "python -m trainers.sft": SftConfig,
    "python -m trainers.expert_iteration": ExpertIterationConfig,
    "python -m trainers.evaluate": EvaluateConfig,
    "python -m trainers.prove": ProveConfig,
    "python -m trainers.serve": ServeConfig,
    "python -m trainers.progress": ProgressConfig,
    "python -m trainers.lifelong": LifelongConfig,
}
"""Settings of each program."""
