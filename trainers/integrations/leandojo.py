"""A `GRPOTrainer` with the constructor of LeanDojo-v2's, on theorem sets instead of traced repositories.

    trainer = GRPOTrainer("Qwen/Qwen3-0.6B", reward_func=None, lora_config=LoraConfig(r=16))
    trainer.train(["logic:train", "nat:train"])

Differences from LeanDojo-v2's (github.com/lean-dojo/LeanDojo-v2, lean_dojo_v2/trainer/grpo_trainer.py):

1. `train` takes theorem sets instead of repositories, and needs no database. As there, sets are merged as they arrive:
   the passes over the second set go over the first one as well, and so on.
2. An episode is a whole proof attempt, stepped through the prover, instead of a single unchecked tactic. The reward
   function may be `None`: then a verified proof earns 1.0. A given reward function is called as in LeanDojo-v2, with
   `completions` and keyword arguments, which include `episode_reward`, `proved`, `outcome` and `tactics`, one entry
   per completion.
3. `batch_size` may be any number: the group size is the largest divisor of it up to 8, and 2 at least.
4. The model may be a run folder, or `tiny`.
5. `kl_beta`, `reward_weights` and `reference_model`, which its README names, are arguments. The reference of the KL
   term is the model that training starts from, so `reference_model` can only repeat its name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from lean_gym.datasets import TheoremSource, load_theorems
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.config.rollout import RolloutConfig
from trainers.config.run import TinyConfig
from trainers.integrations.trl import make_reward_func, make_rollout_func
from trainers.integrations.trl_trainer import make_config, make_trainer
from trainers.policies.source import PolicySource
from trainers.policies.tiny import build_model, train_tokenizer
from trainers.policies.transformers import load_pretrained

RewardFunction = Callable[..., list[float | None]]


class GRPOTrainer:
    """Trainer of a model on theorem sets, one after another, with `trl.GRPOTrainer`."""

    def __init__(
        self,
        model_name: str,
        reward_func: RewardFunction | Sequence[RewardFunction] | None = None,
        output_dir: str = "outputs",
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: Any = None,
        *,
        kl_beta: float = 0.0,
        reward_weights: Sequence[float] | None = None,
        reference_model: str | None = None,
        rollout: RolloutConfig | None = None,
        config_options: dict[str, Any] | None = None,
        **env_options: Any,
    ) -> None:
        """Load the model.

        Args:
            model_name: A run folder, the path or hub id of a causal language model, or `tiny`, which `train` makes with
                random weights for its theorems.
            reward_func: As for `trl.GRPOTrainer`, one or several; `None` rewards verified proofs.
            output_dir: Folder of the checkpoints and of the trained model.
            epochs_per_repo: Passes over each theorem set.
            batch_size: Episodes per device and step.
            lr: Peak learning rate.
            lora_config: A `peft.LoraConfig`, or `None` to train all weights.
            kl_beta: Weight of the KL divergence to the reference; 0 switches it off.
            reward_weights: Weight of each reward function; `None` gives each the weight 1.
            reference_model: `None`, or `model_name` once more.
            rollout: Rollout settings; `None` for the defaults.
            config_options: Further arguments of `trl.GRPOConfig`.
            **env_options: Further arguments of `LeanProofVectorEnv`, e.g. `backend` or `num_workers`.

        Raises:
            ValueError: `batch_size` is not positive, or `reference_model` is another model.
            PolicyError: The model cannot be loaded.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size: got {batch_size!r}, expected at least 1")
        if reference_model not in (None, model_name):
            raise ValueError(
                f"reference_model: got {reference_model!r}, expected None or {model_name!r}: the reference is the "
                "model that training starts from; give it as model_name, or set kl_beta to 0"
            )
        self.model: Any = None
        self.tokenizer: Any = None
        if model_name != "tiny":
            self.model, self.tokenizer = load_pretrained(PolicySource.find(model_name).model)
            if self.tokenizer.pad_token is None:
                self.tokenizer.pad_token = self.tokenizer.eos_token
        self.output_dir = output_dir
        self._lora_config = lora_config
        self._reward_func: Any = reward_func or make_reward_func()
        self._rollout = rollout or RolloutConfig()
        self._env_options = env_options
        options: dict[str, Any] = {
            "output_dir": output_dir,
            "num_train_epochs": epochs_per_repo,
            "learning_rate": lr,
            "beta": kl_beta,
            "reward_weights": None if reward_weights is None else list(reward_weights),
        }
        self.config = make_config(batch_size, options | (config_options or {}))

    def train(self, repos: str | os.PathLike[str] | Sequence[TheoremSource]) -> None:
        """Train on theorem sets in order, and save the model after each.

        With every set, `epochs_per_repo` passes go over it and all sets before it. A theorem of several sets counts
        once.

        Args:
            repos: One set by name or path, or a list of sets, each a name, a path or a list of theorems.

        Raises:
            DataError: A set does not exist or cannot be used, or different theorems of two sets share a name; nothing
                was trained.
        """
        sources = [repos] if isinstance(repos, str | os.PathLike) else repos
        unions = merged([load_theorems(source) for source in sources])
        if self.model is None:
            texts = [text for theorem in unions[-1] for text in (theorem.statement, theorem.proof)]
            self.tokenizer = train_tokenizer(texts, TinyConfig().vocabulary)
            self.model = build_model(TinyConfig(), self.tokenizer, seed=0)
        for theorems in unions:
            with make_rollout_func(theorems, self._rollout, **self._env_options) as rollout:
                trainer = make_trainer(
                    theorems,
                    rollout,
                    self.config,
                    model=self.model,
                    reward_funcs=self._reward_func,
                    processing_class=self.tokenizer,
                    peft_config=self._lora_config,  # `None` once the adapter is part of the model
                )
                trainer.train()
                self.model, self._lora_config = trainer.model, None
            trainer.save_model(self.output_dir)
        self.tokenizer.save_pretrained(self.output_dir)


def merged(sets: Sequence[Sequence[Theorem]]) -> list[list[Theorem]]:
    """Return, for each set, its theorems and those of all sets before it, each once.

    Raises:
        DataError: Different theorems share a name.
    """
    known: dict[str, Theorem] = {}
    unions = []
    for theorems in sets:
        for theorem in theorems:
            if known.setdefault(theorem.name, theorem).statement != theorem.statement:
                raise DataError(
                    f"two theorems of the sets are named {theorem.name!r}; expected different names"
                )
        unions.append(list(known.values()))
    return unions
