"""Log-probabilities and entropies of the completions in a packed batch.

The logits of all tokens over the whole vocabulary are the largest tensor of an update. If there would be more than
`MOST_LOGITS`, the model's body runs first, and its output layer is then applied to chunks of the tokens, which are
recomputed in the backward pass: memory holds one chunk at a time, independent of the vocabulary and the number of
tokens. Smaller batches are computed at once, without recomputation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from trainers.errors import PolicyError
from trainers.policies.encoder_decoder import completion_logits, has_encoder
from trainers.policies.packing import PackedBatch, Pair, build_batch, pack_rows, sent

MOST_LOGITS = 2**24
"""Largest number of logits in memory at once: 64 MiB in 32 bits."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of completions under a model: (N, T) each, with zeros on padding.

    Attributes:
        logprobs: Log-probability of each token.
        entropy: Entropy in nats of the distribution of each token; carries gradient only if it was asked for.
    """

    logprobs: Tensor
    entropy: Tensor


def score(
    model: PreTrainedModel,
    batch: PackedBatch,
    temperature: float,
    *,
    own_mask: bool = False,
    in_pieces: bool = False,
    most_logits: int = MOST_LOGITS,
    entropy_gradient: bool = False,
) -> Scores:
    """Run a model over a packed batch.

    Args:
        model: A causal or an encoder-decoder model.
        batch: The completions.
        temperature: Positive divisor of the logits.
        own_mask: Whether rows of one completion also come with a mask of columns; see `can_share_prompts`. From a mask
            of the padding transformers makes the same one, and waits for the GPU to see whether it needs to.
        in_pieces: Whether the output layer may be applied separately from the body; see `can_score_in_pieces`.
        most_logits: Number of logits above which this is done.
        entropy_gradient: Whether the entropy carries gradient, which takes more memory.

    Returns:
        Scores in the order of `batch.members`; log-probabilities carry gradient where it is enabled.
    """
    rows, columns = batch.input_ids.shape
    kept = columns - batch.first_source  # of each row, the columns from the first that predicts anything
    vocabulary = int(model.config.vocab_size)
    shape, places = batch.mask.shape, sent(batch.places, model.device)
    targets = sent(batch.targets.flatten()[batch.places], model.device)
    if has_encoder(model):
        logits = completion_logits(model, batch).flatten(0, 1)[places]  # (tokens, vocabulary)
        picked, spread = _of_logits(logits, targets, temperature, entropy_gradient)
        return _spread_out(shape, places, picked, spread)
    source, inputs = batch.source.flatten()[batch.places], _inputs(model, batch, own_mask)
    if in_pieces and rows * kept * vocabulary > most_logits:
        wanted = sent(source, model.device)
        hidden = model.get_decoder()(**inputs).last_hidden_state.flatten(0, 1)[wanted]  # (tokens, width)
        size = max(1, most_logits // vocabulary)
        picked, spread = _piece_by_piece(
            model.get_output_embeddings(), hidden, targets, temperature, size, entropy_gradient
        )
    else:
        logits = model(**inputs, logits_to_keep=kept).logits.flatten(0, 1)
        wanted = sent(source - (source // columns + 1) * batch.first_source, model.device)  # of those kept
        picked, spread = _of_logits(logits[wanted], targets, temperature, entropy_gradient)
    return _spread_out(shape, places, picked, spread)


def _spread_out(shape: torch.Size, places: Tensor, picked: Tensor, entropy: Tensor) -> Scores:
    """Return scores of tokens, (tokens,) each, at their places in (N, T)."""
    empty = picked.new_zeros(shape.numel())
    return Scores(*(empty.index_copy(0, places, values).view(shape) for values in (picked, entropy)))


def _inputs(model: PreTrainedModel, batch: PackedBatch, own_mask: bool) -> dict[str, Any]:
    if batch.input_ids.shape[0] == len(batch.members) and not own_mask:
        attention_mask = sent(batch.padding_mask, model.device)
    else:
        hidden = ~sent(batch.visible, model.device)
        attention_mask = torch.zeros(hidden.shape, dtype=model.dtype, device=model.device)
        attention_mask = attention_mask.masked_fill_(hidden, torch.finfo(model.dtype).min).unsqueeze(1)
    return {
        "input_ids": sent(batch.input_ids, model.device),
        "attention_mask": attention_mask,
        "position_ids": sent(batch.position_ids, model.device),
        "use_cache": False,
    }


def _of_logits(
    logits: Tensor, targets: Tensor, temperature: float, entropy_gradient: bool
) -> tuple[Tensor, Tensor]:
    """Return the log-probability of each target and the entropy of each row, in 32 bits; (tokens,) each."""
    distribution = torch.log_softmax(logits.float() / temperature, dim=-1)
    picked = distribution.gather(1, targets.unsqueeze(1)).squeeze(1)
    with torch.set_grad_enabled(entropy_gradient and torch.is_grad_enabled()):
        entropy = -(distribution.exp() * distribution).sum(dim=-1)
    return picked, entropy


def _piece_by_piece(
    head: nn.Module,
    hidden: Tensor,
    targets: Tensor,
    temperature: float,
    size: int,
    entropy_gradient: bool,
) -> tuple[Tensor, Tensor]:
    """Return `_of_logits` of `head(hidden)`, `size` tokens at a time; the backward pass keeps only `hidden`."""

    def piece(hidden: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        return _of_logits(head(hidden), targets, temperature, entropy_gradient)

    run = _computed_again(piece)
    found = [run(*part) for part in zip(hidden.split(size), targets.split(size), strict=True)]
    return torch.cat([picked for picked, _ in found]), torch.cat([entropy for _, entropy in found])


def _computed_again(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with activations that are recomputed in the backward pass."""

    def run(*arguments: Any, **options: Any) -> Any:
        if not torch.is_grad_enabled():
            return function(*arguments, **options)
        # Models stay in evaluation mode, so there is no random state to repeat.
        return checkpoint(function, *arguments, use_reentrant=False, preserve_rng_state=False, **options)

    return run


def blocks_of(model: nn.Module) -> list[nn.Module]:
    """Return the blocks of a model, which are alike."""
    return [module for module in model.modules() if isinstance(module, GradientCheckpointingLayer)]


def save_activation_memory(model: PreTrainedModel) -> None:
    """Checkpoint the activations of each block of the model: only its input is kept for the backward pass.

    transformers' own option works in training mode only, where dropout would give the update other log-probabilities
    than the sampling.

    Raises:
        PolicyError: The model has no blocks that can be recomputed.
    """
    blocks = blocks_of(model)
    if not blocks:
        raise PolicyError(
            f"gradient_checkpointing: the blocks of {type(model).__name__} cannot be computed again; switch it off"
        )
    for block in blocks:
        block.forward = _computed_again(block.forward)


def hold_blocks_on_cpu(model: PreTrainedModel, device: torch.device) -> None:
    """Move a model that is not trained to a device, but each block only while it computes; they lie on the CPU."""
    inside: set[nn.Module] = set()
    for block in blocks_of(model):
        owners = [module for module in block.modules() if module._parameters]
        held = [(owner, dict(owner._parameters)) for owner in owners]
        inside.update(owners)
        block.register_forward_pre_hook(partial(_bring, held, device))
        block.register_forward_hook(partial(_let_go, held))
    moved: dict[int, nn.Parameter] = {}  # tied weights stay one
    for module in model.modules():
        for name, buffer in module._buffers.items():
            module._buffers[name] = None if buffer is None else buffer.to(device)
        for name, weight in module._parameters.items() if module not in inside else ():
            if weight is not None:
                if id(weight) not in moved:
                    moved[id(weight)] = nn.Parameter(weight.to(device), requires_grad=False)
                module._parameters[name] = moved[id(weight)]


def _bring(held: Sequence[_Held], device: torch.device, *_: object) -> None:
    for owner, weights in held:
        for name, weight in weights.items():
            if weight is not None:
                owner._parameters[name] = nn.Parameter(sent(weight.data, device), requires_grad=False)


def _let_go(held: Sequence[_Held], *_: object) -> None:
    for owner, weights in held:
        owner._parameters.update(weights)


_Held = tuple[nn.Module, dict[str, nn.Parameter | None]]
"""A module and its own weights, on the CPU."""

_TRIAL: list[Pair] = [
    ((1, 2, 3, 4), (5, 6, 7)),
    ((1, 2, 3, 4), (7, 5)),
    ((1, 2, 3, 6, 2), (5, 6)),
    ((2, 3), (6, 6, 5)),
]


def trial_batch(share_prompts: bool = False) -> PackedBatch:
    """Return a few arbitrary rows, for trials of a model."""
    return build_batch(pack_rows(_TRIAL, share_prompts))


@torch.no_grad()
def can_share_prompts(model: PreTrainedModel) -> bool:
    """Return whether the model gives completions that share a prompt the same scores as separate rows.

    Decided by a trial: models differ in the attention masks that they support.
    """

    def scores(share: bool) -> Tensor:
        batch = trial_batch(share)
        found = score(model, batch, temperature=1.0).logprobs
        return found[torch.tensor(batch.members).argsort().to(found.device)]

    return agree(model, lambda: (scores(True), scores(False)))


@torch.no_grad()
def can_score_in_pieces(model: PreTrainedModel) -> bool:
    """Return whether the model's logits are its output layer applied to the output of its body.

    Decided by a trial: some models scale or cap their logits afterwards. Those are scored with all logits at once, and
    so are encoder-decoder models.
    """
    if has_encoder(model):
        return False
    batch = trial_batch()
    return agree(
        model,
        lambda: (
            score(model, batch, 1.0).logprobs,
            score(model, batch, 1.0, in_pieces=True, most_logits=1).logprobs,
        ),
    )


def agree(model: PreTrainedModel, attempt: Callable[[], tuple[Tensor, Tensor]]) -> bool:
    """Return whether two ways to compute scores give the same, up to the model's rounding; an error is a no."""
    tolerance = 1e-3 if model.dtype == torch.float32 else 5e-2
    try:
        return torch.allclose(*attempt(), atol=tolerance)
    except (RuntimeError, ValueError, TypeError, AttributeError):
        return False
