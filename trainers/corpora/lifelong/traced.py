"""Traced folders in LeanDojo's layout: one is read into a repository, several are written into one for training.

    corpus.jsonl                          a line per file: path, imports, premises
    random/, novel_premises/              {train,val,test}.json: theorems with their traced tactics
    traced_files.jsonl, metadata.json     paths of the traced files; address and commit, versions, counts
    theorems.jsonl                        theorems that can be played, with their contexts: rows of a theorem set

The last file is not LeanDojo's; without it the theorems are known, but not played.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lean_gym.datasets.formats.lean_source import without_name
from lean_gym.datasets.formats.leandojo_steps import CORPUS, PARTS, corpus_rows, table_rows
from lean_gym.datasets.splits import divide
from lean_gym.datasets.traced import EPISODES
from lean_gym.datasets.traced import read_traced as read_episodes
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.config.files import read_text
from trainers.corpora.lifelong.leandojo import naming, premise_file_of, theorem_of
from trainers.corpora.lifelong.records import Repository, TracedTheorem
from trainers.errors import ConfigError
from trainers.runtime.atomic_files import naming_unwritable, replacing_folder

_Episodes = dict[str, dict[str, Theorem]]
"""Theorems that can be played, by the path of their file without its ending, if it is known, and by name."""


def read_traced(folder: Path) -> Repository:
    """Read a traced folder.

    Raises:
        ConfigError: A file is missing or has another format; the line names the place.
    """
    metadata = _json(folder / "metadata.json")
    if not isinstance(metadata, Mapping):
        raise ConfigError(f"{folder / 'metadata.json'}: expected an object")
    tables = [folder / "random" / f"{part}.json" for part in PARTS]
    try:
        rows = [row for table in tables if table.is_file() for row in table_rows(table)]
        files_of_corpus = list(corpus_rows(folder)) if (folder / CORPUS).is_file() else []
    except DataError as error:
        raise ConfigError(str(error)) from None
    episodes = _episodes(folder)
    theorems = []
    for place, row in rows:
        with naming(place):
            open_one = row.get("has_sorry") or any(
                "sorry" in each["tactic"] for each in row["traced_tactics"]
            )
            status = "sorry" if open_one else "proven"
            theorems.append(theorem_of(row, status))  # type: ignore[arg-type]
    theorems.sort(key=lambda theorem: (theorem.file, theorem.start))
    theorems = [_with_episode(theorem, episodes) for theorem in theorems]
    named = metadata.get("from_repo") or metadata
    first = rows[0][1] if rows else {}
    url = str(named.get("url") or first.get("url") or folder.resolve())
    corpus = []
    for place, row in files_of_corpus:
        with naming(place):
            corpus.append(premise_file_of(row))
    files = []
    for number, line in enumerate(_lines(folder / "traced_files.jsonl"), start=1):
        with naming(f"{folder / 'traced_files.jsonl'}, line {number}"):
            files.append(str(json.loads(line)["traced_file_path"]))
    return Repository(
        url=url,
        commit=str(named.get("commit") or first.get("commit") or ""),
        name="/".join(url.rstrip("/").removesuffix(".git").split("/")[-2:]),
        lean_version=str(metadata.get("lean_version") or ""),
        tracer_version=str(metadata.get("leandojo_version") or metadata.get("lean_dojo_version") or ""),
        metadata=dict(metadata),
        theorems=theorems,
        premise_files=corpus,
        files_traced=files,
    )


def write_merged(out: Path, repositories: Sequence[Repository]) -> None:
    """Write one traced folder with the theorems of several repositories, divided as LeanDojo-v2 divides them.

    Of theorems that several repositories have at one place, the one of the last repository is kept. Steps without
    goals and steps with a focusing dot are left out, as LeanDojo-v2 does.

    Args:
        out: The folder, which must not exist or be empty.
        repositories: The repositories, the most recent last.

    Raises:
        ConfigError: The folder holds something, or cannot be written.
    """
    with naming_unwritable(out):
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise ConfigError(f"export: expected a new or empty folder, got {out}")
        out.parent.mkdir(parents=True, exist_ok=True)
    merged = {_key(each): (each, one) for one in repositories for each in one.theorems}
    parts = divide(
        list(merged.values()),
        key=lambda entry: _key(entry[0]),
        premises=lambda entry: [
            premise["full_name"] for tactic in entry[0].tactics for premise in tactic["annotated_tactic"][1]
        ],
    )
    files = {file.path: file for one in reversed(repositories) for file in one.premise_files}
    with replacing_folder(out) as folder:
        for strategy, part in zip(("random", "novel_premises"), parts, strict=True):
            (folder / strategy).mkdir()
            for split, entries in part.items():
                rows = [_row(theorem, repository) for theorem, repository in entries]
                _write(folder / strategy / f"{split}.json", json.dumps(rows, indent=2, ensure_ascii=False))
        order = [file.path for one in repositories for file in one.premise_files]
        corpus = [files[path] for path in dict.fromkeys(order)]
        _write_lines(
            folder / "corpus.jsonl",
            ({"path": file.path, "imports": file.imports, "premises": file.premises} for file in corpus),
        )
        traced = dict.fromkeys(path for one in repositories for path in one.files_traced)
        _write_lines(folder / "traced_files.jsonl", ({"traced_file_path": path} for path in traced))
        _write(folder / "metadata.json", json.dumps(_metadata(repositories), indent=2, ensure_ascii=False))


def _metadata(repositories: Sequence[Repository]) -> dict[str, Any]:
    sorries = [sum(each.status != "proven" for each in one.theorems) for one in repositories]
    theorems = sum(len(one.theorems) for one in repositories)
    return {
        "repositories": [
            {
                "url": one.url,
                "name": one.name,
                "commit": one.commit,
                "lean_version": one.lean_version,
                "lean_dojo_version": one.tracer_version,
                "metadata": dict(one.metadata),
            }
            for one in repositories
        ],
        "total_theorems": theorems,
        "num_proven_theorems": theorems - sum(sorries),
        "num_sorry_theorems": sum(sorries),
        "num_premise_files": sum(len(one.premise_files) for one in repositories),
        "num_premises": sum(len(file.premises) for one in repositories for file in one.premise_files),
        "num_files_traced": sum(len(one.files_traced) for one in repositories),
    }


def _key(theorem: TracedTheorem) -> tuple[Any, ...]:
    return theorem.file, theorem.name, theorem.start, theorem.end


def _row(theorem: TracedTheorem, repository: Repository) -> dict[str, Any]:
    kept = [
        each for each in theorem.tactics if each["state_before"] != "no goals" and "·" not in each["tactic"]
    ]
    return {
        "url": repository.url,
        "commit": repository.commit,
        "file_path": theorem.file,
        "full_name": theorem.name,
        "theorem_statement": theorem.statement,
        "start": list(theorem.start),
        "end": list(theorem.end),
        "traced_tactics": kept,
    }


def _with_episode(theorem: TracedTheorem, episodes: _Episodes) -> TracedTheorem:
    """Return a theorem with its episode, which is taken out of those that are left.

    Real Lean knows a theorem by the name inside its namespaces, with a number behind it where an earlier theorem has it
    already: the statement tells those of one file apart.
    """
    short = theorem.name.rpartition(".")[2]
    numbered = re.compile(rf"{re.escape(short)}_\d+")
    for domain in (theorem.file.removesuffix(".lean"), ""):
        known = episodes.get(domain, {})
        others = filter(numbered.fullmatch, known if domain else ())
        for name in dict.fromkeys([theorem.name, short, *others]):
            if name in known and _says(known[name], theorem.statement):
                episode = known.pop(name)
                return replace(theorem, statement=theorem.statement or episode.statement, episode=episode)
    return theorem


def _says(episode: Theorem, statement: str | None) -> bool:
    """Return whether an episode has a statement, whatever its name; `True` where there is none to compare with."""
    said = None if statement is None else without_name(statement)
    return said is None or said == without_name(episode.statement)


def _episodes(folder: Path) -> _Episodes:
    """Return the theorems that can be played."""
    if not (folder / EPISODES).is_file():
        return {}
    found: _Episodes = {}
    try:
        for theorem in read_episodes(folder):
            found.setdefault(theorem.domain, {})[theorem.name] = theorem
    except (DataError, KeyError, ValueError) as error:
        raise ConfigError(f"{folder / EPISODES}: {error}") from None
    return found


def _json(path: Path) -> Any:
    try:
        return json.loads(read_text(path, "cannot read the traced file"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{path}: expected JSON: {error}") from None


def _lines(path: Path) -> Iterator[str]:
    text = read_text(path, "cannot read the traced file") if path.is_file() else ""
    return filter(str.strip, text.split("\n"))


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


def _write_lines(path: Path, rows: Iterator[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
