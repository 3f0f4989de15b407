"""Training proof policies on the environments of `lean_gym`.

Run `python -m trainers.grpo --env LeanProof-v0`. The parts, in the order in which a run meets them:

    grpo.py          the entry point; those of the other algorithms beside it are named after them
    command_line.py  flags, help and one-line errors
    config.py        every setting, and how defaults, a file and flags become one configuration
    session.py       opening what a run needs, closing it again
    processes.py     one process, or several under `accelerate launch`, and sharding.py, a model divided among them
    training.py      the stages of a run and its loop
    theorems.py      which theorems are trained on, held out, and drawn next
    policies/        goals in, tactics with token ids and logprobs out; the tiny model built on the spot
    warm_start.py    reference proofs replayed through the environment, then a short supervised phase
    gathering.py     the groups of an iteration, and branching.py, where a tree rollout forks
    rollout.py       episodes stepped together on the vector environment
    algorithms/      advantages and loss, pure tensors
    credit.py        groups of episodes to training rows
    learner.py       rows to an update
    evaluation.py    held-out pass@k
    monitor.py       run folder, TensorBoard, progress bar
    checkpoint.py    what a run needs in order to go on
    stopping.py      Ctrl-C and SIGTERM, and writing.py, files that are whole
    seeding.py       one seed per purpose

Beside it stand `evaluate.py`, `sft.py` and `expert_iteration.py`, with what they need, and `integrations/` for TRL.

Importing this package loads nothing; entry points read their command line before they import torch.
"""
