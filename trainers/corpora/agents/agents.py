"""`HFAgent`, `LeanAgent`, `ExternalAgent`: a database, repositories, a trainer and a prover, as in LeanDojo-v2.

The methods call the programs of `trainers`: tracing (`lean_gym.tracing`), the database (`lifelong/store.py`), training
(`agents/trainers.py`), search (`agents/provers.py`) and evaluation (`trainers.evaluation`).
"""

from __future__ import annotations

import json
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from lean_gym.types import Theorem
from trainers.config.tasks import EvaluateConfig, ProveConfig
from trainers.corpora.agents.filling import FilledRepository, fill
from trainers.corpora.agents.provers import (
    HUGGING_FACE,
    LARGE,
    ExternalProver,
    HFProver,
    Prover,
    RetrievalProver,
)
from trainers.corpora.agents.repositories import (
    TracedRepository,
    expect_some,
    in_order,
    trace_into,
    write_sets,
)
from trainers.corpora.agents.settings import expect_done, free_folder
from trainers.corpora.agents.trainers import RetrievalTrainer, SFTTrainer
from trainers.corpora.lifelong.store import Store
from trainers.corpora.lifelong.traced import write_merged
from trainers.corpora.lifelong.tracing import tracer_of
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.errors import ConfigError
from trainers.evaluation.run import measure
from trainers.integrations.leandojo import GRPOTrainer
from trainers.runtime.signals import StopRequest
from trainers.runtime.terminal import say

SAMPLES: Final = 8
"""Episodes per held-out theorem of an evaluation."""


class BaseAgent(ABC):
    """Repositories that are set up, a database of them, and a prover; a subclass makes the prover and trains.

    Attributes:
        database: Path of the database; opening it erases nothing.
        folder: Folder of the traces, the theorem sets, the filled files and the measurements.
        repos: The repositories that were set up, each once.
        prover_config: Settings of the prover, see `Prover`.
    """

    def __init__(
        self,
        database_path: str = "theorems.db",
        prover_config: Mapping[str, Any] | None = None,
        *,
        folder: str = "repositories",
        backend: str = "auto",
        backend_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Open the database once, which makes it if it does not exist.

        Args:
            database_path: File of the database.
            prover_config: Settings of the prover, such as `{"tactics": 64}`; see `Prover`.
            folder: Folder of everything else that the agent writes.
            backend: The prover behind tracing and search: `auto`, `minilean` or `pantograph`.
            backend_options: Options of that prover.

        Raises:
            ConfigError: The file is no database of this program, or a setting cannot be used.
        """
        self.database = Path(database_path)
        self.folder = Path(folder)
        self.repos: dict[int, TracedRepository] = {}
        self._backend, self._backend_options = backend, dict(backend_options or {})
        # What is not named is that of the trained run.
        given: dict[str, Any] = {"backend": backend} if backend != "auto" else {}
        given |= {"backend_options": dict(backend_options)} if backend_options else {}
        self.prover_config = given | dict(prover_config or {})
        with Store(self.database):
            pass

    def setup_github_repository(self, url: str, commit: str = "") -> None:
        """Fetch and trace a git repository, and add it to the database.

        Args:
            url: Its address, or the folder of a repository on this machine.
            commit: A commit, branch or tag; empty for the default branch.

        Raises:
            ConfigError: It cannot be fetched or traced, or has no theorem.
        """
        self._add(self.trace(f"{url}@{commit}" if commit else url))

    def setup_local_repository(self, path: str) -> None:
        """Trace a folder of Lean files as it is, and add it to the database; `prove` writes into this folder.

        Raises:
            ConfigError: There is no such folder, it cannot be traced, or has no theorem.
        """
        if not Path(path).is_dir():
            raise ConfigError(f"path: expected the folder of a repository, got {path!r}")
        self._add(self.trace(path))

    def trace(self, source: str) -> TracedRepository:
        """Trace a repository, files that changed since the last time alone, without adding it to the database.

        Args:
            source: A folder, `URL[@COMMIT]` or `FOLDER@COMMIT`.

        Raises:
            ConfigError: It cannot be traced, or has no theorem.
        """
        return trace_into(self.folder, source, tracer_of(self._backend, self._backend_options))

    def _add(self, project: TracedRepository) -> None:
        with Store(self.database) as store:
            number = store.add(project.repository)
        for other in [key for key, each in self.repos.items() if each.source == project.source]:
            del self.repos[other]
        self.repos[number] = project

    @abstractmethod
    def train(self) -> None:
        """Train on the repositories that are set up, those with more easy theorems first.

        Raises:
            ConfigError: No repository is set up, or nothing can be learned from them.
            PolicyError: The model cannot be used.
        """

    @abstractmethod
    def setup_prover(self) -> Prover:
        """Return the prover for `prove` and `evaluate`.

        Raises:
            ConfigError: A setting cannot be used.
            PolicyError: There is no model.
        """

    def prove(self, whole_proof: bool = False, in_place: bool = True) -> list[FilledRepository]:
        """Fill the `sorry`s of the repositories.

        A file is written only if it checks as a whole with the proofs, and so do the files that import it.

        Args:
            whole_proof: Ask for whole proofs instead of tactics.
            in_place: Write the files of a local repository; without, and for a repository that was fetched, only the
                copy of the files and the patch in `folder`.

        Returns:
            For each repository what was found.

        Raises:
            ConfigError: No repository is set up, or a setting cannot be used.
            PolicyError: There is no model, or it cannot be used.
            Interrupted: A signal ended the search.
        """
        expect_some(self.repos)
        prover = self.setup_prover()
        config = prover.whole_proofs if whole_proof else prover.config
        found = []
        with Store(self.database) as store, StopRequest() as stop:
            for number, project in self.repos.items():
                filled = fill(config, store, number, project, stop.check, in_place=in_place)
                say(Console(), _told(filled))
                found.append(filled)
        return found

    def prove_theorem(self, theorem: str | Theorem, whole_proof: bool = False) -> bool:
        """Return whether a proof of a theorem is found.

        Raises:
            ConfigError: The statement or a setting cannot be used.
            PolicyError: There is no model, or it cannot be used.
        """
        prover = self.setup_prover()
        if whole_proof:
            return prover.generate_whole_proof(theorem) is not None
        return prover.search(theorem=theorem)[0].success

    def evaluate(self) -> dict[str, Any]:
        """Measure the prover's policy on the held-out theorems of the repositories, by `SAMPLES` episodes each.

        Returns:
            pass@1 for each repository with held-out theorems, by its source.

        Raises:
            ConfigError: No repository is set up, none has held-out theorems, or a setting cannot be used.
            PolicyError: There is no model, or it cannot be used.
            Interrupted: A signal ended the measurement.
        """
        prover = self.setup_prover()
        rates: dict[str, Any] = {}
        with Store(self.database) as store:
            for project, parts in write_sets(self._ordered(store)):
                if parts.test:
                    out = free_folder(project.folder / "measured")
                    config = _measured(prover.config, project, out)
                    expect_done(measure(config, prover.source, retriever_of(config.rollout)))
                    result = json.loads((out / "result.json").read_text(encoding="utf-8"))
                    rates[project.source] = result["overall"]["pass@1"]["value"]
        if not rates:
            raise ConfigError("evaluate: the repositories have too few theorems with proofs to hold some out")
        return rates

    def _ordered(self, store: Store) -> list[TracedRepository]:
        expect_some(self.repos)
        return in_order(store, list(self.repos.items()))

    def _training_sets(self) -> list[str]:
        """Write the theorem sets, and return the paths of those with training theorems.

        Raises:
            ConfigError: There is none.
        """
        with Store(self.database) as store:
            sets = write_sets(self._ordered(store))
        found = [str(project.train) for project, parts in sets if parts.train]
        if not found:
            raise ConfigError("train: the repositories have no theorem with a proof to learn from")
        return found


class HFAgent(BaseAgent):
    """Agent that trains a model, and proves with it."""

    def __init__(
        self,
        trainer: SFTTrainer | GRPOTrainer,
        database_path: str = "theorems.db",
        prover_config: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Keep the trainer.

        Args:
            trainer: Trains the model, whose folder is `trainer.output_dir`.
            database_path: See `BaseAgent`.
            prover_config: See `BaseAgent`.
            **options: See `BaseAgent`.

        Raises:
            ConfigError: See `BaseAgent`.
        """
        super().__init__(database_path, prover_config, **options)
        self.trainer = trainer

    def train(self) -> None:
        """Train the model, see `BaseAgent.train`."""
        self.trainer.train(self._training_sets())

    def setup_prover(self) -> HFProver:
        """Return a prover with the trained model."""
        return HFProver(self.trainer.output_dir, **self.prover_config)


class LeanAgent(BaseAgent):
    """Agent that trains a retriever of premises, and proves with a model that is shown what it finds.

    Attributes:
        data_path: Traced folder of all repositories together, made by `train`.
    """

    def __init__(
        self,
        database_path: str = "theorems.db",
        training_config: Mapping[str, Any] | None = None,
        prover_config: Mapping[str, Any] | None = None,
        *,
        generator: str | SFTTrainer = "preset:reprover-retrieval",
        output_dir: str = "outputs-retriever",
        **options: Any,
    ) -> None:
        """Make the trainer of the retriever.

        Args:
            database_path: See `BaseAgent`.
            training_config: Settings of the retriever, see `RetrievalTrainer`.
            prover_config: See `BaseAgent`.
            generator: The model that reads premises and goals, as for `RetrievalProver`, or a trainer, which trains it
                on goals below the premises that the retriever finds.
            output_dir: Folder of the retriever.
            **options: See `BaseAgent`.

        Raises:
            ConfigError: See `BaseAgent`.
        """
        super().__init__(database_path, prover_config, **options)
        self.trainer = RetrievalTrainer(training_config, output_dir)
        self.generator = generator
        self.data_path = self.folder / "merged"

    def train(self) -> None:
        """Train the retriever, and the generator if it is a trainer, see `BaseAgent.train`."""
        sets = self._training_sets() if isinstance(self.generator, SFTTrainer) else []
        with Store(self.database) as store:
            repositories = [each.repository for each in self._ordered(store)]
        shutil.rmtree(self.data_path, ignore_errors=True)
        write_merged(self.data_path, list(reversed(repositories)))
        self.trainer.train(self.data_path)
        if isinstance(self.generator, SFTTrainer):
            self.generator.train(sets, retriever=self.trainer.index)

    def setup_prover(self) -> RetrievalProver:
        """Return a prover with the generator and the index of the retriever."""
        own = self.generator.output_dir if isinstance(self.generator, SFTTrainer) else self.generator
        return RetrievalProver(own, self.trainer.index, **self.prover_config)

    def evaluate(self) -> dict[str, Any]:
        """Measure the retriever beside BM25 on the test part of the repositories.

        Returns:
            For each retriever R@1, R@10 and others, and MRR.

        Raises:
            ConfigError: The retriever is not trained, or no state of the test part has a premise.
        """
        return self.trainer.evaluate(self.data_path)


class ExternalAgent(BaseAgent):
    """Agent that proves with a model behind an OpenAI-compatible endpoint."""

    def __init__(
        self,
        model_name: str = LARGE,
        base_url: str = HUGGING_FACE,
        database_path: str = "theorems.db",
        prover_config: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Keep the model's name; no request is sent.

        Args:
            model_name: The model's name at the endpoint.
            base_url: Address of the endpoint.
            database_path: See `BaseAgent`.
            prover_config: See `BaseAgent`; `api_key_variable` names the environment variable of the key.
            **options: See `BaseAgent`.

        Raises:
            ConfigError: See `BaseAgent`.
        """
        super().__init__(database_path, prover_config, **options)
        self.model_name = model_name
        self.base_url = base_url

    def train(self) -> None:
        """Refuse: the weights of an endpoint cannot be changed.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(f"train: the model {self.model_name} is behind an endpoint and cannot be trained")

    def setup_prover(self) -> ExternalProver:
        """Return a prover with the endpoint."""
        return ExternalProver(self.model_name, self.base_url, **self.prover_config)


def _measured(config: ProveConfig, project: TracedRepository, out: Path) -> EvaluateConfig:
    """Return the settings of a measurement with the policy, the prover and the sampling of a search."""
    shared = ProveConfig.model_fields.keys() & EvaluateConfig.model_fields.keys()
    values = {name: getattr(config, name) for name in shared}
    own = {"theorems": str(project.test), "out_dir": str(out), "k": "1", "samples": SAMPLES}
    return EvaluateConfig(**{**values, **own, "automation": False})


def _told(filled: FilledRepository) -> str:
    """Return a line about a repository."""
    line = (
        f"{filled.repository}: {len(filled.filled)} sorries filled in, of {filled.sorries} theorems with one"
    )
    line += f"; written: {', '.join(filled.written)}" if filled.written else f"; {filled.patch}"
    return line + "".join(f"\n  {name}: {reason}" for name, reason in filled.failures.items())
