"""The layout of LeanDojo Benchmark 4: theorems of a repository, traced tactic by tactic.

    corpus.jsonl                      a line per Lean file: path, imports, premises (full_name, code without proof)
    metadata.json                     where it was traced
    random/{train,val,test}.json      theorems: url, commit, file_path, full_name, start, end, traced_tactics
    novel_premises/{...}.json         the same theorems, split so that tests need premises not seen in training

A row has no imports and, but for later versions (`theorem_statement`), no statement: both come from the corpus, or from
a checkout of the repository. The module that holds a theorem is never among its imports: the theorem would prove
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lean_gym.datasets.formats.lean_source import SourceTheorem, theorem_at, theorems_in
from lean_gym.datasets.formats.leandojo_steps import CORPUS, corpus_rows, table_rows
from lean_gym.datasets.formats.problems import Failure, FoundStatement
from lean_gym.datasets.formats.toolchain import Versions, project_versions
from lean_gym.datasets.splits import split_word
from lean_gym.errors import DataError, unknown_name

_FILES: Final = ("train.json", "val.json", "test.json")
_OWN_LIBRARY: Final = "minilean/library/"
_PACKAGE_FOLDERS: Final = re.compile(r"^(?:.*/)?(?:packages/[^/]+|lake-packages/[^/]+|src/lean)/")


@dataclass(frozen=True, slots=True)
class _CorpusFile:
    imports: tuple[str, ...]
    code: Mapping[str, str]


def leandojo_problems(
    folder: Path, strategy: str, checkout: Path | None
) -> Iterator[FoundStatement | Failure]:
    """The theorems of a traced data set.

    Args:
        folder: The data set, or one strategy's folder of it.
        strategy: Name of the strategy's folder.
        checkout: The traced repository, `None` to take imports and statements from the corpus.

    Returns:
        The problems, file by file.

    Raises:
        DataError: There is no such folder, no such strategy, or neither corpus nor checkout.
    """
    tables = _tables(folder, strategy)
    if checkout is not None and not checkout.is_dir():
        raise DataError(
            f"leandojo: the checkout {str(checkout)!r} does not exist; expected the traced repository"
        )
    root = folder if (folder / CORPUS).is_file() else folder.parent
    corpus_file = root / CORPUS
    if checkout is None and not corpus_file.is_file():
        raise DataError(
            f"leandojo: {str(folder)!r} has no corpus.jsonl, which tells each theorem's imports and statement; add it, "
            "or give a checkout of the traced repository"
        )
    rows = [
        (split_word(table.stem), number, row)
        for table in tables
        for number, (_, row) in enumerate(table_rows(table))
    ]
    if checkout is not None:
        return _from_checkout(rows, checkout)
    return _from_corpus(rows, _read_corpus(root, rows))


_Rows = Sequence[tuple[str, int, Mapping[str, Any]]]
"""Split, number and fields."""


def _tables(folder: Path, strategy: str) -> list[Path]:
    if not folder.is_dir():
        raise DataError(
            f"leandojo: {str(folder)!r} is no folder; expected the unpacked data set, with corpus.jsonl and random/"
        )
    known = sorted(
        inner.name for inner in folder.iterdir() if any((inner / name).is_file() for name in _FILES)
    )
    if known and strategy not in known:
        raise DataError(f"leandojo: {unknown_name('strategy', strategy, known)}")
    place = folder / strategy if known else folder
    tables = [place / name for name in _FILES if (place / name).is_file()]
    if not tables:
        raise DataError(f"leandojo: {str(place)!r} holds none of {', '.join(_FILES)}")
    return tables


def _read_corpus(folder: Path, rows: _Rows) -> dict[str, _CorpusFile]:
    """The corpus, as far as the rows need it."""
    wanted: dict[str, set[str]] = {}
    for _, _, row in rows:
        wanted.setdefault(str(row.get("file_path")), set()).add(str(row.get("full_name")))
    files = {}
    for place, entry in corpus_rows(folder):
        try:
            path = str(entry["path"])
            if path not in wanted:
                continue
            files[path] = _CorpusFile(
                tuple(dict.fromkeys(_module(str(imported)) for imported in entry["imports"])),
                {
                    str(premise["full_name"]): str(premise["code"])
                    for premise in entry["premises"]
                    if premise["full_name"] in wanted[path]
                },
            )
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{place}: expected an object with 'path', 'imports' and 'premises' ({type(error).__name__}: {error})"
            ) from error
    return files


def _from_corpus(rows: _Rows, corpus: Mapping[str, _CorpusFile]) -> Iterator[FoundStatement | Failure]:
    for split, number, row in rows:
        name, path, where = _place(split, number, row)
        file = corpus.get(path)
        code = "" if file is None else file.code.get(name, "")
        code = str(row.get("theorem_statement") or code).strip()
        if file is None or not code:
            yield Failure(name, where, f"the corpus has no {'statement of it' if file else f'file {path!r}'}")
            continue
        declared = list(theorems_in(code))
        if not declared:
            yield Failure(name, where, f"no theorem is declared in {code[:80]!r}")
            continue
        # `theorem A.b` is elaborated inside the namespace `A`, so the full name stands for the namespaces around it.
        versions = Versions(mathlib=_mathlib_commit(row))
        yield _problem(name, declared[-1], file.imports, where, split, row, versions)


def _from_checkout(rows: _Rows, checkout: Path) -> Iterator[FoundStatement | Failure]:
    pinned = project_versions(checkout)
    sources: dict[str, str | None] = {}
    for split, number, row in rows:
        name, path, where = _place(split, number, row)
        if path not in sources:
            sources[path] = _inside(checkout, path)
        source = sources[path]
        if source is None:
            yield Failure(name, where, f"the checkout has no file {path!r}")
            continue
        try:
            first, last = int(row["start"][0]), int(row["end"][0])
        except (KeyError, TypeError, ValueError, IndexError):
            yield Failure(name, where, "the fields 'start' and 'end' are no [line, column]")
            continue
        found = theorem_at(source, name, first, last)
        if found is None:
            yield Failure(name, where, f"no theorem of that name between lines {first} and {last} of {path}")
            continue
        versions = Versions(pinned.lean, _mathlib_commit(row) or pinned.mathlib)
        yield _problem(found.name, found, found.imports, where, split, row, versions)


def _problem(
    name: str,
    theorem: SourceTheorem,
    imports: tuple[str, ...],
    where: str,
    split: str,
    row: Mapping[str, Any],
    versions: Versions,
) -> FoundStatement:
    return FoundStatement(
        name=name,
        statement=theorem.statement,
        context=theorem.context,
        imports=imports,
        where=where,
        split=split,
        proof=straight_proof(row.get("traced_tactics") or ()),
        versions=versions,
    )


def straight_proof(tactics: Sequence[Mapping[str, Any]]) -> str:
    """The traced tactics as a script, if each acts on what the one before it left; else `""`.

    A trace lists nested tactics too and leaves bullets out, so most longer traces are no script.
    """
    state = None
    for tactic in tactics:
        if state is not None and tactic.get("state_before") != state:
            return ""
        state = tactic.get("state_after")
    texts = [str(tactic.get("tactic", "")) for tactic in tactics]
    one_block_each = all(
        line[:1].isspace() or not line for text in texts for line in text.split("\n")[1:]
    ) and all(text and not text[0].isspace() for text in texts)
    return "\n".join(texts) if state == "no goals" and one_block_each else ""


def _place(split: str, number: int, row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Name, file and place of a row."""
    name, path = str(row.get("full_name") or f"row {number}"), str(row.get("file_path") or "")
    repository = str(row.get("url") or "").rstrip("/").rpartition("/")[2]
    commit = str(row.get("commit") or "")[:12]
    return name, path, f"{split} {number}, {path or 'no file'} of {repository}@{commit}"


def _mathlib_commit(row: Mapping[str, Any]) -> str:
    is_mathlib = (
        str(row.get("url") or "").rstrip("/").removesuffix(".git").endswith(("/mathlib4", "/mathlib"))
    )
    return str(row.get("commit") or "") if is_mathlib else ""


def _module(path: str) -> str:
    """The module of a file, given from the root of the repository or of the package that it is in."""
    if path.startswith(_OWN_LIBRARY):
        return "Init"
    return _PACKAGE_FOLDERS.sub("", path).removesuffix(".lean").replace("/", ".")


def _inside(checkout: Path, path: str) -> str | None:
    """The text of a file of the checkout; `None` when it has none of that name."""
    file = (checkout / path).resolve()
    if not path or not file.is_relative_to(checkout.resolve()) or not file.is_file():
        return None
    return file.read_text(encoding="utf-8", errors="replace")
