"""Contrastive training of an encoder.

Each state is compared with the premises of its batch: those that the states of the batch use, and hard negatives,
premises of the same files as the used ones that are accessible and were not used. The loss of a state is the mean of
-log p over its own premises, where p is the softmax of cosines divided by the temperature over one of its premises and
the negatives. A premise of the batch is a negative for a state if it is accessible to it and not one of its own.
"""

from __future__ import annotations

import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor

from trainers.config.retrieval import ContrastiveConfig
from trainers.corpora.retrieval.corpus import Corpus, Mask
from trainers.corpora.retrieval.encoder import texts_of
from trainers.corpora.retrieval.examples import Example


def contrastive_loss(
    states: Tensor, premises: Tensor, used: Tensor, allowed: Tensor, temperature: float
) -> Tensor:
    """Return the mean loss of states.

    Args:
        states: Vectors of length 1, shape (states, width).
        premises: Vectors of length 1, shape (premises, width).
        used: Which premises each state uses, one or more, shape (states, premises), bool.
        allowed: Which premises are accessible to it, shape (states, premises), bool.
        temperature: Divides the cosines.
    """
    logits = states @ premises.T / temperature
    negative = allowed & ~used
    # Over the negatives alone; a state without any has a loss of 0.
    others = logits.masked_fill(~negative, -math.inf).logsumexp(dim=1, keepdim=True)
    loss = torch.logaddexp(logits, others) - logits
    return (loss.masked_fill(~used, 0.0).sum(dim=1) / used.sum(dim=1)).mean()


class _Batches:
    """Batches of examples with their premises."""

    def __init__(
        self, corpus: Corpus, examples: Sequence[Example], config: ContrastiveConfig, seed: int
    ) -> None:
        self._examples = examples
        self._config = config
        self._random = random.Random(seed)
        self._masks = {one.position: corpus.accessible(one.position) for one in examples}
        self._files: defaultdict[str, list[int]] = defaultdict(list)
        for number in range(len(corpus)):
            self._files[corpus.same_file(number)].append(number)
        self._file = corpus.same_file

    def __len__(self) -> int:
        return math.ceil(len(self._examples) / self._config.batch_size)

    def epoch(self) -> Iterator[tuple[list[Example], list[int], Tensor, Tensor]]:
        """Yield the examples of each batch, its premises, and the masks of those used and allowed."""
        order = self._random.sample(range(len(self._examples)), len(self._examples))
        for at in range(0, len(order), self._config.batch_size):
            rows = [self._examples[number] for number in order[at : at + self._config.batch_size]]
            numbers = sorted({n for row in rows for n in (*row.used, *self._hard(row))})
            used = torch.tensor([[n in row.used for n in numbers] for row in rows])
            masks: list[Mask] = [self._masks[row.position] for row in rows]
            yield rows, numbers, used, torch.from_numpy(np.stack([mask[numbers] for mask in masks]))

    def _hard(self, row: Example) -> list[int]:
        mask = self._masks[row.position]
        files = {self._file(number) for number in row.used}
        unused = [n for file in sorted(files) for n in self._files[file] if mask[n] and n not in row.used]
        return self._random.sample(unused, min(self._config.hard_negatives, len(unused)))


def train(
    encoder: SentenceTransformer,
    corpus: Corpus,
    examples: Sequence[Example],
    config: ContrastiveConfig,
    seed: int,
    on_step: Callable[[], None] = lambda: None,
    on_epoch: Callable[[int, float], None] = lambda epoch, loss: None,
) -> None:
    """Train an encoder in place.

    Args:
        encoder: The encoder.
        corpus: The premises.
        examples: States with the premises that they use.
        config: The numbers.
        seed: Seed of the batches and of what is dropped.
        on_step: Called before each step; may raise to stop.
        on_epoch: Takes the number of an epoch, from 1, and its mean loss.
    """
    batches = _Batches(corpus, examples, config, seed)
    texts = texts_of(corpus.premises)
    steps = config.epochs * len(batches)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=config.learning_rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * step / steps))
    )
    began = time.monotonic()
    encoder.train()
    for epoch in range(1, config.epochs + 1):
        losses = []
        for rows, numbers, used, allowed in batches.epoch():
            on_step()
            both = [row.state for row in rows] + [texts[number] for number in numbers]
            vectors = _vectors(encoder, both)
            states, premises = vectors[: len(rows)], vectors[len(rows) :]
            place = vectors.device
            loss = contrastive_loss(states, premises, used.to(place), allowed.to(place), config.temperature)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        on_epoch(epoch, sum(losses) / len(losses))
        if config.minutes and time.monotonic() - began > 60 * config.minutes:
            break
    encoder.eval()


def _vectors(encoder: SentenceTransformer, texts: Sequence[str]) -> Tensor:
    """Return vectors of length 1 with gradients, shape (texts, width)."""
    features = encoder.preprocess(list(texts))
    moved = {name: value.to(encoder.device) for name, value in features.items() if torch.is_tensor(value)}
    return torch.nn.functional.normalize(encoder(moved)["sentence_embedding"], dim=1)
