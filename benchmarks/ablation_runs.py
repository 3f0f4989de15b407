"""Runs of an ablation: variants of the main job, one resumable child process each.

Files in the ablation's folder:

plan.json              settings of all runs; runs of another plan are refused
warm_start/seedN/      the warm start of a seed, shared by all variants
VARIANT/seedN/         the run folder of a variant; finished once it holds summary.json
.../seedN.log          output of the run
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
from typing import IO, Final

from lean_gym.errors import unknown_name
from trainers.config.base import section_of_field
from trainers.config.run import RunConfig

WARM_START = "warm_start"
EXPERT_ITERATION = "expert_iteration"
"""Variant that runs `trainers.expert_iteration`, with as many rounds as the others have iterations."""


class AblationError(ValueError):
    """An unusable variant or plan, or a failed run. The text is one line."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Variant of the main job, one line of the table.

    Attributes:
        name: Name as given by the user, e.g. `dapo` or `credit=gigpo+error_penalty=0`.
        flags: Command-line flags of its program.
        program: Module that is run.
        length: Flag of the program for the number of iterations.
    """

    name: str
    flags: tuple[str, ...]
    program: str = "trainers.grpo"
    length: str = "--max-iterations"

    @property
    def folder(self) -> str:
        """Return the name of its folder."""
        return re.sub(r"[^\w=+.,-]", "_", self.name)


_SET: Final = ("--theorems", "algebra", "--theorems-per-iteration", "24")
"""One set, as automation proves nothing of it and sets do not differ in what they teach."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings of all runs of an ablation.

    Attributes:
        max_iterations: Iterations of each run.
        eval_every: Iterations between evaluations on the held-out theorems.
        held_out: Kind of the held-out theorems, `"validation"` or `"test"`.
        flags: Further command-line flags of every run, including the warm start.
        tactics_budget: Sampled tactics after which a run ends, if it has iterations left; 0 sets no limit.
    """

    max_iterations: int
    eval_every: int
    held_out: str
    flags: tuple[str, ...] = ()
    tactics_budget: int = 0

    @property
    def words(self) -> list[str]:
        """Return the command line to which those of the variants are added; `flags` win over the set of all tables."""
        return [*_SET, *self.flags, "--held-out", self.held_out]


def parse_variant(text: str) -> Variant:
    """Parse a variant: an algorithm's name, settings `field=value` of a run joined by `+`, or `expert_iteration`.

    Raises:
        AblationError: A name is not a field of a run's settings.
    """
    if text.strip() == EXPERT_ITERATION:
        return Variant(EXPERT_ITERATION, (), "trainers.expert_iteration", "--rounds")
    flags = ["--replay-weight", "0"]  # imitation would blur what the variants differ in
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
    """Folder of the runs of an ablation."""

    def __init__(self, folder: Path, plan: Plan, say: Callable[[str], None]) -> None:
        """Open a new or existing folder.

        Args:
            folder: Folder of the runs.
            plan: Settings of all runs.
            say: Called with a line for each run that starts.

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
                f"{' '.join(wanted.split())}; use that plan, or another --out"
            )
        folder.mkdir(parents=True, exist_ok=True)
        stored.write_text(wanted)

    def run_folder(self, variant: Variant, seed: int) -> Path:
        """Return the folder of the run of a variant and a seed."""
        return self._folder / variant.folder / f"seed{seed}"

    def run(self, variant: Variant, seed: int) -> Path:
        """Carry out or resume the run of a variant and a seed, after its warm start.

        Returns:
            The run's folder.

        Raises:
            AblationError: The run ended with an error.
        """
        warm = Variant(WARM_START, ())
        begun = self._carry_out(warm, seed, ["--max-iterations", "0"])
        words = ["--model", str(begun / "start_policy"), "--warm-start-epochs", "0", *variant.flags]
        words += [variant.length, str(self._plan.max_iterations)]
        if self._plan.tactics_budget:
            words += ["--max-tactics", str(self._plan.tactics_budget)]
        return self._carry_out(variant, seed, [*words, "--eval-every", str(self._plan.eval_every)])

    def _carry_out(self, variant: Variant, seed: int, words: Sequence[str]) -> Path:
        folder = self.run_folder(variant, seed)
        if (folder / "summary.json").exists():
            return folder
        if (folder / "checkpoint.pt").exists():
            command = ["--resume", str(folder)]
        else:
            shutil.rmtree(folder, ignore_errors=True)  # a run without a checkpoint cannot be resumed
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
    """Run a command and return its exit code; after Ctrl-C, wait until it has written its checkpoint."""
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise
