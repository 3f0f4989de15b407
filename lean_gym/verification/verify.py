"""The judgement on finished scripts: the rules by which a script counts as a proof, and the permitted axioms.

A backend replays a script and reports what it found: whether the script ends without goals, the axioms of the proof,
and how thorough the check was. `verify_script` decides. Nothing else in lean_gym calls `ProofBackend.verify`, and a
backend's `Verdict.proved` is no decision about axioms. A script counts as a proof when all of these rules hold:

1. Filter. No step holds a command, or text that real Lean would evaluate:
   `lean_gym.verification.tactic_filter.refused_text`, called by `lean_gym.backends.pantograph.steps.run_tactic` on each
   step and by `lean_gym.backends.pantograph.verdicts.Judge.verify` on the whole script.
2. Finished goals. The statement starts with a goal, and the last accepted tactic leaves none:
   `lean_gym.execution.job_runner.JobRunner.run` asks for a verdict then, and on a script that
   `lean_gym.pool.judging.JudgingPool` hands over to be judged, and at no other time.
3. Replay. The script runs again from the bare statement, in a state that no tactic of an episode touched:
   `lean_gym.backends.minilean.MinileanBackend.verify`, `lean_gym.backends.pantograph.recompile.recompile` in a process
   of `lean_gym.backends.pantograph.verdicts.Judge`, or `lean_gym.backends.pantograph.verdicts.replay`.
4. One body. In a compiled file every command lies where it lies with `sorry` in place of the script:
   `lean_gym.backends.pantograph.recompile.recompile`, which also compiles the script in brackets.
5. Kernel and statement. Lean's kernel accepts the term for the original statement: `minilean.proof.Problem.check`; in
   real Lean by the compilation of rule 4, after which `lean_gym.backends.pantograph.dialect.tracked` or a comparison
   of the elaborated types shows that the declaration is the stated one. With Lean's library neither rule 4 nor this
   one rests on what was compiled: `lean_gym.lean.judge.Judge`, in a process that never sees the script, elaborates the
   statement itself, has the kernel check the terms that the script declares, and compares them with it.
6. Root. A replay without compilation must assign the root, without metavariables, `sorry` and unsafe constants:
   `lean_gym.backends.pantograph.verdicts.root_problem`, `lean_gym.backends.pantograph.verdicts.term_problem`.
7. Answers in order. A verdict rests on answers that no earlier request can have caused:
   `lean_gym.backends.pantograph.repl.Repl.sync`, `lean_gym.backends.pantograph.repl.Repl.new_state`.
8. No `sorry`. The axioms do not include `sorryAx`, which cannot be permitted: `lean_gym.verification.verify.judge`,
   `lean_gym.verification.verify.check_permitted_axioms`.
9. Axioms. Every axiom of the proof is in the list of permitted ones: `lean_gym.verification.verify.judge`. The list
   names what is allowed, since a list of what is forbidden breaks whenever Lean renames an axiom.
10. Level. The check was compilation or the kernel (`"full"`), unless the caller accepts `"replay"`; where the caller
    asks for `"independent"`, it was that: `lean_gym.verification.verify.judge`,
    `lean_gym.verification.verify.check_level`.
11. Deadline. A replay that is not finished in time is no proof: `lean_gym.verification.verify.verify_script` hands the
    deadline to the backend, and `lean_gym.execution.job_runner.JobRunner.run` refuses a script on which it passed
    twice.
12. Outcome. `Outcome.PROVED` comes from such a verdict only: `lean_gym.envs.episode.Episode.transition`. Rewards read
    `lean_gym.rewards.base.Transition.proved`.
13. Canaries. A false theorem that counts as proved stops the run: `lean_gym.verification.canaries.watch_canary`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from lean_gym.errors import unknown_name
from lean_gym.types import ProofBackend, Theorem, Verdict

PERMITTED_AXIOMS: Final = ("Classical.choice", "Quot.sound", "propext")
"""Lean's three standard axioms, which a proof may depend on by default."""
SORRY_AXIOM: Final = "sorryAx"
"""The axiom of `sorry`, which proves everything and can never be permitted."""
VERIFY_LEVELS: Final = ("independent", "full", "replay")
"""Levels of verification, the stronger first. `"independent"`: compiled in a process of its own, exported, compared and
checked by another process in another kernel; `"full"`: checked from scratch by the kernel, axioms listed; `"replay"`:
the tactics were run again and the axioms are not known."""


def check_level(verify: str) -> str:
    """Return the given level of verification.

    Raises:
        ValueError: It is none of `VERIFY_LEVELS`.
    """
    if verify not in VERIFY_LEVELS:
        raise ValueError(unknown_name("verify", str(verify), VERIFY_LEVELS))
    return verify


def check_permitted_axioms(names: object) -> tuple[str, ...]:
    """Return the given axioms as a tuple.

    Raises:
        ValueError: Something other than a list of names, or `sorryAx` among the names.
    """
    permitted = _list_of_names(names)
    if SORRY_AXIOM in permitted:
        raise ValueError(
            f"permitted_axioms: got {SORRY_AXIOM!r}, the axiom of `sorry`, which proves everything; leave it out"
        )
    return permitted


def _list_of_names(names: object) -> tuple[str, ...]:
    # In a string, the search for a name would be the search for a part of the string.
    if (
        isinstance(names, Collection)
        and not isinstance(names, str)
        and all(isinstance(n, str) for n in names)
    ):
        return tuple(names)
    raise ValueError(f"permitted_axioms: got {names!r}, expected a list of names")


def judge(
    verdict: Verdict, permitted_axioms: Collection[str] = PERMITTED_AXIOMS, verify: str = "full"
) -> Verdict:
    """Decide on what a backend reports about a script: rules 8, 9 and 10.

    Args:
        verdict: From `ProofBackend.verify`.
        permitted_axioms: Axioms that a proof may depend on; `sorryAx` is never one of them.
        verify: The level that is asked for, one of `VERIFY_LEVELS`. Verdicts of level `"replay"` know no axioms.

    Returns:
        The verdict itself, or a refusal that keeps its axioms and level.

    Raises:
        ValueError: `permitted_axioms` is not a list of names.
    """
    permitted = _list_of_names(permitted_axioms)
    problem = _axiom_problem(verdict.axioms, permitted) or _level_problem(verdict.level, verify)
    return replace(verdict, proved=False, reason=problem) if verdict.proved and problem else verdict


def verify_script(
    backend: ProofBackend,
    theorem: Theorem,
    tactics: Sequence[str],
    permitted_axioms: Collection[str] = PERMITTED_AXIOMS,
    deadline_s: float = 60.0,
    verify: str = "full",
) -> Verdict:
    """Replay a finished script and judge the result.

    Args:
        backend: Replays the script; its working states are not used.
        theorem: The statement as the environment holds it, not as any tactic left it.
        tactics: The accepted tactics, in order.
        permitted_axioms: Axioms that a proof may depend on, as far as the theorem permits them too.
        deadline_s: Wall-clock seconds for the replay.
        verify: The level that is asked for: `"full"`; `"independent"` for a backend that was made for it; `"replay"`
            to accept verdicts of that level too, which know no axioms.

    Returns:
        The backend's verdict as `judge` leaves it.
    """
    permitted = _list_of_names(permitted_axioms)
    if theorem.permitted_axioms is not None:
        permitted = tuple(name for name in permitted if name in theorem.permitted_axioms)
    return judge(backend.verify(theorem, tuple(tactics), deadline_s), permitted, verify)


def _axiom_problem(axioms: Sequence[str], permitted: Collection[str]) -> str | None:
    if SORRY_AXIOM in axioms:
        return "the proof uses `sorry`"
    foreign = [axiom for axiom in axioms if axiom not in permitted]
    return f"uses axioms that are not permitted: {', '.join(foreign)}" if foreign else None


def _level_problem(level: str, asked: str) -> str | None:
    if level in VERIFY_LEVELS and VERIFY_LEVELS.index(level) <= VERIFY_LEVELS.index(asked):
        return None
    return f"was checked by {level} alone; verify={level!r} accepts that"
