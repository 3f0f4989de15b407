"""Judgement on an exported proof by a process that never parsed the candidate.

Two files in lean4export's format are compared. The *challenge* is trusted: it was made from the statement alone. The
*solution* is not: it was made by a process that ran the candidate. The solution proves the challenge when all of these
hold:

1. Its theorem has the type that the challenge gives.
2. Every constant that the two files share is the same in both, and everything below the statement is shared: nothing
   was changed beneath an unchanged statement.
3. It declares no name again that the given environment has.
4. minilean's kernel accepts each of its declarations, in their order, on top of the given environment.
5. The axioms of its theorem are permitted, and each of them is one that the challenge or the given environment states:
   the name of an axiom alone says nothing.

`compare_exports` leaves out rule 4, where another kernel decides it. Such a kernel knows literals and the arithmetic of
some constants by their names, without a look at what these declare. So there is one more:

6. The solution declares none of `COMPUTED` but as the challenge or the given file states it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from minilean.export.reader import Constant, Exported, read_export
from minilean.export.replay import (
    constants_of,
    replay,
    same_constant,
    same_type,
    take_as_given,
    used_constants,
)
from minilean.kernel.declaration import Definition, TheoremDecl
from minilean.kernel.environment import Environment
from minilean.kernel.expr import mk_const
from minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig

COMPUTED: Final = (
    "Nat", "Nat.add", "Nat.sub", "Nat.mul", "Nat.div", "Nat.mod", "Nat.gcd", "Nat.beq", "Nat.ble", "Nat.land",
    "Nat.lor", "Nat.xor", "Nat.shiftLeft", "Nat.shiftRight", "Nat.pow", "Nat.log2", "Nat.pred", "Bool", "String",
    "String.mk", "String.ofList", "Char", "Char.mk", "Char.ofNat", "List", "Eq", "Quot",
)  # fmt: skip
"""Constants that Lean's kernel knows by name.

Source: Lean 4 `src/kernel/type_checker.cpp`, `src/kernel/inductive.cpp`, `src/kernel/quot.cpp` (4.35).
"""
_COMPILED: Final = ("Lean.reduceBool", "Lean.reduceNat")
"""Functions whose value Lean's kernel has compiled code compute."""
_PROOFS: Final = ("thm", "def")


class Refused(Exception):
    """A solution that does not prove the challenge, with the reason."""


def judge_exports(
    challenge: str,
    solution: str,
    theorem: str,
    permitted: Collection[str] | None,
    base: Environment | None = None,
    given: str | None = None,
    fuel: FuelConfig = DEFAULT_FUEL,
) -> tuple[str, ...]:
    """Judge a solution; return the axioms of its theorem, sorted.

    Args:
        challenge: Trusted file with the statement, under the name of the theorem, and all that it rests on and `base`
            and `given` do not have. The proof in it, if any, is not looked at.
        solution: File with the theorem, its proof, and all that they rest on and `base` does not have.
        theorem: The name of the theorem in both files.
        permitted: Axioms that the proof may rest on; `None` for all that the trusted files and `base` state.
        base: Declarations that both files leave out.
        given: Trusted file with constants that are not checked again; the solution may repeat them.
        fuel: Bounds of the check of each declaration.

    Raises:
        Refused: The solution does not prove the challenge.
        ReadError: One of the files is no export.
        ReplayError: The kernel refuses a declaration.
    """
    env, imported, known, solved = _compared(challenge, solution, theorem, base, given)
    for group in solved.groups:
        if not all(constant.name in imported for constant in group):
            replay(env, group, fuel)
    proof = env.get(theorem)
    if isinstance(proof, TheoremDecl):
        axioms = proof.axioms
    else:
        assert isinstance(proof, Definition), "the kinds were compared"
        axioms = tuple(sorted({*env.axioms_of(proof.type), *env.axioms_of(proof.value)}))
    return _checked_axioms(axioms, known, solved, permitted)


def compare_exports(
    challenge: str,
    solution: str,
    theorem: str,
    permitted: Collection[str] | None,
    base: Environment | None = None,
    given: str | None = None,
) -> tuple[str, ...]:
    """Compare a solution with its challenge, and return the axioms of its theorem, sorted; it is no judgement.

    A solution that a kernel accepts besides, in the order of its file and on top of `base`, proves the challenge.

    Args:
        challenge: See `judge_exports`, as all that follow.
        solution: The file.
        theorem: The name.
        permitted: Axioms.
        base: What both files leave out.
        given: A trusted file.

    Raises:
        Refused: The solution is about something else, or rests on axioms that are not permitted.
        ReadError: One of the files is no export.
        ReplayError: The file that is given declares a name twice.
    """
    env, _, known, solved = _compared(challenge, solution, theorem, base, given)
    for name in solved.constants:
        if name in _COMPILED or (name in COMPUTED and name not in known):
            raise Refused(
                f"'{name}' is one that Lean's kernel computes with, and the challenge does not state it: "
                "have minilean's kernel judge"
            )
    return _checked_axioms(_axioms_in(env, solved, theorem), known, solved, permitted)


def _compared(
    challenge: str, solution: str, theorem: str, base: Environment | None, given: str | None
) -> tuple[Environment, dict[str, Constant], dict[str, Constant], Exported]:
    """Return the environment below the solution, what is given, that and the challenge, and the solution."""
    stated, solved = read_export(challenge), read_export(solution)
    env = Environment() if base is None else base.child()
    imported = {} if given is None else _given(env, read_export(given))
    if theorem in imported or theorem in env:
        raise Refused(f"'{theorem}' is given, so nothing is to be proved")
    known = {**imported, **stated.constants}
    _compare(known, solved, theorem, env)
    return env, imported, known, solved


def _given(env: Environment, exported: Exported) -> dict[str, Constant]:
    take_as_given(env, exported)
    return exported.constants


def _compare(known: dict[str, Constant], solved: Exported, theorem: str, env: Environment) -> None:
    stated, proved = known.get(theorem), solved.constants.get(theorem)
    if stated is None:
        raise Refused(f"the challenge has no '{theorem}'")
    if proved is None:
        raise Refused(f"the solution has no '{theorem}'")
    if proved.kind not in _PROOFS:
        raise Refused(f"'{theorem}' is declared as `{proved.kind}` in the solution, expected a theorem")
    if not same_type(stated, proved):
        raise Refused(f"'{theorem}' states something else in the solution")
    for name, constant in solved.constants.items():
        if name == theorem:
            continue
        trusted = known.get(name)
        if trusted is not None and not same_constant(trusted, constant):
            raise Refused(f"'{name}' is another constant in the solution")
        if trusted is None and name in env:
            raise Refused(f"'{name}' is declared again by the solution")
    _check_below(known, solved, stated, env)


def _check_below(known: dict[str, Constant], solved: Exported, stated: Constant, env: Environment) -> None:
    """Check that everything that the statement rests on stands in the solution or is given."""
    seen: set[str] = set()
    todo = list(constants_of([stated.type]))
    while todo:
        name = todo.pop()
        if name in seen or name == stated.name:
            continue
        seen.add(name)
        if name not in solved.constants and name not in env:
            raise Refused(f"'{name}', which the statement rests on, is missing in the solution")
        trusted = known.get(name)
        if trusted is None and name not in env:
            raise Refused(f"'{name}', which the statement rests on, is missing in the challenge")
        if trusted is not None:
            # the proof of a theorem decides nothing
            todo += used_constants(trusted, with_value=trusted.kind != "thm")


def _axioms_in(env: Environment, solved: Exported, theorem: str) -> tuple[str, ...]:
    """Return the axioms that a theorem rests on, by the file alone and the environment below it.

    Raises:
        Refused: It rests on a constant that neither has.
    """
    found: set[str] = set()
    seen = {theorem}
    todo = [theorem]
    groups = {constant.name: group for group in solved.groups for constant in group}
    while todo:
        name = todo.pop()
        constant = solved.constants.get(name)
        if constant is not None:
            if constant.kind == "axiom":
                found.add(name)
            fresh = {used for each in groups[name] for used in (each.name, *used_constants(each))} - seen
            seen |= fresh
            todo += fresh
        elif name in env:
            found.update(env.axioms_of(mk_const(name)))
        else:
            raise Refused(f"'{name}', which the proof rests on, is missing in the solution")
    return tuple(sorted(found))


def _checked_axioms(
    axioms: tuple[str, ...], known: dict[str, Constant], solved: Exported, permitted: Collection[str] | None
) -> tuple[str, ...]:
    unstated = [axiom for axiom in axioms if axiom in solved.constants and axiom not in known]
    if unstated:
        raise Refused(f"uses axioms that the challenge does not state: {', '.join(unstated)}")
    foreign = [axiom for axiom in axioms if permitted is not None and axiom not in permitted]
    if foreign:
        raise Refused(f"uses axioms that are not permitted: {', '.join(foreign)}")
    return axioms
