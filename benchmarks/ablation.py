"""Ablation of algorithms, credit and penalties: runs variants of the main job and prints a Markdown table.

    python -m benchmarks.ablation                                         every variant, seeds 0, 1, 2: many hours
    python -m benchmarks.ablation --variants grpo,dapo,credit=gigpo --max-iterations 30
    python -m benchmarks.ablation --variants grpo -- --workers 1 --torch-threads 1

A variant is an algorithm's name, or settings of a run as `field=value`, several joined by `+`:
`dapo+credit=graph+error_penalty=0`. `expert_iteration` is the baseline of that name. All other settings are the main
job's, but that no proofs are imitated beside the loss unless a variant has a `replay_weight`. All variants of a seed
start from the same warm start. Use the validation theorems for tuning, and `--held-out test` for final results only.

Settings sample differently many tactics per iteration. `--tactics-budget N` ends every run, expert iteration included,
after N sampled tactics, those of replaced groups, branches and vine rollouts included.

Runs are child processes, one after the other. A finished run is not repeated and an interrupted one is resumed, so the
same command, also with more variants or seeds, carries out the missing runs. Rates are mean ± standard deviation over
seeds, in percent. The last columns show how many runs reached the rate of `--target` in some evaluation, and for those
the training time (without evaluations) and the sampled tactics until then.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ablation_runs import (
    EXPERT_ITERATION,
    WARM_START,
    Ablation,
    AblationError,
    Plan,
    Variant,
    parse_variant,
)
from lean_gym.command_line import Parser
from lean_gym.errors import unknown_name

_OTHERS = (
    "credit=gigpo", "credit=state", "credit=graph", "credit=td", "credit=vine",
    "first_error_credit=true", "step_cost=0.01",
    "error_penalty=0", "error_penalty=0.1", "error_penalty=1", "error_baseline=false", "rollout=tree",
)  # fmt: skip
"""The default variants besides the algorithms; `grpo` is the main job, so `credit=episode` and `error_penalty=0.3`."""


def read_variants(text: str) -> list[Variant]:
    """Parse variants, separated by commas; an empty text means all default ones.

    Raises:
        AblationError: A variant is unknown, or named twice.
    """
    from trainers.algorithms import ALGORITHMS  # loads torch, which --help does not need

    found = [
        parse_variant(part)
        for part in (text.split(",") if text else [*ALGORITHMS, *_OTHERS, EXPERT_ITERATION])
    ]
    for variant in found:
        flags = dict(zip(variant.flags, variant.flags[1:], strict=False))
        algorithm = flags.get("--algorithm", "grpo")
        if algorithm not in ALGORITHMS:
            raise AblationError(unknown_name("algorithm", algorithm, ALGORITHMS))
    folders = [WARM_START, *(variant.folder for variant in found)]
    twice = next((name for name in folders if folders.count(name) > 1), None)
    if twice is not None:
        raise AblationError(f"variants: {twice!r} occurs twice")
    return found


def _seeds(text: str) -> list[int]:
    words = text.split(",")
    if not all(word.strip().isdecimal() for word in words) or len(set(words)) < len(words):
        raise AblationError(f"--seeds: got {text!r}, expected different whole numbers separated by commas")
    return [int(word) for word in words]


def run_all(ablation: Ablation, variants: Sequence[Variant], seeds: Sequence[int]) -> list[str]:
    """Run every variant with every seed, continuing after failures.

    Returns:
        One line for each run that failed.
    """
    failures = []
    for seed in seeds:
        for variant in variants:
            try:
                ablation.run(variant, seed)
            except AblationError as error:
                failures.append(str(error))
    return failures


def show(ablation: Ablation, variants: Sequence[Variant], seeds: Sequence[int], target: float) -> None:
    """Print the table of the finished runs."""
    from benchmarks.ablation_table import markdown, read_result

    folders = {variant.name: [ablation.run_folder(variant, seed) for seed in seeds] for variant in variants}
    finished = {
        name: [read_result(folder) for folder in runs if (folder / "summary.json").exists()]
        for name, runs in folders.items()
    }
    print(markdown({name: runs for name, runs in finished.items() if runs}, target), end="")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the missing runs, print the table, and return the exit code: 1 if a run failed."""
    parser = Parser("python -m benchmarks.ablation", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--variants", default="", help="see the module's text; by commas [all]")
    parser.add_argument("--seeds", default="0,1,2", help="one run of each variant with each [%(default)s]")
    parser.add_argument("--max-iterations", type=int, default=60, help="of each run [%(default)s]")
    parser.add_argument(
        "--tactics-budget",
        type=int,
        default=0,
        help="sampled tactics of each run, after which it ends; give enough iterations; 0: no limit [%(default)s]",
    )
    parser.add_argument(
        "--eval-every", type=int, default=10, help="iterations between measurements [%(default)s]"
    )
    parser.add_argument("--held-out", default="validation", choices=("validation", "test"))
    parser.add_argument("--target", type=float, default=0.25, help="rate of pass@1 to reach [%(default)s]")
    parser.add_argument("--out", default="runs/ablation", help="folder of the runs [%(default)s]")
    parser.add_argument("flags", nargs="*", help="after --: flags of trainers.grpo for every run")
    given = parser.parse_args(arguments)
    plan = Plan(
        given.max_iterations, given.eval_every, given.held_out, tuple(given.flags), given.tactics_budget
    )
    try:
        variants, seeds = read_variants(given.variants), _seeds(given.seeds)
        ablation = Ablation(Path(given.out), plan, lambda line: print(line, file=sys.stderr, flush=True))
    except AblationError as error:
        parser.exit(2, f"error: {error}\n")
    try:
        failures = run_all(ablation, variants, seeds)
    except KeyboardInterrupt:
        print("interrupted; the same command resumes", file=sys.stderr)
        return 130
    show(ablation, variants, seeds, given.target)
    for line in failures:
        print(f"error: {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
