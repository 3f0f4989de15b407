"""Command lines of the programs: one flag per setting, errors in one line.

A flag has the name of a field, `--group-size` for `group_size`; names are unique over all sections of a program. A
wrong flag or value ends with one line on standard error and exit code 2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pydantic import ValidationError

from minilean.command_line import end_closed, ending_in_want
from trainers.config.base import (
    SettingPath,
    Settings,
    find_problem,
    section_of_field,
    sections,
    shortened,
)
from trainers.config.env import with_full_env
from trainers.config.files import merge, read_file, read_sets
from trainers.config.flags import FOREIGN, POSITIONAL, fail, flag_of, listed, make_parser
from trainers.config.foreign import PASSES, REFERENCE, REFUSED, WORDS
from trainers.config.programs import PROGRAMS
from trainers.config.run import RunConfig
from trainers.config.translation import Translated, iterations_of, translate
from trainers.errors import ConfigError, PolicyError
from trainers.extras import naming_the_extra

RESUMABLE: Final = (
    *("max_iterations", "workers", "pool", "torch_threads", "processes", "ray", "checkpoint_every"),
)
"""Settings that may change when a training run goes on: none that an update depends on."""

NOTES_TOLD: Final = "LEAN_GYM_NOTES_TOLD"
"""Variable of processes whose command line was read before, by the program that started them."""

Kind = TypeVar("Kind", bound=Settings)


@contextmanager
def ending_in_one_line() -> Iterator[None]:
    """End the program with one line after a mistake of the user, and after a Ctrl-C that nothing else handled.

    A program whose output was closed, as by `| head`, ends without a line.

    Raises:
        SystemExit: With code 2, 130 after a Ctrl-C, 141 for a closed output, or 1 where a package is missing,
            or the machine has no more memory, files or space.
    """
    # Threads of torch that wait by spinning take the cores from the provers, and slow each other down tenfold
    # where another program computes as well. Read when torch is loaded, which takes seconds: programs import it
    # only when their settings are known to be usable.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        with naming_the_extra(), ending_in_want():
            yield
        sys.stdout.flush()
    except (ConfigError, PolicyError) as error:
        fail(str(error))
    except BrokenPipeError:
        end_closed()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def announce_loading() -> None:
    """Print a line before the imports that take seconds; of several processes, only the first prints it."""
    if "torch" not in sys.modules and os.environ.get("RANK", "0") == "0":
        print("loading torch and the other libraries ...", flush=True)


@dataclass(frozen=True, slots=True)
class Given(Generic[Kind]):
    """Settings that a command line and its file name, before the defaults are filled in.

    Attributes:
        kind: The settings class of the program.
        program: How the program is started, for messages.
        flags: Values of flags, nested like a file.
        sets: Values of `--set`, nested like a file.
        stored: Values of the file.
        file: The file of `--config`, or the settings of the run of `--resume`.
        resume: Folder of `--resume`.
        claims: See `Translated`.
        dry_run: The program is to print its plan and end.
    """

    kind: type[Kind]
    program: str
    flags: dict[str, Any] = field(default_factory=dict)
    sets: dict[str, Any] = field(default_factory=dict)
    stored: dict[str, Any] = field(default_factory=dict)
    file: Path | None = None
    resume: Path | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    dry_run: bool = False

    @property
    def named(self) -> dict[str, Any]:
        """The values that the user gave, nested like a file: the file's, over it those of `--set`, over it flags."""
        return merge(merge(with_full_env(self.stored), with_full_env(self.sets)), self.flags)

    @property
    def policy(self) -> str:
        """The policy that the user names. It is known before all is checked: a run or a preset names defaults.

        Raises:
            ConfigError: There is none.
        """
        name = self.named.get("policy", "")
        if not isinstance(name, str) or not name.strip():
            got = shortened(name) if name else "none"
            raise ConfigError(f"--policy: expected a run folder, a model or an endpoint, got {got}")
        return name

    def settings(self, below: Mapping[str, Any] | None = None) -> Kind:
        """Fill in the defaults and check everything.

        Args:
            below: Values for settings that the user does not name, nested like a file.

        Raises:
            ConfigError: A setting is unknown, or a value has the wrong type or is out of range; the line names the
                flag or the file that it came from.
        """
        try:
            config = self.kind.model_validate(merge(below or {}, self.named))
        except ValidationError as error:
            raise ConfigError(self._explain(error)) from None
        reference = self.claims.get(REFERENCE)
        if isinstance(config, RunConfig) and reference not in (None, config.model):
            raise ConfigError(
                f"{REFERENCE}: expected {config.model!r}, the model that training starts from, got "
                f"{shortened(reference)}; start from it with --model, or drop the KL term with --kl-beta 0"
            )
        return config

    def _explain(self, error: ValidationError) -> str:
        problem = find_problem(self.kind, error)
        is_section = len(problem.place) == 1 and problem.place[0] in sections(self.kind)
        if _holds(self.flags, problem.place) and not is_section:
            return f"{flag_of(problem.place[-1])}: {problem.text}"
        if _holds(self.sets, problem.place):
            return f"--set {problem}"
        in_file = problem.unknown or _holds(self.stored, problem.place)
        prefix = f"{self.file}: " if self.file and in_file else ""
        name = problem.place[-1] if problem.unknown else ""
        if others := [] if name in section_of_field(self.kind) else _programs_with(name):
            advice = f"is it a run of {self.program}?" if self.resume else "remove it from the file"
            path = ".".join(problem.place)
            return (
                f"{prefix}{path}: {self.program} does not use this setting, {listed(others)} does; {advice}"
            )
        doubt = f" (is it a run of {self.program}?)" if problem.unknown and self.resume else ""
        return f"{prefix}{problem}{doubt}"


def _holds(values: Mapping[str, Any], place: SettingPath) -> bool:
    """Return whether nested values have something at a place."""
    inner: Any = values
    for name in place:
        if not isinstance(inner, Mapping) or name not in inner:
            return False
        inner = inner[name]
    return bool(place)


def _programs_with(name: str) -> list[str]:
    """Return the programs that have a setting or a section of this name."""
    return [
        program
        for program, kind in PROGRAMS.items()
        if name in section_of_field(kind) or name in sections(kind)
    ]


def read_flags(
    kind: type[Kind],
    arguments: Sequence[str] | None,
    program: str,
    description: str,
    *,
    resumable: Sequence[str] = (),
) -> Given[Kind]:
    """Read a command line whose flags are the fields of a settings class.

    Args:
        kind: The settings class.
        arguments: Words after the program's name; `None` takes them from `sys.argv`.
        program: How the program is started, for messages.
        description: First paragraph of `--help`.
        resumable: Settings that may change when a run goes on; empty for a program without `--resume`.

    Returns:
        What the flags and the file of `--config` name; with `--resume`, the settings of the stored run. Words without a
        flag are values of the settings that `kind.positional` lists.

    Raises:
        ConfigError: A file or a word cannot be used, or a flag does not go with `--resume`.
        SystemExit: After `--help`, or, with code 2, for an unknown flag.
    """
    parser = make_parser(kind, program, description)
    if resumable:
        parser.add_argument("--resume", metavar="RUN", help="go on with the interrupted run in this folder")
    # The shell sets it. `lean_gym` loads Gymnasium, which a program need not wait for.
    if "_ARGCOMPLETE" in os.environ:
        from lean_gym.command_line import offer_completion

        offer_completion(parser)
    given = vars(parser.parse_intermixed_args(arguments))
    _take_words(kind, given)
    file, resume = given.pop("config", None), given.pop("resume", None)
    texts, dry_run = given.pop("set", []), given.pop("dry_run", False)
    words = {name: given.pop(FOREIGN + name) for name in (*WORDS, *REFUSED) if FOREIGN + name in given}
    if resume is None:
        path = Path(file) if file else None
        stored = _read_translated(kind, program, path)
        sets = translate(kind, program, read_sets(kind, texts, stored.values), {})
        flags = translate(kind, program, _nested(kind, given), words)
        values = flags.values
        if "algo_config" not in given and (options := flags.values.get("algo", {}).get("algo_config")):
            # Words of other systems change single keys; `--algo-config` replaces the mapping of the file.
            below = merge(stored.values, sets.values).get("algo", {}).get("algo_config", {})
            values["algo"]["algo_config"] = {**below, **options}
        _tell(*stored.notes, *sets.notes, *flags.notes)
        if "max_iterations" in given:
            stored.claims.pop(PASSES, None)
        claims = stored.claims | sets.claims | flags.claims
        return Given(kind, program, values, sets.values, stored.values, path, None, claims, dry_run)
    named = [*given, *words, *(["config"] if file else []), *(["set"] if texts else [])]
    for refused in (name for name in named if name not in resumable):
        allowed = ", ".join(map(flag_of, resumable))
        raise ConfigError(
            f"--resume takes the run's own settings; drop {flag_of(refused)} (may change: {allowed})"
        )
    path = Path(resume) / "config.yaml"
    if not os.path.isfile(path):  # also for a name that no file can have
        raise ConfigError(f"--resume {resume}: no run to go on with (no config.yaml in that folder)")
    return Given(
        kind, program, _nested(kind, given), {}, read_file(path), path, Path(resume), dry_run=dry_run
    )


def _take_words(kind: type[Settings], given: dict[str, Any]) -> None:
    """Give words without a flag to the settings of `kind.positional` that have no flag; the last one takes all others.

    Raises:
        ConfigError: There are more words than such settings, and the last one is no list.
    """
    words: list[str] = given.pop(POSITIONAL, [])
    free = [name for name in kind.positional if name not in given]
    for name in free[:-1] if words else ():
        given[name] = words.pop(0)
        if not words:
            return
    if not words:
        return
    if not free or (len(words) > 1 and free[-1] != "theorems"):
        got = " ".join(map(shortened, words if not free else words[1:]))
        expected = listed([flag_of(name) for name in kind.positional])
        raise ConfigError(
            f"got {got} without a flag, beside {expected}; quote a value that has spaces, see --help"
        )
    given[free[-1]] = ",".join(words)


def _read_translated(kind: type[Settings], program: str, path: Path | None) -> Translated:
    """Read a file of settings, and translate the words of other systems in it."""
    if path is None:
        return Translated({})
    try:
        return translate(kind, program, read_file(path), {})
    except ConfigError as error:
        text = str(error)
        raise ConfigError(text if str(path) in text else f"{path}: {text}") from None


def _tell(*notes: str) -> None:
    """Print notes on standard error, of several processes in the first one, if the program that started it did not."""
    for note in notes if os.environ.get("RANK", "0") == "0" and NOTES_TOLD not in os.environ else ():
        print(f"note: {note}", file=sys.stderr)


def _place(kind: type[Settings], name: str) -> SettingPath:
    home = section_of_field(kind)[name]
    return (name,) if home is None else (home, name)


def _nested(kind: type[Settings], given: Mapping[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in given.items():
        *home, last = _place(kind, name)
        (values.setdefault(home[0], {}) if home else values)[last] = value
    return values


@dataclass(frozen=True, slots=True)
class Command:
    """Settings of a training run, the folder of the run to go on with, if any, and whether only its plan is wanted.

    `program` is how the program was started, for messages.
    """

    config: RunConfig
    resume: Path | None = None
    dry_run: bool = False
    program: str = "python -m trainers.grpo"


def read_command(
    arguments: Sequence[str] | None,
    program: str,
    description: str,
    training_size: Callable[[RunConfig], int],
    settings_of: Callable[[Given[RunConfig]], RunConfig] = Given.settings,
) -> Command:
    """Turn the command line of a training program into settings.

    Args:
        arguments: Words after the program's name; `None` takes them from `sys.argv`.
        program: How the program is started, for messages.
        description: First paragraph of `--help`.
        training_size: Counts the training theorems of a run whose length is given as passes over them.
        settings_of: Fills in the defaults.

    Raises:
        ConfigError: A file or a value cannot be used, or a flag does not go with `--resume`.
        SystemExit: After `--help`, or, with code 2, for an unknown flag.
    """
    given = read_flags(RunConfig, arguments, program, description, resumable=RESUMABLE)
    config = settings_of(given)
    if given.resume is None:
        return Command(_with_passes(config, given.claims, training_size), None, given.dry_run, program)
    resumed = config.model_copy(update={"run_dir": str(given.resume)})
    return Command(resumed, given.resume, given.dry_run, program)


def _with_passes(
    config: RunConfig, claims: Mapping[str, Any], training_size: Callable[[RunConfig], int]
) -> RunConfig:
    """Return the settings with as many iterations as the given passes over the training theorems need."""
    if PASSES not in claims:
        return config
    count, per_iteration = training_size(config), config.rollout.theorems_per_iteration
    iterations = iterations_of(claims[PASSES], count, per_iteration)
    _tell(
        f"{PASSES} {claims[PASSES]} is max_iterations {iterations} here: {count} theorems, "
        f"{per_iteration} an iteration"
    )
    return config.model_copy(update={"max_iterations": iterations})
