"""Report of `python -m lean_gym doctor`: the usable provers, and the remedy for each problem."""

from __future__ import annotations

import platform
import re
import shutil
import sys
import tempfile
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
    has_lakefile,
    project_lean_path,
    search_repl,
    toolchain,
)
from lean_gym.backends.pantograph.process import READY, ReplProcess
from lean_gym.backends.pantograph.repl import Repl, ReplSettings
from lean_gym.backends.sandbox import sandbox_problem
from lean_gym.errors import BackendError, BackendOutdated, BackendUnavailable
from lean_gym.lean.library import VARIABLE, find_library
from lean_gym.verification.kernels import LeanKernelProcess

_MISSING: Final = "not installed"
_SHARE: Final = "each set of imports has one process in each worker, and a judge for up to four workers"
_ASK_SECONDS: Final = 60.0
_VERSION_SECONDS: Final = 60.0
_VERSION: Final = re.compile(r'"?(\d+\.\d+[^"\s]*)"?')
_EXPORT: Final = """{"meta":{"exporter":{"name":"lean_gym","version":"3.1.0"},"format":{"version":"3.1.0"}}}
{"in":1,"str":{"pre":0,"str":"Proposition"}}
{"il":1,"succ":0}
{"ie":0,"sort":0}
{"ie":1,"sort":1}
{"def":{"name":1,"levelParams":[],"type":1,"value":0,"hints":"abbrev","safety":"safe","all":[1]}}
"""
"""`def Proposition : Type := Prop` in lean4export's format."""
_REPL_VERSION: Final = re.compile(r"(?:\w+ )?v?\d+\.\d+[\w.+/-]*")


@dataclass(frozen=True, slots=True)
class Checkup:
    """Subjects of the report.

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
        subject: Subject of the line, e.g. `REPL`.
        text: What was found.
        remedy: What to run when something is missing, else `""`.
        optional: Everything works without the remedy, which adds an ability.
    """

    subject: str
    text: str
    remedy: str = ""
    optional: bool = False


def examine(checkup: Checkup) -> Iterator[Line]:
    """Yield the report line by line, since a start can take minutes."""
    yield Line(
        "python", f"{platform.python_version()} ({sys.executable}), gymnasium {_installed('gymnasium')}"
    )
    yield Line("minilean", "embedded, needs nothing (backend='minilean')")
    problem = sandbox_problem()
    yield Line("sandbox", "bwrap" if problem is None else problem)
    yield _kernel_line()
    yield _trainers_line()
    search = search_repl(checkup.repl_command)
    for note in search.notes:
        yield Line("looked at", note)
    if search.found is None:
        asked_for = checkup.repl_command is not None or checkup.project is not None
        none = "none" if asked_for else "none: backend='auto' is the embedded Lean"
        yield Line("REPL", none, INSTALL, optional=not asked_for)
        return
    found = search.found
    yield Line("REPL", f"{' '.join(found.command)} (from {found.source})")
    if shutil.which(found.command[0]) is None:
        yield Line("REPL", f"{found.command[0]!r} is no program that can be run", INSTALL)
        return
    yield Line("REPL version", repl_version(found))
    built_for = toolchain(found.directory)
    if built_for is not None:
        yield Line("REPL toolchain", built_for)
    lean_path = None
    if checkup.project is not None:
        try:
            lean_path = project_lean_path(checkup.project)
        except BackendUnavailable as error:
            yield Line("project", str(error), _project_remedy(checkup.project))
            return
        yield from _project_lines(checkup.project, built_for, lean_path)
    yield from _start_lines(checkup, found, lean_path, "auto" if problem is None else "off")


def _kernel_line() -> Line:
    """Have Lean's own kernel, if its library is here, check a declaration."""
    subject = "Lean's kernel"
    try:
        library = find_library()
    except BackendUnavailable as error:
        return Line(subject, "none", f"{error}", optional=True)
    with tempfile.NamedTemporaryFile("w", suffix=".ndjson", encoding="utf-8") as file:
        file.write(_EXPORT)
        file.flush()
        kernel = LeanKernelProcess()
        try:
            found = kernel.answer([file.name], time.monotonic() + _ASK_SECONDS)
        except BackendError as error:
            return Line(subject, str(error), f"name another library in {VARIABLE}, or unset it")
        finally:
            kernel.close()
    accepted = (
        "asked under verify='independent'; its tactics: backend='lean'"
        if found["accepted"]
        else f"refuses: {found['reason']}"
    )
    return Line(subject, f"Lean {found['lean']}, {library}, {accepted}")


def _trainers_line() -> Line:
    found = {package: _installed(package) for package in ("torch", "transformers", "trl")}
    text = ", ".join(f"{package} {what}" for package, what in found.items())
    if _MISSING not in found.values():
        return Line("trainers", text)
    return Line(
        "trainers", text, "to train and measure policies: pip install 'lean-gym[train]'", optional=True
    )


def repl_version(found: FoundRepl) -> str:
    """Return the REPL's answer to `--version`, if it looks like a version."""
    process = ReplProcess([*found.command, "--version"], found.directory)
    try:
        said = process.first_line(_VERSION_SECONDS)
    except BackendError:
        said = ""
    finally:
        process.close()
    return said if _REPL_VERSION.fullmatch(said) else "unknown (it does not answer --version)"


def _project_remedy(project: str) -> str:
    if not has_lakefile(project):
        return "pass --project with the folder of the lakefile"
    if shutil.which("lake") is None:
        return "install Lean's toolchain manager elan"
    return f"cd {project} && lake exe cache get && lake build"


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


def _start_lines(checkup: Checkup, found: FoundRepl, lean_path: str | None, sandbox: str) -> Iterator[Line]:
    settings = ReplSettings(
        found,
        lean_path=lean_path,
        directory=checkup.project,
        sandbox=sandbox,
        start_seconds=checkup.start_seconds,
    )
    try:
        repl = Repl(settings, checkup.imports)
    except BackendUnavailable as error:
        yield Line("start", str(error), INSTALL)
        return
    try:
        yield Line("start", f"imports {' '.join(checkup.imports)} in {_cost(repl)}")
        yield Line("second start", _second_start(settings, checkup.imports, repl))
        yield Line("Lean", lean_version(repl))
        yield from _ability_lines(repl)
    except BackendOutdated as error:
        yield Line("start", str(error), INSTALL)
    except BackendError as error:
        by_hand = " ".join((*found.command, *checkup.imports))
        remedy = f"run `{by_hand}` yourself: it must say {READY!r}; the versions above must agree"
        if checkup.project is None and checkup.imports != ("Init",):
            remedy = "pass --project with the folder of a built Lake project"
        yield Line("start", str(error), remedy)
    finally:
        repl.close()


def _second_start(settings: ReplSettings, imports: tuple[str, ...], first: Repl) -> str:
    """Return the cost of one more process: each set of imports has one for episodes per worker, and judges."""
    second = Repl(settings, imports, first.dialect)
    try:
        return f"beside the first in {_cost(second)}; {_SHARE}"
    finally:
        second.close()


def _cost(repl: Repl) -> str:
    """Wait until a process is ready, and return the seconds that took and the memory that it has."""
    began = time.monotonic()
    repl.ready()
    seconds = time.monotonic() - began
    memory = repl.process.memory.read()
    return f"{seconds:.1f} s, {memory.own:.0f} MiB of its own and {memory.files:.0f} MiB of files that processes share"


def lean_version(repl: Repl) -> str:
    """Lean's own version, as the REPL's Lean prints it."""
    answer = repl.limited("frontend.process", {"file": "#eval Lean.versionString\n"}, _ASK_SECONDS)
    if "units" not in answer:
        return f"unknown: `frontend.process` answered {answer.get('desc')!r}"
    texts = [text for _, texts, _ in read_units(answer) for text in texts]
    found = _VERSION.search(texts[0]) if texts else None
    return found[1] if found is not None else "unknown: it does not evaluate `Lean.versionString`"


def _ability_lines(repl: Repl) -> Iterator[Line]:
    dialect = repl.dialect
    if dialect.lacks_for_full is None:
        how = "frontend.track" if dialect.compared_by == "track" else "env.inspect"
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
        return _MISSING
