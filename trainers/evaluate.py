"""Measure a policy: unbiased pass@k with bootstrap intervals, every proof replayed.

    python -m trainers.evaluate --policy runs/RUN --theorems algebra:test --k 1,8,32
    python -m trainers.evaluate --policy Qwen/Qwen3-0.6B --theorems my_theorems.jsonl
    python -m trainers.evaluate --policy openai:MODEL@http://localhost:8000/v1 --api completions

The prover and the sampling settings that a run was trained with are the defaults for its policy; flags and `--config`
win over them.

Finished episodes are written to a file at once. After an interruption the same command goes on, and gives the numbers
that an uninterrupted evaluation gives (a local policy draws the same tactics again). A wrong setting ends with one line
and exit code 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.tasks import EvaluateConfig
from trainers.run.plan import print_plan


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.evaluate") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(EvaluateConfig, arguments, program, description)
        name = given.policy
        from trainers.policies.source import PolicySource

        source = PolicySource.find(name)
        config = given.settings(below=source.defaults_for(given.named.get("backend"), EvaluateConfig))
        if given.dry_run:
            return print_plan(config, program)
        from trainers.curriculum.theorems import load_sets

        load_sets(config.theorems)  # a wrong name is told before torch is loaded
        if source.kind != "endpoint":  # which is played without torch
            announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.evaluation.run import measure

        return measure(config, source, retriever_of(config.rollout))


if __name__ == "__main__":
    sys.exit(main())
