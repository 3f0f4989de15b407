"""Encoder-decoder models (T5, ByT5): the prompt goes through the encoder once, the answer through the decoder.

Completions that share a prompt share its encoding. Prompts are padded on the right, as such models are trained, so that
also those with absolute positions see a prompt at its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from trainers.errors import PolicyError
from trainers.policies.packing import PackedBatch, sent

Tokens = tuple[int, ...]


def has_encoder(model: PreTrainedModel) -> bool:
    """Return whether a model is an encoder-decoder model."""
    return bool(model.config.is_encoder_decoder)


def start_token(model: PreTrainedModel) -> int:
    """Return the token that the decoder begins with.

    Raises:
        PolicyError: The model names none.
    """
    known = (model.config.to_dict(), model.generation_config.to_dict())
    for name in ("decoder_start_token_id", "bos_token_id"):
        for settings in known:
            if settings.get(name) is not None:
                return int(settings[name])
    raise PolicyError(
        f"the model {type(model).__name__} names no decoder_start_token_id; set it in its config.json"
    )


class EncodedRows:
    """Rows that are being sampled, with the decoder's cache.

    Attributes:
        logits: (rows, vocabulary) logits of the first token of each row.
    """

    def __init__(self, model: PreTrainedModel, prompts: Sequence[Tokens]) -> None:
        """Run the distinct prompts through the encoder, and the start through the decoder.

        Args:
            model: The model, in evaluation mode.
            prompts: A prompt for each row, none empty.
        """
        self._model = model
        distinct = list(dict.fromkeys(prompts))
        ids, mask = padded(distinct)
        self._mask = mask.to(model.device)
        self._encoded = encode(model, ids, mask)
        self._cache: Any = None
        start = torch.full((len(distinct), 1), start_token(model), device=model.device)
        self.logits = self._step(start)
        if len(distinct) < len(prompts):
            place = {prompt: row for row, prompt in enumerate(distinct)}
            rows = torch.tensor([place[prompt] for prompt in prompts], device=model.device)
            self.logits = self.logits[rows]
            self.keep(rows)

    @property
    def can_join(self) -> bool:
        """Return whether further rows can join: the decoder's positions begin at the same step for all."""
        return False

    def keep(self, rows: Tensor) -> None:
        """Keep the rows with these indices, in this order."""
        self._mask, self._encoded = self._mask[rows], self._encoded[rows]
        self._cache.batch_select_indices(rows)

    def step(self, drawn: Tensor) -> Tensor:
        """Append a token to each row and return the logits of the next.

        Args:
            drawn: (rows, 1) token ids.

        Returns:
            (rows, vocabulary).
        """
        return self._step(drawn)

    def _step(self, tokens: Tensor) -> Tensor:
        output = self._model(
            encoder_outputs=(self._encoded,),
            attention_mask=self._mask,
            decoder_input_ids=tokens,
            past_key_values=self._cache,
            use_cache=True,
        )
        self._cache = output.past_key_values
        logits: Tensor = output.logits[:, -1]
        return logits


def completion_logits(model: PreTrainedModel, batch: PackedBatch) -> Tensor:
    """Return the logits of the tokens of each completion in a batch; (N, T, vocabulary), with gradient.

    Args:
        model: The model.
        batch: The completions.
    """
    distinct = list(dict.fromkeys(batch.prompts))
    ids, mask = padded(distinct)
    encoded = encode(model, ids, mask)
    places = {prompt: row for row, prompt in enumerate(distinct)}
    rows = sent(torch.tensor([places[prompt] for prompt in batch.prompts]), model.device)  # (N,)
    start = torch.full((len(rows), 1), start_token(model))
    inputs = torch.cat([start, batch.targets[:, :-1]], dim=1)
    logits: Tensor = model(
        encoder_outputs=(encoded[rows],),
        attention_mask=sent(mask, model.device)[rows],
        decoder_input_ids=sent(inputs, model.device),
        use_cache=False,
    ).logits
    return logits


def encode(model: PreTrainedModel, ids: Tensor, mask: Tensor) -> Tensor:
    """Return the encoder's output; (R, P, width)."""
    output: Any = model.get_encoder()(
        input_ids=sent(ids, model.device), attention_mask=sent(mask, model.device)
    )
    hidden: Tensor = output.last_hidden_state
    return hidden


def padded(prompts: Sequence[Tokens]) -> tuple[Tensor, Tensor]:
    """Return token ids and mask of prompts, padded on the right; (R, P) each."""
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, : len(prompt)] = torch.tensor(prompt)
        mask[row, : len(prompt)] = 1
    return ids, mask
