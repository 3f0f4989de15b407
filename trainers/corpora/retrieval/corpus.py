"""Corpus of premises in LeanDojo's layout, and the premises that are accessible at a position.

    corpus.jsonl   a line per Lean file: {path, imports, premises: [{full_name, code, start, end, kind}]}

A premise is accessible at a position of a file if a file that is imported, directly or not, declares it, or if its
declaration ends before the position in the same file. No other premise is ever a candidate: neither for training, nor
for evaluation, nor in use.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lean_gym.datasets.formats.lean_source import without_name
from lean_gym.datasets.formats.leandojo_steps import CORPUS, CorpusFile
from lean_gym.datasets.formats.leandojo_steps import read_corpus as read_files
from lean_gym.datasets.traced import BETWEEN
from lean_gym.errors import DataError
from lean_gym.types import Theorem
from trainers.errors import ConfigError
from trainers.policies.premises import Premise

_NUMBERED: Final = re.compile(r"(?<=.)_\d+\Z")
Mask = NDArray[np.bool_]
"""Which premises of a corpus, in its order."""
Place = tuple[int, int]
"""Line and column, as the corpus counts them."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file of the corpus; premises that end at it or before it are accessible there."""

    path: str
    at: Place


TheoremKey = tuple[str, str, str]
"""Name, statement and domain of a theorem."""
Places = Mapping[TheoremKey, Position | None]
"""Places of theorems that are known; of a theorem at `None` no premise is accessible."""


def key_of(theorem: Theorem) -> TheoremKey:
    """Return the key of a theorem in `Places`."""
    return theorem.name, theorem.statement, theorem.domain


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
        places: Places of theorems that are known to the program that made the corpus.
    """

    def __init__(self, files: Sequence[CorpusFile], places: Places | None = None) -> None:
        """Take the files of a corpus, and places of theorems.

        Raises:
            ValueError: A file is listed twice, or a place is in none of the files.
        """
        self.places: Places = dict(places or {})
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
        absent = {place.path for place in self.places.values() if place is not None} - self._files.keys()
        if absent:
            raise ValueError(f"theorems stand in {min(absent)}, which is not listed")
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

    def file(self, name: str) -> str | None:
        """Return the path of a file that is named by its path or its module; `None` if the corpus lacks it."""
        return name if name in self._files else self._modules.get(_module(name))

    def positions_of(self, theorem: Theorem) -> tuple[Position, ...]:
        """Return the place of a theorem in the corpus; none if it is not part of it.

        The theorem's `position` names its file, or else its `domain`. Without a file of the corpus, a name that several
        files have gives several places.
        """
        place, _, full_name = theorem.position.rpartition(":")
        domain = f"{theorem.domain}.lean"
        path = self._file_ending(place.rpartition(BETWEEN)[2]) or (domain if domain in self._files else None)
        if path is None:
            return tuple(map(self.place_of, self._named.get(full_name or theorem.name, ())))
        numbers = self._numbers_in(path, theorem, full_name)
        # Of a theorem that is not found in its file, the premises of the file itself are not accessible.
        return (self.place_of(numbers[0]) if numbers else Position(path, (0, 0)),)

    def _file_ending(self, place: str) -> str | None:
        """Return the file of a path, or the only one whose path ends with it."""
        if place in self._files:
            return place
        ends = [path for path in self._files if path.endswith(f"/{place}")] if place else []
        return ends[0] if len(ends) == 1 else None

    def _numbers_in(self, path: str, theorem: Theorem, full_name: str) -> list[int]:
        """Return the premises of a file that may be a theorem, the likeliest first.

        Without its full name, a theorem has the name inside its namespaces, perhaps with a number behind it.
        """
        file = self._files[path]
        numbers = range(file.first, file.first + len(file.ends))
        if full_name:
            return [at for at in numbers if self.premises[at].name == full_name]
        said = without_name(theorem.statement)
        same = [at for at in numbers if said is not None and without_name(self.premises[at].code) == said]
        names = (theorem.name, _NUMBERED.sub("", theorem.name))
        for found in (same, list(numbers)):
            for name in names:
                if ending := [at for at in found if f".{self.premises[at].name}".endswith(f".{name}")]:
                    return ending
        return []

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

        A theorem of the corpus may use those at its place; of one that may stand at several, those that are accessible
        at all of them. Of another one, the premises of the modules that it imports are accessible, as far as the corpus
        has the modules; with no such module, all premises.
        """
        if theorem is None:
            return np.ones(len(self), dtype=bool)
        if (key := key_of(theorem)) in self.places:
            place = self.places[key]
            return np.zeros(len(self), dtype=bool) if place is None else self.accessible(place)
        if positions := self.positions_of(theorem):
            mask = np.ones(len(self), dtype=bool)
            for one in positions:
                mask &= self.accessible(one)
            return mask
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
            inner = self.file(name)
            if inner is not None and inner not in found and inner != path:
                found.add(inner)
                waiting += self._files[inner].imports
        return frozenset(found)


def read_corpus(folder: Path, places: Places | None = None) -> Corpus:
    """Read the corpus of a folder, with places of theorems in it.

    Raises:
        ConfigError: The folder has none, or it cannot be read.
    """
    path = folder / CORPUS
    if not path.is_file():
        raise ConfigError(
            f"{folder}: no {CORPUS} in it; expected a folder that python -m lean_gym trace wrote"
        )
    try:
        corpus = Corpus(read_files(folder), places)
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
