"""Solve rates of the searches of `trainers.prove` at one budget of tactics, for the policies of some runs.

    python -m benchmarks.search runs/SEED0 runs/SEED1 --theorems algebra:test --count 60
    python -m benchmarks.search runs/SEED0 --methods sample,best_first --tactics 64

Of each run the policy after its warm start and the trained one search for proofs of the same theorems, with the
sampling settings of the run. `episodes` are eight independent episodes of each theorem, with as many tactics as the run
allows in each: pass@1 and pass@8. `automation`, `menu` and `lemmas` search without the policy, and `portfolio` with all
sources by turns. A measurement is written to `--out` at once and not repeated by the same command.
Rates are mean ± standard deviation over runs, in percent.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.figures import mean_and_deviation
from lean_gym.command_line import Parser
from lean_gym.types import Theorem
from trainers.config.names import POLICY, TACTIC_SOURCES
from trainers.config.search import SearchConfig
from trainers.config.tasks import ProveConfig
from trainers.curriculum.theorems import load_sets
from trainers.errors import ConfigError, PolicyError
from trainers.evaluation.held_out import evaluate
from trainers.policies.base import SeededPolicy
from trainers.policies.source import PolicySource
from trainers.policies.views import create_view
from trainers.proving.search.proving import search_with
from trainers.rollouts.env import opened_env
from trainers.rollouts.player import EpisodePlayer

POLICIES = {"start": "start_policy", "trained": "policy"}
EPISODES = "episodes"
SOURCES = {name: name for name in TACTIC_SOURCES if name != POLICY} | {"portfolio": ""}
"""Methods that name sources of tactics; `portfolio` is the default of `trainers.prove`."""
Row = dict[str, Any]


def measure(
    config: ProveConfig, theorems: Sequence[Theorem], policy: SeededPolicy, method: str
) -> dict[str, float]:
    """Return the share of the theorems that a method proves, and the tactics that it tried for one of them.

    Args:
        config: Sampling settings, budget and seed.
        theorems: At least one.
        policy: Proposes tactics.
        method: A method of `trainers.prove`, which asks the policy alone; one of `SOURCES`; or `episodes`.
    """
    if method == EPISODES:
        settings = config.rollout
        options = {"max_steps": settings.max_steps, "forbid": settings.forbidden}
        names = [theorem.name for theorem in theorems]
        with opened_env(theorems, 64, config.backend, config.workers, config.env, **options) as env:
            found = evaluate(EpisodePlayer(env, view=create_view(settings)), policy, names, 8, config.seed)
        tactics = sum(len(episode.steps) for episode in found.episodes)
        return {**found.rates(), "tactics": tactics / len(theorems)}
    if method in SOURCES:
        changed: dict[str, Any] = {"tactics_from": SOURCES[method]}
    else:
        changed = {"tactics_from": POLICY, "search": config.search.model_copy(update={"method": method})}
    searches = search_with(config.model_copy(update=changed), theorems, policy, lambda: None)
    proved = sum(search.proof is not None for search in searches)
    tactics = sum(search.spent.tactics for search in searches)
    return {"solved": proved / len(theorems), "tactics": tactics / len(theorems)}


def rows(options: argparse.Namespace, known: Sequence[Row]) -> Iterator[Row]:
    """Measure what is not known yet.

    Args:
        options: The command line.
        known: Rows of earlier calls.

    Yields:
        A row for each new measurement.
    """
    drawn = load_sets(options.theorems)
    theorems = random.Random(0).sample(drawn, min(options.count, len(drawn))) if options.count else drawn
    for run in options.runs:
        for name, folder in POLICIES.items():
            fixed = {
                "run": run,
                "policy": name,
                "theorems": options.theorems,
                "count": len(theorems),
                "budget": options.tactics,
                "seed": options.seed,
            }
            missing = [
                method
                for method in options.methods.split(",")
                if not any((fixed | {"method": method}).items() <= row.items() for row in known)
            ]
            if not missing:
                continue
            source = replace(PolicySource.find(run), model=str(Path(run) / folder))
            own: dict[str, Any] = {"theorems": options.theorems, "seed": options.seed}
            own |= {"search": SearchConfig(tactics=options.tactics), "workers": options.workers}
            own |= {"torch_threads": options.torch_threads, "policy": run}
            config = ProveConfig(**(source.defaults_for(None, ProveConfig) | own))
            policy = source.load(
                config.rollout, config.endpoint, config.engine, config.torch_threads, lambda: None
            )
            for method in missing:
                yield fixed | {"method": method} | measure(config, theorems, policy, method)


def table(found: Sequence[Row]) -> str:
    """Return the Markdown table of all measurements: a line for each set and method, a column for each policy."""
    lines = ["| theorems | method | " + " | ".join(f"{name}: solved | tactics" for name in POLICIES) + " |"]
    lines.append("|---" * (2 + 2 * len(POLICIES)) + "|")
    keys = dict.fromkeys((row["theorems"], row["method"]) for row in found)
    for theorems, method in keys:
        for measured in ("pass@1", "pass@8") if method == EPISODES else ("solved",):
            cells = []
            for name in POLICIES:
                own = [
                    row
                    for row in found
                    if (row["theorems"], row["method"], row["policy"]) == (theorems, method, name)
                ]
                cells += [
                    mean_and_deviation([row[measured] for row in own], 1, 100) if own else "-",
                    mean_and_deviation([row["tactics"] for row in own], 0) if own else "-",
                ]
            label = measured if method == EPISODES else method
            lines.append(f"| {theorems} | {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit status."""
    parser = Parser(
        prog="python -m benchmarks.search", description="Compare searches at one budget of tactics."
    )
    parser.add_argument("runs", nargs="+", help="run folders, one for each seed")
    parser.add_argument("--theorems", default="algebra:test", help="set or JSONL file [%(default)s]")
    parser.add_argument("--count", type=int, default=60, help="theorems drawn from it; 0: all [%(default)s]")
    parser.add_argument("--methods", default="episodes,sample,best_first,beam,mcts", help="[%(default)s]")
    parser.add_argument("--tactics", type=int, default=256, help="budget of a theorem [%(default)s]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the searches [%(default)s]")
    parser.add_argument("--workers", type=int, default=1, help="prover processes [%(default)s]")
    parser.add_argument("--torch-threads", type=int, default=1, help="threads of torch [%(default)s]")
    parser.add_argument("--out", default="runs/search.jsonl", help="file of the measurements [%(default)s]")
    options = parser.parse_args(arguments)
    out = Path(options.out)
    known = [json.loads(line) for line in out.read_text().splitlines()] if out.is_file() else []
    try:
        for row in rows(options, known):
            known.append(row)
            out.parent.mkdir(parents=True, exist_ok=True)
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            print(json.dumps(row, ensure_ascii=False), file=sys.stderr, flush=True)
    except (ConfigError, PolicyError) as error:
        print(f"benchmarks.search: {error}", file=sys.stderr)
        return 2
    print(table(known))
    return 0


if __name__ == "__main__":
    sys.exit(main())
