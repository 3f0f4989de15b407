"""An evaluation: play the missing episodes, replay every proof, compute rates, print the table.

Files in the folder of the results:

settings.yaml    the resolved settings; `--config` on it repeats the evaluation
episodes.jsonl   every finished episode
proofs.jsonl     the distinct proofs, each replayed from its text at the end
result.json      pass@k with intervals: overall, by domain, by difficulty, by theorem; theorems that do not elaborate

A theorem that does not elaborate is listed with the prover's message, and the rates are those of the others.
"""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lean_gym.types import Outcome, Theorem
from trainers.config.files import write_file
from trainers.config.tasks import EvaluateConfig
from trainers.curriculum.theorems import checksum, load_sets
from trainers.errors import ConfigError
from trainers.evaluation.episode_log import EpisodeLog, LoggedEpisode
from trainers.evaluation.pass_at_k import Sampling, Slice, by_difficulty, by_domain, slice_rates
from trainers.evaluation.yardstick import Yardstick, measure_automation
from trainers.policies.base import Completion, SeededPolicy
from trainers.policies.premises import Retriever
from trainers.policies.source import PolicySource
from trainers.policies.views import View, create_view
from trainers.rollouts.env import Script, check_backend, opened_env, verify_proofs
from trainers.rollouts.player import EpisodePlayer, Trajectory
from trainers.runtime.atomic_files import write_text
from trainers.runtime.seeding import derive_seed
from trainers.runtime.signals import Interrupted, StopRequest
from trainers.runtime.terminal import Bars, progress_on, say

Episode = tuple[str, int]
"""(theorem, number of the sample)."""
Proofs = dict[tuple[str, Script], tuple[str, ...]]
"""(theorem, tactics) -> axioms, of proofs that were replayed."""

# Settings that affect speed or statistics, but not the episodes.
_NOT_MEASURED = ("k", "workers", "torch_threads", "automation", "out_dir")


def measure(config: EvaluateConfig, source: PolicySource, retriever: Retriever | None = None) -> int:
    """Carry out an evaluation, or the rest of an interrupted one.

    Args:
        config: The settings.
        source: Source of the policy.
        retriever: Finds premises for the prompts, where the settings name a retriever.

    Returns:
        The exit code: 0, or 128 plus the number of the signal that interrupted.

    Raises:
        ConfigError: The settings cannot be carried out.
        PolicyError: The policy cannot be used.
    """
    theorems = load_sets(config.theorems)
    check_backend(config, theorems)
    log = _open_log(config, source, theorems)
    folder, console = log.path.parent, Console()
    say(console, f"results: {folder}")
    began = time.perf_counter()
    with StopRequest() as stop:
        try:
            with progress_on(console) as bars:
                backend, failures = _play_missing(
                    config, source, theorems, log, create_view(config.rollout, retriever), stop, bars
                )
            theorems = [theorem for theorem in theorems if theorem.name not in failures]
            wanted = set(_episodes(theorems, config))
            rows = [row for row in log.rows if (row.theorem, row.sample) in wanted]
            claimed = list(dict.fromkeys((row.theorem, row.tactics) for row in rows if _claims(row)))
            say(console, f"replaying {len(claimed)} distinct proofs from their text")
            with progress_on(console) as bars, bars.doing("replaying proofs", len(claimed)) as task:
                prover = config.backend, config.workers, stop.check, config.env
                verdicts = verify_proofs(theorems, claimed, *prover, lambda: bars.advance(task))
            yardstick = _measure_automation(config, theorems, stop, console) if config.automation else None
        except Interrupted as interruption:
            say(console, f"interrupted by {interruption}; the same command resumes from {log.path}")
            return 128 + interruption.signal_number
    proofs = {key: axioms for key, axioms in zip(claimed, verdicts, strict=True) if axioms is not None}
    result = summarize(config, theorems, rows, proofs)
    result["automation"] = None if yardstick is None else yardstick.plain
    result |= {"policy": source.name, "backend": backend, "failures": failures}
    result["seconds"] = round(time.perf_counter() - began, 2)
    write_text(folder / "proofs.jsonl", _proof_lines(theorems, proofs))
    write_text(folder / "result.json", json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    show(console, config, result)
    if yardstick is not None:
        say(console, f"the same theorems, {yardstick.line}")
    return 0


def summarize(
    config: EvaluateConfig, theorems: Sequence[Theorem], rows: Sequence[LoggedEpisode], proofs: Proofs
) -> dict[str, Any]:
    """Compute rates from episodes and verified proofs.

    Args:
        config: Values of k, and bootstrap settings.
        theorems: The theorems of the evaluation.
        rows: All episodes.
        proofs: The verified proofs; an episode whose script is not among them counts as not proved.

    Returns:
        The content of `result.json`, JSON-able.
    """
    successes = Counter(row.theorem for row in rows if _claims(row) and (row.theorem, row.tactics) in proofs)
    sampling = Sampling(config.seed)
    samples = config.samples_per_theorem

    def rates(part: Sequence[Theorem]) -> dict[str, Any]:
        return _plain(slice_rates(part, successes, samples, config.ks, sampling))

    tried = sum(row.steps for row in rows)
    return {
        "theorems": config.theorems,
        "samples": samples,
        "confidence": sampling.confidence,
        "overall": rates(theorems),
        "by_domain": {name: rates(part) for name, part in by_domain(theorems).items()},
        "by_difficulty": {name: rates(part) for name, part in by_difficulty(theorems).items()},
        "by_theorem": {theorem.name: successes[theorem.name] for theorem in theorems},
        "outcomes": dict(sorted(Counter(row.outcome for row in rows).items())),
        "refused_share": sum(row.refused for row in rows) / tried if tried else 0.0,
        "distinct_proofs": len(proofs),
        "not_verified": sum(_claims(row) and (row.theorem, row.tactics) not in proofs for row in rows),
    }


def show(console: Console, config: EvaluateConfig, result: Mapping[str, Any]) -> None:
    """Print the table."""
    percent = f"{100 * result['confidence']:g}%"
    title = f"{result['policy']} on {config.theorems}: {config.samples_per_theorem} episodes each, {percent} intervals"
    table = Table(title=title)
    for heading in ("", "theorems", *(f"pass@{k}" for k in config.ks)):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    parts = {"all": result["overall"]}
    parts |= {f"domain {name}": part for name, part in result["by_domain"].items()}
    parts |= {f"difficulty {name}": part for name, part in result["by_difficulty"].items()}
    for number, (name, part) in enumerate(parts.items()):
        cells = [part[f"pass@{k}"] for k in config.ks]
        shown = [f"{100 * c['value']:.1f}% [{100 * c['low']:.1f}, {100 * c['high']:.1f}]" for c in cells]
        table.add_row(name, str(part["theorems"]), *shown, end_section=number == 0)
    console.print(table)
    if result["failures"]:
        name, message = next(iter(result["failures"].items()))
        say(
            console,
            f"{len(result['failures'])} further theorems do not elaborate and are not measured, the first being "
            f"{name}: {message} (all of them: failures in result.json)",
        )
    if result["not_verified"]:
        say(
            console,
            f"{result['not_verified']} episodes claimed a proof that the replay refused; they do not count",
        )


def _measure_automation(
    config: EvaluateConfig, theorems: Sequence[Theorem], stop: StopRequest, console: Console
) -> Yardstick:
    with progress_on(console) as progress, progress.doing("automation", len(theorems)) as task:

        def on_theorem(done: int) -> None:
            stop.check()
            progress.update(task, completed=done)

        return measure_automation(theorems, config, on_theorem)


def _open_log(config: EvaluateConfig, source: PolicySource, theorems: Sequence[Theorem]) -> EpisodeLog:
    folder = Path(
        config.out_dir or Path("runs") / f"evaluate-{_slug(config.policy)}-{_slug(config.theorems)}"
    )
    measured = {key: value for key, value in config.model_dump().items() if key not in _NOT_MEASURED}
    del measured["samples"]  # an evaluation with fewer samples can be extended
    if source.kind != "endpoint":
        del measured["endpoint"]
    header = measured | {"policy_sha256": source.fingerprint(), "theorems_sha256": checksum(theorems)}
    try:
        if (folder / "config.yaml").exists():
            raise ConfigError(
                f"out_dir: {folder} holds a run, whose files have the same names; choose another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        log = EpisodeLog(folder / "episodes.jsonl", header)
        write_file(config, folder / "settings.yaml", leave_out=("out_dir",))
    except OSError as error:
        raise ConfigError(f"out_dir: cannot write to {folder}: {error.strerror}") from None
    return log


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", text).strip("-.")[-60:]


def _episodes(theorems: Sequence[Theorem], config: EvaluateConfig) -> list[Episode]:
    """Return all episodes, sample by sample, so that more samples only extend the list."""
    return [(theorem.name, sample) for sample in range(config.samples_per_theorem) for theorem in theorems]


def _play_missing(
    config: EvaluateConfig,
    source: PolicySource,
    theorems: Sequence[Theorem],
    log: EpisodeLog,
    view: View,
    stop: StopRequest,
    bars: Bars,
) -> tuple[str, dict[str, str]]:
    """Play the waves that are not in the log; each has its own seed, so its result does not depend on the others.

    Returns:
        Name of the prover, and the theorems that do not elaborate with the prover's messages.

    Raises:
        ConfigError: No theorem elaborates.
    """
    settings, size = config.rollout, config.parallel_episodes
    side_by_side = min(size, len(theorems) * config.samples_per_theorem)
    policy: SeededPolicy | None = None
    options: dict[str, Any] = {"reward": "binary", **settings.env_options}
    prover = (config.backend, config.workers, config.env)
    with (
        bars.doing("starting theorems and policy"),
        opened_env(theorems, side_by_side, *prover, **options) as env,
    ):
        player = EpisodePlayer(env, stop.check, view, settings.cohorts, redraws=settings.redraws)
        played = {row.theorem for row in log.rows}  # which therefore elaborate
        failures = player.failed_starts([theorem.name for theorem in theorems if theorem.name not in played])
        if len(failures) == len(theorems):
            raise ConfigError(f"theorems: none elaborates, the first says: {next(iter(failures.values()))}")
        usable = [theorem for theorem in theorems if theorem.name not in failures]
        episodes = _episodes(usable, config)
        waves = [episodes[at : at + size] for at in range(0, len(episodes), size)]
        missing = [number for number, wave in enumerate(waves) if not log.holds(wave)]
        if missing:
            policy = source.load(settings, config.endpoint, config.engine, config.torch_threads, stop.check)
        with bars.doing("episodes", len(episodes)) as task:
            for number, wave in enumerate(waves):
                if policy is not None and number in missing:
                    log.append(_play_wave(player, policy, wave, derive_seed(config.seed, "evaluate", number)))
                bars.advance(task, len(wave))
                # Without a terminal, a line for every twentieth of the waves.
                if not bars.console.is_terminal and missing and (number + 1) % max(1, len(waves) // 20) == 0:
                    bars.say(f"episodes {min((number + 1) * size, len(episodes))}/{len(episodes)}")
        return env.backend_name, failures


def _play_wave(
    player: EpisodePlayer, policy: SeededPolicy, wave: Sequence[Episode], seed: int
) -> list[LoggedEpisode]:
    with policy.seeded(seed):
        episodes = player.sample([theorem for theorem, _ in wave], policy)
    return [_row(sample, episode) for (_, sample), episode in zip(wave, episodes, strict=True)]


def _row(sample: int, episode: Trajectory[Completion]) -> LoggedEpisode:
    refused = sum(step.refused for step in episode.steps)
    return LoggedEpisode(
        episode.theorem, sample, episode.outcome.value, episode.tactics, len(episode.steps), refused
    )


def _claims(row: LoggedEpisode) -> bool:
    return row.outcome == Outcome.PROVED.value


def _plain(part: Slice) -> dict[str, Any]:
    rates = {f"pass@{k}": dataclasses.asdict(rate) for k, rate in part.rates.items()}
    return {"theorems": part.theorems, **rates}


def _proof_lines(theorems: Sequence[Theorem], proofs: Proofs) -> str:
    by_name = {theorem.name: theorem for theorem in theorems}
    rows = [
        {
            "name": name,
            "statement": by_name[name].statement,
            "tactics": list(script),
            "axioms": list(axioms),
            "split": by_name[name].split,
        }
        for (name, script), axioms in proofs.items()
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
