"""Log-probabilities and entropies of the completions in a packed batch.

The logits of all tokens over the whole vocabulary are the largest tensor of an update. Where they would pass
`MOST_LOGITS`, the model's body runs first, and its output layer then goes over the tokens in pieces that are computed
again in the backward pass: what is held at any time is one piece, whatever the vocabulary and the number of tokens.
Smaller batches take the ordinary way, which computes nothing twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from trainers.errors import PolicyError
from trainers.policies.packing import PackedBatch, Pair, build_batch, pack_rows

MOST_LOGITS = 2**24
"""Logits that may exist at once, 64 MiB of them in 32 bits."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What the model says about completions: (N, T) each, padding holds zeros.

    Attributes:
        logprobs: Log-probability of each token.
        entropy: Entropy in nats of the distribution that each token was drawn from; carries no gradient.
    """

    logprobs: Tensor
    entropy: Tensor


def score(
    model: PreTrainedModel,
    batch: PackedBatch,
    temperature: float,
    *,
    in_pieces: bool = False,
    most_logits: int = MOST_LOGITS,
) -> Scores:
    """Run a model over a packed batch.

    Args:
        model: A causal language model.
        batch: The completions.
        temperature: Positive divisor of the logits.
        in_pieces: Whether the output layer may be applied apart from the body; see `can_score_in_pieces`.
        most_logits: Logits above which it is.

    Returns:
        Scores in the order of `batch.members`; log-probabilities carry gradient where it is enabled.
    """
    kept = batch.input_ids.shape[1] - batch.prompt_columns + 1
    vocabulary = int(model.config.vocab_size)
    mask, targets, source = (t.to(model.device) for t in (batch.mask, batch.targets, batch.source))
    chosen = mask.bool()
    wanted, inputs = source[chosen], _inputs(model, batch)
    if in_pieces and len(batch.input_ids) * kept * vocabulary > most_logits:
        hidden = model.get_decoder()(**inputs).last_hidden_state[:, -kept:]
        rows = hidden.reshape(-1, hidden.shape[-1])[wanted]  # (tokens, width)
        size = max(1, most_logits // vocabulary)
        picked, spread = _piece_by_piece(
            model.get_output_embeddings(), rows, targets[chosen], temperature, size
        )
    else:
        logits = model(**inputs, logits_to_keep=kept).logits
        # (tokens, vocabulary), out of R * (K + 1) predicting columns
        picked, spread = _of_logits(
            logits.reshape(-1, logits.shape[-1])[wanted], targets[chosen], temperature
        )
    logprobs = torch.zeros_like(mask).masked_scatter(chosen, picked)
    return Scores(logprobs, torch.zeros_like(mask).masked_scatter(chosen, spread))


def _inputs(model: PreTrainedModel, batch: PackedBatch) -> dict[str, Any]:
    if batch.input_ids.shape[0] == len(batch.members):
        attention_mask = batch.padding_mask
    else:
        closed = torch.finfo(model.dtype).min
        attention_mask = torch.zeros(batch.visible.shape, dtype=model.dtype)
        attention_mask = attention_mask.masked_fill_(~batch.visible, closed).unsqueeze(1)
    return {
        "input_ids": batch.input_ids.to(model.device),
        "attention_mask": attention_mask.to(model.device),
        "position_ids": batch.position_ids.to(model.device),
        "use_cache": False,
    }


def _of_logits(logits: Tensor, targets: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """Log-probability of each target and entropy of each row, in 32 bits; (tokens,) each."""
    distribution = torch.log_softmax(logits.float() / temperature, dim=-1)
    picked = distribution.gather(1, targets.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        entropy = -(distribution.exp() * distribution).sum(dim=-1)
    return picked, entropy


def _piece_by_piece(
    head: torch.nn.Module, hidden: Tensor, targets: Tensor, temperature: float, size: int
) -> tuple[Tensor, Tensor]:
    """`_of_logits` of `head(hidden)`, `size` tokens at a time; only `hidden` is kept for the backward pass."""

    def piece(hidden: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        return _of_logits(head(hidden), targets, temperature)

    run = _computed_again(piece)
    found = [run(*part) for part in zip(hidden.split(size), targets.split(size), strict=True)]
    return torch.cat([picked for picked, _ in found]), torch.cat([entropy for _, entropy in found])


def _computed_again(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose inner values are thrown away and computed again for the gradient."""

    def run(*arguments: Any, **options: Any) -> Any:
        if not torch.is_grad_enabled():
            return function(*arguments, **options)
        # Models stay in evaluation mode, so nothing random has to be repeated.
        return checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False, **options)

    return run


def save_activation_memory(model: PreTrainedModel) -> None:
    """Keep only what goes into each block of the model for the backward pass, and compute the rest again there.

    transformers' own switch works in training mode alone, where dropout would make the update see other
    log-probabilities than the sampling.

    Raises:
        PolicyError: The model has no such blocks.
    """
    blocks = [module for module in model.modules() if isinstance(module, GradientCheckpointingLayer)]
    if not blocks:
        raise PolicyError(
            f"gradient_checkpointing: the blocks of {type(model).__name__} cannot be computed again; switch it off"
        )
    for block in blocks:
        block.forward = _computed_again(block.forward)


_TRIAL: list[Pair] = [((1, 2, 3, 4), (5, 6, 7)), ((1, 2, 3, 4), (7, 5)), ((2, 3), (6, 6, 5))]


def trial_batch(share_prompts: bool = False) -> PackedBatch:
    """A few rows of no meaning, for trying out a model."""
    return build_batch(pack_rows(_TRIAL, share_prompts))


@torch.no_grad()
def can_share_prompts(model: PreTrainedModel) -> bool:
    """Whether the model scores completions that share a prompt as it scores them alone.

    Decided by trying: models differ in which attention masks they honour.
    """

    def scores(share: bool) -> Tensor:
        batch = trial_batch(share)
        found = score(model, batch, temperature=1.0).logprobs
        return found[torch.tensor(batch.members).argsort().to(found.device)]

    return _agree(model, lambda: (scores(True), scores(False)))


@torch.no_grad()
def can_score_in_pieces(model: PreTrainedModel) -> bool:
    """Whether the output layer alone makes the model's logits of the body's output.

    Decided by trying: some models scale or cap their logits afterwards. Those are scored with all logits at once.
    """
    batch = trial_batch()
    return _agree(
        model,
        lambda: (
            score(model, batch, 1.0).logprobs,
            score(model, batch, 1.0, in_pieces=True, most_logits=1).logprobs,
        ),
    )


def _agree(model: PreTrainedModel, attempt: Callable[[], tuple[Tensor, Tensor]]) -> bool:
    tolerance = 1e-3 if model.dtype == torch.float32 else 5e-2
    try:
        return torch.allclose(*attempt(), atol=tolerance)
    except (RuntimeError, ValueError, TypeError, AttributeError):
        return False
