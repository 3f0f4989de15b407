"""Beam search: the likeliest answers to a prompt, all different, with the log-probabilities of their tokens.

The score of an answer is the sum of the log-probabilities of its tokens at temperature 1, the end token included and
with no reward or penalty for its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import torch
from transformers import GenerationConfig, PreTrainedModel

from trainers.errors import PolicyError
from trainers.policies.base import Completion, SeededPolicy
from trainers.policies.encoder_decoder import has_encoder, start_token
from trainers.policies.sampling import SamplingSettings

Tokens = tuple[int, ...]


@torch.inference_mode()
def beam_tokens(
    model: PreTrainedModel, prompt: Tokens, count: int, settings: SamplingSettings, pad: int
) -> list[tuple[Tokens, tuple[float, ...]]]:
    """Return the best completions of a prompt that a beam of their number finds, the likeliest first.

    Args:
        model: A causal or an encoder-decoder model in evaluation mode.
        prompt: Token ids.
        count: Width of the beam, and completions wanted.
        settings: The longest completion and the end tokens.
        pad: Any token; it fills up shorter completions.

    Returns:
        For each completion its token ids, the end token included unless it was cut off, and their log-probabilities.

    Raises:
        PolicyError: The beam is wider than the vocabulary allows.
    """
    vocabulary = int(model.config.vocab_size)
    if count * 2 > vocabulary:
        raise PolicyError(
            f"samples: expected at most {vocabulary // 2} with the decoding 'beam', got {count}"
        )
    config = GenerationConfig(
        num_beams=count,
        num_return_sequences=count,
        max_new_tokens=settings.max_new_tokens,
        do_sample=False,
        length_penalty=0.0,
        early_stopping=False,
        repetition_penalty=1.0,
        no_repeat_ngram_size=0,
        eos_token_id=list(settings.end_tokens),
        pad_token_id=pad,
        decoder_start_token_id=start_token(model) if has_encoder(model) else None,
        return_dict_in_generate=True,
        output_scores=True,
    )
    ids = torch.tensor([prompt], device=model.device)
    generator: Any = model
    with _without_own_settings(model):
        found = generator.generate(ids, attention_mask=torch.ones_like(ids), generation_config=config)
    steps = generator.compute_transition_scores(
        found.sequences, found.scores, found.beam_indices
    )  # (count, T)
    begin = found.sequences.shape[1] - steps.shape[1]
    # A place after the end of a completion has no beam.
    lengths = (found.beam_indices[:, : steps.shape[1]] >= 0).sum(dim=1).tolist()
    rows = zip(found.sequences[:, begin:].tolist(), steps.tolist(), lengths, strict=True)
    return [(tuple(row[:n]), tuple(values[:n])) for row, values, n in rows]


@contextmanager
def _without_own_settings(model: PreTrainedModel) -> Iterator[None]:
    """Take a model's own generation settings away within the block.

    Where a call names no value, `generate` takes the model's: its penalties, forbidden and forced tokens, biases and
    stop texts would change which answers are found and their scores.
    """
    own = model.generation_config
    model.generation_config = GenerationConfig()
    try:
        yield
    finally:
        model.generation_config = own


class RankingPolicy(SeededPolicy, Protocol):
    """A policy that can say which tactics it finds the likeliest."""

    def best(self, goals: str, count: int) -> list[Completion]:
        """Return at most `count` different tactics for goals, the likeliest first, with their log-probabilities."""


class BeamPolicy:
    """Policy whose completions for equal goals, in one call, are the best ones of a beam search of that width."""

    def __init__(self, policy: RankingPolicy) -> None:
        """Keep the policy that is asked."""
        self._policy = policy

    def seeded(self, seed: int) -> AbstractContextManager[None]:
        """Sample from this seed within the block; a beam search draws nothing."""
        return self._policy.seeded(seed)

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        """Return the best tactic for each of the given goals, in order: the n-th best one where they come again.

        Where there are fewer different tactics than equal goals, the last one is repeated.
        """
        ranked = {text: self._ranked(text, goals.count(text)) for text in dict.fromkeys(goals)}
        return [next(ranked[text]) for text in goals]

    def _ranked(self, goals: str, count: int) -> Iterator[Completion]:
        found = self._policy.best(goals, count)
        yield from found
        while True:
            yield found[-1]
