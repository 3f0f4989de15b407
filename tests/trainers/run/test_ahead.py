from __future__ import annotations

import copy
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from lean_gym import LeanProofVectorEnv
from trainers.algorithms import Algorithm, create_algorithm
from trainers.config.credit import CreditConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.run import RunConfig
from trainers.distributed.processes import Processes
from trainers.errors import ConfigError, PolicyError
from trainers.grpo import main
from trainers.learning.rows import assign_credit
from trainers.policies.packing import build_batch, pack_rows
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer, TrajectoryGroup
from trainers.run.ahead import PlannedGroup, RolloutsAhead
from trainers.run.checkpoint import load_checkpoint
from trainers.runtime.signals import Interrupted, StopRequest

NAMES = ("t0", "t1", "t2", "t4")


@contextmanager
def opened(
    player: EpisodePlayer, policy: TransformersPolicy, algorithm: Algorithm | None = None
) -> Iterator[RolloutsAhead]:
    algorithm = algorithm or create_algorithm("grpo")
    with RolloutsAhead(player, policy, algorithm, Processes(), len(NAMES), 0, seed=3) as ahead:
        yield ahead
    assert "rollouts" not in {thread.name for thread in threading.enumerate()}


def planned(size: int = 3) -> list[PlannedGroup]:
    return [PlannedGroup(name, size) for name in NAMES]


def change(policy: TransformersPolicy) -> None:
    """Change all weights, as an update does."""
    with torch.no_grad():
        for weight in policy.model.parameters():
            weight.add_(0.02 * torch.randn_like(weight))


def versions(group: TrajectoryGroup) -> set[int]:
    return {step.choice.version for episode in group.trajectories for step in episode.steps}


def test_each_tactic_is_sampled_by_one_version_of_the_weights(
    player: EpisodePlayer, policy: TransformersPolicy
) -> None:
    known, found = [copy.deepcopy(policy.model)], []
    with opened(player, policy) as ahead:
        ahead.plan(planned())
        for updates in range(1, 5):
            ahead.plan(planned())  # one iteration ahead
            found += ahead.gather().groups
            change(policy)
            known.append(copy.deepcopy(policy.model))
            ahead.follow(updates)
    assert len(found) == 4 * len(NAMES)
    chosen = [step.choice for group in found for one in group.trajectories for step in one.steps]
    assert len({choice.version for choice in chosen}) >= 3
    for choice in chosen:
        batch = build_batch(pack_rows([(choice.prompt_ids, choice.token_ids)], share_prompts=False))
        with torch.no_grad():
            scored = policy.score(batch, known[choice.version]).logprobs[0]
        assert scored.tolist() == pytest.approx(choice.logprobs, abs=1e-4)


class _Held:
    """The `recv` of an environment that keeps the results of one theorem back."""

    def __init__(self, env: LeanProofVectorEnv, theorem: str) -> None:
        self._receive, self._env, self._theorem = env.recv, env, theorem
        self.until = threading.Event()

    def __call__(self, min_ready: int) -> Any:
        waiting = [slot for slot in self._env._batch.pending if self._of(slot)]
        if waiting and not self.until.is_set():
            others = [slot for slot in self._env._batch.pending if slot not in waiting]
            if min_ready and not others:
                self.until.wait()
            else:
                self._env._batch.collect(min(len(others), min_ready), others)
                return self._env._batch.take()
        return self._receive(min_ready)

    def _of(self, slot: int) -> bool:
        episode = self._env._batch.get(slot)
        return episode.theorem.name == self._theorem and bool(episode.steps)


def test_a_long_episode_holds_no_iteration_up_and_its_oldest_tactics_are_left_out(
    env: LeanProofVectorEnv, policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = _Held(env, "t4")
    monkeypatch.setattr(env, "recv", held)
    algorithm = create_algorithm("grpo")
    late: list[TrajectoryGroup] = []
    with opened(EpisodePlayer(env), policy, algorithm) as ahead:
        ahead.plan([PlannedGroup(name, 2) for name in NAMES])
        try:
            for updates in range(1, 4):
                ahead.plan([PlannedGroup(name, 2) for name in ("t0", "t1", "t2", "t0")])
                groups = ahead.gather().groups
                assert "t4" not in {group.theorem for group in groups}
                change(policy)
                ahead.follow(updates)
        finally:
            held.until.set()
        while not late:
            ahead.plan([PlannedGroup(name, 2) for name in ("t0", "t1", "t2", "t0")])
            late += [group for group in ahead.gather().groups if group.theorem == "t4"]
    assert {0, 3} <= versions(late[0])
    settings = CreditConfig(refused_credit=True, mask_truncated_completions=False)
    rows = [assign_credit(late, algorithm, settings, 10, oldest=oldest) for oldest in (0, 1, 99)]
    steps = [step.choice.version for one in late[0].trajectories for step in one.steps]
    assert [each.too_old for each in rows] == [0, steps.count(0), len(steps)]
    assert rows[2].samples == ()
    assert len({each.rollout for each in rows}) == 1


def test_a_stop_and_a_failure_come_through(
    env: LeanProofVectorEnv, policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    stops: list[None] = []

    def stop() -> None:
        stops.append(None)
        if len(stops) == 5:
            raise Interrupted(2)

    with opened(EpisodePlayer(env, stop), policy) as ahead:
        ahead.plan(planned())
        with pytest.raises(Interrupted):
            ahead.gather()
    (episode,) = EpisodePlayer(env).sample(["t0"], policy)  # the environment can be used again
    assert episode.steps

    def fail(self: TransformersPolicy, *_: object) -> None:
        raise PolicyError("the model's logits are not numbers")

    monkeypatch.setattr(TransformersPolicy, "open_stream", fail)
    with opened(EpisodePlayer(env), policy) as ahead:
        ahead.plan(planned())
        with pytest.raises(PolicyError, match="not numbers"):
            ahead.gather()


def test_an_abandoned_rollout_ends_at_once(player: EpisodePlayer, policy: TransformersPolicy) -> None:
    with opened(player, policy) as ahead:
        ahead.plan(planned(size=200))
        ahead.plan(planned(size=1))
        ahead.plan([PlannedGroup("t0", 1, is_canary=True)])
        with pytest.raises(Interrupted):
            threading.Timer(0.5, setattr, (player, "_on_step", _interrupt)).start()
            ahead.gather()
    ended = EpisodePlayer(player.env)
    with opened(ended, policy) as ahead:
        ahead.plan([*planned(size=1), PlannedGroup("t0", 2000)])
        assert len(ahead.gather().groups) == len(NAMES)  # the large group is under way
    assert EpisodePlayer(player.env).sample(["t0"], policy)[0].steps


def _interrupt() -> None:
    raise Interrupted(2)


def test_others_may_use_the_player_when_all_that_began_has_ended(
    player: EpisodePlayer, policy: TransformersPolicy
) -> None:
    with opened(player, policy) as ahead:
        ahead.drain()  # nothing has begun
        ahead.plan(planned())
        ahead.plan(planned())
        first = ahead.gather().groups
        ahead.drain()
        assert player.sample(["t0"] * 3, policy)
        second = ahead.gather().groups
        assert sorted(g.theorem for g in (*first, *second)) == sorted(NAMES * 2)
        ahead.plan(planned())
        assert len(ahead.gather().groups) == len(NAMES)


def test_groups_with_equal_returns_are_replaced_while_there_are_others(
    player: EpisodePlayer, policy: TransformersPolicy
) -> None:
    algorithm = create_algorithm("dapo")
    with opened(player, policy, algorithm) as ahead:
        spare = [PlannedGroup("t7", 3), PlannedGroup("t8", 3)]
        ahead.plan([*planned(), PlannedGroup("t3", 2, is_canary=True)], spare)
        found = ahead.gather()
        ahead.drain()
        ahead.plan([], [])
    alike = [group for group in found.groups if len(set(group.returns)) == 1]
    for group in found.replaced:
        assert len(set(group.returns)) == 1
    assert len(found.groups) == len(NAMES)
    assert not alike or len(found.replaced) == len(spare)
    assert {group.theorem for group in found.canaries} <= {"t3"}


@pytest.mark.parametrize(
    "flags",
    [
        ("1", "--algorithm", "dapo", "--algo-config", '{"dynamic_sampling_rounds": 1}'),
        ("3", "--lora", "r=4"),
    ],
)
def test_a_run_ahead_has_all_that_a_run_has(
    start: Callable[..., int], tmp_path: Path, flags: tuple[str, ...], documented: dict[str, str]
) -> None:
    assert start("run", "--no-sync-ref-model", "--staleness", *flags) == 0
    state, _ = load_checkpoint(tmp_path / "run" / "checkpoint.pt")
    assert (state.stage, state.iteration) == ("done", 4)
    rows = (tmp_path / "run" / "metrics.csv").read_text().splitlines()
    found = {row.split(",")[1]: float(row.split(",")[2]) for row in rows[1:]}
    behind = [float(row.split(",")[2]) for row in rows if ",rollout/staleness," in row]
    assert behind[0] == 0.0
    assert max(behind) > 0.0
    assert found["policy/sampler_mean_weight"] > 0.0
    ahead = {name for name, when in documented.items() if when == "where `--staleness` is used"}
    assert ahead == {"rollout/staleness", "rows/too_old"} <= found.keys()


def test_a_run_ahead_that_is_stopped_goes_on(
    start: Callable[..., int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks: list[None] = []

    def check(self: StopRequest) -> None:
        checks.append(None)
        if len(checks) == 150:
            raise Interrupted(15)

    monkeypatch.setattr(StopRequest, "check", check)
    assert start("run", "--staleness", "2", "--save-trajectories") == 128 + 15
    folder = tmp_path / "run"
    stage, iteration = (state := load_checkpoint(folder / "checkpoint.pt")[0]).stage, state.iteration
    assert (stage, iteration < 4) == ("train", True)
    assert main(["--resume", str(folder)]) == 0
    assert load_checkpoint(folder / "checkpoint.pt")[0].iteration == 4
    played = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]
    per_iteration = [sum(row["iteration"] == number for row in played) for number in (1, 2, 3, 4)]
    assert per_iteration == [12] * 4  # 6 theorems, 2 episodes each: none is lost, none is counted twice


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"staleness": -1}, "staleness: expected .* 0"),
        ({"staleness": 1, "rollout": "tree"}, "staleness: expected 0 with rollout 'tree', got 1"),
        ({"staleness": 1, "reward_schedule": "2:binary"}, "staleness: expected 0 with reward_schedule"),
        ({"staleness": 1}, "staleness: expected 0 with credit 'vine'"),
    ],
)
def test_what_cannot_run_ahead_is_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RunConfig(rollout=RolloutConfig(**values), credit=CreditConfig(credit="vine"))
