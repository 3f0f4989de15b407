"""Train a model that predicts how many tactics are left, and measure it.

    python -m trainers.progress                                                    tiny model, reference proofs
    python -m trainers.progress --policy runs/RUN --proofs runs/RUN/proofs.jsonl --episodes 4
    python -m trainers.grpo --credit td --value progress --progress-model runs/progress-seed0

The body is that of the policy, and so are the default settings of its prompts. Every proof is replayed first. Episodes
are sampled by the policy; from the states of those that fail, no proof counts as reached. The result is a folder with
the model and result.json: mean absolute error and rank correlation of the predicted tactics left on the proofs of
held-out theorems, beside those of the number of goals, the size of the goals and the mean.

A wrong setting ends with one line and exit code 2. Ctrl-C and SIGTERM end it with nothing written; it takes minutes on
a tiny model, so it is started again instead of resumed, and gives the same model for the same seed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.tasks import ProgressConfig
from trainers.errors import ConfigError
from trainers.run.plan import print_plan


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.progress") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(ProgressConfig, arguments, program, description)
        config, source = given.settings(), None
        if config.policy:
            from trainers.policies.source import PolicySource

            source = PolicySource.find(config.policy)
            if source.kind == "endpoint":
                raise ConfigError(
                    f"policy: expected a run or a model, whose hidden states can be read, got {config.policy}"
                )
            config = given.settings(below=source.defaults_for(given.named.get("backend"), ProgressConfig))
        if given.dry_run:
            return print_plan(config, program)
        from trainers.curriculum.theorems import load_sets

        load_sets(config.theorems)  # a wrong name is told before torch is loaded
        announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.imitation.progress import learn_progress

        return learn_progress(config, source, retriever_of(config.rollout))


if __name__ == "__main__":
    sys.exit(main())
