from __future__ import annotations

import random

from trainers.policies.packing import Pair, build_batch, divide_pairs, join_rows, pack_rows, split_rows

PAIRS = [((1, 2, 3), (4, 5)), ((1, 2), (6,)), ((1, 2, 3), (7,)), ((1, 2, 3), (4, 5, 6))]


def random_pairs(seed: int) -> list[Pair]:
    """Pairs over few tokens, so that many begin alike."""
    rng = random.Random(seed)

    def text(most: int) -> tuple[int, ...]:
        return tuple(rng.randrange(3) for _ in range(rng.randint(1, most)))

    prompts = [text(6) for _ in range(6)]
    return [(rng.choice(prompts), text(4)) for _ in range(30)]


def test_equal_beginnings_share_a_row() -> None:
    rows = pack_rows(PAIRS, share_prompts=True)
    assert [row.members for row in rows] == [[1, 0, 3, 2]]
    assert rows[0].tokens == [1, 2, 6, 3, 4, 5, 6, 7]
    assert rows[0].depths() == [0, 1, 2, 2, 3, 4, 5, 3]


def test_a_row_is_closed_when_full() -> None:
    rows = pack_rows(PAIRS, share_prompts=True, most_tokens=4)
    assert [row.members for row in rows] == [[1, 0], [3, 2]]


def test_a_row_of_several_pairs_stays_within_the_budget_of_a_batch() -> None:
    rows = pack_rows(PAIRS, share_prompts=True, batch_tokens=5)
    assert [row.members for row in rows] == [[1], [0], [3], [2]]
    assert [len(row) for row in rows] == [3, 5, 6, 4]


def test_without_sharing_each_pair_is_a_row() -> None:
    assert sorted(row.members for row in pack_rows(PAIRS, share_prompts=False)) == [[0], [1], [2], [3]]


def test_batches_stay_within_the_budget() -> None:
    rows = pack_rows([((n,) * n, (2,)) for n in (3, 9, 4, 8)], share_prompts=False)
    batches = split_rows(join_rows(rows, ()), batch_tokens=20)
    assert [[len(row) for row in batch] for batch in batches] == [[10, 9], [5, 4]]
    assert [len(batch) for batch in split_rows(join_rows(rows, ()), batch_tokens=1)] == [1, 1, 1, 1]


def test_the_rows_of_a_prompt_stay_together_where_they_must() -> None:
    for seed in range(50):
        pairs = random_pairs(seed)
        whole = {prompt for prompt, _ in pairs[:6]}
        units = join_rows(pack_rows(pairs, share_prompts=True, most_tokens=3), whole)
        assert sorted(member for unit in units for row in unit for member in row.members) == list(
            range(len(pairs))
        )
        for prompt in whole:
            assert sum(any(prompt == pair[0] for row in unit for pair in row.pairs) for unit in units) == 1


def test_layout_by_hand() -> None:
    batch = build_batch(pack_rows([*PAIRS[:3], ((8, 9), (6,)), ((9,), (1, 2, 3, 4))], True, most_tokens=8))
    # row 0: 1 2, from there 6 and 3, from there (4 5) and 7, and beside it 8 9 6; row 1: padding, 9 1 2 3 4
    assert batch.input_ids.tolist() == [[1, 2, 6, 3, 4, 5, 7, 8, 9, 6], [0, 0, 0, 0, 0, 9, 1, 2, 3, 4]]
    assert batch.position_ids.tolist() == [[0, 1, 2, 2, 3, 4, 3, 0, 1, 2], [0, 0, 0, 0, 0, 0, 1, 2, 3, 4]]
    assert batch.members == (1, 0, 2, 3, 4)
    assert batch.targets.tolist() == [[6, 0, 0, 0], [4, 5, 0, 0], [7, 0, 0, 0], [6, 0, 0, 0], [1, 2, 3, 4]]
    assert batch.mask.sum(dim=1).tolist() == [1, 2, 1, 1, 4]
    assert batch.source.tolist() == [[1, 0, 0, 0], [3, 4, 0, 0], [3, 0, 0, 0], [8, 0, 0, 0], [15, 16, 17, 18]]
    assert batch.first_source == 1
    seen_by_seven = [column for column, seen in enumerate(batch.visible[0, 6].tolist()) if seen]
    assert seen_by_seven == [0, 1, 3, 6]
    assert [column for column, seen in enumerate(batch.visible[0, 9].tolist()) if seen] == [7, 8, 9]
    assert [column for column, seen in enumerate(batch.visible[1, 6].tolist()) if seen] == [5, 6]


def test_every_token_sees_its_own_text_and_nothing_else() -> None:
    for seed in range(50):
        pairs = random_pairs(seed)
        batch = build_batch(pack_rows(pairs, share_prompts=True, most_tokens=12))
        columns = batch.input_ids.shape[1]
        for number, member in enumerate(batch.members):
            prompt, completion = pairs[member]
            for at, place in enumerate(batch.source[number, : len(completion)].tolist()):
                row, column = divmod(place, columns)
                seen = batch.visible[row, column].nonzero().squeeze(1)
                assert tuple(batch.input_ids[row, seen].tolist()) == prompt + completion[:at]
                assert batch.position_ids[row, seen].tolist() == list(range(len(prompt) + at))


def test_processes_get_equal_work_and_whole_prompts() -> None:
    for seed in range(50):
        pairs = random_pairs(seed)
        whole = {prompt for prompt, _ in pairs[:6]}
        for count in (1, 2, 3, 50):
            shares = divide_pairs(pairs, count, whole)
            assert len(shares) == count
            assert sorted(index for share in shares for index in share) == list(range(len(pairs)))
            for prompt in whole:
                assert sum(any(pairs[index][0] == prompt for index in share) for share in shares) == 1
    alike = [((1, 2, number), (5, 6)) for number in range(100)]
    sizes = [sum(map(len, pack_rows(alike, True, members=share))) for share in divide_pairs(alike, 4)]
    assert max(sizes) - min(sizes) <= 6  # two pairs
