"""A game that `backend="fake"` understands: conjunctions of disjunctions of `True` and `False`."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
import torch

from lean_gym import LeanProofVectorEnv, Theorem
from lean_gym.envs import vector
from trainers.algorithms import create_algorithm
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig, TinyConfig, WarmStartConfig
from trainers.learning.learner import Learner
from trainers.policies.base import Completion
from trainers.policies.source import PolicySource
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import TransformersPolicy
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.replay import replay

# A second thread gains little, and costs much on a machine with few or busy cores.
torch.set_num_threads(1)

CLAUSES = ("True", "False ∨ True", "True ∨ False", "False ∨ False ∨ True", "False ∨ True ∨ False")


def _script(target: str) -> list[str]:
    if " ∧ " in target:
        first, rest = target.split(" ∧ ", 1)
        return ["split", *_script(first), *_script(rest)]
    if " ∨ " in target:
        first, rest = target.split(" ∨ ", 1)
        return ["left", "trivial"] if first == "True" else ["right", *_script(rest)]
    return ["trivial"]


@pytest.fixture(scope="session")
def theorems() -> tuple[Theorem, ...]:
    """25 theorems with proofs; one of each row and column of the table of clauses is of the test split."""
    targets = [f"{first} ∧ {second}" for first, second in product(CLAUSES, repeat=2)]
    return tuple(
        Theorem(
            name=f"t{index}",
            statement=f"theorem t{index} : {target}",
            split="test" if (index // 5 + index) % 5 == 4 else "train",
            proof="\n".join(_script(target)),
        )
        for index, target in enumerate(targets)
    )


@pytest.fixture(scope="session")
def theorem_file(theorems: tuple[Theorem, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a JSONL file."""
    path = tmp_path_factory.mktemp("sets") / "game.jsonl"
    rows = [
        {
            "name": theorem.name,
            "statement": theorem.statement,
            "context": "",
            "imports": [],
            "split": theorem.split,
            "proof": theorem.proof,
        }
        for theorem in theorems
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def documented() -> dict[str, str]:
    """The scalars that docs/trainers/runs.md lists, and when each is written."""
    text = (Path(__file__).resolve().parents[2] / "docs" / "trainers" / "runs.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `(\w+/\w+)` \| (.*?) \|", text, flags=re.MULTILINE))


@pytest.fixture
def env(theorems: tuple[Theorem, ...]) -> Iterator[LeanProofVectorEnv]:
    """Six sub-environments in this process, ten steps an episode."""
    made = LeanProofVectorEnv(6, list(theorems), backend="fake", reward="shaped", num_workers=0, max_steps=10)
    yield made
    made.close()


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every environment plays in this process, whatever the settings say: a worker starts longer than a game takes."""
    plain = vector.create_pool
    monkeypatch.setattr(
        vector, "create_pool", lambda *given, **options: plain(*given, **options | {"num_workers": 0})
    )


@pytest.fixture
def player(env: LeanProofVectorEnv) -> EpisodePlayer:
    """A player on `env`."""
    return EpisodePlayer(env)


@pytest.fixture(scope="session")
def trained(theorems: tuple[Theorem, ...]) -> TransformersPolicy:
    """A tiny policy trained on the proofs for a few passes, which proves some of the theorems sometimes."""
    texts = [text for theorem in theorems for text in (f"⊢ {theorem.statement}", theorem.proof)]
    tokenizer = train_tokenizer(texts, vocabulary=320)
    model = build_model(TinyConfig(hidden_size=32, layers=2, attention_heads=2), tokenizer, seed=0)
    policy = TransformersPolicy(model, tokenizer, RolloutConfig(max_tactic_tokens=6))
    settings = WarmStartConfig(warm_start_epochs=8, warm_start_learning_rate=3e-3, warm_start_batch=8)
    learner = Learner(policy, create_algorithm("grpo"), LearnerConfig())
    with LeanProofVectorEnv(1, list(theorems), backend="fake", num_workers=0) as env:
        steps = replay(EpisodePlayer(env), theorems).pairs
    pairs = [(policy.encode_prompt(goals), policy.encode_tactic(tactic)) for goals, tactic in steps]
    for epoch in range(settings.warm_start_epochs):
        learner.imitate(pairs, settings.imitation, epoch, torch.Generator().manual_seed(epoch))
    return policy


@pytest.fixture
def policy(trained: TransformersPolicy) -> TransformersPolicy:
    """A copy of `trained` that a test may change."""
    return TransformersPolicy(
        copy.deepcopy(trained.model), copy.deepcopy(trained.tokenizer), RolloutConfig(max_tactic_tokens=6)
    )


class Told:
    """Policy that gives the same tactics in turn, whatever the goals; `before` sees the goals first."""

    def __init__(self, tactics: Sequence[str], before: Callable[[Sequence[str]], None] | None = None) -> None:
        self.tactics = tactics
        self.before = before

    def sample(self, goals: Sequence[str]) -> list[Completion]:
        if self.before is not None:
            self.before(goals)
        count = len(self.tactics)
        return [Completion((), (0,), (-1.0,), self.tactics[at % count]) for at in range(len(goals))]

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        yield


@pytest.fixture
def told() -> type[Told]:
    """The class of policies that say what they are told."""
    return Told


@pytest.fixture
def tell(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Told]]:
    """Has every policy that is loaded from now on say the given tactics; gives the list of those that were."""

    def run(*tactics: str, before: Callable[[Sequence[str]], None] | None = None) -> list[Told]:
        loaded: list[Told] = []

        def load(*_: object) -> Told:
            loaded.append(Told(tactics, before))
            return loaded[-1]

        monkeypatch.setattr(PolicySource, "load", load)
        return loaded

    return run
