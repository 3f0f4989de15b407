"""`TacticGRPOTrainer` on the game of conftest.py: loss and gradient are those of our learner on the same episodes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import trl

import trainers
from lean_gym import Theorem
from trainers.algorithms import create_algorithm
from trainers.config.credit import CreditConfig
from trainers.config.rollout import RolloutConfig
from trainers.config.run import LearnerConfig
from trainers.integrations.trl import LeanRollout, make_rollout_func
from trainers.integrations.trl_tactics import TacticGRPOTrainer
from trainers.learning.learner import Learner
from trainers.learning.rows import assign_credit
from trainers.policies.transformers import TransformersPolicy, load_pretrained
from trainers.rollouts.player import TrajectoryGroup

pytestmark = pytest.mark.filterwarnings("default")  # TRL warns of its own experimental parts
SETTINGS = RolloutConfig(max_steps=5, max_tactic_tokens=6)
# The first is sometimes proved; the last never, so its rows have no advantage but for refused tactics.
SET = [
    Theorem("m0", "theorem m0 : False ∨ True ∧ True"),
    Theorem("m1", "theorem m1 : True ∧ True"),
    Theorem("no", "theorem no : False"),
]
GAME: dict[str, Any] = {"backend": "fake", "num_workers": 0}


def config(folder: Path, **options: Any) -> Any:
    fixed = {
        "output_dir": str(folder), "max_steps": 2, "per_device_train_batch_size": 12, "num_generations": 4,
        "learning_rate": 1e-3, "report_to": "none", "bf16": False, "disable_tqdm": True, "logging_steps": 1,
        "use_cpu": True, "save_strategy": "no", "loss_type": "grpo",
    }  # fmt: skip
    return trl.GRPOConfig(**(fixed | options))


def played(rollout: LeanRollout, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Keep the episodes that a rollout plays."""
    kept: list[Any] = []
    play = rollout.play

    def keep(theorems: Sequence[str], trainer: Any) -> list[Any]:
        kept[:] = play(theorems, trainer)
        return kept

    monkeypatch.setattr(rollout, "play", keep)
    return kept


def logprobs_of(
    policy: TransformersPolicy, prompt: tuple[int, ...], tokens: tuple[int, ...]
) -> tuple[float, ...]:
    with torch.no_grad():
        logits = policy.model(torch.tensor([prompt + tokens])).logits[0, len(prompt) - 1 : -1]
    return tuple(logits.log_softmax(dim=-1).gather(1, torch.tensor(tokens)[:, None])[:, 0].tolist())


def gradient(model: torch.nn.Module) -> torch.Tensor:
    return torch.cat([weight.grad.flatten() for weight in model.parameters() if weight.grad is not None])


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize(
    ("options", "name", "settings"),
    [
        ({"loss_type": "grpo"}, "grpo", {}),
        ({"beta": 0.1, "use_bias_correction_kl": False}, "grpo", {"beta": 0.1, "kl_estimator": "k3"}),
        ({"loss_type": "dapo", "epsilon_high": 0.28}, "dapo", {}),
        ({"loss_type": "dr_grpo", "scale_rewards": "none"}, "dr_grpo", {"max_completion_tokens": 6}),
        (
            {"importance_sampling_level": "sequence", "epsilon": 0.01, "epsilon_high": 0.013},
            "gspo",
            {"epsilon": 0.01, "epsilon_high": 0.013},
        ),
    ],
)
def test_loss_and_gradient_equal_our_learner(
    policy: TransformersPolicy,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parts: int,
    options: dict[str, Any],
    name: str,
    settings: dict[str, Any],
) -> None:
    """Between rollout and update the weights move, so that ratios are not 1."""
    torch.manual_seed(1)
    policy.save(tmp_path / "start")  # where the trainer finds the start policy
    policy = TransformersPolicy(*load_pretrained(str(tmp_path / "start")), SETTINGS)
    args = config(
        tmp_path,
        gradient_accumulation_steps=parts,
        per_device_train_batch_size=12 // parts,
        num_iterations=2,  # so that the trainer keeps the log-probabilities of the rollout
        **options,
    )
    with make_rollout_func(SET, SETTINGS, **GAME) as rollout:
        episodes = played(rollout, monkeypatch)
        trainer = TacticGRPOTrainer(
            policy.model, rollout, args, algorithm=name, processing_class=policy.tokenizer
        )
        trainer.current_gradient_accumulation_steps = parts
        trainer.model.train()
        batch = [{"theorem": theorem.name} for theorem in SET for _ in range(4)]
        prepared = [trainer._prepare_inputs(batch)]
        for trainer._step in range(1, parts):
            prepared.append(trainer._prepare_inputs(batch))

    groups = [TrajectoryGroup(episodes[at].theorem, tuple(episodes[at : at + 4])) for at in range(0, 12, 4)]
    rule = create_algorithm(name, **({"beta": 0.0} | settings))
    credit = assign_credit(groups, rule, CreditConfig(), SETTINGS.max_steps)
    assert 0 < credit.dropped_rows < credit.rollout.rows or options.get("beta")
    samples = [
        replace(row, logprobs=logprobs_of(policy, row.prompt_ids, row.token_ids)) for row in credit.samples
    ]
    reference, _ = load_pretrained(str(tmp_path / "start"))
    with torch.no_grad():
        for weight in policy.model.parameters():
            weight += 0.02 * torch.randn_like(weight)

    policy.model.zero_grad()
    losses = []
    for inputs in prepared:
        loss = trainer._compute_loss(policy.model, inputs)
        loss.backward()
        losses.append(float(loss.detach()))
    theirs = gradient(policy.model)

    policy.model.zero_grad()
    learner = Learner(policy, rule, LearnerConfig(minibatches=1, max_grad_norm=0, warmup_steps=0))
    learner.use_reference(reference)
    own: list[torch.Tensor] = []
    monkeypatch.setattr(learner, "_step", lambda _: own.append(gradient(policy.model)) or 0.0)
    found = learner.update(samples, 0.0, torch.Generator().manual_seed(0), rollout=credit.rollout)
    assert found["clip_fraction"] > 0.0
    assert theirs.norm() > 1e-3
    assert sum(losses) == pytest.approx(found["loss"], rel=1e-4, abs=1e-6)
    assert torch.allclose(theirs, own[0], atol=1e-5 * float(theirs.abs().max()) + 1e-7)


def test_it_trains_and_tells_of_episodes(
    policy: TransformersPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [parameter.detach().clone() for parameter in policy.model.parameters()]
    with make_rollout_func(SET, SETTINGS, **GAME) as rollout:
        episodes = played(rollout, monkeypatch)
        trainer = TacticGRPOTrainer(
            policy.model,
            rollout,
            config(tmp_path, max_steps=1),
            credit=CreditConfig(credit="gigpo"),
            processing_class=policy.tokenizer,
        )
        trainer.train()
    [logged] = [entry for entry in trainer.state.log_history if "reward" in entry]
    rewards = [episode.total_reward for episode in episodes]
    assert logged["reward"] == pytest.approx(sum(rewards) / 12)
    assert logged["proved"] == pytest.approx(sum(episode.proved for episode in episodes) / 12)
    lengths = [len(step.choice.token_ids) for episode in episodes for step in episode.steps]
    assert len(lengths) > 12
    assert logged["completions/mean_length"] == pytest.approx(sum(lengths) / len(lengths))
    assert logged["rows/trained"] + logged["rows/dropped"] <= len(lengths)
    assert any(not torch.equal(a, b) for a, b in zip(before, policy.model.parameters(), strict=True))


@pytest.mark.parametrize(
    ("options", "credit", "message"),
    [
        ({"loss_type": "bnpo"}, CreditConfig(), "loss_type: got 'bnpo'"),
        ({"entropy_coef": 0.1}, CreditConfig(), "entropy_coef: got an entropy bonus"),
        ({"scale_rewards": "batch"}, CreditConfig(), "scale_rewards: got 'batch'"),
        ({}, CreditConfig(credit="vine"), "credit: got 'vine'"),
    ],
)
def test_arguments_without_meaning_are_refused(
    policy: TransformersPolicy, tmp_path: Path, options: dict[str, Any], credit: CreditConfig, message: str
) -> None:
    with make_rollout_func(SET, SETTINGS, **GAME) as rollout, pytest.raises(ValueError, match=message):
        TacticGRPOTrainer(policy.model, rollout, config(tmp_path, **options), credit=credit)


TWO_PROCESSES = """
import sys
import torch
import trl
from trainers.config.rollout import RolloutConfig
from trainers.integrations.trl import make_dataset, make_reward_func, make_rollout_func
from trainers.integrations.trl_tactics import TacticGRPOTrainer

theorems = ["theorem easy : True ∧ True", "theorem hard : False"]
start = sys.argv[1]
args = trl.GRPOConfig(
    output_dir=start + "-out", max_steps=2, per_device_train_batch_size=4, num_generations=4, report_to="none",
    bf16=False, use_cpu=True, save_strategy="no", disable_tqdm=True, logging_steps=1, learning_rate=1e-2,
    max_completion_length=100, shuffle_dataset=False,
)
settings = RolloutConfig(max_steps=6, max_tactic_tokens=6)


def train(kind, rollout):
    if kind == "tactic":
        trainer = TacticGRPOTrainer(start, rollout, args)
    else:
        data, reward = make_dataset(theorems), make_reward_func()
        trainer = trl.GRPOTrainer(start, reward, args, train_dataset=data, rollout_func=rollout)
    turns, generate = [], trainer._generate_single_turn

    def generate_and_count(*given):
        turns.append(len(given[0]))
        return generate(*given)

    trainer._generate_single_turn = generate_and_count
    before = torch.cat([weight.detach().flatten() for weight in trainer.model.parameters()])
    trainer.train()
    weights = torch.cat([weight.detach().flatten() for weight in trainer.model.parameters()])
    assert not torch.equal(weights, before)
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    with open(f"{start}-{kind}-{trainer.args.process_index}", "w") as file:
        print(turns, float(weights.double().sum()), rewards, file=file)


with make_rollout_func(theorems, settings, backend="minilean", num_workers=0) as rollout:
    for kind in ("tactic", "dialogue"):
        train(kind, rollout)
"""


@pytest.mark.timeout(300)
def test_two_processes_generate_together_though_their_episodes_are_not_as_long(
    trained: TransformersPolicy, tmp_path: Path
) -> None:
    """One process has a theorem of one tactic, the other one that cannot be proved."""
    trained.save(tmp_path / "start")
    (tmp_path / "program.py").write_text(TWO_PROCESSES)
    words = ["-m", "torch.distributed.run", "--nproc-per-node", "2", str(tmp_path / "program.py")]
    ended = subprocess.run(
        [sys.executable, *words, str(tmp_path / "start")],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(trainers.__file__).parents[1])},
        timeout=290,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    for kind in ("tactic", "dialogue"):
        one, other = ((tmp_path / f"start-{kind}-{number}").read_text() for number in range(2))
        assert one == other  # as many turns of as many prompts, the same weights, the same rewards
