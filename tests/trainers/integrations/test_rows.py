"""Rows for other trainers: their advantages are those of our own learner, from memory and from a stored run."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from lean_gym import LeanProofVectorEnv, Outcome, Theorem
from lean_gym.errors import DataError
from tests.trainers.policies.presets.test_end_to_end import made
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.config.rollout import RolloutConfig
from trainers.integrations.rows import TurnRow, stored_rows, turn_rows
from trainers.learning.rows import assign_credit
from trainers.learning.samples import Sample
from trainers.policies.base import Completion
from trainers.policies.presets.catalogue import PRESETS
from trainers.policies.prompts import Dialogue, Rendered
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.views import create_view
from trainers.rollouts.player import EpisodePlayer, Step, Trajectory, TrajectoryGroup
from trainers.rollouts.replay import play_scripts
from trainers.run.folder import RunFolder

MOST = 10
RULES = ["episode", "gigpo", "state", "graph", "td"]


def step(shown: str, tactic: str, refused: bool = False, reward: float = 0.0) -> Step[Completion]:
    ids = (sum(map(ord, shown)),)
    return Step(shown, Completion(ids, (len(tactic),), (-1.0,), tactic), reward, refused)


@pytest.fixture
def groups(player: EpisodePlayer, policy: TransformersPolicy) -> list[TrajectoryGroup]:
    played = player.sample_groups(["t1", "t7", "t13"], [4, 4, 4], policy)
    assert (
        any(0 < group.solve_rate < 1 for group in played) or len({r for g in played for r in g.returns}) > 1
    )
    return played


def learners(rows: list[TurnRow]) -> list[Sample]:
    """Return the rows that the learner would get."""
    return [
        Sample(row.prompt_ids or (), row.completion_ids or (), row.logprobs or (), row.advantage, row.episode)
        for row in rows
        if row.advantage != 0.0
    ]


def write(folder: Path, *iterations: tuple[list[TrajectoryGroup], int]) -> Path:
    """Store iterations as a run does; each with the number of its groups that were learnt from."""
    run = RunFolder.__new__(RunFolder)
    run._trajectories = folder / "trajectories.jsonl"
    for number, (groups, learnt) in enumerate(iterations):
        run.append_trajectories(number, groups, learnt)
    return folder / "trajectories.jsonl"


def test_a_stored_tactic_that_was_cut_has_no_weight(tmp_path: Path) -> None:
    def cut(one: Step[Completion]) -> Step[Completion]:
        return replace(one, choice=replace(one.choice, truncated=True))

    group = TrajectoryGroup(
        "t",
        (
            Trajectory(
                "t", [cut(step("a", "spl", True)), step("a", "x", reward=1.0)], Outcome.PROVED, ("x",)
            ),
            Trajectory("t", [cut(step("a", "l", True))], Outcome.STEP_LIMIT),
        ),
    )
    path = write(tmp_path, ([group], 1))
    rule = create_algorithm("grpo", group_size=2)
    weights = [row.advantage for row in stored_rows(path, rule, CreditConfig(), MOST)]
    assert [weight == 0.0 for weight in weights] == [True, False, True]
    whole = CreditConfig(mask_truncated_completions=False)
    assert all(row.advantage for row in stored_rows(path, rule, whole, MOST))


def test_hand_computed_advantages() -> None:
    proved = [step("a", "split"), step("b", "wrong", refused=True), step("b", "trivial", reward=1.0)]
    failed = [step("a", "left", refused=True)]
    group = TrajectoryGroup(
        "t",
        (
            Trajectory("t", proved, Outcome.PROVED, ("split", "trivial")),
            Trajectory("t", failed, Outcome.STEP_LIMIT),
        ),
    )
    settings = CreditConfig(error_penalty=0.3, error_baseline=False)
    rows = turn_rows([group], create_algorithm("grpo", group_size=2), settings, MOST)
    a = 0.5 / (0.5**0.5 + 1e-4)
    loss = 0.3 * a * 2**0.5  # the spread of +-a
    assert [row.advantage for row in rows] == pytest.approx([a, -loss, a, -loss])
    assert [(row.episode, row.turn, row.prompt, row.completion, row.outcome) for row in rows] == [
        (0, 0, "a", "split", "proved"),
        (0, 1, "b", "wrong", "proved"),
        (0, 2, "b", "trivial", "proved"),
        (1, 0, "a", "left", "step_limit"),
    ]
    assert json.loads(json.dumps(asdict(rows[2])))["advantage"] == pytest.approx(a)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("algorithm", ["grpo", "reinforce_pp"])
def test_the_learner_trains_on_the_same_advantages(
    rule: str, algorithm: str, groups: list[TrajectoryGroup]
) -> None:
    settings = CreditConfig(credit=rule)
    rows = turn_rows(groups, create_algorithm(algorithm, group_size=4), settings, MOST)
    own = assign_credit(groups, create_algorithm(algorithm, group_size=4), settings, MOST)
    moving = tuple(row for row in own.samples if row.advantage)  # with a KL term the others stay as well
    assert len(rows) == own.rollout.rows > len(moving) > 0
    assert tuple(learners(rows)) == moving


@pytest.mark.parametrize("rule", RULES[:-1])
def test_stored_episodes_give_the_same_rows(
    rule: str, groups: list[TrajectoryGroup], policy: TransformersPolicy, tmp_path: Path
) -> None:
    settings = CreditConfig(credit=rule)
    path = write(tmp_path, (groups, 2), (groups[1:], 2))  # of the first iteration, one group was replaced
    stored = list(
        stored_rows(path, create_algorithm("grpo", group_size=4), settings, MOST, policy.encode_prompt)
    )
    algorithm = create_algorithm("grpo", group_size=4)
    played = [*turn_rows(groups[:2], algorithm, settings, MOST)]
    played += turn_rows(groups[1:], algorithm, settings, MOST)
    assert stored == played


def test_without_an_encoder_states_are_the_goals_that_were_shown(
    groups: list[TrajectoryGroup], tmp_path: Path
) -> None:
    path = write(tmp_path, (groups, 3))
    for settings in (CreditConfig(error_baseline=False), CreditConfig(credit="gigpo")):
        rows = list(stored_rows(path, create_algorithm("grpo", group_size=4), settings, MOST))
        # The tiny model's prompt shows the main goal alone, so its prompts make fewer states.
        renamed = [
            TrajectoryGroup(group.theorem, tuple(map(by_goals, group.trajectories))) for group in groups
        ]
        own = assign_credit(renamed, create_algorithm("grpo", group_size=4), settings, MOST)
        assert all(row.prompt_ids is None for row in rows)
        assert [row.advantage for row in rows if row.advantage] == [row.advantage for row in own.samples]


def by_goals(episode: Trajectory[Completion]) -> Trajectory[Completion]:
    steps = [replace(s, choice=replace(s.choice, prompt_ids=tuple(map(ord, s.goals)))) for s in episode.steps]
    return replace(episode, steps=steps)


@pytest.mark.parametrize("rule", ["td", "vine"])
def test_a_rule_that_needs_more_than_the_file_is_refused(rule: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"credit: got '{rule}'"):
        list(stored_rows(tmp_path / "none", create_algorithm("grpo"), CreditConfig(credit=rule), MOST))


def test_what_is_no_whole_episode_is_refused(tmp_path: Path) -> None:
    branch = Trajectory("t", [step("b", "trivial", reward=1.0)], Outcome.PROVED, ("split", "trivial"))
    path = write(tmp_path, ([TrajectoryGroup("t", (branch, branch))], 1))
    arguments: Any = (path, create_algorithm("grpo"), CreditConfig(), MOST)
    with pytest.raises(DataError, match=r"trajectories\.jsonl:1: .* began in the middle of another one"):
        list(stored_rows(*arguments))
    path.write_text('{"iteration": 0}\n')
    with pytest.raises(DataError, match=r"trajectories\.jsonl:1: 'steps'"):
        list(stored_rows(*arguments))
    path.write_text('{"iteration"')  # the run is writing it
    assert list(stored_rows(*arguments)) == []


@pytest.mark.parametrize("preset", ["", "goedel-v2", "deepseek-prover-v1.5"])
def test_repairs_have_the_tokens_that_the_policy_was_shown(preset: str, tmp_path: Path) -> None:
    settings = RolloutConfig(
        **(PRESETS[preset].rollout() if preset else {"actions": "proof"}) | {"max_repairs": 1, "max_steps": 2}
    )
    model, tokenizer = made("llama" if preset == "deepseek-prover-v1.5" else "qwen3")
    policy = TransformersPolicy(model, tokenizer, settings)
    theorem = Theorem("t", "theorem t (p : Prop) (h : p) : p")
    steps = []
    with LeanProofVectorEnv(1, [theorem], "minilean", num_workers=0, **settings.env_options) as env:
        player = EpisodePlayer(env, view=create_view(settings))
        (episode,) = play_scripts(player, [("t", ("exact x", "exact h"))])
        for at, played in enumerate(episode.steps):
            completion = Completion(
                policy.encode_prompt(played.goals), (at + 1,), (-1.0,), played.choice.text
            )
            steps.append(replace(played, choice=completion))
    shown = [step.goals for step in steps]
    assert all(
        isinstance(text, Dialogue | Rendered) == (bool(preset) or at > 0) for at, text in enumerate(shown)
    )
    group = TrajectoryGroup("t", (replace(episode, steps=steps),) * 2)
    algorithm = create_algorithm("grpo", group_size=2)
    path = write(tmp_path, ([group], 1))
    rows = list(stored_rows(path, algorithm, CreditConfig(), 2, policy.encode_prompt))
    assert [row.prompt_ids for row in rows] == [step.choice.prompt_ids for step in steps] * 2
    played = turn_rows([group], create_algorithm("grpo", group_size=2), CreditConfig(), 2)
    assert rows == [replace(row, prompt=str(row.prompt)) for row in played]
    # The text alone gives other tokens.
    assert policy.encode_prompt(str(steps[1].goals)) != steps[1].choice.prompt_ids
