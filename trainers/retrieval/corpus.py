"""Corpus of premises in LeanDojo's layout, and the premises that are accessible at a position.

    corpus.jsonl   a line per Lean file: {path, imports, premises: [{full_name, code, start, end, kind}]}

A premise is accessible at a position of a file if a file that is imported, directly or not, declares it, or if its
declaration ends before the position in the same file. No other premise is ever a candidate: neither for training, nor
for evaluation, nor in use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lean_gym.datasets.leandojo_steps import CORPUS, CorpusFile
from lean_gym.datasets.leandojo_steps import read_corpus as read_files
from lean_gym.datasets.traced import BETWEEN
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.errors import ConfigError
from trainers.retrieval.base import Premise

Mask = NDArray[np.bool_]
"""Which premises of a corpus, in its order."""
Place = tuple[int, int]
"""Line and column, as the corpus counts them."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file of the corpus; premises that end at it or before it are accessible there."""

    path: str
    at: Place


@dataclass(frozen=True, slots=True)
class _File:
    imports: tuple[str, ...]
    first: int
    ends: tuple[Place, ...]
    names: tuple[str, ...]


class Corpus:
    """Premises of the files of a project, imports before importers.

    Attributes:
        premises: All premises.
        left_out: Names of premises without code, which no text can be made of.
    """

    def __init__(self, files: Sequence[CorpusFile]) -> None:
        """Take the files of a corpus.

        Raises:
            ValueError: A file is listed twice.
        """
        self.premises: list[Premise] = []
        self.left_out: list[str] = []
        self._listed = list(files)
        self._files: dict[str, _File] = {}
        self._starts: list[Place] = []
        self._paths: list[str] = []
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        for file in self._listed:
            if file.path in self._files:
                raise ValueError(f"the file {file.path} is listed twice")
            self._add(file)
        self._modules = {_module(path): path for path in self._files}
        self._accessible_files = lru_cache(maxsize=None)(self._closure)

    def _add(self, file: CorpusFile) -> None:
        first, ends, names = len(self.premises), [], []
        for each in file.premises:
            if not each.code.strip():
                self.left_out.append(each.full_name)
                continue
            self._named[each.full_name].append(len(self.premises))
            self.premises.append(Premise(each.full_name, each.code))
            self._starts.append(each.start)
            self._paths.append(file.path)
            ends.append(each.end)
            names.append(each.full_name)
        self._files[file.path] = _File(file.imports, first, tuple(ends), tuple(names))

    def __len__(self) -> int:
        """Return the number of premises."""
        return len(self.premises)

    @property
    def files(self) -> Sequence[CorpusFile]:
        """Return the files that it was made of."""
        return self._listed

    def find(self, path: str, name: str, start: Place | None = None) -> int | None:
        """Return the number of a premise, by its file and its name or, for an unknown name, its start; else `None`."""
        numbers = [at for at in self._named.get(name, ()) if self._paths[at] == path]
        if numbers or start is None or path not in self._files:
            return numbers[0] if numbers else None
        file = self._files[path]
        inside = range(file.first, file.first + len(file.ends))
        return next(
            (at for at in inside if self._starts[at] <= start <= file.ends[at - file.first]),
            None,
        )

    def place_of(self, number: int) -> Position:
        """Return the start of a premise."""
        return Position(self._paths[number], self._starts[number])

    def same_file(self, number: int) -> str:
        """Return the file of a premise."""
        return self._paths[number]

    def position_of(self, theorem: Theorem) -> Position | None:
        """Return the place of a theorem in the corpus; `None` if it is not part of it.

        The theorem's own `position`, a file and a name, is looked for first, then its name.
        """
        place, _, name = theorem.position.rpartition(":")
        file = place.rpartition(BETWEEN)[2]
        named = self._named.get(name or theorem.name, [])
        inside = [at for at in named if f"/{self._paths[at]}".endswith(f"/{file}")] if file else []
        numbers = inside or named
        return self.place_of(numbers[0]) if numbers else None

    def accessible(self, position: Position) -> Mask:
        """Return the premises that are accessible at a position.

        Returns:
            Booleans, shape (premises,).

        Raises:
            ValueError: The corpus has no such file.
        """
        if position.path not in self._files:
            raise ValueError(f"the corpus has no file {position.path}")
        mask = self._in_files(self._accessible_files(position.path))
        file = self._files[position.path]
        for at, end in enumerate(file.ends, start=file.first):
            mask[at] = end <= position.at
        return mask

    def accessible_to(self, theorem: Theorem | None) -> Mask:
        """Return the premises that a theorem may use.

        A theorem of the corpus may use those at its place. Of another one, the premises of the modules that it imports
        are accessible, as far as the corpus has the modules; with no such module, all premises.
        """
        if theorem is None:
            return np.ones(len(self), dtype=bool)
        if (position := self.position_of(theorem)) is not None:
            return self.accessible(position)
        paths = {self._modules[one] for one in theorem.imports if one in self._modules}
        known = frozenset(paths.union(*(self._accessible_files(path) for path in paths)))
        return self._in_files(known) if known else np.ones(len(self), dtype=bool)

    def _in_files(self, paths: frozenset[str]) -> Mask:
        mask = np.zeros(len(self), dtype=bool)
        for path in paths:
            file = self._files[path]
            mask[file.first : file.first + len(file.ends)] = True
        return mask

    def _closure(self, path: str) -> frozenset[str]:
        """Return the files that a file imports, directly or not; files that the corpus lacks are left out."""
        found: set[str] = set()
        waiting = list(self._files[path].imports)
        while waiting:
            name = waiting.pop()
            inner = name if name in self._files else self._modules.get(_module(name), "")
            if inner and inner not in found and inner != path:
                found.add(inner)
                waiting += self._files[inner].imports
        return frozenset(found)


def read_corpus(folder: Path) -> Corpus:
    """Read the corpus of a folder.

    Raises:
        ConfigError: The folder has none, or it cannot be read.
    """
    path = folder / CORPUS
    if not path.is_file():
        raise ConfigError(
            f"{folder}: no {CORPUS} in it; expected a folder that python -m lean_gym trace wrote"
        )
    try:
        corpus = Corpus(read_files(folder))
    except DataError as error:
        raise ConfigError(str(error)) from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if not len(corpus):
        raise ConfigError(f"{path}: no premise with code in it")
    return corpus


def _module(path: str) -> str:
    """Return the module of a file, given from the root of its project or package; a module is returned as it is."""
    if not path.endswith(".lean"):
        return path
    for folder in (".lake/packages/", "lake-packages/"):
        if folder in path:
            path = path.partition(folder)[2].partition("/")[2]
    return path.removesuffix(".lean").replace("/", ".")
