from __future__ import annotations

from trainers.integrations.dialogue import Dialogue


def test_an_episode_of_two_tactics() -> None:
    row = Dialogue()
    row.hear([1, 2])
    assert row.context == [1, 2]
    row.say([7, 0], [-0.5, -0.1])
    row.hear([3, 4])
    assert (row.context, row.length) == ([1, 2, 7, 0, 3, 4], 4)
    row.say([8, 0], [-0.2, -0.3])
    row.hear([5])  # the answer to the last tactic is never part of the row
    assert row.prompt_ids == [1, 2]
    assert row.completion_ids == [7, 0, 3, 4, 8, 0]
    assert row.env_mask == [1, 1, 0, 0, 1, 1]
    assert row.logprobs == [-0.5, -0.1, 0.0, 0.0, -0.2, -0.3]


def test_sampling_without_logprobs() -> None:
    row = Dialogue()
    row.hear([1])
    row.say([7, 0], None)
    assert row.logprobs == [0.0, 0.0]
