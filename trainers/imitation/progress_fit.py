"""Fitting a progress model to labelled states by cross-entropy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from trainers.config.names import Reads
from trainers.config.tasks import ProgressConfig
from trainers.policies.layout import Tokens
from trainers.policies.progress import ProgressModel, batches
from trainers.rollouts.step_rows import LabelledState
from trainers.runtime.seeding import derive_seed

WEIGHT_DECAY = 0.01
WARM_UP = 10
"""Optimiser steps over which the learning rate rises to its peak."""
PART_TOKENS = 1024
"""Padded tokens per backward pass. It is small, so that the prompts of a pass have similar lengths and little padding;
gradients add up over the passes of a step."""


def targets(
    states: Sequence[LabelledState], longest: int, reads: Reads = "goals"
) -> tuple[list[str], Tensor]:
    """Count the outcomes of each text that the model reads.

    Returns:
        The distinct texts in order of appearance, and how often each class was seen there, (texts, longest + 1): 1 to
        `longest` tactics left, then not reached.
    """
    rows: dict[str, int] = {}
    for state in states:
        rows.setdefault(state.shown(reads), len(rows))
    counts = torch.zeros(len(rows), longest + 1)
    for state in states:
        counts[rows[state.shown(reads)], longest if state.left is None else min(state.left, longest) - 1] += (
            1.0
        )
    return list(rows), counts


def fit(
    model: ProgressModel,
    states: Sequence[LabelledState],
    config: ProgressConfig,
    on_step: Callable[[], None],
    on_epoch: Callable[[int, float], None],
) -> float:
    """Train a model.

    The loss is the negative log-likelihood of the class of each state, in nats, mean over the states of a batch; a text
    that occurs several times counts as often.

    Args:
        model: The model, trained in place; only its head unless `train_body` is set.
        states: The states.
        config: The settings.
        on_step: Called before each optimiser step; may raise to stop.
        on_epoch: Called with the number of passes done and the mean loss of the last one.

    Returns:
        Mean loss of the last pass.
    """
    texts, counts = targets(states, model.longest, model.reads)
    prompts = [model.encode(text) for text in texts]
    trained = list(model.head.parameters())
    frozen: Tensor | None = None
    if config.train_body:
        model.model.float()
        trained += model.model.get_decoder().parameters()
    else:
        frozen = _frozen_features(model, prompts, on_step)
    optimizer = torch.optim.AdamW(trained, lr=config.learning_rate, weight_decay=WEIGHT_DECAY)
    steps = math.ceil(len(texts) / config.batch_size)
    total = config.epochs * steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda done: min(1.0, (done + 1) / WARM_UP) * 0.5 * (1.0 + math.cos(math.pi * done / total)),
    )
    loss = 0.0
    for epoch in range(config.epochs):
        generator = torch.Generator().manual_seed(derive_seed(config.seed, "progress order", epoch))
        order = torch.randperm(len(texts), generator=generator).tolist()
        loss = 0.0
        for step in range(steps):
            on_step()
            chosen = order[step * config.batch_size : (step + 1) * config.batch_size]
            optimizer.zero_grad()
            loss += _backward(model, prompts, counts, chosen, frozen)
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
        loss /= float(counts.sum())
        on_epoch(epoch + 1, loss)
    return loss


def _frozen_features(model: ProgressModel, prompts: Sequence[Tokens], on_step: Callable[[], None]) -> Tensor:
    """Return the features of all prompts, which do not change while the head is trained."""
    found = torch.zeros(len(prompts), model.head.in_features, device=model.model.device)
    with torch.no_grad():
        for rows in batches(prompts):
            on_step()
            found[torch.tensor(rows)] = model.features([prompts[row] for row in rows])
    return found


def _backward(
    model: ProgressModel,
    prompts: Sequence[Tokens],
    counts: Tensor,
    chosen: Sequence[int],
    frozen: Tensor | None,
) -> float:
    """Add up the gradient of the mean loss of some texts and return the sum of their losses."""
    weight = float(counts[torch.tensor(chosen)].sum())
    found = 0.0
    for part in batches([prompts[row] for row in chosen], PART_TOKENS):
        rows = [chosen[at] for at in part]
        features = model.features([prompts[row] for row in rows]) if frozen is None else frozen[rows]
        chances = model.logits(features).log_softmax(dim=1)
        loss = -(counts[rows].to(chances.device) * chances).sum()
        (loss / weight).backward()
        found += float(loss.detach())
    return found
