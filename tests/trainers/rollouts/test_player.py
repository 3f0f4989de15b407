from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import numpy as np
import pytest
from gymnasium.error import NoAsyncCallError
from scipy.stats import chisquare

from lean_gym import LeanProofVectorEnv, Outcome, Theorem
from lean_gym.envs.batch import Ready
from trainers.policies.base import Completion
from trainers.policies.transformers import TransformersPolicy
from trainers.policies.views import GoalsView
from trainers.rollouts import player as player_module
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.runtime.signals import Interrupted


@dataclass(frozen=True)
class Word:
    text: str


class Script:
    """Play a list of tactics in every episode and record the calls."""

    def __init__(self, *tactics: str) -> None:
        self.tactics = tactics
        self.calls: list[tuple[list[int], list[str]]] = []
        self.counts: dict[int, int] = {}

    def __call__(self, numbers: Sequence[int], goals: Sequence[str]) -> list[Word]:
        self.calls.append((list(numbers), list(goals)))
        chosen = []
        for number in numbers:
            played = self.counts.get(number, 0)
            self.counts[number] = played + 1
            chosen.append(Word(self.tactics[played % len(self.tactics)]))
        return chosen


def test_steps_keep_all_goals_of_their_state(env: LeanProofVectorEnv) -> None:
    (episode,) = EpisodePlayer(env, view=GoalsView(1)).play(
        ["t1"], Script("split", "trivial", "right", "trivial")
    )
    first, second = "⊢ True ∧ False ∨ True", ("⊢ True", "⊢ False ∨ True")
    assert [step.open_goals for step in episode.steps[:3]] == [(first,), second, second[1:]]
    assert [step.point for step in episode.steps] == [None] * 4


def test_a_proof_step_by_step(player: EpisodePlayer) -> None:
    (episode,) = player.play(["t1"], Script("bad", "split", "trivial", "right", "trivial"))
    assert episode.theorem == "t1"
    assert [step.goals for step in episode.steps] == [
        "⊢ True ∧ False ∨ True",
        "⊢ True ∧ False ∨ True",
        "⊢ True\n\n⊢ False ∨ True",
        "⊢ False ∨ True",
        "⊢ True",
    ]
    assert [step.refused for step in episode.steps] == [True, False, False, False, False]
    assert next(step.choice.text for step in episode.steps) == "bad"
    assert episode.outcome is Outcome.PROVED
    assert episode.proved
    assert episode.tactics == ("split", "trivial", "right", "trivial")
    assert episode.axioms == ()
    # shaped: splitting costs 0.2 (1 - 1/2), closing the side goal pays it back
    assert [step.reward for step in episode.steps] == pytest.approx([0.0, -0.1, 0.1, 0.0, 1.0])
    assert episode.reward_terms == pytest.approx({"proof": 1.0, "goals": 0.0})
    assert episode.total_reward == pytest.approx(1.0)


def test_a_refused_step_keeps_the_message_cut(player: EpisodePlayer, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("bad", "split", "trivial", "right", "trivial")
    (episode,) = player.play(["t1"], Script(*words))
    assert "bad" in episode.steps[0].message
    assert [step.message for step in episode.steps[1:]] == [""] * 4
    monkeypatch.setattr("trainers.rollouts.player.LONGEST_MESSAGE", 5)
    (episode,) = player.play(["t1"], Script(*words))
    assert len(episode.steps[0].message) == 5


def test_the_ends_of_episodes_are_counted_in_a_block(player: EpisodePlayer) -> None:
    ended: list[None] = []
    with player.counting(lambda: ended.append(None)):
        player.play(["t1"] * 9, Script("split", "trivial", "right", "trivial"))
    assert len(ended) == 9
    player.play(["t1"], Script("split"))
    assert len(ended) == 9


def test_a_step_that_kills_provers_ends_its_episode_and_no_other(theorems: tuple[Theorem, ...]) -> None:
    class Two(Script):
        """The first episode tries a tactic that ends the process, the others prove `t1`."""

        def __call__(self, numbers: Sequence[int], goals: Sequence[str]) -> list[Word]:
            words = super().__call__(numbers, goals)
            return [
                Word("boom") if number == 0 and word.text == "trivial" else word
                for number, word in zip(numbers, words, strict=True)
            ]

    options = {"exit_on": ["boom"]}
    with LeanProofVectorEnv(2, list(theorems), "fake", num_workers=1, backend_options=options) as env:
        episodes = EpisodePlayer(env).play(["t1"] * 3, Two("split", "trivial", "right", "trivial"))
        assert env.stats()["quarantined"] == 1
    assert [episode.outcome for episode in episodes] == [Outcome.CRASHED, Outcome.PROVED, Outcome.PROVED]
    assert [episode.total_reward for episode in episodes] == pytest.approx([0.0, 1.0, 1.0])


def test_a_failed_episode_ends_with_its_budget(player: EpisodePlayer) -> None:
    (episode,) = player.play(["t0"], Script("skip"))
    assert len(episode.steps) == 10
    assert episode.outcome is Outcome.STEP_LIMIT
    assert not episode.proved
    assert episode.tactics == ("skip",) * 10


def test_free_slots_take_the_next_episode(player: EpisodePlayer) -> None:
    # t0 is True ∧ True, proved in three steps; t4 fails for ten
    names = ["t0", "t4"] * 7
    script = Script("split", "trivial", "trivial")
    episodes = player.play(names, script)
    assert [episode.theorem for episode in episodes] == names
    assert [episode.proved for episode in episodes] == [True, False] * 7
    assert max(len(numbers) for numbers, _ in script.calls) == 6
    assert all(len(set(numbers)) == len(numbers) for numbers, _ in script.calls)
    assert script.counts == {number: (3, 10)[number % 2] for number in range(14)}
    # one after the other they would take 91 calls
    assert len(script.calls) < 30


def test_groups_and_their_returns(player: EpisodePlayer) -> None:
    class OneOfTwo:
        def sample(self, goals: Sequence[str]) -> list[Completion]:
            tactics = {"⊢ True ∧ True": "split"}
            return [
                Completion((1,), (2,), (-0.5,), tactics.get(goal, "trivial" if at % 2 == 0 else "left"))
                for at, goal in enumerate(goals)
            ]

    (group,) = player.sample_groups(["t0"], [4], OneOfTwo())
    assert [trajectory.theorem for trajectory in group.trajectories] == ["t0"] * 4
    assert group.returns == pytest.approx([float(t.proved) for t in group.trajectories])
    assert group.solve_rate == sum(t.proved for t in group.trajectories) / 4
    assert group.trajectories[0].steps[0].choice.logprobs == (-0.5,)


def test_sampled_rows_keep_what_the_policy_gave(player: EpisodePlayer, policy: TransformersPolicy) -> None:
    with policy.seeded(0):
        episodes = player.sample(["t0", "t1", "t2"], policy)
    for episode in episodes:
        for step in episode.steps:
            assert step.choice.prompt_ids == policy.encode_prompt(step.goals)
            assert len(step.choice.token_ids) == len(step.choice.logprobs)


class Drawing:
    """Draw tactics that are all refused, each with its probability."""

    probabilities: ClassVar = {"bad": 0.5, "worse": 0.3, "worst": 0.2}

    def __init__(self) -> None:
        self.random = np.random.default_rng(0)
        self.asked: list[int] = []

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        self.asked.append(len(goals))
        tactics = list(self.probabilities)
        drawn = self.random.choice(len(tactics), len(goals), p=list(self.probabilities.values()))
        return [Completion((1,), (2,), (-0.5,), tactics[at]) for at in drawn]


def drawn_with(redraws: int, env: LeanProofVectorEnv, count: int = 300) -> list[list[str]]:
    player = EpisodePlayer(env, redraws=redraws)
    episodes = player.sample(["t1"] * count, Drawing())
    return [[step.choice.text for step in episode.steps] for episode in episodes]


def test_redraws_draw_without_the_tactics_that_an_episode_has_tried(env: LeanProofVectorEnv) -> None:
    begun = Counter((first, second) for first, second, *_ in drawn_with(30, env))
    chances = Drawing.probabilities
    expected = {
        (first, second): chances[first] * chances[second] / (1 - chances[first])
        for first, second in permutations(chances, 2)
    }
    assert set(begun) == set(expected)
    seen = [begun[pair] for pair in expected]
    assert chisquare(seen, [300 * chance for chance in expected.values()]).pvalue > 0.01
    plain = Counter((first, second) for first, second, *_ in drawn_with(0, env))
    assert sum(plain[tactic, tactic] for tactic in chances) > 60  # 114 are expected


def test_a_tactic_is_sent_again_if_all_that_are_drawn_for_it_were_tried(env: LeanProofVectorEnv) -> None:
    policy = Drawing()
    (episode,) = EpisodePlayer(env, redraws=2).sample(["t1"], policy)
    assert len(episode.steps) == 10  # of three tactics: no step is skipped
    assert set(policy.asked) == {1, 2}
    assert 6 <= policy.asked.count(2) <= 9  # once for a repeated tactic; from the fourth step on all are


@pytest.mark.parametrize("redraws", [0, 1, 4])
def test_draws_one_by_one_send_what_draws_at_once_do(redraws: int) -> None:
    class Given:
        """A stream of given words, by key."""

        def __init__(self, together: bool, words: random.Random) -> None:
            self.together, self._words = together, words
            self._seed, self._asked, self.count = words.random(), list[tuple[int, ...]](), 0

        def ask(self, key: tuple[int, ...], shown: str) -> None:
            self._asked.append(key)

        def answers(self) -> list[tuple[tuple[int, ...], Completion]]:
            asked = self._asked if self.together else self._asked[:1]
            self._asked = self._asked[len(asked) :]
            self.count += len(asked)
            words = [random.Random(f"{self._seed} {key}").choice("aaaabc") for key in asked]
            return [
                (key, Completion((1,), (2,), (0.0,), word)) for key, word in zip(asked, words, strict=True)
            ]

        def __len__(self) -> int:
            return len(self._asked)

    def sent(stream: Given) -> dict[int, list[tuple[str, int]]]:
        draws, found = player_module._Draws(stream, redraws), dict[int, list[tuple[str, int]]]()
        for number in range(20):
            draws.ask(number, "⊢ p")
        while len(draws):
            for number, choice in draws.answers():
                found.setdefault(number, []).append((choice.text, choice.redraws))
                if len(found[number]) < 5:
                    draws.ask(number, "⊢ p")
        return found

    at_once, one_by_one = Given(True, random.Random(1)), Given(False, random.Random(1))
    assert sent(at_once) == sent(one_by_one)
    assert (at_once.count > one_by_one.count) == (redraws > 1)


def test_episodes_and_states_have_tried_apart(env: LeanProofVectorEnv) -> None:
    class Fixed:
        calls = 0

        def sample(self, goals: Sequence[str]) -> list[Completion]:
            self.calls += 1
            return [Completion((1,), (2,), (-0.5,), "split" if "∧" in goal else "trivial") for goal in goals]

    policy = Fixed()
    first, second = EpisodePlayer(env, redraws=5).sample(["t0", "t0"], policy)
    assert first.proved
    assert second.proved
    assert first.tactics == ("split", "trivial", "trivial")
    assert policy.calls == 3  # none is drawn again: the second `trivial` is tried in another state


def test_first_goals_in_waves(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    goals = player.first_goals([theorem.name for theorem in theorems])
    assert goals == ["⊢ " + theorem.statement.partition(" : ")[2] for theorem in theorems]


def test_a_stop_comes_through_and_leaves_the_player_usable(env: LeanProofVectorEnv) -> None:
    steps = []

    def stop() -> None:
        steps.append(None)
        if len(steps) == 2:
            raise Interrupted(15)

    player = EpisodePlayer(env, on_step=stop)
    with pytest.raises(Interrupted):
        player.play(["t0"], Script("skip"))
    (episode,) = player.play(["t0"], Script("split", "trivial", "trivial"))
    assert episode.proved


def test_cohorts_change_nothing_but_who_is_asked_together(env: LeanProofVectorEnv) -> None:
    names = ["t0", "t4", "t1"] * 5
    asked: dict[int, list[list[int]]] = {}
    played = {}
    for cohorts in (1, 2, 4):
        script = Script("split", "trivial", "right", "trivial")
        played[cohorts] = EpisodePlayer(env, cohorts=cohorts).play(names, script)
        asked[cohorts] = [numbers for numbers, _ in script.calls]
    assert played[2] == played[1]
    assert played[4] == played[1]
    assert max(map(len, asked[1])) == env.num_envs
    assert max(map(len, asked[2])) == env.num_envs // 2


def test_a_failure_of_one_episode_leaves_the_others_cohort_usable(env: LeanProofVectorEnv) -> None:
    steps = []

    def stop() -> None:
        steps.append(None)
        if len(steps) == 4:  # another cohort's tactics are pending
            raise Interrupted(15)

    player = EpisodePlayer(env, on_step=stop, cohorts=2)
    with pytest.raises(Interrupted):
        player.play(["t0"] * 6, Script("skip"))
    episodes = player.play(["t0"] * 6, Script("split", "trivial", "trivial"))
    assert all(episode.proved for episode in episodes)


def test_history_stands_above_the_goals(env: LeanProofVectorEnv) -> None:
    (episode,) = EpisodePlayer(env, view=GoalsView(2)).play(
        ["t1"], Script("split", "bad", "trivial", "right", "trivial")
    )
    assert [step.goals for step in episode.steps] == [
        "⊢ True ∧ False ∨ True",
        "-- split\n⊢ True\n\n⊢ False ∨ True",
        "-- split\n⊢ True\n\n⊢ False ∨ True",
        "-- split\n-- trivial\n⊢ False ∨ True",
        "-- trivial\n-- right\n⊢ True",
    ]


def test_groups_of_different_size(player: EpisodePlayer, policy: TransformersPolicy) -> None:
    groups = player.sample_groups(["t0", "t1", "t2"], [2, 0, 5], policy)
    assert [(group.theorem, len(group.trajectories)) for group in groups] == [("t0", 2), ("t1", 0), ("t2", 5)]
    assert all(t.theorem == group.theorem for group in groups for t in group.trajectories)


@pytest.mark.parametrize("redraws", [0, 3])
def test_episodes_do_not_depend_on_how_long_tactics_take(
    env: LeanProofVectorEnv, policy: TransformersPolicy, monkeypatch: pytest.MonkeyPatch, redraws: int
) -> None:
    receive = env.recv

    def play(seed: int | None) -> tuple[list[Trajectory[Completion]], list[int]]:
        """Play with results that come at once, or with random delays."""
        rng, held, sizes = random.Random(seed), list[tuple[Any, ...]](), list[int]()

        def late(min_ready: int) -> Ready:
            with suppress(NoAsyncCallError):
                held.extend(zip(*receive(env.num_envs), strict=True))
            rng.shuffle(held)
            count = len(held) if seed is None else rng.randint(min(min_ready, len(held)), len(held))
            sizes.append(count)
            taken, held[:count] = held[:count], []
            ids, texts, rewards, terminated, truncated, infos = (
                zip(*taken, strict=True) if taken else [()] * 6
            )
            return Ready(
                np.array(ids, dtype=np.int64),
                texts,
                np.array(rewards),
                np.array(terminated),
                np.array(truncated),
                infos,
            )

        monkeypatch.setattr(env, "recv", late)
        player = EpisodePlayer(env, cohorts=0, redraws=redraws)
        with policy.seeded(5):
            return player.sample(["t0", "t1", "t4", "t2"] * 4, policy), sizes

    episodes, at_once = play(None)
    for seed in range(3):
        others, delayed = play(seed)
        assert delayed != at_once
        assert [one.outcome for one in others] == [one.outcome for one in episodes]
        for one, other in zip(episodes, others, strict=True):
            assert [step.choice.token_ids for step in one.steps] == [
                step.choice.token_ids for step in other.steps
            ]
            assert [step.reward for step in one.steps] == [step.reward for step in other.steps]
            for step, same in zip(one.steps, other.steps, strict=True):
                assert step.choice.logprobs == pytest.approx(same.choice.logprobs, abs=1e-5)
    with policy.seeded(6):
        assert player_texts(
            EpisodePlayer(env, cohorts=0, redraws=redraws).sample(["t0"] * 4, policy)
        ) != player_texts(episodes)


def player_texts(episodes: Sequence[Trajectory[Completion]]) -> list[list[str]]:
    return [[step.choice.text for step in one.steps] for one in episodes]
