"""Words that other systems use for settings of ours, and their translation at the border of the configuration.

A file or a command line may contain them; a line on standard error says what each becomes. Behind the border, and in
the `config.yaml` of a run, stand our own words only. docs/trainers/migrating.md lists all of them.

A translation keeps the meaning: `num_generations` is our `group_size`, and `use_asymmetric_clip` sets both clip bounds
to what they are there. A word whose meaning nothing here has is refused, with what to use instead.

Sources: lean-grpo is github.com/lzumot/lean_grpo (`trainer.py`, `cli.py`, `algorithms/`), LeanDojo-v2 is
github.com/lean-dojo/LeanDojo-v2 (README, section GRPO Trainer).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

Own = dict[str, Any]
"""Our words and their values: fields, keys of `algo_config` as `algo_config.KEY`, parts of `lora` as `lora.PART`."""
PASSES: Final = "num_train_epochs"
REFERENCE: Final = "reference_model"
ALGORITHM_KEY: Final = "algo_config."
LORA_PART: Final = "lora."
LORA_ALPHA: Final = 8
"""lean-grpo's `lora_alpha`, which does not follow the rank."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of another system.

    Attributes:
        name: The word, as in a file; the flag has dashes.
        ours: Our words for it, for the page.
        meaning: Its meaning, for the page.
        becomes: Maps its value to our words, or to nothing for a value that has no counterpart; gets the fields of the
            program as well.
        instead: What to use where it has no counterpart.
    """

    name: str
    ours: str
    meaning: str
    becomes: Callable[[Any, Collection[str]], Own]
    instead: str = ""


def _field(*names: str) -> Callable[[Any, Collection[str]], Own]:
    """The same value, for the first of these fields that the program has."""

    def becomes(value: Any, known: Collection[str]) -> Own:
        return {name: value for name in [name for name in names if name in known][:1]}

    return becomes


def _key(name: str) -> Callable[[Any, Collection[str]], Own]:
    """The same value, for a key of `algo_config`."""
    return lambda value, known: {ALGORITHM_KEY + name: value} if "algo_config" in known else {}


def _named(name: str, values: Mapping[Any, Any]) -> Callable[[Any, Collection[str]], Own]:
    """Another value, for a field; nothing for a value that is not in the table."""

    def becomes(value: Any, known: Collection[str]) -> Own:
        usable = name in known and isinstance(value, str | bool) and value in values
        return {name: values[value]} if usable else {}

    return becomes


def _part(name: str) -> Callable[[Any, Collection[str]], Own]:
    """The same value, for a part of an adapter."""
    return lambda value, known: {LORA_PART + name: value} if "lora" in known else {}


def _all_keys(value: Any, known: Collection[str]) -> Own:
    """Every entry of a mapping, for keys of `algo_config`."""
    return (
        {ALGORITHM_KEY + str(key): each for key, each in value.items()} if isinstance(value, Mapping) else {}
    )


def _mixture(value: Any, known: Collection[str]) -> Own:
    """A mapping from rewards to weights as the text of a mixture."""
    if not isinstance(value, Mapping) or not value or "reward" not in known:
        return {}
    return {"reward": "+".join(f"{name}:{weight}" for name, weight in value.items())}


def _claim(name: str, *without: str) -> Callable[[Any, Collection[str]], Own]:
    """A claim that is checked when all settings are known."""
    return lambda value, known: {name: value} if all(each in known for each in without) else {}


def _passes(value: Any, known: Collection[str]) -> Own:
    return {"epochs": value} if "epochs" in known else _claim(PASSES, "max_iterations")(value, known)


LEAN_GRPO: Final = (
    Word("base_model", "`model`", "path or hub id of the model", _field("model")),
    Word("algorithm", "`algorithm`", "the algorithm, at the top of a file", _field("algorithm")),
    Word(
        "algorithm_config",
        "`algo_config`",
        "settings of the algorithm",
        _all_keys,
        "algo_config, a mapping of settings",
    ),
    Word("num_generations", "`group_size`", "episodes per theorem", _field("group_size")),
    Word("learning_rate", "`learning_rate`", "at the top of a file", _field("learning_rate")),
    Word("temperature", "`temperature`", "at the top of a file", _field("temperature")),
    Word("max_grad_norm", "`max_grad_norm`", "at the top of a file", _field("max_grad_norm")),
    Word("beta", "`algo_config.beta`", "weight of the KL term", _key("beta")),
    Word(
        PASSES,
        "`max_iterations`; `epochs` of `trainers.sft`",
        "passes over the training theorems: as many iterations as draw each theorem that often, rounded up",
        _passes,
        "rounds",
    ),
    Word("max_proof_steps", "`max_steps`", "tactics per episode", _field("max_steps")),
    Word(
        "max_prompt_length",
        "`max_prompt_tokens`",
        "tokens of a prompt; here longer goals lose their beginning, there the theorem is left out",
        _field("max_prompt_tokens"),
    ),
    Word(
        "reward_type",
        "`reward`",
        "`binary` and `shaped`; `shaped` there also pays for steps, here for goals closed, potential-based",
        _named("reward", {"binary": "binary", "shaped": "shaped"}),
        "reward shaped with error_penalty 0.02 for lenient, reward binary with error_penalty 0.2 for strict",
    ),
    Word("lora_rank", "`lora`", "`r=N`, with its `alpha=8` unless `lora_alpha` says otherwise", _part("r")),
    Word("lora_alpha", "`lora`", "`alpha=N`, beside `lora_rank`", _part("alpha")),
    Word("target_modules", "`lora`", "`targets=A+B`, beside `lora_rank`", _part("targets")),
    Word(
        "use_vllm",
        "`engine`",
        "true: `vllm`, false: `transformers`",
        _named("engine", {True: "vllm", False: "transformers"}),
    ),
    Word("output_dir", "`run_dir`, `out_dir`", "folder of the run", _field("run_dir", "out_dir")),
)
"""Settings of lean-grpo."""
LEANDOJO: Final = (
    Word("kl_beta", "`algo_config.beta`", "weight of the KL term", _key("beta")),
    Word(
        REFERENCE,
        "`model`",
        "accepted if it repeats `model`: the reference is the policy that training starts from",
        _claim(REFERENCE, "algorithm", "model"),
    ),
    Word(
        "reward_weights",
        "`reward`",
        "a mapping from rewards to weights becomes a mixture, `binary:1.0+efficiency:0.2`",
        _mixture,
        "reward, with a weight for each part",
    ),
)
"""Settings of LeanDojo-v2's GRPO trainer."""


RENAMED: Final = {
    "advantage_norm_method": "advantage_norm",
    "importance_sampling_level": "is_level",
    "negative_adv_scale": "negative_advantage_scale",
    "negative_adv_max_is": "delta",
    "num_preference_pairs": "pairs_per_group",
}
"""Keys of lean-grpo's `algorithm_config` that have the same values here."""
ALGORITHM_SETTINGS: Final = {
    "normalize_advantages": "`advantage_norm`: true is `standard`, unless another norm is named; false is `none`, "
    "which still subtracts the mean",
    "use_asymmetric_clip": "`epsilon` is `clip_low` (0.2), `epsilon_high` is `clip_high` (0.2); false: `epsilon_high` "
    "null",
    "clip_low": "`epsilon`, see `use_asymmetric_clip`",
    "clip_high": "`epsilon_high`, see `use_asymmetric_clip`",
    "use_asymmetric_loss": "`epsilon` is `ratio_clip_low` (0.5), `epsilon_high` is `ratio_clip_high` (1.5), "
    "`negative_advantage_scale` is 0.8; false: `epsilon_high` null",
    "ratio_clip_low": "`epsilon`, see `use_asymmetric_loss`",
    "ratio_clip_high": "`epsilon_high`, see `use_asymmetric_loss`",
    "use_population_norm": "`population_size`: 100 unless it is named; false: 0",
    "use_reward_shaping": "`sparse_reward_threshold`: 0.9 unless it is named; false: 1, which is never",
    "target_group_size": "`group_size`, the field or flag",
}
"""Other keys of lean-grpo's `algorithm_config`, with what they become, for the page."""
ALGORITHMS: Final = {"drgrpo": "dr_grpo"}
"""Names of algorithms."""
FLAGS: Final = {
    "-a": "algorithm",
    "-n": "num_generations",
    "-m": "base_model",
    "-o": "output_dir",
    "--output": "output_dir",
    "-e": PASSES,
    "--epochs": PASSES,
    "--lr": "learning_rate",
}
"""Further flags of lean-grpo, with the words that they stand for."""
REFUSED: Final = {
    "per_device_train_batch_size": "use theorems_per_iteration and minibatches (batch_size in trainers.sft)",
    "gradient_accumulation_steps": "use minibatches, the optimiser steps per pass; batch_tokens bounds memory",
    "warmup_ratio": "use warmup_steps, a number of optimiser steps",
    "max_completion_length": "use max_tactic_tokens, which bounds one tactic, not a whole proof",
    "reward_config": "use reward and reward_options",
    "reward_scorer": "use reward domain, difficulty or efficiency",
    "scorer_weights": "use reward_weights",
    "gpu_memory_utilization": "use engine vllm and engine_options, or the flag of that name of a vllm-server",
    "inference_url": "use engine vllm-server and vllm_server",
    "logging_steps": "drop it, scalars are written in every iteration",
    "save_steps": "use checkpoint_every (save_every in trainers.sft)",
    "advantage_normalization_method": "use advantage_norm",
    "advantage_clip": "use advantage_norm winsorized",
    "remove_outliers": "use advantage_norm winsorized",
    "outlier_threshold": "use advantage_norm winsorized and winsorize_quantile",
    "min_group_std": "use std_epsilon, which is added to the deviation",
    "logprob_min": "drop it, losses are finite",
    "logprob_max": "drop it, losses are finite",
}
"""Words of lean-grpo without a counterpart, with what to use instead."""
WORDS: Final = {word.name: word for word in (*LEAN_GRPO, *LEANDOJO)}
