"""Supervised training data: proofs from data sets and runs, replayed into (goals, tactic) pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_gym.datasets import proof_steps
from lean_gym.types import Theorem
from trainers.config.files import read_text
from trainers.curriculum.difficulty import CATEGORIES, categories, ranks, ratings_of
from trainers.errors import ConfigError
from trainers.rollouts.env import Claim, replay_scripts
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.replay import choose_proofs
from trainers.runtime.seeding import derive_seed

TextPair = tuple[str, str]
"""(goals, tactic)."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Training pairs of replayed proofs.

    Attributes:
        pairs: (goals, tactic), in the order of the proofs.
        proofs: Number of proofs they come from.
        refused: Names of theorems with a proof that the prover did not accept; no step of it is used.
    """

    pairs: tuple[TextPair, ...]
    proofs: int
    refused: tuple[str, ...]


def reference_claims(theorems: Sequence[Theorem], share: float, seed: int) -> list[Claim]:
    """Return the reference proofs of a share of the theorems."""
    chosen = choose_proofs(theorems, share, seed)
    return [(theorem.name, tuple(proof_steps(theorem.proof))) for theorem in chosen]


def read_claims(sources: str, theorems: Sequence[Theorem]) -> tuple[list[Claim], int]:
    """Read files of found proofs.

    Args:
        sources: JSONL paths, separated by commas; rows as in `proofs.jsonl` of a run.
        theorems: Only their proofs are kept: a run's file may hold proofs of held-out theorems.

    Returns:
        The distinct proofs, and the number of rows left out.

    Raises:
        ConfigError: A file cannot be read, or a row has a wrong format.
    """
    names = {theorem.name for theorem in theorems}
    claims: list[Claim] = []
    left_out = 0
    for source in filter(None, (part.strip() for part in sources.split(","))):
        lines = read_text(Path(source), "proofs: cannot read").split("\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            claim = _claim(line, f"{source}, line {number}")
            if claim[0] in names:
                claims.append(claim)
            else:
                left_out += 1
    return list(dict.fromkeys(claims)), left_out


def in_order(claims: Sequence[Claim], theorems: Sequence[Theorem], curriculum: str, seed: int) -> list[Claim]:
    """Return proofs in the order of a curriculum.

    Args:
        claims: Proofs of these theorems.
        theorems: With their difficulties.
        curriculum: As in `SftConfig.curriculum`; `uniform` leaves the order, as the steps are shuffled later.
        seed: Seed of the order within a category.
    """
    if curriculum == "uniform":
        return list(claims)
    ratings, names = ratings_of(theorems), [theorem.name for theorem in theorems]
    if curriculum == "easy_first":
        place: dict[str, float] = dict(zip(names, ranks(ratings), strict=True))
        return sorted(claims, key=lambda claim: place[claim[0]])
    place = dict(zip(names, map(CATEGORIES.index, categories(ratings)), strict=True))
    rng = np.random.default_rng(derive_seed(seed, "order of proofs"))
    shuffled = [claims[index] for index in rng.permutation(len(claims))]
    return sorted(shuffled, key=lambda claim: place[claim[0]])


def collect(player: EpisodePlayer, claims: Sequence[Claim]) -> Lessons:
    """Replay proofs and return every step of the accepted ones.

    Args:
        player: The step budget of its environment is the length of the longest script that can pass.
        claims: The proofs; all are checked.
    """
    pairs: list[TextPair] = []
    refused: list[str] = []
    episodes = replay_scripts(player, claims)
    for (name, _), episode in zip(claims, episodes, strict=True):
        if episode is None:
            refused.append(name)
        else:
            pairs += [(step.goals, step.choice.text) for step in episode.steps]
    return Lessons(tuple(pairs), len(claims) - len(refused), tuple(dict.fromkeys(refused)))


def _claim(line: str, where: str) -> Claim:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    match row:
        case {"name": str(name), "tactics": [*tactics]} if all(isinstance(one, str) for one in tactics):
            return name, tuple(tactics)
    raise ConfigError(f"proofs: {where}: expected an object with name and tactics, got {line[:80]!r}")
