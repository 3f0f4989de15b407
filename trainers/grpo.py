"""Train a policy to prove theorems with GRPO or an algorithm of its family.

    python -m trainers.grpo --env LeanProof-v0                    the main job, two CPU cores, minutes
    python -m trainers.grpo --max-iterations 2 --eval-samples 8   a short try
    python -m trainers.grpo --model PATH --config configs/pretrained.yaml
    python -m trainers.grpo --processes 2                         one for each core
    python -m trainers.grpo --algorithm dapo                      python -m trainers.algorithms lists them

One iteration: groups of episodes of some theorems are stepped together through the vector environment; returns become
group-relative advantages; every tactic is one training row. Before that the policy sees a stated share of the
reference proofs. Held-out theorems are measured before and after.

A wrong setting ends with one line and exit code 2. Ctrl-C and SIGTERM leave a checkpoint; `--resume RUN` goes on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from trainers.config.cli import Given, announce_loading, ending_in_one_line, read_command
from trainers.config.run import RunConfig
from trainers.distributed.together import run_together
from trainers.run.plan import print_plan


def _training_size(config: RunConfig) -> int:
    """Return the number of training theorems."""
    from trainers.curriculum.theorems import select_theorems

    return len(select_theorems(config.theorems, config.evaluation.held_out).train)


def _settings(given: Given[RunConfig]) -> RunConfig:
    """Fill in the defaults, those of a preset included."""
    from trainers.policies.presets.training import trained_settings

    return trained_settings(given)


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.grpo") -> int:
    """Run the command line and return the exit code.

    Args:
        arguments: Words after the program's name; `None` takes those of the process.
        program: How the program was started, for messages; so in every program of this package.
    """
    with ending_in_one_line():
        description = (__doc__ or "").partition("\n")[0]
        command = read_command(arguments, program, description, _training_size, _settings)
        if command.dry_run:
            return print_plan(command.config, program, command.resume)
        from trainers.run.names import check_names

        check_names(command.config, command.resume)
        config = command.config
        if (config.ray or config.processes > 1) and "WORLD_SIZE" not in os.environ:
            words = ["-m", "trainers.grpo", *(sys.argv[1:] if arguments is None else arguments)]
            if not config.ray:
                return run_together(config.processes, words)
            from trainers.distributed.on_ray import run_on_ray

            # Provers of the cluster's pool have CPUs of their own.
            cpus = 1 if config.env.pool == "ray" else max(1, config.workers)
            return run_on_ray(config.ray, config.processes, cpus, words)
        announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.run.session import train

        return train(command, retriever=retriever_of(command.config.rollout))


if __name__ == "__main__":
    sys.exit(main())
