"""Generators of theorems by name, as data sets of questions that score their answers.

    from lean_gym.datasets import create_dataset
    dataset = create_dataset("first_order", size=100, seed=0, difficulty=0.3)
    entry = dataset[0]                                           # {"question", "answer", "metadata"}
    dataset.score_answer(entry["answer"], entry)                 # 1.0: the reference proof is verified

The interface is that of procedural data sets in reasoning-gym. `load_theorems("generated:first_order?size=100")` gives
the same theorems as a theorem set.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, Final, Self
from urllib.parse import parse_qsl

from lean_gym.backends import create_backend
from lean_gym.datasets.formats.rows import row_from_theorem, theorem_from_row
from lean_gym.datasets.generators.algebra import ALGEBRA
from lean_gym.datasets.generators.base import Generator, take
from lean_gym.datasets.generators.cancellation import CANCELLATION
from lean_gym.datasets.generators.equations import EQUATIONS
from lean_gym.datasets.generators.first_order import FIRST_ORDER
from lean_gym.datasets.generators.inductive_predicates import INDUCTIVE_PREDICATES
from lean_gym.datasets.generators.invariants import INVARIANTS
from lean_gym.datasets.generators.propositional_theorems import CONSTRUCTIVE, PROPOSITIONAL
from lean_gym.datasets.generators.relations import RELATIONS
from lean_gym.datasets.proofs import proof_steps
from lean_gym.errors import DataError, unknown_name
from lean_gym.types import ProofBackend, Theorem
from lean_gym.verification.verify import verify_script

GENERATED_PREFIX: Final = "generated:"
"""Beginning of a source of `load_theorems` that names a generator."""
MAX_ANSWER_CHARACTERS: Final = 20_000
"""Length from which an answer scores 0.0 without a trial."""

_GENERATORS: Final[dict[str, Generator]] = {
    generator.name: generator
    for generator in (
        ALGEBRA,
        CANCELLATION,
        CONSTRUCTIVE,
        EQUATIONS,
        FIRST_ORDER,
        INDUCTIVE_PREDICATES,
        INVARIANTS,
        PROPOSITIONAL,
        RELATIONS,
    )
}
_DEFAULT_SIZE: Final = 500
_DEFAULT_DIFFICULTY: Final = 0.3
_OPTIONS: Final = ("difficulty", "backend")
_QUERY: Final[dict[str, Callable[[str], Any]]] = {"size": int, "difficulty": float, "seed": int}


def generator_names() -> tuple[str, ...]:
    """Return the names of the generators, sorted."""
    return tuple(sorted(_GENERATORS))


def generator_module(name: str) -> ModuleType:
    """Return the module of a generator, whose docstring describes what it draws.

    Raises:
        ValueError: No generator has this name.
    """
    return sys.modules[_generator(name).draw.__module__]


def iterate_theorems(name: str, difficulty: float, seed: int) -> Iterator[Theorem]:
    """Yield the theorems of a generator without end.

    Raises:
        ValueError: No generator has this name, or `difficulty` or `seed` is out of range.
    """
    return _generator(name).iterate(difficulty, seed)


def _generator(name: str) -> Generator:
    if name not in _GENERATORS:
        raise ValueError(unknown_name("generator", name, _GENERATORS))
    return _GENERATORS[name]


def load_generated(source: str) -> list[Theorem]:
    """Load generated theorems as a theorem set.

    Args:
        source: `generated:NAME?size=500&difficulty=0.3&seed=0`; each part after `?` may be left out.

    Raises:
        DataError: An unknown generator or option, or a value that cannot be used.
    """
    return list(_generated(source))


# A program asks for its sets several times; 500 easy theorems of `propositional` take seconds.
@lru_cache(maxsize=8)
def _generated(source: str) -> tuple[Theorem, ...]:
    name, _, query = source.removeprefix(GENERATED_PREFIX).partition("?")
    values: dict[str, Any] = {"size": _DEFAULT_SIZE, "difficulty": _DEFAULT_DIFFICULTY, "seed": 0}
    given = parse_qsl(query, keep_blank_values=True)
    for key, text in given:
        if key not in _QUERY:
            raise DataError(f"{source}: {unknown_name('option', key, _QUERY)}")
        if [other for other, _ in given].count(key) > 1:
            raise DataError(f"{source}: {key}: got it more than once, expected one value; e.g. {key}={text}")
        try:
            values[key] = _QUERY[key](text)
        except ValueError:
            raise DataError(
                f"{source}: {key}: got {text!r}, expected a number; e.g. {key}={values[key]}"
            ) from None
    if values["size"] < 1:
        raise DataError(
            f"{source}: size: got {values['size']}, expected 1 or more; e.g. size={_DEFAULT_SIZE}"
        )
    try:
        return tuple(take(iterate_theorems(name, values["difficulty"], values["seed"]), values["size"]))
    except ValueError as error:
        raise DataError(f"{source}: {error}") from None


class ProceduralDataset:
    """Generated theorems as questions, each with a reference proof.

    Item `i` is the same in every dataset with the same name, seed and options, whatever the size. Items are generated
    when they are first asked for. Since no theorem occurs twice, item `i` takes the items before it into account,
    which are generated on the way.

    Args:
        name: One of `generator_names()`.
        size: Number of items, 1 or more.
        seed: Seed of the draws, 0 or more.
        difficulty: The wanted difficulty of the reference proofs, from 0.05 to 1.0.
        backend: The prover that judges answers, by name.

    Raises:
        ValueError: An argument is unknown or out of range.
    """

    def __init__(
        self,
        name: str,
        size: int = _DEFAULT_SIZE,
        seed: int = 0,
        difficulty: float = _DEFAULT_DIFFICULTY,
        backend: str = "minilean",
    ) -> None:
        if size < 1:
            raise ValueError(f"size: got {size}, expected 1 or more; e.g. size={_DEFAULT_SIZE}")
        self.name = name
        self.size = size
        self._source = iterate_theorems(name, difficulty, seed)
        self._theorems: list[Theorem] = []
        self._backend_name = backend
        self._backend: ProofBackend | None = None

    def __len__(self) -> int:
        """Return the number of items."""
        return self.size

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return one item; negative indices count from the end.

        Returns:
            `question`: what to prove, as text; `answer`: the reference proof; `metadata`: `source_dataset`,
            `source_index`, `theorem` (the row of the theorem) and `difficulty` (measured on the reference proof).

        Raises:
            IndexError: There is no such item.
            ValueError: The generator has no more theorems of this difficulty.
        """
        position = index + self.size if index < 0 else index
        if not 0 <= position < self.size:
            raise IndexError(f"index {index} is out of range for {self.size} items")
        while len(self._theorems) <= position:
            self._theorems.append(next(self._source))
        theorem = self._theorems[position]
        return {
            "question": _question(theorem),
            "answer": theorem.proof,
            "metadata": {
                "source_dataset": self.name,
                "source_index": position,
                "theorem": row_from_theorem(theorem),
                "difficulty": theorem.difficulty,
            },
        }

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the items in order."""
        return (self[index] for index in range(self.size))

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """Return 1.0 for a verified proof of the entry's theorem, 0.0 for anything else.

        Args:
            answer: A tactic script, as it would stand after `by`, one tactic a line. Any text may be passed.
            entry: An item of this dataset.

        Raises:
            BackendError: The prover itself failed.
        """
        if not isinstance(answer, str) or len(answer) > MAX_ANSWER_CHARACTERS:
            return 0.0
        steps = proof_steps(answer)
        if not steps:
            return 0.0
        theorem = theorem_from_row(entry["metadata"]["theorem"], "entry")
        if self._backend is None:
            self._backend = create_backend(self._backend_name)
        return float(verify_script(self._backend, theorem, steps).proved)

    def close(self) -> None:
        """Close the prover, if an answer was scored."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def __enter__(self) -> Self:
        """Return the dataset."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the prover."""
        self.close()


def create_dataset(name: str, size: int = _DEFAULT_SIZE, seed: int = 0, **options: Any) -> ProceduralDataset:
    """Create a dataset of generated theorems.

    Args:
        name: One of `generator_names()`.
        size: Number of items, 1 or more.
        seed: Seed of the draws, 0 or more; other seeds give other theorems.
        options: `difficulty`, from 0.05 to 1.0, and `backend`, the prover that judges answers; see
            `ProceduralDataset`.

    Raises:
        ValueError: An unknown name or option, or a value out of range.
    """
    for option in options:
        if option not in _OPTIONS:
            raise ValueError(unknown_name(f"option of {name}", option, ("size", "seed", *_OPTIONS)))
    return ProceduralDataset(name, size, seed, **options)


def _question(theorem: Theorem) -> str:
    statement = f"{theorem.statement} := by"
    source = f"{theorem.context}\n\n{statement}" if theorem.context else statement
    return (
        "Prove this theorem in Lean 4, without imports. Answer with the tactics that follow `by`, one a line.\n\n"
        f"```lean\n{source}\n```"
    )
