"""Several repositories in one corpus, in which each theorem has the premises of its own repository.

    1-apple/Main.lean                a file of repository 1-apple; it has the place of a theorem
    1-apple/std/List.lean            a file of a library: the premises that only this repository has of it, and imports
    1-apple+2-pear/std/List.lean     premises that both have of the file, imported by both

A premise of a library stands in the corpus once. The repositories may have different parts of the library, as traces of
real Lean hold the premises that were used: each theorem still has those of its own trace. A file with theorems to prove
is not divided, as what is accessible at a place in it depends on the place; it is shared where it and all that it
imports are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lean_gym.datasets.formats.leandojo_steps import corpus_file
from trainers.corpora.lifelong.records import PremiseFile, Repository
from trainers.corpora.retrieval.corpus import Corpus

Row = dict[str, Any]


def rows_of(repository: Repository) -> list[Row]:
    """Return the corpus of a repository; none without a premise that has code."""
    files = repository.premise_files
    if not any(str(premise["code"]).strip() for file in files for premise in file.premises):
        return []
    return [
        {"path": file.path, "imports": list(file.imports), "premises": [dict(one) for one in file.premises]}
        for file in files
    ]


class JoinedCorpus:
    """The corpus of several repositories.

    Attributes:
        rows: Its files.
    """

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        """Join repositories, by their names in the course.

        Raises:
            ValueError: A repository lists a file twice.
        """
        self.rows: list[Row] = []
        self._repositories = repositories
        self._own = {
            name: Corpus([corpus_file(row) for row in rows_of(each)]) for name, each in repositories.items()
        }
        self._files: dict[tuple[str, str], str] = {}
        self._premises: dict[tuple[str, str, str], str] = {}
        self._known: dict[tuple[Any, ...], str] = {}
        self._undivided = {
            (file.path, _text(file.premises))
            for each in repositories.values()
            for file in each.premise_files
            if file.path in {theorem.file for theorem in each.theorems}
        }
        self._holders = self._find_holders()
        for name, each in repositories.items():
            late = self._imported_too_early(name, each)
            for file in each.premise_files if len(self._own[name]) else ():
                self._add(name, file, file.path in late)

    def file(self, name: str, path: str) -> str | None:
        """Return the path of a file of a repository in the joined corpus; `None` if its corpus lacks it."""
        return self._files.get((name, path))

    def premise(self, name: str, place: Mapping[str, Any]) -> Row:
        """Return the place of a premise, as a traced tactic of a repository names it, in the joined corpus."""
        own, start = self._own[name], place["def_pos"]
        number = own.find(place["def_path"], place["full_name"], (int(start[0]), int(start[1])))
        if number is None:
            return {**place, "def_path": f"{name}/{place['def_path']}"}
        found = own.premises[number].name
        joined = self._premises[name, own.same_file(number), found]
        return {**place, "full_name": found, "def_path": joined}

    def _find_holders(self) -> dict[tuple[str, str], list[str]]:
        """Return the repositories that have a premise, by its file and text, in the files that are divided."""
        found: dict[tuple[str, str], dict[str, None]] = {}
        for name, each in self._repositories.items():
            for file in filter(self._is_divided, each.premise_files):
                for premise in file.premises:
                    found.setdefault((file.path, _text(premise)), {})[name] = None
        return {key: list(names) for key, names in found.items()}

    def _is_divided(self, file: PremiseFile) -> bool:
        return (file.path, _text(file.premises)) not in self._undivided

    def _imported_too_early(self, name: str, repository: Repository) -> set[str]:
        """Return the files that are imported before they are listed, or by themselves; these are never shared."""
        listed: set[str] = set()
        late: set[str] = set()
        for file in repository.premise_files:
            late.update(path for path in self._imports(name, file) if path not in listed)
            listed.add(file.path)
        return late

    def _imports(self, name: str, file: PremiseFile) -> Iterator[str]:
        """Yield the paths of the files that a file imports, as far as the repository has them."""
        return (path for one in file.imports if (path := self._own[name].file(one)) is not None)

    def _add(self, name: str, file: PremiseFile, is_late: bool) -> None:
        """Add a file of a repository, or find the one that says the same."""
        imports = [self._files.get((name, path), f"{name}/{path}") for path in self._imports(name, file)]
        premises = [dict(one) for one in file.premises]
        if self._is_divided(file):
            premises, shared = self._divide(name, file)
            imports += shared
        key = (file.path, _text(premises), *imports)
        joined = f"{name}/{file.path}" if is_late else self._known.setdefault(key, f"{name}/{file.path}")
        self._files[name, file.path] = joined
        for premise in premises:
            self._premises[name, file.path, str(premise["full_name"])] = joined
        if joined == f"{name}/{file.path}":
            self.rows.append({"path": joined, "imports": imports, "premises": premises})

    def _divide(self, name: str, file: PremiseFile) -> tuple[list[Row], list[str]]:
        """Return the premises of a file that no other repository has, and the paths of the shared ones."""
        own: list[Row] = []
        shared: dict[str, list[Row]] = {}
        for premise in file.premises:
            holders = self._holders[file.path, _text(premise)]
            if len(holders) == 1:
                own.append(dict(premise))
                continue
            path = f"{'+'.join(holders)}/{file.path}"
            shared.setdefault(path, []).append(dict(premise))
            self._premises[name, file.path, str(premise["full_name"])] = path
        for path, premises in shared.items():
            if (path,) not in self._known:
                self._known[path,] = path
                self.rows.append({"path": path, "imports": [], "premises": premises})
        return own, list(shared)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
