"""Settings of `python -m trainers.lifelong`. Nothing here imports torch."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from trainers.config.base import Count, NonNegative, RefusedValue, Share, require
from trainers.config.files import merge
from trainers.config.names import POLICY
from trainers.config.retrieval import TrainRetrieverConfig
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
    "processes",
    "ray",
    "seed",
    "env",
    "consolidation",
)
"""Settings of the stages that the course decides."""
_DECIDED_OF_RETRIEVAL = ("data", "split", "out_dir", "torch_threads", "seed")


class LifelongConfig(TrainingConfig):
    """Learning repositories one after another."""

    positional: ClassVar[tuple[str, ...]] = ()
    usual: ClassVar[tuple[str, ...]] = (
        *("repos", "order", "model", "database", "retriever", "replay_share", "ewc_weight", "samples"),
        *("sft", "grpo", "prove", "retrieval", "backend", "workers", "seed", "run_dir"),
    )

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
    retriever: Literal["none", "bm25", "encoder"] = "none"
    """Premises shown to the policy above the goals in every stage, those of the theorem's own repository: found by
    BM25, or by an encoder that is trained on the repositories so far. Theorem sets have none."""
    premises: Count = 8
    """Premises asked of the retriever; those beyond the prompt budget are left out, the worst first."""
    retrieval: dict[str, Any] = Field(default_factory=dict)
    """Settings of `python -m trainers.retrieval train` for the encoder, JSON on the command line."""
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
        stages = (
            ("sft", self.sft, _DECIDED),
            ("grpo", self.grpo, _DECIDED),
            ("retrieval", self.retrieval, _DECIDED_OF_RETRIEVAL),
        )
        for name, values, decided in stages:
            own = sorted(values.keys() & set(decided))
            require(not own, name, own, "none of the settings that the course itself decides")
            shown = values.get("rollout", {})
            named = "retriever" in shown if isinstance(shown, dict) else False
            require(
                self.retriever == "none" or not named, name, shown, "no retriever beside that of the course"
            )
        try:
            name = "sft"
            adapters = [self.to_sft("tiny", "logic", "x").lora]
            name = "grpo"
            adapters.append(self.to_grpo("tiny", "logic", "x").learner.lora)
            name = "prove"
            self.to_prove("x", "x", "x")
            name = "retrieval"
            self.to_retrieval("x", "x", "")
        except ConfigError as error:
            raise RefusedValue(name, str(error)) from None
        require(
            self.ewc_weight == 0.0 or not any(adapters),
            "ewc_weight",
            self.ewc_weight,
            "0 with a lora in a stage",
        )
        return self

    def to_retrieval(self, data: str, folder: str, encoder: str) -> TrainRetrieverConfig:
        """Return the settings of training a retriever, from an encoder or, if it is empty, from the first one.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        decided = {"data": data, "out_dir": folder, "seed": self.seed, "torch_threads": self.torch_threads}
        first = {"encoder": encoder} if encoder else {}
        return TrainRetrieverConfig(**self.retrieval | decided | first)

    def to_sft(self, model: str, theorems: str, folder: str, ewc: str = "", retriever: str = "") -> SftConfig:
        """Return the settings of fine-tuning.

        Args:
            model: The model to begin with.
            theorems: The set.
            folder: The run folder.
            ewc: File of `trainers.learning.consolidation`; empty for none.
            retriever: Index of premises; empty for none.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        # The defaults of the program suit a pretrained model.
        usual = {"learning_rate": 1e-3, "epochs": 25} if self.model == "tiny" else {}
        named = merge(usual | self.sft, self._shown(retriever))
        return SftConfig(**named | self._decided(model, theorems, folder, ewc))

    def to_grpo(
        self, model: str, theorems: str, folder: str, ewc: str = "", retriever: str = ""
    ) -> RunConfig:
        """Return the settings of reinforcement learning.

        It has no warm start, and imitates no proofs beside its loss: fine-tuning came before.

        Args:
            model: See `to_sft`, as the others.
            theorems: The set.
            folder: The run folder.
            ewc: File of `trainers.learning.consolidation`.
            retriever: Index of premises.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        usual = {
            "warm_start": {"proof_share": 0.0},
            "replay": {"replay_weight": 0.0},
            "evaluation": {"eval_every": 0, "automation": False},
        }
        named = merge(merge(usual, self.grpo), self._shown(retriever))
        return RunConfig(**named | self._decided(model, theorems, folder, ewc))

    def to_prove(self, policy: str, file: str, out: str, retriever: str = "") -> ProveConfig:
        """Return the settings of the search for the proofs of a file.

        Raises:
            ConfigError: A setting of the stage cannot be used.
        """
        parts: Any = {"search": self.prove, "rollout": self.sampling(retriever)}
        # A course counts what its policy proves.
        parts["tactics_from"] = POLICY
        return ProveConfig(**self._prover(), policy=policy, file=file, out=out, as_json=True, **parts)

    def to_evaluate(self, policy: str, theorems: str, folder: str, retriever: str = "") -> EvaluateConfig:
        """Return the settings of a measurement of held-out theorems."""
        parts: Any = {"rollout": self.sampling(retriever)}
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

    def sampling(self, retriever: str = "") -> SamplingConfig:
        """Return the settings of the episodes of measurements and searches: those of reinforcement learning.

        Args:
            retriever: Index of premises; empty for none.
        """
        section = merge(self.grpo, self._shown(retriever)).get("rollout", {})
        values = section if isinstance(section, dict) else {}
        return SamplingConfig(**{key: values[key] for key in values if key in SamplingConfig.model_fields})

    def _shown(self, retriever: str) -> dict[str, Any]:
        return {"rollout": {"retriever": retriever, "premises": self.premises}} if retriever else {}

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
