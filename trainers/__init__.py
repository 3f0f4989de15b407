"""Training proof policies on the environments of `lean_gym`.

`python -m trainers` lists the programs; each stands in a file of its own here. A training run passes through these
rooms, in the order in which it meets them:

    config/          every setting; defaults, a file and flags become one configuration
    runtime/         signals, files that are replaced whole, the terminal, one seed per purpose
    curriculum/      which theorems are trained on, held out, and drawn next
    distributed/     one process, or several under `accelerate launch`
    policies/        goals in, tactics with token ids and log-probabilities out
    rollouts/        episodes stepped together on the vector environment, in groups and trees
    imitation/       reference proofs replayed, supervised phases, expert iteration, the progress model
    algorithms/      advantages and loss, pure tensors
    learning/        groups of episodes to training rows, rows to an update
    evaluation/      pass@k
    run/             the stages of a run, its checkpoints, its folder, the plan of `--dry-run`
    integrations/    the environment for other trainers, such as TRL's

On top of them stand three wings, which none of these rooms imports:

    proving/         search for proofs, proofs into Lean files, one policy behind the protocols of its clients
    corpora/         premises of a project, repositories one after another, LeanDojo-v2's classes
    reporting/       the page on runs, model cards, proofs as Lean source

    errors.py extras.py   exceptions of one line; the one line about a missing package

Importing this package loads none of them; programs read their command line before they import torch.
"""

from trainers.extras import check_start

check_start()
