"""Settings of `python -m trainers.lifelong`. Nothing here imports torch."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from trainers.config.base import Count, NonNegative, RefusedValue, Share, require
from trainers.config.files import merge
from trainers.config.rollout import SamplingConfig
from trainers.config.run import RunConfig, TrainingConfig
from trainers.config.tasks import EvaluateConfig, ProveConfig, SftConfig
from trainers.errors import ConfigError

_DECIDED = (
    "model",
    "theorems",
    "run_dir",
    "backend",
    "workers",
    "torch_threads",
    "seed",
    "env",
    "consolidation",
)
"""Settings of the stages that the course decides."""


class LifelongConfig(TrainingConfig):
    """Learning repositories one after another."""

    repos: list[str] = Field(default_factory=list)
    """Repositories: folders of Lean projects, `URL[@COMMIT]`, folders that are traced already, or theorem sets by name
    or JSONL file."""
    theorems: str = ""
    """Theorem sets that every measurement covers as well, and that are never trained on, e.g. `algebra:test`; empty for
    none."""
    order: Literal["difficulty", "given"] = "difficulty"
    """`difficulty` begins with the repository that has most easy theorems, by LeanDojo-v2's rating; `given` keeps the
    order of `repos`."""
    database: str = ""
    """Database that keeps theorems, proofs and attempts (`python -m trainers.database`); empty takes `theorems.db` in
    the run folder."""
    samples: Count = 8
    """Episodes per held-out theorem in a measurement."""
    replay_share: Share = 0.0
    """Theorems of earlier repositories that are trained on again, as a share of those of the new one; 0 for none."""
    ewc_weight: NonNegative = 0.0
    """Weight of elastic weight consolidation, see `ewc_weight` of `python -m trainers.grpo`; 0 for none."""
    fisher_steps: Count = 200
    """Proof steps of a repository from which its Fisher information is measured."""
    sft: dict[str, Any] = Field(default_factory=dict)
    """Settings of `python -m trainers.sft` for its stage, JSON on the command line; the model `tiny` has 25 epochs at
    1e-3 unless they are named."""
    grpo: dict[str, Any] = Field(default_factory=dict)
    """Settings of `python -m trainers.grpo` for its stage, JSON on the command line; `max_iterations: 0` leaves it
    out."""
    prove: dict[str, Any] = Field(default_factory=dict)
    """Settings of the section `search` of `python -m trainers.prove`, JSON on the command line, e.g. the budget
    `tactics`."""

    @property
    def stem(self) -> str:
        """Name of the folder of such a run below `runs/`."""
        return f"lifelong-seed{self.seed}"

    @model_validator(mode="after")
    def _check_repositories(self) -> Self:
        require(len(set(self.repos)) == len(self.repos), "repos", self.repos, "each repository once")
        return self

    @model_validator(mode="after")
    def _check_stages(self) -> Self:
        for name, values in (("sft", self.sft), ("grpo", self.grpo)):
            own = sorted(values.keys() & set(_DECIDED))
            require(not own, name, own, "none of the settings that the course itself decides")
        try:
            name = "sft"
            adapters = [self.to_sft("tiny", "logic", "x").lora]
            name = "grpo"
            adapters.append(self.to_grpo("tiny", "logic", "x").learner.lora)
            name = "prove"
            self.to_prove("x", "x", "x")
        except ConfigError as error:
            raise RefusedValue(name, str(error)) from None
        require(
            self.ewc_weight == 0.0 or not any(adapters),
            "ewc_weight",
            self.ewc_weight,
            "0 with a lora in a stage",
        )
        return self

    def to_sft(self, model: str, theorems: str, folder: str, ewc: str = "") -> SftConfig:
        """Return the settings of fine-tuning; `ewc` is a file of `trainers.learning.consolidation`, if there is one.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        # The defaults of the program suit a pretrained model.
        usual = {"learning_rate": 1e-3, "epochs": 25} if self.model == "tiny" else {}
        return SftConfig(**usual | self.sft | self._decided(model, theorems, folder, ewc))

    def to_grpo(self, model: str, theorems: str, folder: str, ewc: str = "") -> RunConfig:
        """Return the settings of reinforcement learning, which has no warm start: fine-tuning came before.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        usual = {
            "warm_start": {"proof_share": 0.0},
            "evaluation": {"eval_every": 0, "automation": False},
        }
        return RunConfig(**merge(usual, self.grpo) | self._decided(model, theorems, folder, ewc))

    def to_prove(self, policy: str, file: str, out: str) -> ProveConfig:
        """Return the settings of the search for the proofs of a file.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        parts: Any = {"search": self.prove, "rollout": self.sampling}
        return ProveConfig(**self._prover(), policy=policy, file=file, out=out, as_json=True, **parts)

    def to_evaluate(self, policy: str, theorems: str, folder: str) -> EvaluateConfig:
        """Return the settings of a measurement of held-out theorems."""
        parts: Any = {"rollout": self.sampling}
        return EvaluateConfig(
            **self._prover(),
            policy=policy,
            theorems=theorems,
            out_dir=folder,
            k="1",
            samples=self.samples,
            automation=False,
            **parts,
        )

    @property
    def sampling(self) -> SamplingConfig:
        """Settings of the episodes of measurements and searches: those of the stage of reinforcement learning."""
        section = self.grpo.get("rollout", {})
        values = section if isinstance(section, dict) else {}
        return SamplingConfig(**{key: values[key] for key in values if key in SamplingConfig.model_fields})

    def _prover(self) -> dict[str, Any]:
        names = ("backend", "workers", "torch_threads", "seed", "env")
        return {name: getattr(self, name) for name in names}

    def _decided(self, model: str, theorems: str, folder: str, ewc: str) -> dict[str, Any]:
        kept = {"consolidation": {"ewc": ewc, "ewc_weight": self.ewc_weight}} if ewc else {}
        return {
            **self._prover(),
            "model": model,
            "theorems": theorems,
            "run_dir": folder,
            "tiny": self.tiny,
            **kept,
        }
