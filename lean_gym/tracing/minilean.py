"""Traces by the embedded Lean: of a project's files, and of its own library."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from lean_gym.tracing.records import (
    CLOSE,
    OPEN,
    FileRecord,
    Position,
    PremiseRecord,
    TacticRecord,
    TheoremRecord,
)
from minilean.library.load import library_files
from minilean.project.declared import Declared, declarations
from minilean.project.library import LibraryTracer, library_path
from minilean.project.recording import TacticStep, block_text
from minilean.project.traced import Trace, TracedTheorem

MODULE = "Init"
"""The module of the library."""


class Lines:
    """Positions in a text: line and column of an offset, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(index + 1 for index, char in enumerate(text) if char == "\n")]

    def __call__(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


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
        tuple(tactic_record(step, text) for step in theorem.steps),
    )


def tactic_record(step: TacticStep, text: str) -> TacticRecord:
    """Return the record of a tactic of a file."""
    marks = [
        mark for mention in step.mentions for mark in ((mention.start, OPEN), (mention.end, CLOSE))
    ]
    return TacticRecord(
        block_text(text, step.start, step.end),
        block_text(text, step.start, step.end, marks),
        tuple(mention.constant for mention in step.mentions),
        step.used,
        step.before,
        step.after,
    )


def file_record(path: str, module: str, imports: tuple[str, ...], key: str, text: str, trace: Trace) -> FileRecord:
    """Return the record of a file."""
    lines = Lines(text)
    return FileRecord(
        path,
        module,
        imports,
        key,
        premise_records(trace.declared, lines),
        tuple(theorem_record(theorem, text, lines) for theorem in trace.theorems),
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


def trace_library() -> Iterator[FileRecord]:
    """Yield the records of the files of minilean's library, which is proved anew for it."""
    tracer = LibraryTracer()
    before: tuple[str, ...] = ()
    key = ""
    for path in library_files():
        text, trace = tracer.trace(path.name)
        key = hashlib.sha256(f"{key}\0{text}".encode()).hexdigest()
        yield file_record(library_path(path.name), MODULE, before, key, text, trace)
        before = (library_path(path.name),)
