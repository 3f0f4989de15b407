"""Expert iteration: sample, keep verified proofs, fine-tune on them, repeat.

    python -m trainers.expert_iteration                          as much sampling as python -m trainers.grpo
    python -m trainers.expert_iteration --rounds 2 --eval-samples 8     a short try

The baseline that RL must beat. Theorems, episodes, warm start and evaluation are those of `trainers.grpo`, and so is
the run folder, which also holds kept_proofs.jsonl, the proofs that are learnt from. The policy goes on from round to
round; it is not started again.

A wrong setting ends with one line and exit code 2. Ctrl-C and SIGTERM leave a checkpoint; `--resume RUN` goes on.

Source: Polu et al. 2022, arXiv:2202.01344, section 4, without their search and value function.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.tasks import ExpertIterationConfig
from trainers.run.plan import print_plan

RESUMABLE = ("rounds", "workers", "pool", "torch_threads", "checkpoint_every")
"""Settings that may change when a run goes on: none that a round depends on."""


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.expert_iteration") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(ExpertIterationConfig, arguments, program, description, resumable=RESUMABLE)
        from trainers.policies.presets.training import trained_settings

        config = trained_settings(given)
        if given.dry_run:
            return print_plan(config, program, given.resume)
        from trainers.run.names import check_names

        check_names(config, given.resume)
        announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.imitation.expert_iteration import iterate

        return iterate(config, given.resume, program, retriever_of(config.rollout))


if __name__ == "__main__":
    sys.exit(main())
