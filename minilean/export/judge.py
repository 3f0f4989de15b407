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
"""

from __future__ import annotations

from collections.abc import Collection

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
from minilean.kernel.fuel import DEFAULT_FUEL, FuelConfig

_PROOFS = ("thm", "def")


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
    stated, solved = read_export(challenge), read_export(solution)
    env = Environment() if base is None else base.child()
    imported = {} if given is None else _given(env, read_export(given))
    if theorem in imported or theorem in env:
        raise Refused(f"'{theorem}' is given, so nothing is to be proved")
    known = {**imported, **stated.constants}
    _compare(known, solved, theorem, env)
    for group in solved.groups:
        if not all(constant.name in imported for constant in group):
            replay(env, group, fuel)
    return _check_axioms(env, known, solved, theorem, permitted)


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


def _check_axioms(
    env: Environment,
    known: dict[str, Constant],
    solved: Exported,
    theorem: str,
    permitted: Collection[str] | None,
) -> tuple[str, ...]:
    proof = env.get(theorem)
    if isinstance(proof, TheoremDecl):
        axioms = proof.axioms
    else:
        assert isinstance(proof, Definition), "the kinds were compared"
        axioms = tuple(sorted({*env.axioms_of(proof.type), *env.axioms_of(proof.value)}))
    unstated = [axiom for axiom in axioms if axiom in solved.constants and axiom not in known]
    if unstated:
        raise Refused(f"uses axioms that the challenge does not state: {', '.join(unstated)}")
    foreign = [axiom for axiom in axioms if permitted is not None and axiom not in permitted]
    if foreign:
        raise Refused(f"uses axioms that are not permitted: {', '.join(foreign)}")
    return axioms
