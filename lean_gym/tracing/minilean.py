"""Traces by the embedded Lean: of a project's files, and of its own library."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from lean_gym.errors import DataError
from lean_gym.tracing.planning import OtherProver, Plan, PlannedFile, file_key
from lean_gym.tracing.records import (
    CLOSE,
    OPEN,
    FileError,
    FileRecord,
    Lines,
    PremiseRecord,
    TacticRecord,
    TheoremRecord,
)
from minilean.api import (
    Declared,
    FileRunner,
    LeanEnv,
    LibraryTracer,
    Message,
    Project,
    ProjectError,
    Report,
    Scope,
    SourceFile,
    TacticStep,
    Trace,
    TracedTheorem,
    TracingRunner,
    block_text,
    declarations,
    is_library,
    library_files,
    library_key,
    library_path,
    read_project,
    run_nested,
    split_header,
    without_header,
)

MODULE: Final = "Init"
"""The module of the library."""
LIBRARY_NAME: Final = "minilean"
"""Source of a trace that stands for the library."""


def premise_records(declared: list[Declared], lines: Lines) -> tuple[PremiseRecord, ...]:
    """Return the declarations of a file with their positions."""
    return tuple(
        PremiseRecord(row.name, row.code, lines(row.start), lines(row.end), row.kind) for row in declared
    )


def theorem_record(theorem: TracedTheorem, text: str, lines: Lines) -> TheoremRecord:
    """Return the record of a theorem of a file."""
    proof = block_text(text, *theorem.script) if theorem.script else ""
    return TheoremRecord(
        theorem.name,
        theorem.statement,
        lines(theorem.start),
        lines(theorem.end),
        theorem.has_sorry,
        proof,
        theorem.start,
        theorem.stands_alone,
        tuple(tactic_record(step, text) for step in theorem.steps),
    )


def tactic_record(step: TacticStep, text: str) -> TacticRecord:
    """Return the record of a tactic of a file."""
    marks = [mark for mention in step.mentions for mark in ((mention.start, OPEN), (mention.end, CLOSE))]
    return TacticRecord(
        block_text(text, step.start, step.end),
        block_text(text, step.start, step.end, marks),
        tuple(mention.constant for mention in step.mentions),
        step.used,
        step.before,
        step.after,
    )


def file_record(plan: PlannedFile, text: str, trace: Trace, messages: Sequence[Message] = ()) -> FileRecord:
    """Return the record of a file."""
    lines = Lines(text)
    return FileRecord(
        plan.path,
        plan.module,
        plan.imports,
        plan.key,
        premise_records(trace.declared, lines),
        tuple(theorem_record(theorem, text, lines) for theorem in trace.theorems),
        tuple(FileError(message.text, (message.line, message.column + 1)) for message in messages),
    )


@cache
def library_corpus() -> tuple[FileRecord, ...]:
    """Return the declarations of minilean's library, file by file, without their proofs."""
    records: list[FileRecord] = []
    for path in library_files():
        text = path.read_text("utf-8")
        imports = (records[-1].path,) if records else ()
        premises = premise_records(list(declarations(text)), Lines(text))
        records.append(FileRecord(library_path(path.name), MODULE, imports, "", premises))
    return tuple(records)


class OwnLibrary:
    """`Tracer` of minilean's library, which is proved anew for it."""

    def __init__(self) -> None:
        self._tracer = LibraryTracer()

    def trace(self, plan: PlannedFile) -> FileRecord:
        """Trace a file after all before it. See `Tracer.trace`."""
        text, trace = self._tracer.trace(plan.path.removeprefix(library_path("")))
        return file_record(plan, text, trace)


class ProjectFiles:
    """`Tracer` of the files of a project.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        files = read_project(root).files
        self._traced = ""
        self._project = Project(root, files, lenient=True, make_runner=self._runner)

    def _runner(self, source: SourceFile, env: LeanEnv, scope: Scope, report: Report) -> FileRunner:
        if source.module == self._traced:
            text = without_header(source.text, split_header(source.text)[1])
            return TracingRunner(env, text, scope=scope, report=report)
        return FileRunner(env, run_nested, scope=scope, report=report)

    def trace(self, plan: PlannedFile) -> FileRecord:
        """Trace a file on the environment of its imports, which are run where they were not. See `Tracer.trace`."""
        self._traced = plan.module
        try:
            module = self._project.load(plan.module)
        except ProjectError as error:
            return FileRecord(plan.path, plan.module, plan.imports, plan.key, errors=(FileError(str(error)),))
        assert isinstance(module.runner, TracingRunner)
        return file_record(plan, module.source.text, module.runner.trace, module.errors)


def plan_library() -> Plan:
    """Return the files of minilean's library, each importing the one before it."""
    files: list[PlannedFile] = []
    for path in library_files():
        before = files[-1:]
        imports = tuple(file.path for file in before)
        key = file_key(path.read_text("utf-8"), [tracer_key(), *(file.key for file in before)])
        files.append(PlannedFile(library_path(path.name), MODULE, imports, key))
    return Plan(tuple(files), {}, OwnLibrary)


def plan_project(root: Path, other: OtherProver | None = None) -> Plan:
    """Return the files of a project.

    Args:
        root: Its folder.
        other: A prover that knows the modules of other packages; `None` for minilean, for which a file that imports
            one is left out.

    Raises:
        DataError: There is no such folder, or its lakefile is damaged.
    """
    try:
        sources = read_project(root, with_packages=other is not None)
    except ProjectError as error:
        raise DataError(f"trace: {error}") from None
    prover = tracer_key() if other is None else f"{tracer_key()} {other.key}"
    files: dict[str, PlannedFile] = {}
    for module, source in sources.files.items():
        imports = [files[name] for name in source.imports]
        key = file_key(source.text, [prover, *(file.key for file in imports)])
        files[module] = PlannedFile(source.path, module, tuple(file.path for file in imports), key)
    tracer = partial(ProjectFiles, root) if other is None else other.tracer(tuple(files))
    return Plan(tuple(files.values()), dict(sources.left_out), tracer)


def is_own_library(source: str) -> bool:
    """Return whether a source of a trace is minilean's library: its name, or its folder."""
    return source == LIBRARY_NAME or is_library(Path(source))


@cache
def tracer_key() -> str:
    """Return the hash of all code that decides what a trace holds."""
    folder = Path(inspect.getfile(TracingRunner)).parent
    code = [path.read_bytes() for path in [*sorted(folder.glob("*.py")), Path(__file__)]]
    return hashlib.sha256(library_key(library_files()).encode() + b"\0".join(code)).hexdigest()
