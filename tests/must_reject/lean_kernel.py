"""Lean's own kernel on what minilean's refuses: each declaration that a test has refused, in its environment."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from lean_gym.verification.kernels import LeanKernelProcess
from minilean.export.format import _Writer, export_ndjson
from minilean.export.judge import Refused, compare_exports
from minilean.export.judge_command import _rest
from minilean.export.reader import ReadError
from minilean.export.replay import ReplayError
from minilean.kernel import errors
from minilean.kernel.declaration import (
    ABBREV_HEIGHT,
    OPAQUE_HEIGHT,
    Axiom,
    Declaration,
    Definition,
    InductiveType,
    TheoremDecl,
)
from minilean.kernel.environment import Environment
from minilean.kernel.expr import Expr
from minilean.kernel.fuel import deep_stack

META: Final = {"meta": {"exporter": {"name": "x", "version": "3.1.0"}, "format": {"version": "3.1.0"}}}
OWN_BOUNDS: Final = (
    errors.ResourceLimit,
    errors.TermTooLarge,
    errors.DeepRecursion,
    errors.DeterministicTimeout,
    errors.DeadlineExceeded,
    errors.LevelTooComplex,
)
"""Refusals for the size of a term, the steps or the time: Lean has other bounds."""
MINILEANS_OWN: Final = {
    errors.ForgedNode: "objects that no file holds",
    errors.BadLiteral: "literals of other Python classes, which no file holds",
    errors.Metavariable: "no file holds them",
    errors.FreeVariable: "no file holds them",
    errors.Unsupported: "what minilean does not implement and Lean does",
    errors.InvalidName: "names that only minilean keeps for itself",
    errors.NestedWithLocals: "a nested type that minilean refuses by its own rule",
}
"""Refusals that Lean need not share, with the reason."""
ACCEPTED_BY_LEAN: Final = {
    "test_no_proof_of_false_by_computing_what_is_not_so": "Lean's kernel computes `Nat.sub` by its name, whatever the "
    "environment has under it: minilean.export.judge.COMPUTED is why no file may bring its own",
    "test_the_prefix_of_types_that_stand_for_nested_ones_is_reserved": "Lean's kernel minds the prefix only where it "
    "makes such types itself",
}
"""Tests whose declarations Lean's kernel accepts, with the reason."""
_SECONDS: Final = 60.0


class Questions:
    """Asks Lean's kernel about refused declarations.

    Attributes:
        asked: How many it was asked about.
        unasked: Names of the errors of those that no export can hold, or that Lean need not refuse.
    """

    def __init__(self, kernel: LeanKernelProcess, folder: Path) -> None:
        self._kernel = kernel
        self._files = [str(folder / "below.ndjson"), str(folder / "refused.ndjson")]
        self.asked = 0
        self.unasked: list[str] = []

    def refused(self, env: Environment, error: errors.KernelError, write: Callable[[_Writer], None]) -> None:
        """Check that Lean's kernel refuses what minilean's has refused with an error."""
        if isinstance(error, (*OWN_BOUNDS, *MINILEANS_OWN)):
            self.unasked.append(type(error).__name__)
            return
        writer = _Writer(env, env, None)
        try:
            with deep_stack():
                write(writer)
                below = export_ndjson(env, list(env))
        except (TypeError, errors.KernelError, ValueError):
            self.unasked.append(type(error).__name__)  # e.g. free variables
            return
        rows = "\n".join(map(json.dumps, [META, *writer.rows])) + "\n"
        for file, text in zip(self._files, (below, rows), strict=True):
            Path(file).write_text(text, "utf-8", errors="surrogatepass")
        self._kernel.answer(self._files[:1], time.monotonic() + _SECONDS)
        answer = self._kernel.answer(self._files, time.monotonic() + _SECONDS)
        self.asked += 1
        # What follows on its acceptance is no refusal.
        assert not answer["accepted"], (type(error), rows)
        assert "Lean derives" not in answer["reason"], (type(error), answer, rows)

    def judged(
        self,
        judge: Callable[..., tuple[str, ...]],
        challenge: str,
        solution: str,
        theorem: str,
        permitted: Collection[str] | None,
        base: Environment | None = None,
        given: str | None = None,
        **options: Any,
    ) -> tuple[str, ...]:
        """Judge exports, and check that minilean's comparison with Lean's kernel comes to the same verdict."""
        arguments = (challenge, solution, theorem, permitted, base, given)
        try:
            axioms = judge(*arguments, **options)
        except (Refused, ReadError, ReplayError, errors.KernelError):
            if not options:  # bounds on steps are minilean's own
                assert not self._proved(*arguments)
            raise
        assert compare_exports(*arguments) == axioms
        assert self._proved(*arguments)
        return axioms

    def _proved(
        self,
        challenge: str,
        solution: str,
        theorem: str,
        permitted: Collection[str] | None,
        base: Environment | None,
        given: str | None,
    ) -> bool:
        try:
            with deep_stack():
                compare_exports(challenge, solution, theorem, permitted, base, given)
        except (Refused, ReadError, ReplayError, errors.KernelError):
            self.unasked.append("comparison")
            return False
        files = self._files if base is not None else self._files[1:]
        if base is not None:
            Path(files[0]).write_text(_rest(base, solution), "utf-8")
        Path(files[-1]).write_text(solution, "utf-8", errors="surrogatepass")
        self.asked += 1
        return bool(self._kernel.answer(files, time.monotonic() + _SECONDS)["accepted"])


@contextmanager
def asking(questions: Questions, patch: pytest.MonkeyPatch, stride: int) -> Iterator[None]:
    """Have Lean's kernel asked about every `stride`th declaration that minilean's refuses."""
    seen = 0
    real = {
        name: getattr(Environment, name)
        for name in ("add_axiom", "add_definition", "add_theorem", "check_proof", "add_inductives")
    }

    def watched(name: str, as_written: Callable[..., Callable[[_Writer], None]]) -> None:
        def call(self: Environment, *arguments: Any, **options: Any) -> Any:
            nonlocal seen
            try:
                return real[name](self, *arguments, **options)
            except errors.KernelError as error:
                seen += 1
                if seen % stride == 0:
                    options.pop("fuel", None)
                    questions.refused(self, error, as_written(*arguments, **options))
                raise

        patch.setattr(Environment, name, call)

    watched("add_axiom", lambda name, params, type: _declaration(Axiom(name, tuple(params), type)))
    watched("add_definition", _definition)
    watched(
        "add_theorem",
        lambda name, params, type, value: _declaration(TheoremDecl(name, tuple(params), type, value, ())),
    )
    watched(
        "check_proof",
        lambda params, type, value: _declaration(TheoremDecl("asked", tuple(params), type, value, ())),
    )
    watched("add_inductives", _inductives)
    yield


def _declaration(declaration: Declaration) -> Callable[[_Writer], None]:
    return lambda writer: writer._write(declaration)


def _definition(
    name: str, params: Sequence[str], type: Expr, value: Expr, abbrev: bool = False, opaque: bool = False
) -> Callable[[_Writer], None]:
    height = OPAQUE_HEIGHT if opaque else ABBREV_HEIGHT if abbrev else 1
    return _declaration(Definition(name, tuple(params), type, value, height))


def _inductives(
    params: Sequence[str], num_params: int, types: Sequence[InductiveType]
) -> Callable[[_Writer], None]:
    def write(writer: _Writer) -> None:
        own = {"levelParams": [writer.name(each) for each in params], "numParams": num_params}
        facts = {"isUnsafe": False, "isRec": False, "isReflexive": False, "numIndices": 0, "numNested": 0}
        names = [writer.name(each.name) for each in types]
        rows: dict[str, list[Any]] = {"types": [], "ctors": [], "recs": []}
        for each in types:
            made = [writer.name(name) for name, _ in each.constructors]
            head = {"name": writer.name(each.name), "type": writer.term(each.type), **own}
            rows["types"].append({**head, **facts, "all": names, "ctors": made})
            for number, (name, type_) in enumerate(each.constructors):
                head = {"name": writer.name(name), "type": writer.term(type_), **own, "isUnsafe": False}
                rows["ctors"].append(
                    {**head, "cidx": number, "numFields": 0, "induct": writer.name(each.name)}
                )
        writer.rows.append({"inductive": rows})

    return write
