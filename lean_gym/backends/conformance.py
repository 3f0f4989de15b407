"""The conformance suite that every backend must pass, for our backends and for yours.

    from lean_gym.backends.conformance import check_backend
    check_backend(lambda: MyBackend())

It holds a backend to `ProofBackend`: states are persistent, a refused tactic is a value and changes nothing,
and `verify` replays every script; `sorry` is refused, or reported among the axioms. A backend that tells the positions
of errors (`ScriptChecker`) tells those of the script, and none of a proof. Pass your own `cases` when the
default theorems are outside your backend's language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final

from lean_gym.backends.scripts import declaration_source, script_file
from lean_gym.errors import DataError
from lean_gym.types import ProofBackend, ProofState, ScriptChecker, ScriptError, TacticResult, Theorem
from lean_gym.verification.verify import judge, verify_script


@dataclass(frozen=True, slots=True)
class BackendCase:
    """One theorem to check a backend with.

    Attributes:
        theorem: The statement.
        proof: Tactics that prove it, one step each.
        refused: A tactic that does not apply at the start.
    """

    theorem: Theorem
    proof: tuple[str, ...]
    refused: str


DEFAULT_CASES: Final = (
    BackendCase(
        Theorem("check_and_swap", "theorem check_and_swap (p q : Prop) (h : p ∧ q) : q ∧ p"),
        ("constructor", "exact h.2", "exact h.1"),
        "exact h.1",
    ),
    BackendCase(
        Theorem("check_or_swap", "theorem check_or_swap (p q : Prop) : p ∨ q → q ∨ p"),
        ("intro h", "cases h with\n| inl hp => exact Or.inr hp\n| inr hq => exact Or.inl hq"),
        "left",
    ),
    BackendCase(
        Theorem("check_exists", "theorem check_exists (n : Nat) : ∃ m : Nat, m = n"),
        ("refine Exists.intro n ?_", "rfl"),
        "rfl",
    ),
)
"""Theorems of core Lean that need no import."""

BAD_THEOREM: Final = Theorem("check_bad", "theorem check_bad : this_is_not_a_name ∧")
"""A statement that elaborates nowhere."""

FALSE_THEOREM: Final = Theorem("check_false", "theorem check_false : False")
"""A statement that starts like any other and has no proof."""

NONSENSE: Final = ("", "   ", "(((((", "⊢", "exact (", "}{", "\x00", "no_such_tactic h", "x" * 20_000)
"""Texts that are no tactic."""

CHEATS: Final = ("sorry", "admit", "exact sorry")
"""Tactics that prove nothing, though Lean accepts them with no more than a warning."""


def check_backend(
    make_backend: Callable[[], ProofBackend],
    cases: Sequence[BackendCase] = DEFAULT_CASES,
    *,
    bad_theorem: Theorem = BAD_THEOREM,
    false_theorem: Theorem = FALSE_THEOREM,
) -> tuple[str, ...]:
    """Run every check with every case.

    Args:
        make_backend: Makes a fresh backend; called once per case, and once more.
        cases: Theorems with proofs in the backend's language, at least one.
        bad_theorem: A statement that must not start.
        false_theorem: A statement that starts and has no proof.

    Returns:
        The names of the checks, all passed.

    Raises:
        AssertionError: One or more checks failed; the text lists each with what was seen.
        ValueError: No case was given.
    """
    if not cases:
        raise ValueError("cases: got none, expected at least one theorem with a proof")
    scripts = [case.proof for case in cases]
    passed: list[str] = []
    failed: list[str] = []

    def run(name: str, check: Callable[[], None]) -> None:
        try:
            check()
        except Exception as error:
            failed.append(f"{name}: {error if isinstance(error, AssertionError) else repr(error)}")
        else:
            passed.append(name)

    for case in cases:
        with closing(make_backend()) as backend:
            for title, check in _CASE_CHECKS.items():
                run(f"{title} [{case.theorem.name}]", partial(check, backend, case))
    backend = make_backend()
    run("is a ProofBackend with a name", partial(_check_shape, backend))
    run("a bad theorem is a DataError", partial(_check_bad_theorem, backend, bad_theorem))
    run("a false theorem stays unproved", partial(_check_false_theorem, backend, false_theorem, scripts))
    run("close works twice", partial(_check_close, backend))
    assert not failed, f"{len(failed)} of {len(failed) + len(passed)} checks failed:\n" + "\n".join(failed)
    return tuple(passed)


def _check_shape(backend: ProofBackend) -> None:
    assert isinstance(backend, ProofBackend), f"{type(backend).__name__} lacks methods of ProofBackend"
    assert isinstance(backend.name, str), f"name: got {backend.name!r}, expected a string"
    assert backend.name, "name: got an empty string"


def _check_start(backend: ProofBackend, case: BackendCase) -> None:
    state = backend.start(case.theorem)
    assert state.goals, "start returned a state without goals"
    for goal in state.goals:
        assert goal.target, f"a goal has no target: {goal!r}"
        assert goal.target in goal.text, f"the target {goal.target!r} is not in the text {goal.text!r}"
    again = backend.start(case.theorem)
    assert again.goals == state.goals, f"a second start shows {again.text!r}, the first showed {state.text!r}"


def _check_proof(backend: ProofBackend, case: BackendCase) -> None:
    states = _walk(backend, case)
    for step, state in enumerate(states[:-1]):
        assert not state.is_finished, f"no goals are left after step {step} of {len(case.proof)}"
    assert states[-1].is_finished, f"goals are left after the whole proof: {states[-1].text!r}"
    block = _accepted(backend, states[0], "\n".join(case.proof))
    assert block.is_finished, f"the proof as one block leaves goals: {block.text!r}"
    verdict = backend.verify(case.theorem, case.proof)
    assert verdict.proved, f"verify refused the proof: {verdict.reason!r}"
    judged = judge(verdict, verify=verdict.level)
    assert judged.proved, f"the proof is not accepted: {judged.reason}"


def _check_persistence(backend: ProofBackend, case: BackendCase) -> None:
    states = _walk(backend, case)
    shown = [state.text for state in states]
    for step in reversed(range(len(case.proof))):
        _result(backend, states[step], case.refused)
        again = _accepted(backend, states[step], case.proof[step])
        assert again.text == shown[step + 1], (
            f"step {step + 1} from an old state shows {again.text!r}, it showed {shown[step + 1]!r} before"
        )
        assert states[step].text == shown[step], f"the state before step {step + 1} changed under a tactic"


def _check_refusals(backend: ProofBackend, case: BackendCase) -> None:
    state = backend.start(case.theorem)
    for tactic in (case.refused, *NONSENSE):
        result = _result(backend, state, tactic)
        assert result.error is not None, f"accepted {tactic[:40]!r}, expected a refusal"
    next_state = _accepted(backend, state, case.proof[0])
    fresh = _accepted(backend, backend.start(case.theorem), case.proof[0])
    assert next_state.goals == fresh.goals, "a refused tactic left a trace in the state"


def _check_verify(backend: ProofBackend, case: BackendCase) -> None:
    scripts: dict[str, tuple[str, ...]] = {
        "the empty script": (),
        "a proof without its last step": case.proof[:-1],
        "a proof with a refused tactic in front": (case.refused, *case.proof),
        "a proof with a step after its end": (*case.proof, case.proof[-1]),
    }
    cheats: dict[str, tuple[str, ...]] = {f"{cheat!r}": (cheat,) for cheat in CHEATS}
    cheats |= {f"{cheat!r} as the last step": (*case.proof[:-1], cheat) for cheat in CHEATS}
    verdicts = {what: backend.verify(case.theorem, script) for what, script in scripts.items()}
    # A backend may leave `sorry` to the judgement of axioms.
    verdicts |= {
        what: verify_script(backend, case.theorem, script, verify="replay") for what, script in cheats.items()
    }
    for what, verdict in verdicts.items():
        assert not verdict.proved, f"verify accepted {what}"
        assert verdict.reason, f"verify gave no reason for refusing {what}"
    assert backend.verify(case.theorem, case.proof).proved, "verify refused the proof after refusing others"


def _check_release(backend: ProofBackend, case: BackendCase) -> None:
    states = _walk(backend, case)
    shown = states[1].text
    backend.release(states[1:])
    again = _accepted(backend, states[0], case.proof[0])
    assert again.text == shown, f"after a release, step 1 shows {again.text!r}, it showed {shown!r} before"


def _check_script_errors(backend: ProofBackend, case: BackendCase) -> None:
    if not isinstance(backend, ScriptChecker):
        return
    found = backend.script_errors(case.theorem, "\n".join(case.proof), 10.0)
    assert not found, f"a proof has the errors {found!r}"
    for rows in range(len(case.proof)):
        script = "\n".join([*case.proof[:rows], "no_such_tactic", *case.proof[rows:]])
        row = "\n".join([*case.proof[:rows], ""]).count("\n")
        wanted = script_file(case.theorem, script).by_line + 1 + row
        # None at all where a version of the prover says no positions.
        errors = backend.script_errors(case.theorem, script, 10.0)
        lines = [one.line for one in errors]
        assert not errors or wanted in lines, (
            f"errors at the lines {lines}, expected one at {wanted}: {script!r}"
        )
        _check_places(errors, declaration_source(case.theorem, script))


def _check_places(errors: Sequence[ScriptError], source: str) -> None:
    lines = source.split("\n")
    for one in errors:
        assert one.message, f"an error has no message: {one!r}"
        assert 0 < one.line <= len(lines), f"an error lies outside of the declaration: {one!r}"
        assert 0 <= one.column <= len(lines[one.line - 1]), f"an error lies outside of its line: {one!r}"


def _check_bad_theorem(backend: ProofBackend, theorem: Theorem) -> None:
    try:
        state = backend.start(theorem)
    except DataError as error:
        assert str(error), "the DataError says nothing"
        return
    raise AssertionError(f"{theorem.statement!r} started with {state.text!r}, expected a DataError")


def _check_false_theorem(backend: ProofBackend, theorem: Theorem, scripts: Sequence[tuple[str, ...]]) -> None:
    backend.start(theorem)
    for script in [*scripts, *((cheat,) for cheat in CHEATS)]:
        verdict = verify_script(backend, theorem, script, verify="replay")
        assert not verdict.proved, f"{theorem.statement!r} was proved by {script!r}"


def _check_close(backend: ProofBackend) -> None:
    backend.close()
    backend.close()


_CASE_CHECKS: Final[dict[str, Callable[[ProofBackend, BackendCase], None]]] = {
    "start shows goals": _check_start,
    "a proof is a proof": _check_proof,
    "states persist": _check_persistence,
    "a refused tactic is a value": _check_refusals,
    "verify replays every script": _check_verify,
    "errors of a script have positions": _check_script_errors,
    "release spares other states": _check_release,
}


def _walk(backend: ProofBackend, case: BackendCase) -> list[ProofState]:
    """The states of the case's proof, from the start to the end."""
    states = [backend.start(case.theorem)]
    for tactic in case.proof:
        states.append(_accepted(backend, states[-1], tactic))
    return states


def _accepted(backend: ProofBackend, state: ProofState, tactic: str) -> ProofState:
    result = _result(backend, state, tactic)
    assert result.state is not None, f"refused {tactic!r} on {state.text!r}: {result.error}"
    return result.state


def _result(backend: ProofBackend, state: ProofState, tactic: str) -> TacticResult:
    result = backend.apply(state, tactic)
    one_set = (result.state is None) != (result.error is None)
    assert one_set, f"{tactic[:40]!r}: exactly one of state and error must be set, got {result!r}"
    return result
