from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Outcome
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.learning.rows import Credit, RolloutSize, assign_credit, weigh_steps
from trainers.learning.samples import Sample
from trainers.policies.base import Completion
from trainers.rollouts.player import Step, Trajectory, TrajectoryGroup


def step(prompt: int, token: int, refused: bool = False, reward: float = 0.0) -> Step[Completion]:
    return Step("goals", Completion((prompt,), (token,), (-1.0,), "tactic"), reward, refused)


def episode(*steps: Step[Completion]) -> Trajectory[Completion]:
    return Trajectory("t", list(steps), Outcome.STEP_LIMIT)


# One success, one failure: advantages of a group of two are +-0.5 / (sqrt(0.5) + 1e-4) = +-0.707007.
GROUP = TrajectoryGroup(
    "t",
    (
        episode(step(1, 10), step(2, 11, refused=True), step(2, 12, reward=1.0)),
        episode(step(1, 13, refused=True), step(1, 14), step(3, 15, refused=True)),
    ),
)
FLAT = TrajectoryGroup("u", (episode(step(1, 16, refused=True)), episode(step(1, 17))))
ALGORITHM = create_algorithm("grpo", group_size=2)
A = 0.5 / (0.5**0.5 + 1e-4)
SPREAD = A * 2**0.5  # of the advantages of GROUP, whose sample variance is 2 A^2; 1 but for the 1e-4


def credit_of(*groups: TrajectoryGroup, **settings: Any) -> Credit:
    """Credit with the papers' settings as defaults."""
    plain = {"error_penalty": 0.0, "refused_credit": True, "error_baseline": False}
    return assign_credit(groups, ALGORITHM, CreditConfig(**{**plain, **settings}), max_steps=4)


def weights(credit: Credit) -> dict[int, float]:
    return {sample.token_ids[0]: sample.advantage for sample in credit.samples}


def test_an_episode_shares_its_advantage_among_all_its_steps() -> None:
    expected = {10: A, 11: A, 12: A, 13: -A, 14: -A, 15: -A}
    assert weights(credit_of(GROUP)) == pytest.approx(expected)


def test_exactly_the_refused_tactics_pay_the_penalty() -> None:
    loss = 0.1 * SPREAD
    expected = {10: A, 11: A - loss, 12: A, 13: -A - loss, 14: -A, 15: -A - loss}
    assert weights(credit_of(GROUP, error_penalty=0.1)) == pytest.approx(expected)


def test_refused_tactics_have_no_share_by_default() -> None:
    expected = {10: A, 12: A, 14: -A}
    assert weights(credit_of(GROUP, refused_credit=False)) == pytest.approx(expected)
    assert not CreditConfig().refused_credit


def test_a_refusal_is_judged_against_the_other_choices_at_the_same_prompt() -> None:
    credit = credit_of(GROUP, error_penalty=0.3, error_baseline=True, refused_credit=False)
    # prompt 1: one of three refused, prompt 2: one of two, prompt 3: the only one, which has no baseline
    expected = {10: A + 0.1, 11: -0.15, 12: A + 0.15, 13: -0.2, 14: -A + 0.1}
    assert weights(credit) == pytest.approx(expected, abs=1e-4)
    assert CreditConfig() == CreditConfig(error_penalty=0.3, error_baseline=True, refused_credit=False)


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [("grpo", {}), ("dr_grpo", {}), ("rloo", {}), ("reinforce_pp", {}), ("grpo", {"pass_at_k": 2})],
)
def test_the_penalty_is_in_proportion_to_the_advantages(algorithm: str, settings: dict[str, int]) -> None:
    """Returns of any size and algorithms of any scale: a refused tactic loses the same share of the spread."""
    groups = [
        TrajectoryGroup("t", tuple(episode(step(n, n, reward=r)) for n, r in enumerate(returns)))
        for returns in ((1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 1.0))
    ]
    refused = TrajectoryGroup("v", (episode(step(9, 9, refused=True)), episode(step(8, 8))))
    rule = create_algorithm(algorithm, group_size=4, **settings)
    plain = CreditConfig(error_penalty=0.3, error_baseline=False)
    weighed = weigh_steps([*groups, refused], rule, plain, max_steps=4)
    deviations = [stdev(group) for group in weighed.advantages if max(group) > min(group)]
    assert weighed.weights[3][0] == (pytest.approx(-0.3 * fmean(d * d for d in deviations) ** 0.5),)
    if algorithm == "dr_grpo":
        assert deviations == [pytest.approx(0.5), pytest.approx(0.5)]


def test_a_refusal_teaches_where_all_episodes_earned_the_same() -> None:
    credit = credit_of(FLAT, error_penalty=0.1)
    assert weights(credit) == pytest.approx({16: -0.1})
    assert (credit.dropped_rows, credit.zero_std_fraction) == (1, 1.0)


def test_flat_groups_are_counted_and_dropped() -> None:
    credit = credit_of(GROUP, FLAT)
    assert (credit.dropped_rows, credit.zero_std_fraction) == (2, 0.5)
    assert credit_of(FLAT).samples == ()
    assert credit_of() == Credit((), RolloutSize(0, 0), 0.0, 0.0, 0.0)


def test_prompts_are_the_anchors_of_step_credit() -> None:
    # prompt 1 was visited three times, with returns-to-go 1, 0, 0; prompt 2 twice, with 1 and 1; prompt 3 once
    credit = credit_of(GROUP, credit="gigpo", step_credit_weight=3.0)
    up, down = 2 / (3**0.5 / 3 + 1e-4), 1 / (3**0.5 / 3 + 1e-4)  # 3 * (2/3) / std and 3 * (1/3) / std
    assert weights(credit) == pytest.approx({10: A + up, 11: A, 12: A, 13: -A - down, 14: -A - down, 15: -A})
    plain = create_algorithm("grpo", group_size=2, advantage_norm="none")
    settings = CreditConfig(credit="gigpo", step_credit_weight=3.0, error_penalty=0.0, refused_credit=True)
    undivided = weights(assign_credit([GROUP], plain, settings, max_steps=4))
    assert undivided == pytest.approx({10: 2.5, 11: 0.5, 12: 0.5, 13: -1.5, 14: -1.5, 15: -0.5})
    # Three of six steps were at prompt 1, which both episodes visited; three and two in states visited twice.
    assert credit.coverage == pytest.approx(3 / 6)
    assert credit.anchored == pytest.approx(5 / 6)


def test_the_rollout_counts_rows_that_are_dropped() -> None:
    credit = credit_of(GROUP, FLAT)
    assert credit.rollout == RolloutSize(8, 8)
    assert len(credit.samples) == 6
    # Two of the six kept rows, with three of their eight tokens, stand for two sixths of the rows.
    kept, part = RolloutSize(6, 8), RolloutSize(2, 3)
    assert RolloutSize(9, 10).share(kept, part) == (3.0, 3.75)
    assert RolloutSize.of([Sample((1,), (2, 3), (-1.0, -1.0), 1.0)]) == RolloutSize(1, 2)


def test_step_credit_is_compared_with_the_episode_before_penalties() -> None:
    """`state` by hand: 1, 1, 1 for the success, -1, -1, -1 for the failure; the episode has the same signs."""
    credit = credit_of(GROUP, credit="state", error_penalty=5.0)
    assert credit.agreement == {"credit/sign_differs": 0.0, "credit/correlation": pytest.approx(1.0)}
    assert credit_of(GROUP).agreement == {}


def test_credit_without_the_episode_has_its_scale() -> None:
    """All six are 1 or -1 and divided by a root mean square of 1; returns ten times as large change nothing."""
    assert weights(credit_of(GROUP, credit="state")) == pytest.approx(
        {10: 1.0, 11: 1.0, 12: 1.0, 13: -1.0, 14: -1.0, 15: -1.0}, abs=1e-3
    )
    large = TrajectoryGroup("t", (episode(step(1, 1, reward=10.0)), episode(step(1, 2))))
    assert weights(credit_of(large, credit="state")) == pytest.approx({1: 1.0, 2: -1.0}, abs=1e-3)


def stood(token: int, *goals: str, reward: float = 0.0) -> Step[Completion]:
    """A step taken in a state with these goals."""
    return replace(step(len(goals), token, reward=reward), open_goals=goals)


def test_td_teaches_where_all_episodes_fail() -> None:
    split = episode(stood(70, "p ∧ q"), stood(71, "p", "q"))
    closed = episode(stood(72, "p", "q"), stood(73, "q"))
    group = TrajectoryGroup("t", (split, closed))
    assert credit_of(group).samples == ()
    found = weights(credit_of(group, credit="td", td_lambda=0.5))
    assert found[70] < 0 < found[72]
    # w = 0.5: -0.25 + 0.125, 0.25, 0.25 - 0.125, -0.25; the mean square is 0.15625 / 4.
    scale = (0.15625 / 4) ** 0.5 + 1e-4
    expected = {70: -0.125, 71: 0.25, 72: 0.125, 73: -0.25}
    assert found == pytest.approx({token: value / scale for token, value in expected.items()})
    assert weights(credit_of(group, credit="td", td_lambda=0.5, value_weight=0.0)) == {}


def test_another_potential_can_be_given() -> None:
    """A learned one gets each distinct state once."""
    asked: list[Sequence[tuple[str, ...]]] = []

    def potential(states: Sequence[tuple[str, ...]]) -> list[float]:
        asked.append(states)
        return [float("easy" in goals) for goals in states]

    group = TrajectoryGroup("t", (episode(stood(80, "hard"), stood(81, "easy")), episode(stood(82, "hard"))))
    settings = CreditConfig(credit="td", td_lambda=0.0, error_penalty=0.0)
    plain = create_algorithm("grpo", group_size=2, advantage_norm="none")
    credit = assign_credit([group], plain, settings, max_steps=4, value=potential)
    assert asked == [[("hard",), ("easy",)]]
    assert weights(credit) == pytest.approx({80: 0.5, 81: -0.5})


def test_without_lambda_and_potential_td_is_the_episode() -> None:
    rloo = create_algorithm("rloo", overlong_buffer=1.0, beta=0.0)
    td = CreditConfig(credit="td", td_lambda=1.0, value_weight=0.0)
    groups = [GROUP, FLAT]
    found = weights(assign_credit(groups, rloo, td, max_steps=4))
    assert found == pytest.approx(weights(assign_credit(groups, rloo, CreditConfig(), max_steps=4)), abs=1e-6)


def test_likely_proofs_earn_less() -> None:
    """Log-probabilities -1 and -2: the shorter proof keeps 1 - u, the longer one 1 - u / 2 of its return."""
    short = replace(episode(step(1, 90, reward=1.0)), outcome=Outcome.PROVED)
    long = replace(episode(step(1, 91), step(2, 92, reward=1.0)), outcome=Outcome.PROVED)
    group = TrajectoryGroup("t", (short, long))
    settings = CreditConfig(error_penalty=0.0)

    def found(unlikeliness: float) -> dict[int, float]:
        rule = create_algorithm("grpo", group_size=2, advantage_norm="none", unlikeliness=unlikeliness)
        return weights(assign_credit([group], rule, settings, max_steps=4))

    assert found(0.0) == {}
    assert found(0.4) == pytest.approx({90: -0.1, 91: 0.1, 92: 0.1})


@pytest.mark.parametrize("term", ["entropy_coef", "beta"])
def test_an_entropy_bonus_and_a_divergence_keep_all_rows(term: str) -> None:
    rule = create_algorithm("grpo", group_size=2, **{term: 0.01})
    credit = assign_credit([FLAT], rule, CreditConfig(error_penalty=0.0), max_steps=4)
    assert [(sample.token_ids, sample.advantage) for sample in credit.samples] == [((16,), 0.0), ((17,), 0.0)]
    assert credit.dropped_rows == 0


@pytest.mark.parametrize("refused_credit", [False, True])
def test_an_episode_can_weigh_as_one(refused_credit: bool) -> None:
    """Over the tactics that get credit, advantages then sum to 0 as they do over episodes; penalties stay."""
    long = episode(*(step(1, at, refused=at % 3 == 2) for at in range(6)))
    short = episode(step(1, 20), step(2, 21, reward=1.0))
    group = TrajectoryGroup("t", (short, long))
    plain = CreditConfig(error_penalty=0.0, refused_credit=refused_credit)
    whole = weigh_steps([group], ALGORITHM, plain, max_steps=9).weights[0]
    found = weigh_steps([group], ALGORITHM, plain.model_copy(update={"episode_weighting": True}), 9).weights[
        0
    ]
    rows = 6 if refused_credit else 4
    mean = (2 + rows) / 2
    assert sum(map(sum, whole)) == pytest.approx(2 * A - rows * A)
    assert found[0] == pytest.approx((A * mean / 2,) * 2)
    assert sum(map(sum, found)) == pytest.approx(0.0)
    fined = CreditConfig(error_penalty=0.3, error_baseline=False, episode_weighting=True)
    refused = weigh_steps([group], ALGORITHM, fined, max_steps=9).weights[0][1][2]
    assert refused == pytest.approx(-0.3 * SPREAD)


@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_tactics_cut_at_the_limit_are_left_out(beta: float) -> None:
    """Their rows count in the mean over rows, their tokens not in that over tokens; the return stays."""

    def cut(one: Step[Completion]) -> Step[Completion]:
        return replace(one, choice=replace(one.choice, token_ids=(9, 9), truncated=True))

    first, second = GROUP.trajectories
    group = replace(GROUP, trajectories=(replace(first, steps=[cut(one) for one in first.steps[:2]]), second))
    group.trajectories[0].steps.append(first.steps[2])
    rule = create_algorithm("grpo", group_size=2, beta=beta)
    masked = assign_credit([group], rule, CreditConfig(), max_steps=4)
    whole = assign_credit([group], rule, CreditConfig(mask_truncated_completions=False), max_steps=4)
    assert {9: 0} | weights(masked) == {9: 0} | {k: v for k, v in weights(whole).items() if k != 9}
    assert (masked.truncated, masked.masked, masked.rollout) == (2, 2, RolloutSize(6, 4))
    assert (whole.truncated, whole.masked, whole.rollout) == (2, 0, RolloutSize(6, 8))
    assert masked.dropped_rows == whole.dropped_rows
    assert 9 in weights(whole) and 9 not in weights(masked)


def test_tactics_before_the_first_refusal_are_spared() -> None:
    failure = episode(step(1, 20), step(2, 21, refused=True), step(2, 22))
    success = episode(step(1, 23, reward=1.0))
    credit = credit_of(TrajectoryGroup("t", (failure, success)), first_error_credit=True)
    assert weights(credit) == pytest.approx({21: -A, 22: -A, 23: A})


def test_shorter_proofs_earn_more_under_a_step_cost() -> None:
    long = episode(step(1, 30), step(2, 31, reward=1.0))
    short = episode(step(1, 32, reward=1.0))
    group = TrajectoryGroup("t", (long, short))
    assert credit_of(group).samples == ()
    # returns 0.8 and 0.9: a spread of 0.1, of which 0.05 / (sqrt(0.005) + 1e-4) is left
    a = 0.05 / (0.005**0.5 + 1e-4)
    assert weights(credit_of(group, step_cost=0.1)) == pytest.approx({30: -a, 31: -a, 32: a}, rel=1e-4)


def test_rows_know_their_episode() -> None:
    credit = credit_of(FLAT, GROUP, error_penalty=0.1)
    assert [(s.token_ids[0], s.episode) for s in credit.samples] == [
        (16, 0),
        *((token, 2) for token in (10, 11, 12)),
        *((token, 3) for token in (13, 14, 15)),
    ]


def test_long_episodes_are_charged_what_the_algorithm_says() -> None:
    algorithm = create_algorithm("grpo", group_size=2, overlong_buffer=0.5, overlong_penalty=0.5)
    long = episode(step(1, 40), step(2, 41), step(3, 42), step(4, 43, reward=1.0))
    short = episode(step(1, 44, reward=1.0))
    settings = CreditConfig(error_penalty=0.0)
    credit = assign_credit([TrajectoryGroup("t", (long, short))], algorithm, settings, max_steps=4)
    assert all((s.advantage > 0) == (s.token_ids[0] == 44) for s in credit.samples)
    assert len(credit.samples) == 5


def test_preferences_name_episodes_over_all_groups() -> None:
    algorithm = create_algorithm("dgpo", group_size=2)
    credit = assign_credit([FLAT, GROUP], algorithm, CreditConfig(), max_steps=4)
    assert credit.preferences == ((2, 3),)
    without = create_algorithm("dgpo", group_size=2, use_dpo_loss=False)
    assert assign_credit([FLAT, GROUP], without, CreditConfig(), max_steps=4).preferences == ()


def test_episodes_that_are_compared_keep_all_their_rows() -> None:
    """Returns 0, 0, 0.5 and 1.5 with mean 0.5: the third has advantage 0 and only counts in preferences."""
    group = TrajectoryGroup(
        "t",
        (
            episode(step(1, 50)),
            episode(step(1, 51), step(2, 52, refused=True)),
            episode(step(1, 53, reward=0.5)),
            episode(step(1, 54, reward=1.5)),
        ),
    )
    settings = CreditConfig(error_penalty=0.0)
    credit = assign_credit([group], create_algorithm("dgpo"), settings, max_steps=4)
    assert credit.preferences == ((3, 1), (2, 0))
    assert [sample.token_ids[0] for sample in credit.samples] == [50, 51, 52, 53, 54]
    assert {s.token_ids[0] for s in credit.samples if s.advantage == 0.0} == {52, 53}
    plain = assign_credit([group], create_algorithm("grpo"), settings, max_steps=4)
    assert [sample.token_ids[0] for sample in plain.samples] == [50, 51, 54]


def test_a_branch_is_charged_for_the_way_to_it(env: LeanProofVectorEnv) -> None:
    """A limit of 4 with the last half charged; a branch after two tactics that takes one or two more."""
    env.reset()
    for _ in range(2):
        env.step(["nonsense"] * env.num_envs)
    point = env.save([0])[0]
    assert point.episode.steps == 2

    def branch(*tokens: int) -> Trajectory[Completion]:
        choices = [Completion((token,), (token,), (-1.0,), "tactic") for token in tokens]
        return Trajectory("t", [Step("goals", choice, 1.0 / len(tokens), False, point) for choice in choices])

    algorithm = create_algorithm("dr_grpo", overlong_buffer=0.5, overlong_penalty=0.5)
    credit = assign_credit(
        [TrajectoryGroup("t", (branch(60), branch(61, 62)))], algorithm, CreditConfig(), max_steps=4
    )
    # Lengths 3 and 4, charges 0.25 and 0.5, returns 0.75 and 0.5.
    assert weights(credit) == pytest.approx({60: 0.125, 61: -0.125, 62: -0.125})
