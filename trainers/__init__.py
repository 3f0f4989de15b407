"""Training proof policies on the environments of `lean_gym`.

`python -m trainers` lists the programs. Each stands in a file of its own here; the packages beside them are the parts,
in the order in which a run meets them:

    config/          every setting; defaults, a file and flags become one configuration
    runtime/         signals, files that are replaced whole, the terminal, one seed per purpose
    curriculum/      which theorems are trained on, held out, and drawn next
    distributed/     one process, or several under `accelerate launch`
    retrieval/       premises that may help in a state, out of those accessible there
    policies/        goals in, tactics with token ids and log-probabilities out
    rollouts/        episodes stepped together on the vector environment, in groups and trees
    imitation/       reference proofs replayed, supervised phases, expert iteration, the progress model
    algorithms/      advantages and loss, pure tensors
    learning/        groups of episodes to training rows, rows to an update
    evaluation/      pass@k
    lifelong/        repositories one after another: the store of their theorems, stages, forgetting
    run/             the stages of a run, its checkpoints, its folder
    plan/            what --dry-run prints: sizes, memory, what is missing here
    report/          the page on runs, from the files in their folders
    search/          trees of proof states, and rules that choose the states to expand
    serving/         one policy behind the protocols of its clients
    integrations/    the environment for other trainers, such as TRL's
    agents/          LeanDojo-v2's classes over the programs
    errors.py extras.py   exceptions of one line; the one line about a missing package

Importing this package loads none of them; programs read their command line before they import torch.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from trainers.extras import check_start


class _AlgorithmPrograms:
    """Finds `trainers.NAME`, for each algorithm without a file here, in the file of `trainers.grpo`."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, algorithm = name.rpartition(".")
        if package != __name__:
            return None
        from trainers.config.names import ALGORITHM_NAMES

        known = algorithm in ALGORITHM_NAMES
        return spec_from_file_location(name, Path(__file__).with_name("grpo.py")) if known else None


check_start()
# Behind the finders of Python: only names that have no file reach it.
sys.meta_path.append(_AlgorithmPrograms)
