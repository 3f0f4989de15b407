"""Fine-tune a model on the steps of proofs, through TRL's SFTTrainer.

    python -m trainers.sft --model Qwen/Qwen3-0.6B --theorems logic,nat --lora r=16
    python -m trainers.sft --model tiny --learning-rate 1e-3 --epochs 25           two CPU cores, minutes
    python -m trainers.sft --proofs runs/RUN/proofs.jsonl --reference-share 0      on the proofs that a run found

Every proof is replayed first. Only steps of accepted proofs are learnt, and none of a test split. The result is a run
folder: `python -m trainers.grpo --model RUN/policy` goes on from its policy, `python -m trainers.evaluate --policy RUN`
measures the policy.

A wrong setting ends with one line and exit code 2. Ctrl-C and SIGTERM leave a checkpoint; `--resume RUN` goes on.
Needs the packages trl and datasets, and peft for --lora.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from trainers.config.cli import announce_loading, ending_in_one_line, read_flags
from trainers.config.tasks import SftConfig
from trainers.extras import require
from trainers.run.plan import print_plan

RESUMABLE = ("workers", "pool", "torch_threads", "save_every")
"""Settings that may change when a run goes on."""


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.sft") -> int:
    """Run the command line and return the exit code."""
    description = (__doc__ or "").partition("\n")[0]
    with ending_in_one_line():
        given = read_flags(SftConfig, arguments, program, description, resumable=RESUMABLE)
        from trainers.policies.presets.training import trained_settings

        config = trained_settings(given)
        if given.dry_run:
            return print_plan(config, program, given.resume)
        from trainers.run.names import check_names

        check_names(config, given.resume)
        require("trl", "datasets")
        announce_loading()
        from trainers.corpora.retrieval.retriever import retriever_of
        from trainers.imitation.sft import fine_tune

        return fine_tune(config, given.resume, program, retriever_of(config.rollout))


if __name__ == "__main__":
    sys.exit(main())
