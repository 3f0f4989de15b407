"""The runs of an ablation: variants of the main job, one child process each, gone on with where they were left.

Below the ablation's folder:

plan.json              what all runs have in common; runs of another plan are not mixed in
warm_start/seedN/      the warm start of a seed, shared by all variants
VARIANT/seedN/         the run folder of a variant; finished once it holds summary.json
.../seedN.log          what the run printed
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from lean_gym.errors import unknown_name
from trainers.config.base import section_of_field
from trainers.config.run import RunConfig

WARM_START = "warm_start"
EXPERT_ITERATION = "expert_iteration"
"""The variant that is another program, `trainers.expert_iteration`, with as many rounds as others have iterations."""


class AblationError(ValueError):
    """A variant, a plan or a run that cannot be used. The text is one line."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What one line of the table changes about the main job.

    Attributes:
        name: As it was asked for, e.g. `dapo` or `credit=gigpo+error_penalty=0`.
        flags: Words for the command line of its program.
        program: Module that is run.
        length: Its flag for how long.
    """

    name: str
    flags: tuple[str, ...]
    program: str = "trainers.grpo"
    length: str = "--max-iterations"

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return re.sub(r"[^\w=+.,-]", "_", self.name)


@dataclass(frozen=True, slots=True)
class Plan:
    """What all runs of an ablation have in common.

    Attributes:
        max_iterations: Iterations of each run.
        eval_every: Iterations between measurements on the held-out theorems.
        held_out: Which those are, `"validation"` or `"test"`.
        flags: Further words for the command line of every run, the warm start's included.
    """

    max_iterations: int
    eval_every: int
    held_out: str
    flags: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The command line that the variants are added to."""
        return [*self.flags, "--held-out", self.held_out]


def parse_variant(text: str) -> Variant:
    """Read a variant: an algorithm's name, settings `field=value` of a run joined by `+`, or `expert_iteration`.

    Raises:
        AblationError: A name is no field of a run's settings.
    """
    if text.strip() == EXPERT_ITERATION:
        return Variant(EXPERT_ITERATION, (), "trainers.expert_iteration", "--rounds")
    flags: list[str] = []
    for part in text.strip().split("+"):
        field, equals, value = part.strip().partition("=")
        if not equals:
            field, value = "algorithm", field
        if field not in section_of_field(RunConfig) or not value:
            raise AblationError(
                f"variant {text!r}: {unknown_name('setting', field, section_of_field(RunConfig))}"
            )
        flag = "--" + field.replace("_", "-")
        match value:
            case "true":
                flags.append(flag)
            case "false":
                flags.append("--no-" + flag.removeprefix("--"))
            case _:
                flags += [flag, value]
    return Variant(text.strip(), tuple(flags))


class Ablation:
    """A folder of runs."""

    def __init__(self, folder: Path, plan: Plan, say: Callable[[str], None]) -> None:
        """Open a folder, or go on with one.

        Args:
            folder: Where the runs are, or will be.
            plan: What they have in common.
            say: Told about each run that starts or is found finished.

        Raises:
            AblationError: The folder holds runs of another plan.
        """
        self._folder = folder
        self._plan = plan
        self._say = say
        stored, wanted = folder / "plan.json", json.dumps(asdict(plan), indent=2) + "\n"
        if stored.exists() and stored.read_text() != wanted:
            raise AblationError(
                f"{folder}: holds runs of another plan ({' '.join(stored.read_text().split())}), expected "
                f"{' '.join(wanted.split())}; ask for that one again, or take another --out"
            )
        folder.mkdir(parents=True, exist_ok=True)
        stored.write_text(wanted)

    def run_folder(self, variant: Variant, seed: int) -> Path:
        """Where the run of a variant and a seed is."""
        return self._folder / variant.folder / f"seed{seed}"

    def run(self, variant: Variant, seed: int) -> Path:
        """Carry out the run of a variant and a seed, or what is left of it, its warm start first.

        Returns:
            The run's folder.

        Raises:
            AblationError: The run ended with an error.
        """
        warm = Variant(WARM_START, ())
        begun = self._carry_out(warm, seed, ["--max-iterations", "0"])
        words = ["--model", str(begun / "start_policy"), "--warm-start-epochs", "0", *variant.flags]
        words += [variant.length, str(self._plan.max_iterations)]
        return self._carry_out(variant, seed, [*words, "--eval-every", str(self._plan.eval_every)])

    def _carry_out(self, variant: Variant, seed: int, words: Sequence[str]) -> Path:
        folder = self.run_folder(variant, seed)
        if (folder / "summary.json").exists():
            return folder
        if (folder / "checkpoint.pt").exists():
            command = ["--resume", str(folder)]
        else:
            shutil.rmtree(folder, ignore_errors=True)  # a run that was stopped before its first checkpoint
            folder.parent.mkdir(parents=True, exist_ok=True)
            command = [*self._plan.words, *words, "--seed", str(seed), "--run-dir", str(folder)]
        self._say(f"{variant.name}, seed {seed}")
        log = folder.with_suffix(".log")
        with log.open("a", encoding="utf-8") as output:
            code = _run([sys.executable, "-m", variant.program, *command], output)
        if code:
            last = next(iter(log.read_text(encoding="utf-8").splitlines()[-1:]), "it said nothing")
            raise AblationError(f"{variant.name}, seed {seed}: exit code {code}: {last} (see {log})")
        return folder


def _run(command: Sequence[str], output: IO[str]) -> int:
    """Run a command to its end, which after Ctrl-C is when it has written its checkpoint."""
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise
