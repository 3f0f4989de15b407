"""Packing of rows that share a prompt, so that the prompt goes through the model once.

A packed row is one prompt, padded on the left, followed by any number of completions of it. Each completion attends
to the prompt and itself, and its positions start at the end of the prompt, so it gets the same log-probabilities as in
a separate row. With one completion per row the layout is an ordinary left-padded batch.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Tokens = tuple[int, ...]
Pair = tuple[Tokens, Tokens]
"""(prompt tokens, completion tokens)."""


@dataclass(frozen=True, slots=True)
class PackedRow:
    """One prompt with the completions that share it; `members` are their indices in the caller's list."""

    prompt: Tokens
    completions: tuple[Tokens, ...]
    members: tuple[int, ...]

    @property
    def completion_tokens(self) -> int:
        """Return the number of tokens of all completions together."""
        return sum(len(completion) for completion in self.completions)


@dataclass(frozen=True, slots=True)
class PackedBatch:
    """Model inputs of packed rows: `R` rows, `P` prompt columns, `K` completion columns, `N` completions.

    Attributes:
        input_ids: (R, P + K).
        position_ids: (R, P + K).
        visible: (R, P + K, P + K) whether a column (second axis) may attend to a column (third axis).
        padding_mask: (R, P + K) 1 on tokens; sufficient if each row has one completion.
        source: (N, T) index of each completion token into the R * (K + 1) predicting columns, those from P - 1 on.
        targets: (N, T) the completion tokens, 0 on padding.
        mask: (N, T) 1 on completion tokens.
        members: The N completions' indices in the caller's list.
        prompt_columns: P.
    """

    input_ids: Tensor
    position_ids: Tensor
    visible: Tensor
    padding_mask: Tensor
    source: Tensor
    targets: Tensor
    mask: Tensor
    members: tuple[int, ...]
    prompt_columns: int


def pack_rows(pairs: Sequence[Pair], share_prompts: bool, most_tokens: int = 256) -> list[PackedRow]:
    """Gather pairs with equal prompts into packed rows.

    Args:
        pairs: Prompt and completion tokens, none empty.
        share_prompts: Whether completions may share a row; otherwise each pair is a row.
        most_tokens: Largest length of the completions of a row together.

    Returns:
        Rows sorted by length, longest first, so that neighbours need little padding.
    """
    rows: list[PackedRow] = []
    by_prompt: dict[object, list[int]] = {}
    for index, (prompt, _) in enumerate(pairs):
        by_prompt.setdefault(prompt if share_prompts else index, []).append(index)
    for members in by_prompt.values():
        start, length = 0, 0
        for position, index in enumerate(members):
            size = len(pairs[index][1])
            if position > start and length + size > most_tokens:
                rows.append(_row(pairs, members[start:position]))
                start, length = position, 0
            length += size
        rows.append(_row(pairs, members[start:]))
    return sorted(rows, key=lambda row: (len(row.prompt) + row.completion_tokens, row.members), reverse=True)


def _row(pairs: Sequence[Pair], members: Sequence[int]) -> PackedRow:
    return PackedRow(pairs[members[0]][0], tuple(pairs[index][1] for index in members), tuple(members))


def join_rows(rows: Sequence[PackedRow], whole: Collection[Tokens]) -> list[list[PackedRow]]:
    """Group sorted rows into units that a batch must not divide: all rows of a prompt in `whole`, others alone."""
    units: dict[object, list[PackedRow]] = {}
    for index, row in enumerate(rows):
        units.setdefault(row.prompt if row.prompt in whole else index, []).append(row)
    return list(units.values())


def split_rows(units: Sequence[Sequence[PackedRow]], batch_tokens: int) -> list[list[PackedRow]]:
    """Split units of rows into batches whose padded size is at most `batch_tokens`, at least one unit each."""
    batches: list[list[PackedRow]] = []
    prompt_columns = completion_columns = 0
    for unit in units:
        own = (max(len(row.prompt) for row in unit), max(row.completion_tokens for row in unit))
        wider = (max(prompt_columns, own[0]), max(completion_columns, own[1]))
        if batches and (len(batches[-1]) + len(unit)) * sum(wider) <= batch_tokens:
            batches[-1] += unit
        else:
            batches.append(list(unit))
            wider = own
        prompt_columns, completion_columns = wider
    return batches


def build_batch(rows: Sequence[PackedRow]) -> PackedBatch:
    """Convert packed rows to tensors."""
    prompt_columns = max(len(row.prompt) for row in rows)
    completion_columns = max(row.completion_tokens for row in rows)
    columns = prompt_columns + completion_columns
    longest = max(len(completion) for row in rows for completion in row.completions)
    total = sum(len(row.completions) for row in rows)

    input_ids = torch.zeros(len(rows), columns, dtype=torch.long)
    position_ids = torch.zeros(len(rows), columns, dtype=torch.long)
    # Segment 0 is the prompt, 1, 2, ... are the completions, -1 is padding.
    segments = torch.full((len(rows), columns), -1, dtype=torch.long)
    source = torch.zeros(total, longest, dtype=torch.long)
    targets = torch.zeros(total, longest, dtype=torch.long)
    mask = torch.zeros(total, longest)
    members: list[int] = []
    for index, row in enumerate(rows):
        first = prompt_columns - len(row.prompt)
        input_ids[index, first:prompt_columns] = torch.tensor(row.prompt)
        position_ids[index, first:prompt_columns] = torch.arange(len(row.prompt))
        segments[index, first:prompt_columns] = 0
        column = prompt_columns
        for segment, completion in enumerate(row.completions, start=1):
            size, end = len(completion), column + len(completion)
            tokens = torch.tensor(completion)
            input_ids[index, column:end] = tokens
            position_ids[index, column:end] = torch.arange(len(row.prompt), len(row.prompt) + size)
            segments[index, column:end] = segment
            here = len(members)
            targets[here, :size], mask[here, :size] = tokens, 1.0
            # The prompt's last column predicts every first token; then each token predicts the next.
            base = index * (completion_columns + 1)
            source[here, 0] = base
            source[here, 1:size] = base + 1 + torch.arange(column, end - 1) - prompt_columns
            members.append(row.members[segment - 1])
            column = end
    return PackedBatch(
        input_ids=input_ids,
        position_ids=position_ids,
        visible=_visibility(segments),
        padding_mask=(segments >= 0).long(),
        source=source,
        targets=targets,
        mask=mask,
        members=tuple(members),
        prompt_columns=prompt_columns,
    )


def _visibility(segments: Tensor) -> Tensor:
    columns = segments.shape[1]
    earlier = torch.ones(columns, columns, dtype=torch.bool).tril()
    seen = segments.unsqueeze(1)
    visible = (seen == segments.unsqueeze(2)) | (seen == 0)
    visible = visible & earlier & (seen >= 0)
    # A padding column attends to itself only: attention over nothing would be undefined.
    return visible | torch.eye(columns, dtype=torch.bool)
