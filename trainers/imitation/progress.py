"""Training of a progress model: proofs replayed, episodes sampled, the model fitted and measured, its folder written.

In the folder:

settings.yaml        the resolved settings; `--config` on it repeats the training
model/, head.safetensors, progress.json     the model, for `--progress-model` and `ProgressModel.load`
predictions.jsonl    the held-out states, their tactics left (null in failed episodes) and the predictions
steps.jsonl          the replayed and sampled states in LeanProgress's format
result.json          errors and rank correlations on training and held-out states, numbers of states

Nothing is written before the model is measured, so an interrupted training is started again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from trainers.config.files import write_file
from trainers.config.run import RunConfig
from trainers.config.tasks import ProgressConfig
from trainers.curriculum.theorems import TheoremSplit, checksum, select_theorems
from trainers.distributed.launcher import refuse_several
from trainers.errors import ConfigError
from trainers.imitation.progress_fit import fit
from trainers.imitation.progress_report import measure, table_of
from trainers.imitation.progress_states import replayed_states, sampled_states, waves_of
from trainers.imitation.proof_pairs import read_claims, reference_claims
from trainers.policies.premises import Retriever
from trainers.policies.progress import ProgressModel
from trainers.policies.source import PolicySource
from trainers.policies.transformers import TransformersPolicy, load_pretrained, prepare_libraries
from trainers.policies.views import View, create_view
from trainers.rollouts.env import SIDE_BY_SIDE, Claim, check_backend, opened_env
from trainers.rollouts.player import EpisodePlayer
from trainers.rollouts.step_rows import LabelledState, best_of_states, read_rows, rows_of
from trainers.run.models import LoadedModel, make_tiny
from trainers.runtime.atomic_files import naming_unwritable, write_text
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import progress_on, say

RESULT = "result.json"


def learn_progress(
    config: ProgressConfig, source: PolicySource | None, retriever: Retriever | None = None
) -> int:
    """Carry out the training.

    Args:
        config: The settings.
        source: Source of the body and of the sampler; `None` for the tiny model.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The model cannot be used.
    """
    began = time.perf_counter()
    refuse_several("progress training")
    console = Console()
    prepare_libraries(config.torch_threads)
    split = select_theorems(config.theorems, "test")
    if not split.separate:
        raise ConfigError(
            f"theorems: expected enough to hold some out, got {len(split.train)} in {config.theorems!r}"
        )
    check_backend(config, split.all)
    folder = _choose_folder(config)
    claims = _read_proofs(config, split)
    given = read_rows(config.steps)
    if config.reads == "goals":
        given = best_of_states(given)
    loaded = None if source is None else load_pretrained(source.model)
    with StopRequest() as stop:
        try:
            loaded, states = _replay(config, split, claims, loaded, stop.check, console)
            if config.episodes:
                view = create_view(config.rollout, retriever)
                states += _sample(config, split, loaded, view, stop.check, console)
            own, parts = states, _divide(states, split)
            parts = (parts[0] + _not_held_out(given, parts[1], split), parts[1])
            model = _fit(config, loaded, parts[0], stop.check, console)
        except Interrupted as interruption:
            say(console, f"interrupted by {interruption}; nothing is written, start it again")
            return 128 + interruption.signal_number
    result: dict[str, Any] = {
        "theorems": config.theorems,
        "theorems_sha256": checksum(split.all),
        "policy": config.policy or "tiny",
        "seed": config.seed,
    }
    _write(folder, config, model, parts, result, began)
    write_text(folder / "steps.jsonl", rows_of(own, config.longest))
    write_text(folder / RESULT, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    console.print(table_of(result))
    if (auc := result["held_out"]["reached_auc"]) is not None:
        say(console, f"held-out states of proofs above those of failed episodes in {auc:.1%} of the pairs")
    say(console, f"model: {folder}")
    return 0


def _choose_folder(config: ProgressConfig) -> Path:
    """Return the folder to write.

    Raises:
        ConfigError: The given folder holds other results or a run, or is a file.
    """
    if config.out_dir is None:
        stem, number = f"progress-seed{config.seed}", 1
        while (path := Path("runs") / (stem if number == 1 else f"{stem}-{number}")).exists():
            number += 1
        return path
    path = Path(config.out_dir)
    with naming_unwritable(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ConfigError(f"out_dir: expected a new or empty folder, got {path}")
    return path


def _read_proofs(config: ProgressConfig, split: TheoremSplit) -> list[Claim]:
    """Return the proofs to replay.

    Raises:
        ConfigError: There are none, or a file of them cannot be read.
    """
    found, left_out = read_claims(config.proofs, split.all)
    references = reference_claims(split.train, config.reference_share, config.seed)
    references += reference_claims(split.held_out, config.reference_share, config.seed)
    claims = list(dict.fromkeys([*references, *found]))
    if not claims and not config.episodes:
        others = f" of these theorems (of others: {left_out})" if left_out else ""
        raise ConfigError(
            f"proofs: there are none{others}; raise --reference-share, give --proofs a file with some, or sample "
            "--episodes"
        )
    return claims


def _replay(
    config: ProgressConfig,
    split: TheoremSplit,
    claims: Sequence[Claim],
    loaded: LoadedModel | None,
    on_step: Callable[[], None],
    console: Console,
) -> tuple[LoadedModel, list[LabelledState]]:
    """Replay the proofs; without a model, make the tiny one with a tokenizer for the goals."""
    budget = max([1, *(len(script) for _, script in claims)])
    side_by_side = max(1, min(SIDE_BY_SIDE, len(claims)))
    prover = (config.backend, config.workers, config.env)
    with (
        progress_on(console) as bars,
        bars.doing("replaying proofs", len(claims)) as task,
        opened_env(split.all, side_by_side, *prover, max_steps=budget, reward="binary") as env,
    ):
        player = EpisodePlayer(env, on_step)
        if loaded is None:
            loaded = make_tiny(RunConfig(seed=config.seed, tiny=config.tiny), player, split)
        with player.counting(lambda: bars.advance(task)):
            states, refused = replayed_states(player, claims)
    say(console, f"{len(states)} states of {len(claims)} proofs, each replayed")
    if refused:
        say(console, f"not accepted by the prover, left out: {', '.join(refused)}")
    return loaded, states


def _sample(
    config: ProgressConfig,
    split: TheoremSplit,
    loaded: LoadedModel,
    view: View,
    on_step: Callable[[], None],
    console: Console,
) -> list[LabelledState]:
    """Sample episodes with the policy."""
    rollout, found = config.rollout, list[LabelledState]()
    _to_device(loaded)
    policy = TransformersPolicy(*loaded, rollout)
    waves = waves_of([theorem.name for theorem in split.all], config.episodes)
    prover = (config.backend, config.workers, config.env)
    options: dict[str, Any] = {
        "max_steps": rollout.max_steps,
        "reward": "binary",
        "forbid": rollout.forbidden,
    }
    with (
        opened_env(split.all, len(waves[0]), *prover, **options) as env,
        progress_on(console) as bars,
    ):
        player = EpisodePlayer(env, on_step, view, rollout.cohorts, redraws=rollout.redraws)
        bar = bars.add_task("episodes", total=sum(map(len, waves)), note="")
        for number, wave in enumerate(waves):
            found += sampled_states(player, policy, wave, config.seed, number)
            bars.advance(bar, len(wave))
            if not console.is_terminal and (number + 1) % max(1, len(waves) // 20) == 0:
                bars.say(f"episodes: part {number + 1} of {len(waves)}")
    failed = sum(state.left is None for state in found)
    say(console, f"{len(found)} states of {sum(map(len, waves))} sampled episodes, {failed} of failed ones")
    return found


def _divide(
    states: Sequence[LabelledState], split: TheoremSplit
) -> tuple[list[LabelledState], list[LabelledState]]:
    """Return the training states and the held-out states.

    Raises:
        ConfigError: One of the parts has no state from which a proof is reached.
    """
    held_out = {theorem.name for theorem in split.held_out}
    parts = (
        [state for state in states if state.theorem not in held_out],
        [state for state in states if state.theorem in held_out],
    )
    for name, part in zip(("training", "held-out"), parts, strict=True):
        if all(state.left is None for state in part):
            raise ConfigError(
                f"theorems: expected proofs of {name} theorems, the prover accepted none; raise --reference-share or "
                "give --proofs"
            )
    return parts


def _not_held_out(
    given: Sequence[LabelledState], held_out: Sequence[LabelledState], split: TheoremSplit
) -> list[LabelledState]:
    """Return the states of files without those of held-out theorems and those with the goals of held-out states."""
    names, known = {theorem.name for theorem in split.held_out}, {state.text for state in held_out}
    return [state for state in given if state.theorem not in names and state.text not in known]


def _fit(
    config: ProgressConfig,
    loaded: LoadedModel,
    states: Sequence[LabelledState],
    on_step: Callable[[], None],
    console: Console,
) -> ProgressModel:
    _to_device(loaded)
    model = ProgressModel(*loaded, config.rollout, config.longest, config.reads)
    with progress_on(console) as bars:
        bar = bars.add_task("progress model", total=config.epochs, note="")

        def on_epoch(done: int, loss: float) -> None:
            bars.update(bar, completed=done, note=f"loss {loss:.3f}")
            if not console.is_terminal and (done == config.epochs or done % max(1, config.epochs // 5) == 0):
                bars.say(f"epoch {done}/{config.epochs}  loss {loss:.3f}")

        fit(model, states, config, on_step, on_epoch)
    return model


def _to_device(loaded: LoadedModel) -> None:
    loaded[0].to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))  # type: ignore[arg-type]


def _write(
    folder: Path,
    config: ProgressConfig,
    model: ProgressModel,
    parts: Sequence[Sequence[LabelledState]],
    result: dict[str, Any],
    began: float,
) -> None:
    """Measure the model, add the measures to the result, and write the folder."""
    rows = []
    for name, part in zip(("training", "held_out"), parts, strict=True):
        texts = [state.shown(model.reads) for state in part]
        left, reached = model.tactics_left(texts), model.reached(texts)
        result[name] = measure(part, left, reached, parts[0])
        rows = [
            {
                "theorem": state.theorem,
                "goals": list(state.goals),
                "left": state.left,
                "predicted_left": round(predicted, 4),
                "predicted_reached": round(chance, 4),
            }
            for state, predicted, chance in zip(part, left, reached, strict=True)
        ]
    with naming_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        model.save(folder)
        write_file(config, folder / "settings.yaml", leave_out=("out_dir",))
    result["seconds"] = round(time.perf_counter() - began, 2)
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(folder / "predictions.jsonl", "".join(lines))
