import pytest
from gymnasium.spaces import Tuple
from gymnasium.vector.utils import batch_space

from lean_gym.envs.spaces import GoalSpace, TacticSpace, clip_text


def test_any_text_up_to_the_limit_is_in_the_space():
    space = TacticSpace(max_length=5)
    assert "⊢ ∀ℕ✝" in space
    assert "" in space
    assert "intro " not in space
    assert 3 not in space
    assert b"rfl" not in space


@pytest.mark.parametrize("space_type", [TacticSpace, GoalSpace])
def test_samples_follow_the_seed_and_lie_in_the_space(space_type):
    space, twin = space_type(400, seed=7), space_type(400, seed=7)
    samples = [space.sample() for _ in range(50)]
    assert samples == [twin.sample() for _ in range(50)]
    assert len(set(samples)) > 10
    assert all(sample in space for sample in samples)
    space.seed(7)
    assert space.sample() == samples[0]


def test_samples_look_like_tactics_and_goals():
    assert {TacticSpace(100, seed=seed).sample().split()[0] for seed in range(60)} >= {
        "intro",
        "exact",
        "simp",
    }
    assert all("⊢ " in GoalSpace(400, seed=seed).sample() for seed in range(20))


def test_a_sample_never_exceeds_a_tiny_limit():
    assert {len(TacticSpace(2, seed=seed).sample()) for seed in range(20)} == {2}


def test_masks_are_refused():
    with pytest.raises(ValueError, match="takes no mask"):
        TacticSpace(10).sample(mask=(1, None))


def test_equality_is_by_kind_and_limit():
    assert TacticSpace(10) == TacticSpace(10, seed=3)
    assert TacticSpace(10) != TacticSpace(11)
    assert TacticSpace(10) != GoalSpace(10)


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="max_length: got 0, expected a positive number"):
        GoalSpace(0)


def test_batched_space_is_a_tuple_of_texts():
    batch = batch_space(TacticSpace(30, seed=1), 3)
    assert isinstance(batch, Tuple)
    batch.seed(0)
    sample = batch.sample()
    assert len(sample) == 3
    assert sample in batch
    assert len(set(sample)) > 1


def test_jsonable_round_trip():
    space = TacticSpace(30)
    assert space.from_jsonable(space.to_jsonable(["rfl", "⊢"])) == ["rfl", "⊢"]


def test_clip_text_keeps_short_text():
    assert clip_text("⊢ p", 3) == "⊢ p"


def test_clip_text_marks_what_is_missing():
    clipped = clip_text("x" * 100, 60)
    kept, _, mark = clipped.partition("\n")
    # The mark for up to 100 characters, "[... 100 more characters]" with its newline, has 26.
    assert kept == "x" * 34
    assert mark == "[... 66 more characters]"
    assert len(clipped) <= 60


def test_clip_text_holds_the_limit_however_small():
    assert all(len(clip_text("x" * 100, limit)) <= limit for limit in range(1, 60))
