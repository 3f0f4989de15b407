"""Write the proofs of a run as Lean files, which need nothing of this project.

    python -m trainers.export runs/RUN --lean DIR              DIR/NAME.lean for each theorem
    python -m trainers.export runs/RUN --submission GENERATED  fills Submission.lean of lean-eval's workspaces there

Each proof of `proofs.jsonl` is verified again from its text before it is written. GENERATED is the folder `generated`
of a checkout of lean-eval, whose workspaces are named after their theorems; a workspace that states another theorem
stays as it is. A theorem of minilean's own library is left out, because Lean has it under its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lean_gym.command_line import Parser, offer_completion
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.config.cli import ending_in_one_line
from trainers.config.env import EnvConfig
from trainers.config.files import read_file, read_text
from trainers.config.flags import fail
from trainers.errors import ConfigError
from trainers.reporting.gather import theorems_of
from trainers.reporting.lean_source import file_stem, lean_file, submission
from trainers.reporting.run_folder import RunRecord, read_run
from trainers.runtime.atomic_files import naming_unwritable, write_text

Proofs = Mapping[str, tuple[Theorem, tuple[str, ...]]]
"""Name -> theorem and verified proof."""


def main(arguments: Sequence[str] | None = None, program: str = "python -m trainers.export") -> int:
    """Run the command line and return the exit code: 1 where no proof was written."""
    parser = Parser(prog=program, description=(__doc__ or "").partition("\n")[0], allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="folder of a run")
    parser.add_argument("--lean", metavar="DIR", help="write a file for each proof to this folder")
    parser.add_argument(
        "--submission",
        metavar="GENERATED",
        help="fill Submission.lean in the workspaces of lean-eval in this folder",
    )
    offer_completion(parser)
    with ending_in_one_line():
        given, unknown = parser.parse_known_args(arguments)
        if unknown:
            fail(f"{program}: unknown flag {unknown[0]}; see --help")
        if not (given.lean or given.submission):
            fail(f"{program}: expected --lean DIR, --submission GENERATED, or both")
        if given.submission and not Path(given.submission).is_dir():
            raise ConfigError(
                f"--submission {given.submission}: no such folder; expected that of lean-eval's workspaces"
            )
        proofs = verified_proofs(read_run(Path(given.run), given.run))
        written = 0
        if given.lean:
            written += _each(proofs, lambda name: _write_file(Path(given.lean), *proofs[name]), given.lean)
        if given.submission:
            fill = Path(given.submission)
            written += _each(proofs, lambda name: _fill(fill, *proofs[name]), given.submission)
    return 0 if written else 1


def verified_proofs(run: RunRecord) -> Proofs:
    """Verify the proofs of a run again, with the prover of the run.

    Raises:
        ConfigError: The theorem sets of the run have changed, or the prover cannot be used.
    """
    theorems = theorems_of(run)
    if not theorems:
        raise ConfigError("; ".join([f"{run.path}: the theorems of the run are not at hand", *run.notes]))
    from trainers.rollouts.env import verify_proofs  # loads the environment

    settings = read_file(run.path / "config.yaml")
    claims = [(row.name, row.tactics) for row in run.proofs if row.name in theorems]
    known = [theorem for theorem, _ in theorems.values()]
    backend = str(run.facts.backend or settings["backend"])
    verdicts = verify_proofs(known, claims, backend, 0, settings=EnvConfig(**settings.get("env", {})))
    found = {}
    for (name, tactics), verdict in zip(claims, verdicts, strict=True):
        if verdict is None:
            print(f"left out: {name}: the prover does not accept its proof", file=sys.stderr)
        else:
            found[name] = (theorems[name][0], tactics)
    return found


def _each(proofs: Proofs, write: Callable[[str], None], place: str) -> int:
    """Write all proofs to a place, tell why some are left out, and return how many were written."""
    written = 0
    for name in proofs:
        try:
            write(name)
        except DataError as error:
            print(f"left out: {error}", file=sys.stderr)
        else:
            written += 1
    print(f"{written} of {len(proofs)} proofs: {place}")
    return written


def _write_file(folder: Path, theorem: Theorem, tactics: Sequence[str]) -> None:
    text = lean_file(theorem, tactics)
    with naming_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_stem(theorem)}.lean"
    if path.exists() and read_text(path, "cannot read") != text:
        raise DataError(f"theorem {theorem.name!r}: {path} exists and has another content")
    write_text(path, text)


def _fill(folder: Path, theorem: Theorem, tactics: Sequence[str]) -> None:
    path = folder / file_stem(theorem) / "Submission.lean"
    if not path.is_file():
        raise DataError(f"theorem {theorem.name!r}: no workspace {path.parent}")
    write_text(path, submission(read_text(path, "cannot read"), theorem, tactics))


if __name__ == "__main__":
    sys.exit(main())
