"""Supervised fine-tuning through TRL's `SFTTrainer`; of encoder-decoder models through transformers' `Trainer`.

The rows are token ids made by the policy's own encoding, with labels on the tactic only, so the training prompts equal
those of `trainers.grpo`, `trainers.evaluate` and the prover. TRL does no tokenisation.

In the run folder:

config.yaml            the resolved settings
run.json               versions, seed, command, checksum of the theorems
policy/                model and tokenizer, for `--model` and `--policy`; an adapter is merged into it
checkpoints/           states for `--resume`
events.out.tfevents.*  scalars for TensorBoard
summary.json           pairs, loss, seconds
"""

from __future__ import annotations

import json
import os
import shlex
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from datasets import disable_progress_bars as disable_dataset_bars
from rich.console import Console
from transformers import (
    PrinterCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)
from trl.trainer.sft_config import SFTConfig as TrlConfig
from trl.trainer.sft_trainer import SFTTrainer

from lean_gym.datasets.splits import train_and_test
from lean_gym.types import Theorem
from trainers.config.lora import parse_lora
from trainers.config.rollout import SamplingConfig
from trainers.config.run import RunConfig
from trainers.config.tasks import SftConfig
from trainers.curriculum.theorems import TheoremSplit, checksum, load_sets
from trainers.distributed.launcher import refuse_several
from trainers.errors import ConfigError
from trainers.imitation.encoder_decoder import make_trainer
from trainers.imitation.proof_pairs import Lessons, collect, in_order, read_claims, reference_claims
from trainers.learning.consolidation import Consolidation, opened_consolidation
from trainers.policies.adapters import check_targets, task_of
from trainers.policies.encoder_decoder import has_encoder
from trainers.policies.packing import Pair
from trainers.policies.premises import Retriever
from trainers.policies.transformers import TransformersPolicy, load_pretrained, prepare_libraries
from trainers.policies.views import View, create_view
from trainers.rollouts.env import SIDE_BY_SIDE, check_backend, opened_env
from trainers.rollouts.player import EpisodePlayer
from trainers.run.claim import claimed_folder
from trainers.run.folder import RunFolder
from trainers.run.models import LoadedModel, make_tiny
from trainers.runtime.atomic_files import naming_unwritable, write_text
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import Bars, progress_on, say


def fine_tune(
    config: SftConfig, resume: Path | None, program: str, retriever: Retriever | None = None
) -> int:
    """Carry out a run.

    Args:
        config: The settings.
        resume: Folder of an interrupted run to resume, or `None`.
        program: How the program was started, for messages.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted the run.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    began = time.perf_counter()
    refuse_several("fine-tuning")
    prepare_libraries(config.torch_threads)
    disable_dataset_bars()
    theorems, _ = train_and_test(load_sets(config.theorems))
    if not theorems:
        raise ConfigError(
            f"theorems: no training theorem is left in {config.theorems!r}, all are of the test split"
        )
    check_backend(config, theorems)
    with claimed_folder(config, resume) as folder:
        again = f"{program} --resume {shlex.quote(str(folder))}"
        view = create_view(config.rollout, retriever)
        return _tune(config, RunFolder(folder), resume is not None, theorems, view, began, again)


def _tune(
    config: SftConfig,
    run: RunFolder,
    resumed: bool,
    theorems: Sequence[Theorem],
    view: View,
    began: float,
    again: str,
) -> int:
    """Carry out a run in its folder, which the command `again` resumes, and return the exit code."""
    console, folder = Console(), run.path
    lora = parse_lora(config.lora)
    if lora is not None:
        lora.to_peft()  # reports a missing package early
    kept = opened_consolidation(config.consolidation)
    if (folder / "summary.json").is_file():
        say(console, f"the run in {folder} is finished")
        return 0
    source = run.stored_policy() if resumed else config.model
    loaded = None if source == "tiny" else load_pretrained(source)
    with StopRequest() as stop:
        try:
            (model, tokenizer), lessons = _prepare(config, theorems, loaded, view, stop, console)
            prompts = SamplingConfig(
                **config.rollout.model_dump()
            )  # nothing is sampled, only prompts are made
            policy = TransformersPolicy(model, tokenizer, prompts)
            if lora is not None:
                check_targets(model, lora)
            pairs = short_enough(policy.encode_pairs(lessons.pairs), config.max_seq_len, console)
            if not resumed:
                run.create(config, {"theorems_sha256": checksum(theorems)})
                policy.save(run.policy)
            say(console, f"run folder: {folder}")
            adapter = None if lora is None else lora.to_peft(task_of(model))
            loss = _train(config, run, policy, adapter, kept, pairs, stop, console)
        except Interrupted as interruption:
            # A folder without settings cannot be resumed.
            started = (folder / "config.yaml").is_file()
            hint = f"; to resume: {again}" if started else " before anything was done"
            say(console, f"interrupted by {interruption}{hint}")
            return 128 + interruption.signal_number
    facts = {"seed": config.seed, "loss": loss, "seconds": round(time.perf_counter() - began, 2)}
    learnt = {"pairs": len(pairs), "proofs": lessons.proofs, "refused_proofs": list(lessons.refused)}
    write_text(folder / "summary.json", json.dumps(facts | learnt, indent=2) + "\n")
    say(console, f"policy: {run.policy}")
    return 0


def _prepare(
    config: SftConfig,
    theorems: Sequence[Theorem],
    loaded: LoadedModel | None,
    view: View,
    stop: StopRequest,
    console: Console,
) -> tuple[LoadedModel, Lessons]:
    """Load or make the model, and replay the proofs."""
    claims = reference_claims(theorems, config.reference_share, config.seed)
    found, left_out = read_claims(config.proofs, theorems)
    claims = in_order(list(dict.fromkeys([*claims, *found])), theorems, config.curriculum, config.seed)
    if not claims:
        others = f" of these theorems (of others: {left_out})" if left_out else ""
        raise ConfigError(
            f"proofs: there are none{others}; raise --reference-share, or give --proofs a file with some"
        )
    budget = max(1, *(len(script) for _, script in claims))
    with (
        progress_on(console) as bars,
        bars.doing("replaying proofs", len(claims)) as task,
        opened_env(
            theorems,
            min(SIDE_BY_SIDE, len(claims)),
            config.backend,
            config.workers,
            config.env,
            max_steps=budget,
            actions=config.rollout.actions,
            reward="binary",
        ) as env,
    ):
        player = EpisodePlayer(env, stop.check, view)
        if loaded is None:
            settings = RunConfig(seed=config.seed, tiny=config.tiny)
            loaded = make_tiny(settings, player, TheoremSplit(tuple(theorems), ()))
        with player.counting(lambda: bars.advance(task)):
            lessons = collect(player, claims)
    outside = f"; {left_out} of other theorems left out" if left_out else ""
    say(console, f"{len(lessons.pairs)} pairs from {lessons.proofs} proofs, each replayed{outside}")
    if lessons.refused:
        say(console, f"not accepted by the prover, left out: {', '.join(lessons.refused)}")
    if not lessons.pairs:
        raise ConfigError(
            f"proofs: the prover accepted none of {len(claims)}; expected proofs of these theorems, for this --backend"
        )
    return loaded, lessons


def _train(
    config: SftConfig,
    folder: RunFolder,
    policy: TransformersPolicy,
    adapter: Any,
    kept: Consolidation | None,
    pairs: Sequence[Pair],
    stop: StopRequest,
    console: Console,
) -> float | None:
    """Train, and write the policy.

    Returns:
        Mean loss, in nats per token, of the last logged epoch.
    """
    if policy.tokenizer.pad_token is None:
        policy.tokenizer.pad_token = policy.tokenizer.eos_token
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(folder.path)
    # TRL and transformers warn about each other's older names, which a user of this program cannot change.
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"(transformers|trl)\.")
    checkpoints = folder.path / "checkpoints"
    bars = progress_on(console)
    progress = _Progress(stop, bars)
    callbacks: list[TrainerCallback] = [progress]
    if kept is not None:
        kept.check(policy.model)
        callbacks.append(_StayNear(kept, config.consolidation.ewc_weight))
    if has_encoder(policy.model):
        arguments = TrainingArguments(**_arguments(config, checkpoints))
        trainer = make_trainer(policy, arguments, pairs, adapter, callbacks)
    else:
        trainer = SFTTrainer(
            model=policy.model,
            args=TrlConfig(
                **_arguments(config, checkpoints),
                max_length=None,
                dataset_kwargs={"skip_prepare_dataset": True},
            ),
            train_dataset=Dataset.from_list(rows(pairs)),
            processing_class=policy.tokenizer,
            peft_config=adapter,
            callbacks=callbacks,
        )
    trainer.remove_callback(PrinterCallback)  # it prints raw dictionaries
    last = _last_checkpoint(checkpoints)
    with bars, naming_unwritable(checkpoints), _naming_damaged(folder.path, last, progress):
        trainer.train(resume_from_checkpoint=last)
    stop.check()
    model: Any = trainer.model
    policy.model = model.merge_and_unload() if adapter is not None else model
    policy.save(folder.policy)
    losses = [float(entry["loss"]) for entry in trainer.state.log_history if "loss" in entry]
    return losses[-1] if losses else None


def _last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint; the trainer state is written last."""
    found: dict[int, str] = {}
    for path in folder.glob("checkpoint-*/trainer_state.json"):
        with suppress(OSError, ValueError, TypeError):
            found[TrainerState.load_from_json(str(path)).global_step] = str(path.parent)
    return found[max(found)] if found else None


@contextmanager
def _naming_damaged(run: Path, checkpoint: str | None, progress: _Progress) -> Iterator[None]:
    """Turn a failure to resume from a checkpoint into one line that names it.

    Raises:
        ConfigError: An exception was raised before the first step.
    """
    try:
        yield
    except Exception as error:  # loaders raise many kinds of exceptions for a damaged file
        if checkpoint is None or progress.began:
            raise
        raise ConfigError(
            f"--resume {run}: {checkpoint} is damaged, or of another run; without that folder the training begins again"
        ) from error


def short_enough(pairs: Sequence[Pair], limit: int, console: Console) -> list[Pair]:
    """Return the pairs of at most `limit` tokens, and say how many are left out; all for the limit 0.

    Raises:
        ConfigError: None is left.
    """
    kept = [pair for pair in pairs if not limit or len(pair[0]) + len(pair[1]) <= limit]
    if not kept:
        shortest = min(len(prompt) + len(tactic) for prompt, tactic in pairs)
        raise ConfigError(
            f"max_seq_len: expected at least {shortest}, the tokens of the shortest row, got {limit}"
        )
    if len(kept) < len(pairs):
        say(
            console, f"{len(pairs) - len(kept)} of {len(pairs)} pairs have more than {limit} tokens, left out"
        )
    return kept


def rows(pairs: Sequence[Pair]) -> list[dict[str, list[int]]]:
    """Return (prompt, tactic) token ids as rows for TRL; only the tactic has labels."""
    return [
        {"input_ids": [*prompt, *tactic], "labels": [-100] * len(prompt) + list(tactic)}
        for prompt, tactic in pairs
    ]


def _arguments(config: SftConfig, folder: Path) -> dict[str, Any]:
    return dict(
        output_dir=str(folder),
        num_train_epochs=config.epochs,
        learning_rate=config.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=config.warmup_steps,
        train_sampling_strategy="random" if config.curriculum == "uniform" else "sequential",
        per_device_train_batch_size=config.batch_size,
        seed=config.seed,
        dataloader_pin_memory=torch.cuda.is_available(),
        bf16=torch.cuda.is_available() and torch.cuda.is_bf16_supported(),
        gradient_checkpointing=config.gradient_checkpointing,
        gradient_checkpointing_kwargs={"use_reentrant": False},
        logging_strategy="epoch",
        save_strategy="steps" if config.save_every else "no",
        save_steps=config.save_every or 1,
        save_total_limit=1,
        report_to="tensorboard",
        disable_tqdm=True,
    )


class _StayNear(TrainerCallback):
    """Callback that adds the penalty of elastic weight consolidation to each optimiser step."""

    def __init__(self, kept: Consolidation, weight: float) -> None:
        self._kept = kept
        self._weight = weight

    def on_pre_optimizer_step(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: torch.nn.Module | None = None,
        **_: Any,
    ) -> None:
        if model is not None:
            self._kept.add_gradient(model, self._weight)


class _Progress(TrainerCallback):
    """Callback that shows the loss of each epoch; after a signal it saves a checkpoint and ends the training.

    Attributes:
        began: Whether this process has begun a step.
    """

    def __init__(self, stop: StopRequest, bars: Bars) -> None:
        self.began = False
        self._stop = stop
        self._bars = bars
        self._task = bars.add_task("fine-tuning, steps", note="")

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        self.began = True
        self._bars.update(self._task, completed=state.global_step, total=state.max_steps)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        try:
            self._stop.check()
        except Interrupted:
            control.should_save = control.should_training_stop = True
        return control

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **_: Any,
    ) -> None:
        if logs and "loss" in logs:
            epochs = f"epoch {round(state.epoch or 0)}/{round(args.num_train_epochs)}"
            loss = float(logs["loss"])
            self._bars.say(f"{epochs}  step {state.global_step}/{state.max_steps}  loss {loss:.4f}")
