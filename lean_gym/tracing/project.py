"""Tracing of a whole project: changed files only, several at once, into one data set.

from lean_gym.tracing import trace
summary = trace("https://host/owner/project@v1.0", "traced/project", jsonl=True)
"""

from __future__ import annotations

import hashlib
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets.traced import EPISODES
from lean_gym.errors import DataError, unknown_name
from lean_gym.tracing.episodes import write_episodes
from lean_gym.tracing.folder import RECORDS, alone_in, remove_left_over
from lean_gym.tracing.layout import Origin, write_layout
from lean_gym.tracing.minilean import LIBRARY_NAME, is_own_library, library_corpus, plan_library, plan_project
from lean_gym.tracing.pantograph import other_packages, repl_prover
from lean_gym.tracing.planning import Plan, PlannedFile, Tracer
from lean_gym.tracing.records import FileError, FileRecord, read_record, write_record
from lean_gym.tracing.sources import Source, find_source

MINILEAN: Final = "minilean"
BACKENDS: Final = (MINILEAN, "pantograph")
OnProgress = Callable[[int, int, str], None]
"""Takes the number of files done, the number of all files, and the path of the last one."""


@dataclass(frozen=True, slots=True)
class FileState:
    """Result for one file.

    Attributes:
        path: Its path in the project.
        status: `traced`; `kept` from an earlier run; `failed`, when the prover refused a part of it, and the rest is
            in the data set; `left out`, when it could not be read or imported; `not traced`, when the run was ended.
        reason: The first error in one line, with the number of others; `""` without any.
    """

    path: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Result of a run: the data set, each file, and the counts in `metadata.json`."""

    out: Path
    files: tuple[FileState, ...]
    counts: Mapping[str, int]


def trace(
    source: str | Path,
    out: str | Path,
    *,
    jsonl: bool = False,
    jobs: int = 1,
    backend: str = MINILEAN,
    backend_options: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> Summary:
    """Trace a project into a data set in LeanDojo's layout.

    Files whose text, imports and tracer are those of an earlier run into the same folder are not traced again. A file
    that cannot be traced does not stop the others: it is listed in `metadata.json`.

    Args:
        source: A folder, with a lakefile or without; a git repository as `URL@COMMIT` or `FOLDER@COMMIT`, where
            without `@COMMIT` the URL's default branch is meant; or `"minilean"`, the embedded Lean's own library.
        out: Folder of the data set.
        jsonl: Write the theorems as episodes too, so that `load_theorems(out)` reads them; a folder that has them
            gets them again in any case.
        jobs: Number of processes.
        backend: `"minilean"`, or `"pantograph"` for real Lean and a project that `lake build` has compiled; it tells
            less, see `lean_gym.tracing.pantograph`.
        backend_options: For real Lean: `repl_command`, `lean_path`, `sandbox` and `start_seconds`.
        on_progress: Called after each file.

    Raises:
        DataError: The source cannot be found, or has no Lean file; or another process traces into the same folder.
        OSError: The folder cannot be written.
        BackendUnavailable: There is no REPL for real Lean.
        ValueError: `jobs` is not positive, or there is no such backend or option.
        KeyboardInterrupt: The run was ended; what was traced before is in the data set.
    """
    if jobs < 1:
        raise ValueError(f"jobs: got {jobs}, expected at least 1")
    if backend not in BACKENDS:
        raise ValueError(unknown_name("backend", backend, BACKENDS))
    own = backend == MINILEAN and is_own_library(str(source))
    found = find_source(str(source)) if not own else None
    if found is None:
        plan = plan_library()
    elif backend == MINILEAN:
        plan = plan_project(found.root)
    else:
        plan = plan_project(found.root, repl_prover(found.root, dict(backend_options or {})))
    if not plan.files and not plan.left_out:
        raise DataError(f"trace: {source} has no .lean file")
    folder = Path(out)
    if found is not None and folder.resolve() == found.root.resolve():
        raise DataError(f"trace: {out} is the folder of the project; give the data set a folder of its own")
    folder.mkdir(parents=True, exist_ok=True)
    with alone_in(folder):
        return _traced_into(folder, plan, found, jsonl, 1 if own else jobs, backend, on_progress)


def _traced_into(
    folder: Path,
    plan: Plan,
    found: Source | None,
    jsonl: bool,
    jobs: int,
    backend: str,
    on_progress: OnProgress | None,
) -> Summary:
    """Trace the files of a plan that have changed, and write the data set; see `trace`."""
    kept = _kept(folder, plan.files)
    states = {
        file.path: FileState(file.path, "kept", _reason(kept[file.path]))
        for file in plan.files
        if file.path in kept
    }
    states |= {path: FileState(path, "left out", reason) for path, reason in plan.left_out.items()}
    todo = [file for file in plan.files if file.path not in kept]
    records = dict(kept)
    interrupted = False
    try:
        for record in _traced(plan, todo, jobs):
            records[record.path] = record
            status = "failed" if record.errors else "traced"
            states[record.path] = FileState(record.path, status, _reason(record))
            write_record(_record_file(folder, record.path), record)
            if on_progress is not None:
                on_progress(len(records), len(plan.files), record.path)
    except KeyboardInterrupt:
        interrupted = True
    for file in plan.files:
        states.setdefault(file.path, FileState(file.path, "not traced", "the run was ended"))
    files = [records[file.path] for file in plan.files if file.path in records]
    ordered = tuple(states[path] for path in sorted(states))
    origin = _origin(found, plan)
    metadata = {
        "backend": backend,
        "missing": sorted({line for file in files for line in file.missing}),
        "interrupted": interrupted,
        "files": [{"path": state.path, "status": state.status, "reason": state.reason} for state in ordered],
    }
    around = () if found is None else library_corpus() if backend == MINILEAN else other_packages(files)
    content = write_layout(folder, files, around, origin, metadata)
    if jsonl or (folder / EPISODES).is_file():
        write_episodes(folder, files, None if found is None else found.root, origin, backend == MINILEAN)
    remove_left_over(folder, {_record_file(folder, file.path) for file in plan.files})
    if interrupted:
        raise KeyboardInterrupt
    return Summary(folder, ordered, content["counts"])


def _origin(found: Source | None, plan: Plan) -> Origin:
    """Return the project's repository; what is no commit of one has a hash of its files instead."""
    content = hashlib.sha256("".join(file.key for file in plan.files).encode()).hexdigest()[:40]
    if found is None:
        return Origin(LIBRARY_NAME, content)
    return Origin(found.url, found.commit or content)


def _record_file(folder: Path, path: str) -> Path:
    return folder / RECORDS / f"{path}.json"


def _kept(folder: Path, files: Sequence[PlannedFile]) -> dict[str, FileRecord]:
    """Return the records of earlier runs that are still valid."""
    found = {file.path: read_record(_record_file(folder, file.path)) for file in files}
    keys = {file.path: file.key for file in files}
    return {path: record for path, record in found.items() if record is not None and record.key == keys[path]}


def _reason(record: FileRecord) -> str:
    if not record.errors:
        return ""
    more = len(record.errors) - 1
    return f"{record.errors[0]}" + (f" (and {more} more)" if more else "")


def _traced(plan: Plan, todo: Sequence[PlannedFile], jobs: int) -> Iterator[FileRecord]:
    if not todo:
        return
    if jobs == 1:
        tracer = plan.tracer()
        for file in todo:
            yield _safely(tracer, file)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start_worker, (plan.tracer,)) as pool:
        running = {pool.submit(_in_worker, file): file for file in todo}
        try:
            for future in as_completed(running):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    yield _lost(
                        running[future], "a process of the trace has died; trace again with fewer jobs"
                    )
        finally:
            pool.shutdown(cancel_futures=True)


def _safely(tracer: Tracer, file: PlannedFile) -> FileRecord:
    """Trace a file; a failure of the tracer itself becomes the file's error."""
    try:
        return tracer.trace(file)
    except Exception as error:
        return _lost(file, f"internal error: {type(error).__name__}: {error}")


def _lost(file: PlannedFile, reason: str) -> FileRecord:
    # without a key, so that the next run tries again
    return FileRecord(file.path, file.module, file.imports, "", errors=(FileError(reason),))


_worker: list[Tracer] = []
"""The tracer of this process, in a worker."""


def _start_worker(make: Callable[[], Tracer]) -> None:
    # Ctrl-C in a terminal reaches all processes: the first one tells what was traced, the others end in silence
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _worker.append(make())


def _in_worker(file: PlannedFile) -> FileRecord:
    return _safely(_worker[0], file)
