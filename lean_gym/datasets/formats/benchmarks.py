"""Benchmarks for real Lean, in the layouts that they are published in. None of their text is part of this project.

    load_minif2f      folders of Lean files (one a split or one a theorem) or JSONL rows
    load_proofnet     one Lean file a textbook, or JSONL rows
    load_putnambench  one Lean file a problem, answers as comments behind their placeholders, or rows
    load_leandojo     traced theorems of a repository, see `leandojo`

Each takes a folder, a file or the id of a Hugging Face data set, and returns theorems with imports and context apart
and with the versions of Lean and Mathlib that the project's own files state.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets.formats.hub import hub_rows, is_saved_dataset
from lean_gym.datasets.formats.lean_source import theorems_in
from lean_gym.datasets.formats.leandojo import leandojo_problems
from lean_gym.datasets.formats.problems import (
    BenchmarkSet,
    Failure,
    FoundStatement,
    benchmark_set,
    usable_theorems,
)
from lean_gym.datasets.formats.rows import PUBLISHED_STATEMENTS
from lean_gym.datasets.formats.toolchain import Versions, lean_version, project_versions
from lean_gym.datasets.splits import split_word
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import Theorem

_STATEMENT_FIELDS: Final = (*PUBLISHED_STATEMENTS, "statement")
_HEADER_FIELDS: Final = ("header", "lean4_src_header", "lean4_header", "helper")
_NAME_FIELDS: Final = ("name", "id", "problem_name", "full_name", "problem_id", "uuid")
_LEAN_FIELDS: Final = ("lean_version", "lean4_version", "lean_toolchain")
_MATHLIB_FIELDS: Final = ("mathlib_revision", "mathlib_commit", "mathlib_version")
# Where the Lean files are, most specific first.
_LEAN_FOLDERS: Final = {
    "minif2f": ("MiniF2F", "."),
    "proofnet": ("formal", "."),
    "putnambench": ("lean4/src", "src", "."),
}
# A part of the path of some Lean file of the benchmark, where there is one, and its wording for messages.
_MARKS: Final[Mapping[str, tuple[Callable[[str], object], str]]] = {
    "minif2f": (split_word, "for a split, such as MiniF2F/Test.lean"),
    "putnambench": (lambda path: "putnam" in path.lower(), "for a problem, such as putnam_1962_a1.lean"),
}
_NOT_STATEMENTS: Final = ("lakefile.lean",)
_DEFAULT_IMPORTS: Final = ("Mathlib",)


def load_minif2f(place: str | os.PathLike[str], split: str | None = None) -> list[Theorem]:
    """Load miniF2F.

    Args:
        place: A folder with `MiniF2F/Valid.lean`, `MiniF2F/Test.lean` or such folders; a JSONL file or a folder with
            one, rows having `formal_statement` and maybe `name`, `header`, `split`; or a hub id.
        split: `"valid"` or `"test"`; `None` for both.

    Returns:
        The usable theorems in order; a warning tells what is left out.

    Raises:
        DataError: Nothing there can be read or used.
    """
    return usable_theorems("minif2f", read_benchmark("minif2f", place, split))


def load_proofnet(place: str | os.PathLike[str], split: str | None = None) -> list[Theorem]:
    """Load ProofNet. Names carry their textbook, as exercise numbers repeat.

    Args:
        place: A folder with a JSONL file or with `formal/TEXTBOOK.lean`; a JSONL file, rows having `formal_statement`
            or `lean4_formalization` and maybe `name` or `id`, `header` or `lean4_src_header`, `split`; or a hub id.
        split: `"valid"` or `"test"`; `None` for all.

    Returns:
        As `load_minif2f`.

    Raises:
        DataError: As `load_minif2f`.
    """
    return usable_theorems("proofnet", read_benchmark("proofnet", place, split))


def load_putnambench(place: str | os.PathLike[str], split: str | None = None) -> list[Theorem]:
    """Load PutnamBench. A placeholder `abbrev ..._solution := sorry` gets the answer that stands behind it.

    Args:
        place: A folder with `lean4/src/*.lean`, that folder, one of its files, or rows as for `load_minif2f`.
        split: A split of the rows; the Lean files have none.

    Returns:
        As `load_minif2f`; placeholders without an answer are left out.

    Raises:
        DataError: As `load_minif2f`.
    """
    return usable_theorems("putnambench", read_benchmark("putnambench", place, split))


def load_leandojo(
    place: str | os.PathLike[str],
    split: str | None = None,
    strategy: str = "random",
    checkout: str | os.PathLike[str] | None = None,
) -> list[Theorem]:
    """Load LeanDojo Benchmark 4, or any data set in its layout.

    Args:
        place: The folder with `corpus.jsonl` and `random/train.json` and so on, or one strategy's folder.
        split: `"train"`, `"valid"` (the file `val.json`) or `"test"`; `None` for all.
        strategy: How the theorems were split, the name of a folder: `"random"` or `"novel_premises"`.
        checkout: The traced repository at the traced commit. With it each theorem gets the file before it as its
            context, which is exact; without it statements that lean on `variable` or `open` commands do not start.

    Returns:
        As `load_minif2f`, with reference proofs where the trace is one straight script.

    Raises:
        DataError: As `load_minif2f`.
    """
    found = read_benchmark("leandojo", place, split, strategy=strategy, checkout=checkout)
    return usable_theorems("leandojo", found)


def layout_names() -> tuple[str, ...]:
    """The layouts that `load_theorems("LAYOUT:PLACE")` knows, sorted."""
    return ("leandojo", *sorted(_LEAN_FOLDERS))


def cut_layout(source: str) -> tuple[str, str] | None:
    """`"LAYOUT:PLACE"` as its two parts; `None` when the text before the first colon is no layout."""
    layout, colon, place = source.partition(":")
    return (layout, place) if colon and place and layout in layout_names() else None


def read_benchmark(
    layout: str,
    place: str | os.PathLike[str],
    split: str | None = None,
    *,
    strategy: str = "random",
    checkout: str | os.PathLike[str] | None = None,
) -> BenchmarkSet:
    """Read a benchmark with all that cannot be used.

    Args:
        layout: One of `layout_names()`.
        place: A folder, a file or a hub id.
        split: Keep this split only; `None` keeps all.
        strategy: As for `load_leandojo`; other layouts have none.
        checkout: As for `load_leandojo`; other layouts need none.

    Returns:
        The theorems, and the failures with their reasons. Lean does not check the statements here.

    Raises:
        DataError: An unknown layout, or nothing there can be read.
    """
    if layout not in layout_names():
        raise DataError(unknown_name("benchmark layout", layout, layout_names()))
    place = os.path.expanduser(place)
    if layout == "leandojo":
        problems = leandojo_problems(Path(place), strategy, None if checkout is None else Path(checkout))
        return benchmark_set(layout, problems, split)
    return benchmark_set(layout, _problems(layout, place), split)


def _problems(layout: str, place: str) -> Iterator[FoundStatement | Failure]:
    path = Path(place)
    if path.is_file():
        if path.suffix not in (".jsonl", ".lean"):
            raise DataError(f"{place}: got a {path.suffix or 'plain'} file, expected .jsonl or .lean")
        versions = project_versions(path.parent)
        if path.suffix == ".lean":
            return _from_lean_files(layout, path.parent, [path], versions)
        return _from_rows(_jsonl_rows([path], path.parent), versions)
    if path.is_dir():
        return _from_folder(layout, path)
    # A hub id is OWNER/NAME; anything else must be meant as a path, and so must a name in a folder that exists.
    if path.is_absolute() or place.startswith(".") or place.count("/") != 1 or path.parent.is_dir():
        raise DataError(f"{layout}: {place!r} does not exist; expected a folder, a .jsonl file or a hub id")
    return _from_rows(_hub_rows(place), Versions())


def _from_folder(layout: str, folder: Path) -> Iterator[FoundStatement | Failure]:
    versions = project_versions(folder)
    if is_saved_dataset(folder):
        return _from_rows(_hub_rows(str(folder)), versions)
    tables = _data_files(folder)
    if tables:
        return _from_rows(_jsonl_rows(tables, folder), versions)
    for inner in _LEAN_FOLDERS[layout]:
        files = _visible(folder / inner, "*.lean")
        marked, named = _MARKS.get(layout, (bool, ""))
        if files and not any(marked(str(file.relative_to(folder))) for file in files):
            raise DataError(
                f"{layout}: {str(folder)!r} holds {len(files)} .lean files, none named {named}; "
                "give the benchmark's own folder"
            )
        if files:
            return _from_lean_files(layout, folder, files, versions)
    if _visible(folder, "*.parquet"):
        return _from_rows(_hub_rows(str(folder)), versions)
    raise DataError(f"{layout}: {str(folder)!r} holds no .jsonl, .lean or .parquet file")


def _data_files(folder: Path) -> list[Path]:
    """The JSONL files of a folder: one for each split, or a single one."""
    files = _visible(folder, "*.jsonl")
    if len(files) > 1 and not all(split_word(file.stem) for file in files):
        shown = ", ".join(str(file.relative_to(folder)) for file in files[:4])
        raise DataError(f"{folder}: holds {len(files)} .jsonl files ({shown}); give the path of one")
    return files


def _visible(folder: Path, pattern: str) -> list[Path]:
    """The files below a folder in order, without Lake's own and hidden ones."""
    return sorted(
        file
        for file in folder.rglob(pattern)
        if file.name not in _NOT_STATEMENTS
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _from_lean_files(
    layout: str, folder: Path, files: list[Path], versions: Versions
) -> Iterator[FoundStatement | Failure]:
    for file in files:
        inner = file.relative_to(folder)
        try:
            source = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            yield Failure(file.stem, str(inner), f"cannot be read: {error}")
            continue
        for theorem in theorems_in(source):
            yield FoundStatement(
                name=f"{file.stem}_{theorem.name}" if layout == "proofnet" else theorem.name,
                statement=theorem.statement,
                context=theorem.context,
                imports=theorem.imports,
                where=f"{inner}, line {theorem.line}",
                split=split_word(str(inner.with_suffix(""))) if layout == "minif2f" else "",
                versions=versions,
            )


_Row = tuple[str, str, Mapping[str, Any]]
"""Split, place and fields."""


def _jsonl_rows(files: list[Path], folder: Path) -> Iterator[_Row | Failure]:
    for file in files:
        inner = file.relative_to(folder)
        for number, line in enumerate(file.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
            if not line.strip():
                continue
            where = f"{inner}, line {number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield Failure(f"line {number}", where, f"not JSON: {error}")
                continue
            if isinstance(row, dict):
                yield split_word(str(inner.with_suffix(""))), where, row
            else:
                yield Failure(f"line {number}", where, f"got {type(row).__name__}, expected an object")


def _hub_rows(place: str) -> Iterator[_Row]:
    for split, number, row in hub_rows(place):
        yield split_word(split) or split, f"{place}, {split or 'row'} {number}", row


def _from_rows(rows: Iterator[Any], versions: Versions) -> Iterator[FoundStatement | Failure]:
    for entry in rows:
        if isinstance(entry, Failure):
            yield entry
            continue
        split, where, row = entry
        name = _first(row, _NAME_FIELDS)
        statement = _first(row, _STATEMENT_FIELDS)
        if not statement:
            wanted = f"expected one of {', '.join(_STATEMENT_FIELDS)}"
            yield Failure(name or where, where, f"no statement among the fields {', '.join(row)}; {wanted}")
            continue
        header = [row[key].strip() for key in _HEADER_FIELDS if isinstance(row.get(key), str)]
        declared = list(theorems_in("\n\n".join([*filter(None, header), statement.strip()])))
        if not declared:
            yield Failure(name or where, where, f"no theorem is declared in {statement[:80]!r}")
            continue
        theorem = declared[-1]
        yield FoundStatement(
            name=name or theorem.name,
            statement=theorem.statement,
            context=theorem.context,
            imports=theorem.imports or _DEFAULT_IMPORTS,
            where=where,
            split=split_word(str(row.get("split") or "")) or split,
            versions=_row_versions(row, versions),
        )


def _row_versions(row: Mapping[str, Any], otherwise: Versions) -> Versions:
    return Versions(
        lean_version(_first(row, _LEAN_FIELDS)) or otherwise.lean,
        _first(row, _MATHLIB_FIELDS) or otherwise.mathlib,
    )


def _first(row: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(row[key]) for key in keys if isinstance(row.get(key), str | int) and row[key] != ""), "")
