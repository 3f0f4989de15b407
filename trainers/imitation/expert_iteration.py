"""Expert iteration: a training run whose updates imitate the verified proofs of its own samples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trainers.config.cli import Command
from trainers.config.tasks import ExpertIterationConfig, FineTuneConfig
from trainers.distributed.launcher import refuse_several
from trainers.policies.packing import Pair
from trainers.policies.premises import Retriever
from trainers.rollouts.groups import Gathered
from trainers.run.loop import TrainingRun
from trainers.run.session import train


class ExpertIteration(TrainingRun):
    """Training run whose iterations imitate the proofs found so far.

    1. Sample groups of episodes, drawn as `trainers.grpo` draws them.
    2. Keep the verified proofs, each as it was sampled.
    3. Fine-tune the current policy on the reference proofs that were shown and on all kept ones.
    """

    def __init__(self, settings: FineTuneConfig, *parts: Any) -> None:
        """Keep the settings; `parts` are the arguments of `TrainingRun`."""
        super().__init__(*parts)
        self._fine_tune = settings
        self._kept = self._open_buffer(settings.proofs_per_theorem)

    def _learn(self, gathered: Gathered, number: int) -> dict[str, float]:
        scalars = self._keep_proofs(gathered, number)
        loss = self._imitate(self._proof_steps(), number)
        return scalars if loss is None else scalars | {"fine_tune/loss": loss}

    def _imitate(self, pairs: Sequence[Pair], number: int) -> float | None:
        """Train on the pairs and return the loss of the last pass, or `None` without pairs."""
        settings = self._fine_tune.imitation
        loss = None
        for epoch in range(settings.epochs if pairs else 0):
            generator = self._generator("fine tune", number * settings.epochs + epoch)
            loss = self.learner.imitate(pairs, settings, epoch, generator)
        return loss


def iterate(
    config: ExpertIterationConfig, resume: Path | None, program: str, retriever: Retriever | None = None
) -> int:
    """Carry out a run.

    Args:
        config: The settings.
        resume: Folder of an interrupted run to resume, or `None`.
        program: How the program was started, for messages.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted the run.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    refuse_several("expert iteration")
    # Imitation uses the learner's batches and optimiser, never the algorithm's loss.
    command = Command(config.as_run(), resume, program=program)
    return train(command, partial(ExpertIteration, config.fine_tune), config, retriever)
