from __future__ import annotations

from dataclasses import replace

from lean_gym import Theorem
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.replay import choose_proofs, replay


def test_a_share_of_all_is_drawn_from_those_with_a_proof(theorems: tuple[Theorem, ...]) -> None:
    some = [replace(t, proof="") if i < 15 else t for i, t in enumerate(theorems)]
    chosen = choose_proofs(some, 0.2, seed=0)
    assert len(chosen) == 5
    assert all(theorem.proof for theorem in chosen)
    assert len(choose_proofs(some, 1.0, seed=0)) == 10
    assert choose_proofs(some, 0.0, seed=0) == []


def test_the_draw_depends_on_the_seed_alone(theorems: tuple[Theorem, ...]) -> None:
    draws = [[theorem.name for theorem in choose_proofs(theorems, 0.4, seed)] for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]


def test_replay_gives_goals_and_tactics(player: EpisodePlayer, theorems: tuple[Theorem, ...]) -> None:
    found = replay(player, theorems[1:2])
    assert found.pairs == (
        ("⊢ True ∧ False ∨ True", "split"),
        ("⊢ True\n\n⊢ False ∨ True", "trivial"),
        ("⊢ False ∨ True", "right"),
        ("⊢ True", "trivial"),
    )
    assert found.failed == ()


def test_every_reference_proof_of_the_game_replays(
    player: EpisodePlayer, theorems: tuple[Theorem, ...]
) -> None:
    found = replay(player, theorems)
    assert found.failed == ()
    assert len(found.pairs) == sum(len(theorem.proof.splitlines()) for theorem in theorems)


def test_refused_tactics_are_left_out_and_reported(
    player: EpisodePlayer, theorems: tuple[Theorem, ...]
) -> None:
    wrong = replace(theorems[0], proof="split\nleft\ntrivial")
    short = replace(theorems[1], proof="split")
    found = replay(player, [wrong, short])
    assert found.failed == ("t0", "t1")
    assert found.pairs == (
        ("⊢ True ∧ True", "split"),
        ("⊢ True\n\n⊢ True", "trivial"),
        ("⊢ True ∧ False ∨ True", "split"),
    )
