"""A `GRPOTrainer` with the constructor of LeanDojo-v2's, on theorem sets instead of traced repositories.

    trainer = GRPOTrainer("Qwen/Qwen3-0.6B", reward_func=None, lora_config=LoraConfig(r=16))
    trainer.train(["logic:train", "nat:train"])

Differences from LeanDojo-v2's (github.com/lean-dojo/LeanDojo-v2, lean_dojo_v2/trainer/grpo_trainer.py):

1. `train` takes theorem sets instead of repositories, and needs no database.
2. An episode is a whole proof attempt, stepped through the prover, instead of a single unchecked tactic. The reward
   function may be `None`: then a verified proof earns 1.0. A given reward function is called as in LeanDojo-v2, with
   `completions` and keyword arguments, which include `episode_reward`, `proved`, `outcome` and `tactics`, one entry
   per completion.
3. `batch_size` may be any number: the group size is the largest divisor of it up to 8, and 2 at least.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer

from lean_gym.datasets import TheoremSource, load_theorems
from trainers.config.run import RolloutConfig
from trainers.integrations.trl import make_reward_func, make_rollout_func
from trainers.integrations.trl_trainer import make_config, make_trainer


class GRPOTrainer:
    """Trainer of a model on theorem sets, one after another, with `trl.GRPOTrainer`."""

    def __init__(
        self,
        model_name: str,
        reward_func: Callable[..., list[float | None]] | None = None,
        output_dir: str = "outputs",
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: Any = None,
        *,
        rollout: RolloutConfig | None = None,
        config_options: dict[str, Any] | None = None,
        **env_options: Any,
    ) -> None:
        """Load the model.

        Args:
            model_name: Path or hub id of a causal language model.
            reward_func: As for `trl.GRPOTrainer`; `None` rewards verified proofs.
            output_dir: Folder of the checkpoints and of the trained model.
            epochs_per_repo: Passes over each theorem set.
            batch_size: Episodes per device and step.
            lr: Peak learning rate.
            lora_config: A `peft.LoraConfig`, or `None` to train all weights.
            rollout: Rollout settings; `None` for the defaults.
            config_options: Further arguments of `trl.GRPOConfig`.
            **env_options: Further arguments of `LeanProofVectorEnv`, e.g. `backend` or `num_workers`.

        Raises:
            ValueError: `batch_size` is not positive.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size: got {batch_size!r}, expected at least 1")
        self.tokenizer = AutoTokenizer.from_pretrained(model_name)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model: Any = AutoModelForCausalLM.from_pretrained(model_name)
        self.output_dir = output_dir
        self._lora_config = lora_config
        self._reward_func: Any = reward_func or make_reward_func()
        self._rollout = rollout or RolloutConfig()
        self._env_options = env_options
        options = {"output_dir": output_dir, "num_train_epochs": epochs_per_repo, "learning_rate": lr}
        self.config = make_config(batch_size, options | (config_options or {}))

    def train(self, repos: str | os.PathLike[str] | Sequence[TheoremSource]) -> None:
        """Train on theorem sets in order, each for `epochs_per_repo` passes, and save the model.

        Args:
            repos: One set by name or path, or a list of sets, each a name, a path or a list of theorems.

        Raises:
            DataError: A set does not exist or cannot be used; nothing was trained.
        """
        sources = [repos] if isinstance(repos, str | os.PathLike) else repos
        loaded = [load_theorems(source) for source in sources]
        for theorems in loaded:
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
