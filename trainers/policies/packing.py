"""Packing of texts with common beginnings, so that what they share goes through the model once.

A packed row holds trees of tokens: prompts branch where they begin to differ, such as after the instruction of a chat,
and the completions of a prompt where they do. A token attends to those on its way from its root, and its position is
its depth, so each completion gets the same log-probabilities as in a row of its own. Short texts without a common
beginning are trees side by side, which spares padding. With one text per row the layout is an ordinary batch, padded on
the left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import torch
from torch import Tensor

Tokens = tuple[int, ...]
Pair = tuple[Tokens, Tokens]
"""(prompt tokens, completion tokens)."""
MOST_TOKENS: Final = 256
"""Longest row beyond its first prompt: a row of n tokens takes memory for n squared pairs of them."""


@dataclass(slots=True)
class PackedRow:
    """Trees of tokens of one or more pairs; pairs are added in any order, sorted ones share most.

    Attributes:
        tokens: The tokens, each behind the one before it in its text.
        parents: For each token the place of the one before it, -1 for a first one.
        members: Indices of the pairs in the caller's list.
        pairs: The pairs.
        paths: For each pair the places of its tokens.
    """

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    paths: list[list[int]] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.tokens)

    def shared(self, pair: Pair) -> int:
        """Return how many tokens a further pair would share with the last one."""
        last = self.pairs[-1] if self.pairs else ((), ())
        return _in_common(pair[0] + pair[1], last[0] + last[1])

    def add(self, pair: Pair, member: int) -> None:
        """Add a pair, sharing what it can with the last one."""
        path = self.paths[-1][: self.shared(pair)] if self.paths else []
        for token in (pair[0] + pair[1])[len(path) :]:
            self.parents.append(path[-1] if path else -1)
            path.append(len(self.tokens))
            self.tokens.append(token)
        self.members.append(member)
        self.pairs.append(pair)
        self.paths.append(path)

    def depths(self) -> list[int]:
        """Return the number of tokens before each token in its text."""
        found: list[int] = []
        for parent in self.parents:
            found.append(found[parent] + 1 if parent >= 0 else 0)
        return found


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Model inputs of packed rows: `R` rows, `C` columns, `N` completions of at most `T` tokens.

    Attributes:
        input_ids: (R, C).
        position_ids: (R, C).
        visible: (R, C, C) whether a column (second axis) may attend to a column (third axis).
        padding_mask: (R, C) 1 on tokens; sufficient if each row has one completion.
        source: (N, T) the column, of the R * C, that predicts a completion token; 0 on padding.
        targets: (N, T) the completion tokens, 0 on padding.
        mask: (N, T) 1 on completion tokens.
        places: (tokens,) the places of the completion tokens among the N * T.
        members: The N completions' indices in the caller's list.
        prompts: The N completions' prompts.
        first_source: First column of a row that predicts anything.
    """

    input_ids: Tensor
    position_ids: Tensor
    visible: Tensor
    padding_mask: Tensor
    source: Tensor
    targets: Tensor
    mask: Tensor
    places: Tensor
    members: tuple[int, ...]
    prompts: tuple[Tokens, ...]
    first_source: int


def sent(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor of the CPU on a device; a GPU is not waited for, so that it always has work ahead."""
    return tensor.pin_memory().to(device, non_blocking=True) if device.type == "cuda" else tensor.to(device)


def divide_pairs(pairs: Sequence[Pair], count: int, whole: Collection[Tokens] = ()) -> list[list[int]]:
    """Divide pairs among processes, with about equal work for each, and neighbours in their order together.

    Args:
        pairs: Prompt and completion tokens.
        count: Number of processes.
        whole: Prompts whose pairs stay together.

    Returns:
        For each process the indices of its pairs, sorted by the pairs; empty ones if there are too few pairs.
    """
    order = sorted(range(len(pairs)), key=lambda index: pairs[index])
    texts = [pairs[index][0] + pairs[index][1] for index in order]
    new = [len(text) - _in_common(text, last) for text, last in zip(texts, [(), *texts], strict=False)]
    work = [max(1, own) for own in new]  # an equal pair takes a row of scores at least
    total, done, place = sum(work), 0, 0
    shares: list[list[int]] = [[] for _ in range(count)]
    last = None
    for index, own in zip(order, work, strict=True):
        prompt = pairs[index][0]
        if prompt != last or prompt not in whole:
            place = max(place, (2 * done + own) * count // (2 * total))
        shares[place].append(index)
        last, done = prompt, done + own
    return shares


def pack_rows(
    pairs: Sequence[Pair],
    share_prompts: bool,
    most_tokens: int = MOST_TOKENS,
    members: Sequence[int] | None = None,
    batch_tokens: int | None = None,
) -> list[PackedRow]:
    """Gather pairs into rows, neighbours in their order together, so that rows have little padding.

    Args:
        pairs: Prompt and completion tokens, none empty.
        share_prompts: Whether pairs may share a row; otherwise each is a row of its own.
        most_tokens: Largest length of a row beyond its first prompt.
        members: Indices of the pairs to pack; all if left out.
        batch_tokens: Largest length of a row of several pairs in all; no limit if left out.

    Returns:
        The rows; those of equal prompts are neighbours.
    """
    rows: list[PackedRow] = []
    for index in sorted(range(len(pairs)) if members is None else members, key=lambda index: pairs[index]):
        pair = pairs[index]
        if not (share_prompts and rows and _fits(rows[-1], pair, most_tokens, batch_tokens)):
            rows.append(PackedRow())
        rows[-1].add(pair, index)
    return rows


def _in_common(text: Tokens, other: Tokens) -> int:
    """Return the number of tokens that two texts begin with in common."""
    differ = (at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b)
    return next(differ, min(len(text), len(other)))


def _fits(row: PackedRow, pair: Pair, most_tokens: int, batch_tokens: int | None) -> bool:
    length = len(row) + len(pair[0]) + len(pair[1]) - row.shared(pair)
    return length <= len(row.pairs[0][0]) + most_tokens and (batch_tokens is None or length <= batch_tokens)


def join_rows(rows: Sequence[PackedRow], whole: Collection[Tokens]) -> list[list[PackedRow]]:
    """Group rows into units that a batch must not divide: all rows of a prompt in `whole`, others alone.

    Returns:
        The units, longest rows first, so that neighbours need little padding.
    """
    units: list[list[PackedRow]] = []
    for row in rows:
        if units and (prompt := row.pairs[0][0]) in whole and prompt == units[-1][-1].pairs[-1][0]:
            units[-1].append(row)
        else:
            units.append([row])
    return sorted(units, key=lambda unit: max(map(len, unit)), reverse=True)


def split_rows(units: Sequence[Sequence[PackedRow]], batch_tokens: int) -> list[list[PackedRow]]:
    """Split units of rows into batches whose padded size is at most `batch_tokens`, at least one unit each."""
    batches: list[list[PackedRow]] = []
    columns = 0
    for unit in units:
        columns = max(columns, max(map(len, unit)))
        if batches and (len(batches[-1]) + len(unit)) * columns <= batch_tokens:
            batches[-1] += unit
        else:
            batches.append(list(unit))
            columns = max(map(len, unit))
    return batches


def build_batch(rows: Sequence[PackedRow]) -> PackedBatch:
    """Convert packed rows to tensors."""
    columns = max(map(len, rows))
    pairs = [pair for row in rows for pair in row.pairs]
    longest = max(len(completion) for _, completion in pairs)
    input_ids = np.zeros((len(rows), columns), dtype=np.int64)
    position_ids = np.zeros_like(input_ids)
    padding_mask = np.zeros_like(input_ids)
    # A padding column attends to itself only: attention over nothing would be undefined.
    visible = np.tile(np.eye(columns, dtype=bool), (len(rows), 1, 1))
    source = np.zeros((len(pairs), longest), dtype=np.int64)
    targets = np.zeros_like(source)
    mask = np.zeros(source.shape, dtype=np.float32)
    first_source, number = columns, 0
    for index, row in enumerate(rows):
        start = columns - len(row)
        input_ids[index, start:] = row.tokens
        position_ids[index, start:] = row.depths()
        padding_mask[index, start:] = 1
        for column, parent in enumerate(row.parents, start):
            if parent >= 0:
                visible[index, column] |= visible[index, start + parent]
        for (prompt, completion), path in zip(row.pairs, row.paths, strict=True):
            size = len(completion)
            before = start + np.array(path[len(prompt) - 1 : -1])
            first_source = min(first_source, int(before[0]))
            source[number, :size] = index * columns + before
            targets[number, :size], mask[number, :size] = completion, 1.0
            number += 1
    return PackedBatch(
        input_ids=torch.from_numpy(input_ids),
        position_ids=torch.from_numpy(position_ids),
        visible=torch.from_numpy(visible),
        padding_mask=torch.from_numpy(padding_mask),
        source=torch.from_numpy(source),
        targets=torch.from_numpy(targets),
        mask=torch.from_numpy(mask),
        places=torch.from_numpy(np.flatnonzero(mask)),
        members=tuple(member for row in rows for member in row.members),
        prompts=tuple(prompt for prompt, _ in pairs),
        first_source=first_source,
    )
