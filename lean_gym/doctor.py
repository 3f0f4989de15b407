"""`python -m lean_gym doctor`: what there is to prove with, and what to run where something is missing."""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from lean_gym.backends.pantograph.dialect import read_units
from lean_gym.backends.pantograph.discovery import (
    INSTALL,
    FoundRepl,
    project_lean_path,
    search_repl,
    toolchain,
)
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.errors import BackendError, BackendUnavailable
from lean_gym.sandbox import sandbox_problem

_ASK_SECONDS: Final = 60.0
_VERSION: Final = re.compile(r'"?(\d+\.\d+[^"\s]*)"?')


@dataclass(frozen=True, slots=True)
class Checkup:
    """What to look at.

    Attributes:
        repl_command: As for `PantographBackend`, one string or `None`.
        project: A Lake project, or `None`.
        imports: Modules to import.
        start_seconds: Wall-clock seconds that a start may take.
    """

    repl_command: str | None = None
    project: str | None = None
    imports: tuple[str, ...] = ("Init",)
    start_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the report.

    Attributes:
        subject: What it is about.
        text: What was found.
        remedy: What to run when something is missing, else `""`.
    """

    subject: str
    text: str
    remedy: str = ""


def examine(checkup: Checkup) -> Iterator[Line]:
    """Look at everything, one line at a time, as a start can take minutes."""
    yield Line(
        "python", f"{platform.python_version()} ({sys.executable}), gymnasium {_installed('gymnasium')}"
    )
    yield Line("minilean", "embedded, needs nothing (backend='minilean')")
    problem = sandbox_problem()
    yield Line("sandbox", "bwrap" if problem is None else problem)
    search = search_repl(checkup.repl_command)
    for note in search.notes:
        yield Line("looked at", note)
    if search.found is None:
        yield Line("REPL", "none: backend='auto' is the embedded Lean", INSTALL)
        return
    found = search.found
    yield Line("REPL", f"{' '.join(found.command)} (from {found.source})")
    yield Line("REPL version", repl_version(found))
    built_for = toolchain(found.directory)
    if built_for is not None:
        yield Line("REPL toolchain", built_for)
    lean_path = None
    if checkup.project is not None:
        try:
            lean_path = project_lean_path(checkup.project)
        except BackendUnavailable as error:
            yield Line("project", str(error), f"cd {checkup.project} && lake exe cache get && lake build")
            return
        yield from _project_lines(checkup.project, built_for, lean_path)
    yield from _start_lines(checkup, found, lean_path)


def repl_version(found: FoundRepl) -> str:
    """What the REPL answers to `--version`."""
    try:
        run = subprocess.run(
            [*found.command, "--version"],
            cwd=found.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ASK_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown: {error}"
    return (
        run.stdout.strip() or f"unknown: exit status {run.returncode}, {run.stderr.strip() or 'nothing said'}"
    )


def _project_lines(project: str, built_for: str | None, lean_path: str) -> Iterator[Line]:
    wanted = toolchain(project)
    yield Line("project", f"{project}, toolchain {wanted or 'unknown'}")
    if wanted is not None and built_for is not None and wanted != built_for:
        yield Line(
            "project",
            f"is for {wanted}, the REPL for {built_for}: compiled modules are for one version only",
            f"build the REPL for {wanted}: put that line into the lean-toolchain of Pantograph's sources, then "
            "`lake build repl` there, and pass repl_command",
        )
    missing = [folder for folder in lean_path.split(":") if not Path(project, folder).is_dir()]
    if missing:
        yield Line(
            "LEAN_PATH",
            f"{len(missing)} folders are not there, e.g. {missing[0]}",
            f"cd {project} && lake build",
        )


def _start_lines(checkup: Checkup, found: FoundRepl, lean_path: str | None) -> Iterator[Line]:
    settings = ReplSettings(
        found, lean_path=lean_path, directory=checkup.project, start_seconds=checkup.start_seconds
    )
    began = time.monotonic()
    try:
        repl = Repl(settings, checkup.imports)
    except BackendUnavailable as error:
        yield Line("start", str(error), INSTALL)
        return
    try:
        repl.ready()
        yield Line("start", f"imports {' '.join(checkup.imports)} in {time.monotonic() - began:.1f} s")
        yield Line("Lean", lean_version(repl))
        yield from _ability_lines(repl)
    except BackendError as error:
        remedy = (
            "" if checkup.project is not None else "pass --project with the folder of a built Lake project"
        )
        yield Line("start", str(error), remedy or "see the REPL's own words; the versions above must agree")
    finally:
        repl.close()


def lean_version(repl: Repl) -> str:
    """Lean's own version, as the REPL's Lean prints it."""
    answer = repl.limited("frontend.process", {"file": "#eval Lean.versionString\n"}, _ASK_SECONDS)
    if "units" not in answer:
        return "unknown: the REPL reads no files"
    texts = [text for _, texts, _ in read_units(answer) for text in texts]
    found = _VERSION.search(texts[0]) if texts else None
    return found[1] if found is not None else "unknown: it does not evaluate `Lean.versionString`"


def _ability_lines(repl: Repl) -> Iterator[Line]:
    dialect = repl.dialect
    if dialect.lacks_for_full is None:
        how = {"track": "frontend.track", "add": "env.add and env.inspect"}.get(
            dialect.compared_by or "", "env.inspect"
        )
        alone = "" if dialect.judges_many else ", a fresh process for each proof"
        yield Line("verify", f"full (statements compared by {how}{alone})")
    elif dialect.lacks_for_replay is None:
        yield Line(
            "verify",
            f"replay only: no {dialect.lacks_for_full}",
            "use a later Pantograph, or verify='replay'",
        )
    else:
        yield Line("verify", f"impossible: no {dialect.lacks_for_replay}", "use a later Pantograph")


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
