from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import yaml

from lean_gym import Theorem
from trainers.grpo import main
from trainers.learning.learner import Learner
from trainers.rollouts.player import Choose, EpisodePlayer, Trajectory
from trainers.rollouts.random_play import play_at_random, tactics_by_context
from trainers.rollouts.replay import Scripted

TACTICS = {"": ["split", "left", "right", "trivial"]}


def test_the_tactics_are_the_steps_of_the_proofs_of_a_context(theorems: tuple[Theorem, ...]) -> None:
    other = replace(theorems[0], context="def c := 1", proof="exact c\nexact c")
    assert tactics_by_context([theorems[0], theorems[1], other]) == {
        "": ["split", "trivial", "right"],
        "def c := 1": ["exact c"],
    }


def test_what_lean_accepts_is_kept_whether_it_proves_or_not(
    player: EpisodePlayer, theorems: tuple[Theorem, ...]
) -> None:
    accepted = set(play_at_random(player, theorems * 10, TACTICS, seed=0))
    assert ("⊢ True ∧ True", "split") in accepted
    shown = {goals for goals, _ in accepted}
    # One of the two leads to `False`, and from there nowhere.
    both = [goals for goals in shown if {(goals, "left"), (goals, "right")} <= accepted]
    assert any(goals.partition("\n\n")[0] == "⊢ True ∨ False" for goals in both)
    assert not any(goals.partition("\n\n")[0] == "⊢ False" for goals in shown)
    trivial = {goals.partition("\n\n")[0] for goals, tactic in accepted if tactic == "trivial"}
    assert trivial == {"⊢ True"}


def test_nothing_is_tried_twice_in_a_state(
    player: EpisodePlayer, theorems: tuple[Theorem, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Trajectory[Scripted]] = []
    play = player.play

    def recorded(names: Sequence[str], choose: Choose[Scripted]) -> list[Trajectory[Scripted]]:
        episodes = play(names, choose)
        played.extend(episodes)
        return episodes

    monkeypatch.setattr(player, "play", recorded)
    play_at_random(player, theorems, TACTICS, seed=1)
    longest = 0
    for episode in played:
        tried: list[str] = []
        for step in episode.steps:
            tried.append(step.choice.text)
            assert len(set(tried[:4])) == len(tried[:4])  # the fifth begins again
            longest = max(longest, len(tried))
            if not step.refused:
                tried = []
    assert longest >= 4


def test_the_draws_depend_on_the_seed_alone(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    found = [play_at_random(player, theorems[:8], TACTICS, seed) for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]


def test_theorems_without_tactics_are_left_out(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    waves: list[int] = []
    strange = replace(theorems[0], context="def c := 1")
    found = play_at_random(player, [strange, *theorems[:9]], TACTICS, 0, waves.append)
    assert found == play_at_random(player, theorems[:9], TACTICS, 0)
    assert waves == [6, 9]  # six episodes at a time
    assert play_at_random(player, [strange], TACTICS, 0) == []


@pytest.mark.slow
def test_a_run_imitates_what_was_accepted(
    theorem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "theorems": str(theorem_file),
        "backend": "fake",
        "workers": 1,
        "torch_threads": 1,
        "max_iterations": 0,
        "tiny": {"hidden_size": 32, "layers": 1, "attention_heads": 2, "vocabulary": 320},
        "rollout": {"theorems_per_iteration": 2, "group_size": 3, "max_steps": 8},
        "evaluation": {"automation": False},
    }
    episodes = 0
    shown: dict[int, list[int]] = {}
    imitate = Learner.imitation_steps

    def counted(self: Learner, pairs: object, *rest: object) -> Iterator[tuple[float, int]]:
        shown.setdefault(episodes, []).append(len(pairs))  # type: ignore[arg-type]
        return imitate(self, pairs, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Learner, "imitation_steps", counted)
    for episodes in (0, 40):
        phase = {"proof_share": 0.25, "warm_start_epochs": 2, "random_episodes": episodes}
        path = tmp_path / f"{episodes}.yaml"
        path.write_text(yaml.safe_dump(settings | {"warm_start": phase}))
        torch.manual_seed(0)
        assert main(["--config", str(path), "--run-dir", str(tmp_path / str(episodes))]) == 0
        saved = yaml.safe_load((tmp_path / str(episodes) / "config.yaml").read_text())
        assert saved["warm_start"]["random_episodes"] == episodes
    assert len(set(shown[0])) == len(set(shown[40])) == 1  # the same pairs in every pass
    assert shown[40][0] > shown[0][0] + 40
    assert json.loads((tmp_path / "40" / "summary.json").read_text())
