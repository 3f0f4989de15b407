from __future__ import annotations

from trainers.policies.packing import build_batch, join_rows, pack_rows, split_rows

PAIRS = [((1, 2, 3), (4, 5)), ((1, 2), (6,)), ((1, 2, 3), (7,)), ((1, 2, 3), (4, 5, 6))]


def test_equal_prompts_share_a_row() -> None:
    rows = pack_rows(PAIRS, share_prompts=True)
    assert [(row.prompt, row.members) for row in rows] == [((1, 2, 3), (0, 2, 3)), ((1, 2), (1,))]
    assert rows[0].completions == ((4, 5), (7,), (4, 5, 6))
    assert rows[0].completion_tokens == 6


def test_a_row_is_closed_when_full() -> None:
    rows = pack_rows(PAIRS, share_prompts=True, most_tokens=3)
    assert sorted(row.members for row in rows) == [(0, 2), (1,), (3,)]


def test_without_sharing_each_pair_is_a_row() -> None:
    assert sorted(row.members for row in pack_rows(PAIRS, share_prompts=False)) == [(0,), (1,), (2,), (3,)]


def test_batches_stay_within_the_budget() -> None:
    rows = pack_rows([((1,) * n, (2,)) for n in (3, 9, 4, 8)], share_prompts=True)
    batches = split_rows(join_rows(rows, ()), batch_tokens=20)
    assert [[len(row.prompt) for row in batch] for batch in batches] == [[9, 8], [4, 3]]
    assert [len(batch) for batch in split_rows(join_rows(rows, ()), batch_tokens=1)] == [1, 1, 1, 1]


def test_layout_by_hand() -> None:
    batch = build_batch(pack_rows(PAIRS[:3], share_prompts=True))
    # row 0: prompt 1 2 3, completions (4 5) and (7); row 1: prompt 1 2 padded left, completion (6)
    assert batch.input_ids.tolist() == [[1, 2, 3, 4, 5, 7], [0, 1, 2, 6, 0, 0]]
    assert batch.position_ids.tolist() == [[0, 1, 2, 3, 4, 3], [0, 0, 1, 2, 0, 0]]
    assert batch.members == (0, 2, 1)
    assert batch.targets.tolist() == [[4, 5], [7, 0], [6, 0]]
    assert batch.mask.tolist() == [[1, 1], [1, 0], [1, 0]]
    # predicting columns are 2 3 4 5, numbered 0-3 in row 0 and 4-7 in row 1
    assert batch.source.tolist() == [[0, 1], [0, 0], [4, 0]]
    seen_by_seven = [column for column, seen in enumerate(batch.visible[0, 5].tolist()) if seen]
    assert seen_by_seven == [0, 1, 2, 5]
    assert [column for column, seen in enumerate(batch.visible[1, 3].tolist()) if seen] == [1, 2, 3]
