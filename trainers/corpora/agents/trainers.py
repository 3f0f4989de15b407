"""`SFTTrainer`, `RetrievalTrainer`, `ProgressTrainer`: the constructors of LeanDojo-v2, our programs behind them.

`GRPOTrainer` is `trainers.integrations.leandojo.GRPOTrainer`. Trainers of policies take theorem sets, which an agent
makes of its repositories; the trainer of a retriever takes a traced folder.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from lean_gym.datasets import TheoremSource, load_theorems, write_jsonl
from trainers.config.base import Settings
from trainers.config.retrieval import EvaluateRetrievalConfig, IndexConfig, TrainRetrieverConfig
from trainers.config.tasks import ProgressConfig, SftConfig
from trainers.corpora.agents.settings import adapter_words, expect_done, settings_of
from trainers.corpora.retrieval.program import run
from trainers.corpora.retrieval.retriever import retriever_of
from trainers.errors import ConfigError
from trainers.imitation.progress import learn_progress
from trainers.imitation.sft import fine_tune
from trainers.integrations.leandojo import merged
from trainers.policies.source import PolicySource
from trainers.runtime.atomic_files import naming_unwritable

TINY: Final = "tiny"


class SFTTrainer:
    """Supervised fine-tuning on the proofs of theorem sets, one set after another.

    Attributes:
        output_dir: The run folder, for `HFProver` and `--policy`. With several sets, the runs before the last one stand
            beside it, `output_dir-1` and so on.
    """

    def __init__(
        self,
        model_name: str,
        output_dir: str = "outputs",
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: Any = None,
        **settings: Any,
    ) -> None:
        """Check the settings; the model is loaded by `train`.

        Args:
            model_name: `tiny`, a run folder, the path or hub id of a model, or a preset.
            output_dir: A new folder.
            epochs_per_repo: Passes over each set and all sets before it.
            batch_size: Pairs of goals and tactic per device and optimiser step.
            lr: Peak learning rate.
            lora_config: A `peft.LoraConfig`; `None` to train all weights.
            **settings: Further settings of `python -m trainers.sft`, such as `max_seq_len`, `warmup_steps`,
                `gradient_checkpointing` or `backend`.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: There is no such folder.
        """
        self.output_dir = output_dir
        self._settings = settings
        found = None if model_name == TINY else PolicySource.find(model_name)
        self._model = TINY if found is None else found.model
        self._below = {} if found is None else found.defaults_for(settings.get("backend"), SftConfig)
        self._decided = {
            "epochs": epochs_per_repo,
            "batch_size": batch_size,
            "learning_rate": lr,
            "lora": adapter_words(lora_config),
        }
        self._config("logic", self._model, output_dir, "")

    def train(
        self, repos: str | os.PathLike[str] | Sequence[TheoremSource], retriever: str | None = None
    ) -> None:
        """Train on the proofs of theorem sets in order, each of which is replayed first.

        Args:
            repos: One set by name or path, or a list of sets.
            retriever: Index of a `RetrievalTrainer`, whose premises are shown above the goals.

        Raises:
            ConfigError: A set or the folder cannot be used; nothing was trained on it.
            DataError: There is no such set, or different theorems of two sets share a name.
            PolicyError: The model cannot be used.
            Interrupted: A signal ended the training; `python -m trainers.sft --resume` goes on with its run.
        """
        sources = [repos] if isinstance(repos, str | os.PathLike) else repos
        unions = merged([load_theorems(source) for source in sources])
        model = self._model
        for number, theorems in enumerate(unions, start=1):
            last = number == len(unions)
            folder = Path(self.output_dir if last else f"{self.output_dir}-{number}")
            if (folder / "config.yaml").exists():
                raise ConfigError(
                    f"output_dir: {folder} holds a trained model already; choose another folder"
                )
            with naming_unwritable(folder):
                folder.mkdir(parents=True, exist_ok=True)
                write_jsonl(folder / "theorems.jsonl", theorems)
            config = self._config(str(folder / "theorems.jsonl"), model, str(folder), retriever)
            expect_done(fine_tune(config, None, "python -m trainers.sft", retriever_of(config.rollout)))
            model = str(folder / "policy")

    def _config(self, theorems: str, model: str, folder: str, retriever: str | None) -> SftConfig:
        decided = {**self._decided, "theorems": theorems, "model": model, "run_dir": folder}
        shown = {} if retriever is None else {"retriever": retriever}
        return settings_of(SftConfig, "SFTTrainer", {**self._settings, **shown}, decided, self._below)


class RetrievalTrainer:
    """Trainer of an encoder of premises, and of the index that a `RetrievalProver` takes.

    Attributes:
        output_dir: Folder of `encoder/` and `index/`.
    """

    def __init__(
        self,
        config: Mapping[str, Any] | None = None,
        output_dir: str = "outputs-retriever",
        hybrid: bool = False,
    ) -> None:
        """Check the settings.

        Args:
            config: Settings of `python -m trainers.retrieval train`, such as `encoder`, `epochs`, `batch_size`,
                `learning_rate`; `None` for the defaults, which need no download.
            output_dir: The folder; an encoder that was trained there is replaced.
            hybrid: Join the ranks of the encoder with those of BM25.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
        """
        self.output_dir = output_dir
        self._settings = dict(config or {})
        self._hybrid = hybrid
        self._config("traced")

    @property
    def encoder(self) -> str:
        """Folder of the encoder."""
        return str(Path(self.output_dir) / "encoder")

    @property
    def index(self) -> str:
        """Folder of the index."""
        return str(Path(self.output_dir) / "index")

    def train(self, data_path: str | os.PathLike[str]) -> None:
        """Train an encoder and write the index of the corpus.

        Args:
            data_path: Folder in LeanDojo's layout.

        Raises:
            ConfigError: The data or the folder cannot be used.
            Interrupted: A signal ended the training; nothing is written.
        """
        _run(self._config(os.fspath(data_path)))
        data, folder = os.fspath(data_path), self.index
        _run(IndexConfig(data=data, encoder=self.encoder, out_dir=folder, hybrid=self._hybrid))

    def evaluate(
        self, data_path: str | os.PathLike[str], part: Literal["val", "test"] = "test"
    ) -> dict[str, dict[str, float]]:
        """Measure the encoder beside BM25.

        Args:
            data_path: The folder that it was trained on.
            part: Part of the split.

        Returns:
            For each retriever R@1, R@10 and others, and MRR, as shares, and the number of states.

        Raises:
            ConfigError: The data or the encoder cannot be used.
        """
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            _run(
                EvaluateRetrievalConfig(
                    data=os.fspath(data_path), encoder=self.encoder, part=part, as_json=True
                )
            )
        rows = [json.loads(line) for line in printed.getvalue().splitlines() if line.startswith("{")]
        words = ("retriever", "split", "part")
        return {row["retriever"]: {key: row[key] for key in row if key not in words} for row in rows}

    def _config(self, data: str) -> TrainRetrieverConfig:
        decided = {"data": data, "out_dir": self.encoder}
        return settings_of(TrainRetrieverConfig, "RetrievalTrainer", self._settings, decided)


class ProgressTrainer:
    """Trainer of a model that predicts how many steps of a proof are left."""

    def __init__(
        self,
        data_path: str,
        model_name: str = TINY,
        output_dir: str = "outputs-progress",
        max_length: int = 512,
        batch_size: int = 8,
        epochs: int = 3,
        learning_rate: float = 1e-5,
        seed: int = 42,
        **settings: Any,
    ) -> None:
        """Check the settings.

        Args:
            data_path: JSON lines with `goal`, `prefix`, `tactic`, `steps_remaining`.
            model_name: `tiny`, a run folder, or the path or hub id of a language model.
            output_dir: A new folder.
            max_length: Tokens of a state that the model reads.
            batch_size: States per optimiser step.
            epochs: Passes over the states.
            learning_rate: Peak learning rate; the model `tiny` wants about 5e-4.
            seed: Seed of everything random.
            **settings: Further settings of `python -m trainers.progress`. The model is trained on the replayed proofs
                of `theorems` as well, and measured on those that are held out there. It reads prefix and tactic as that
                of LeanProgress does, unless `reads="goals"`.

        Raises:
            ConfigError: A setting is unknown or cannot be used.
            PolicyError: There is no such folder.
        """
        self.output_dir = output_dir
        self._source = None if model_name == TINY else PolicySource.find(model_name)
        decided = {
            "steps": data_path,
            "policy": "" if self._source is None else model_name,
            "out_dir": output_dir,
            "max_prompt_tokens": max_length,
            "batch_size": batch_size,
            "epochs": epochs,
            "learning_rate": learning_rate,
            "seed": seed,
        }
        below = (
            {} if self._source is None else self._source.defaults_for(settings.get("backend"), ProgressConfig)
        )
        given = {"reads": "tactic", **settings}
        self._config = settings_of(ProgressConfig, "ProgressTrainer", given, decided, below)

    def train(self) -> None:
        """Train the model, measure it, and write it with `result.json`.

        Raises:
            ConfigError: The data or the folder cannot be used.
            PolicyError: The model cannot be used.
            Interrupted: A signal ended the training; nothing is written.
        """
        expect_done(learn_progress(self._config, self._source, retriever_of(self._config.rollout)))


def _run(config: Settings) -> None:
    """Carry out a command of `trainers.retrieval`."""
    expect_done(run(config, dry_run=False))
