"""Replay every reference proof of the theorem sets, and make sure that wrong proofs are refused.

    python -m envs_data.validate                    all sets, on the embedded Lean
    python -m envs_data.validate logic mine.jsonl   these sets
    python -m envs_data.validate --backend NAME     another prover
    python -m envs_data.validate --limit 1          the first theorem of each set
    python -m envs_data.validate --automation       also every flag `automation`

Each theorem is checked in seven ways. Its own proof, run step by step and then verified as a whole, must
score 1.0. Six wrong proofs must score 0.0:

    truncated    the proof without its last step
    sorry        `sorry` alone
    part sorry   the proof with `sorry` for its last step
    wrong term   `exact True.intro`
    foreign      the proof of another theorem of the set, a longer one where there is one
    false goal   the theorem's own proof, offered for the same variables and the conclusion `False`

A script may prove two theorems: one for `p → q ∧ r` may fit `∀ x, p x ∧ q x`. An accepted foreign script is therefore
judged once more with `verify="independent"`. If that confirms it, the next proof is offered; if not, the check
fails.

On the embedded Lean, the flag `automation` of one theorem in twenty, or with `--automation` of each, is compared with
what the scripts of `envs_data.automation` prove. That is quick once they are in its cache.

The wrong proofs `foreign` and `false goal` are left out for theorems with a position in minilean's library: hypotheses
of a library lemma may contradict each other, and a proof such as `simp` fits many of them.

One line per failure, then a table. Exit status: 0 all is well, 1 something failed, 2 bad usage.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from envs_data.automation import measure, wrong_flags
from envs_data.progress import ProgressLine
from lean_gym.backends import ProofBackend, create_backend
from lean_gym.command_line import Parser, offer_completion, unless_closed
from lean_gym.datasets import load_theorems, proof_steps, set_names
from lean_gym.errors import DataError, LeanGymError
from lean_gym.types import ProofState, Theorem
from lean_gym.verification.independent import LEVEL
from lean_gym.verification.verify import verify_script

_FLAGS_CHECKED: Final = 20
"""One flag `automation` in so many is checked by default."""
_MOST_FOREIGN: Final = 5
"""Foreign scripts tried until one is no proof."""
Confirm = Callable[[Theorem, Sequence[str]], bool]
"""Judges an accepted foreign script by other means: (theorem, script) -> whether it is a proof."""
KINDS: Final = ("reference", "truncated", "sorry", "part sorry", "wrong term", "foreign", "false goal")


@dataclass(frozen=True, slots=True)
class Check:
    """One script tried on one theorem.

    Attributes:
        kind: One of `KINDS`.
        expected: The score it must get, 1.0 or 0.0.
        score: The score it got: 1.0 if the script is a verified proof, else 0.0.
        reason: Why the script was refused; `""` if it was not.
    """

    kind: str
    expected: float
    score: float
    reason: str = ""

    @property
    def passed(self) -> bool:
        """Return whether the score is the expected one."""
        return self.score == self.expected


def score(backend: ProofBackend, theorem: Theorem, steps: Sequence[str]) -> tuple[float, str]:
    """Run a script step by step, then verify it as a whole.

    Args:
        backend: Any prover.
        theorem: What the script should prove; its own `proof` is not looked at.
        steps: The script.

    Returns:
        1.0 and `""` if every step is accepted, no goals are left and the script is verified; else 0.0 and
        why. A script that is verified although a step was refused scores 1.0 too, with the refusal as the
        reason: a wrong proof must fail both checks.
    """
    refusal = _first_refusal(backend, theorem, steps)
    verdict = verify_script(backend, theorem, steps)
    if verdict.proved:
        return 1.0, refusal
    return 0.0, refusal or verdict.reason or "not verified"


def validate_theorem(
    backend: ProofBackend,
    theorem: Theorem,
    foreign: Sequence[Theorem] = (),
    confirm: Confirm = lambda theorem, script: False,
) -> list[Check]:
    """Check a theorem's reference proof, and that wrong ones are refused.

    Args:
        backend: Any prover.
        theorem: A theorem with a reference proof.
        foreign: Other theorems; the proof of the first whose proof is not confirmed to prove this one too must be
            refused. Without any, that check is left out.
        confirm: Judges the proofs of these that are accepted.

    Returns:
        One check per kind, in the order of `KINDS`; no "false goal" for a theorem with a position, and no "foreign" if
        all of these proofs are confirmed.

    Raises:
        DataError: The theorem has no reference proof, or its statement does not elaborate.
        BackendError: The prover itself failed.
    """
    steps = proof_steps(theorem.proof)
    if not steps:
        raise DataError(f"{theorem.name}: field 'proof' is empty, expected a reference proof to replay")
    value, reason = score(backend, theorem, steps)
    # A reference proof must pass both checks.
    checks = [Check("reference", 1.0, 0.0 if reason else value, reason)]
    wrong = {
        "truncated": (theorem, steps[:-1]),
        "sorry": (theorem, ["sorry"]),
        "part sorry": (theorem, [*steps[:-1], "sorry"]),
        "wrong term": (theorem, ["exact True.intro"]),
    }
    other = _foreign_script(backend, theorem, foreign, confirm)
    if other is not None:
        wrong["foreign"] = (theorem, other)
    if not theorem.position:
        wrong["false goal"] = (false_variant(theorem), steps)
    for kind, (statement, script) in wrong.items():
        checks.append(Check(kind, 0.0, *score(backend, statement, script)))
    return checks


def false_variant(theorem: Theorem) -> Theorem:
    """Return the theorem with the conclusion `False`: nothing proves it if its binders are variables."""
    statement = theorem.statement
    depth = 0
    for position, character in enumerate(statement):
        depth += (character in "([{⦃") - (character in ")]}⦄")
        if character == ":" and depth == 0:
            return replace(theorem, statement=f"{statement[:position].rstrip()} : False")
    raise DataError(
        f"{theorem.name}: field 'statement': got {statement!r}, expected a ':' before the conclusion"
    )


def foreign_theorems(theorems: Sequence[Theorem], index: int) -> list[Theorem]:
    """Choose theorems whose proofs are offered for `theorems[index]`, at most five.

    The next ones, cyclically, of another domain and with more steps: a script that is too long is refused even
    if its beginning should fit. If no theorem is longer, those with most steps.
    """
    own = theorems[index]
    size = len(proof_steps(own.proof))
    others = [*theorems[index + 1 :], *theorems[:index]]
    others = [other for other in others if other.domain != own.domain and other.proof != own.proof]
    longer = [other for other in others if len(proof_steps(other.proof)) > size]
    longest = sorted(others, key=lambda other: -len(proof_steps(other.proof)))
    return (longer or longest)[:_MOST_FOREIGN]


def _foreign_script(
    backend: ProofBackend, theorem: Theorem, foreign: Sequence[Theorem], confirm: Confirm
) -> list[str] | None:
    """Return the script of the first of these theorems that is not confirmed to prove `theorem` as well."""
    for other in foreign:
        script = proof_steps(other.proof)
        if not (verify_script(backend, theorem, script).proved and confirm(theorem, script)):
            return script
    return None


@contextmanager
def confirm_with(name: str) -> Iterator[Confirm]:
    """Give the independent judgement of a backend, which is made when it is first asked, and closed at the end."""
    independent: list[ProofBackend] = []

    def confirm(theorem: Theorem, script: Sequence[str]) -> bool:
        if not independent:
            independent.append(create_backend(name, verify=LEVEL))
        verdict = verify_script(independent[0], theorem, script, verify=LEVEL)
        return verdict.proved and verdict.level == LEVEL

    try:
        yield confirm
    finally:
        for each in independent:
            each.close()


def _first_refusal(backend: ProofBackend, theorem: Theorem, steps: Sequence[str]) -> str:
    """Return why stepping through the script fails; `""` if it ends without goals."""
    states: list[ProofState] = [backend.start(theorem)]
    try:
        for number, step in enumerate(steps, start=1):
            result = backend.apply(states[-1], step)
            if result.state is None:
                return f"step {number} `{step}`: {result.error}"
            states.append(result.state)
        return "" if states[-1].is_finished else f"goals are left: {states[-1].text}"
    finally:
        backend.release(states)


def _validate_set(
    backend: ProofBackend, label: str, theorems: Sequence[Theorem], limit: int | None, confirm: Confirm
) -> tuple[Counter[str], int]:
    """Check one set, or its first theorems; return how many checks of each kind passed, and how many failed."""
    chosen = theorems[:limit]
    progress = ProgressLine(label, len(chosen), sys.stderr)
    passed: Counter[str] = Counter()
    failures = 0
    for index, theorem in enumerate(chosen):
        try:
            foreign = [] if theorem.position else foreign_theorems(theorems, index)
            checks = validate_theorem(backend, theorem, foreign, confirm)
        except DataError as error:
            checks = [Check("reference", 1.0, 0.0, str(error))]
        for check in checks:
            passed[check.kind] += check.passed
            if not check.passed:
                failures += 1
                reason = " / ".join(check.reason.split("\n"))
                print(
                    f"{label} {theorem.name}: {check.kind}: scored {check.score}, expected {check.expected}"
                    + (f": {reason}" if reason else "")
                )
        progress.show(index + 1, f"{failures} failures")
    return passed, failures


def _wrong_flags(label: str, theorems: Sequence[Theorem], every: int) -> int:
    """Check the flag `automation` of every n-th theorem that has one; return the number of wrong ones."""
    flagged = [theorem for theorem in theorems if theorem.automation is not None][::every]
    if not flagged:
        return 0
    wrong = wrong_flags(flagged, measure(flagged))
    for theorem in wrong:
        print(
            f"{label} {theorem.name}: automation: is {theorem.automation}, measured {not theorem.automation}"
        )
    print(f"{label}: {len(flagged)} flags `automation` checked, {len(wrong)} wrong")
    return len(wrong)


def _print_table(rows: Sequence[tuple[str, int, Counter[str], float]]) -> None:
    header = ("set", "theorems", *KINDS, "seconds")
    lines = [
        (label, str(total), *(str(passed[kind]) for kind in KINDS), f"{seconds:.1f}")
        for label, total, passed, seconds in rows
    ]
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    print("checks passed:")
    for line in (header, *lines):
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        print("  ".join([line[0].ljust(widths[0]), *cells]))


def _positive(text: str) -> int:
    """Return a positive number.

    Raises:
        ArgumentTypeError: The text is none.
    """
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a positive number")
    return int(text)


@unless_closed()
def main(arguments: Sequence[str] | None = None, program: str = "python -m envs_data.validate") -> int:
    """Run the command line; return its exit status."""
    parser = Parser(
        prog=program,
        description="Replay every reference proof and make sure that wrong proofs are refused.",
    )
    parser.add_argument("sets", nargs="*", metavar="SET", help="set name or JSONL path (default: every set)")
    parser.add_argument("--backend", default="minilean", help="prover that judges (default: %(default)s)")
    parser.add_argument("--limit", type=_positive, metavar="N", help="check the first N theorems of each set")
    parser.add_argument(
        "--automation", action="store_true", help="check every flag `automation`, not one in 20"
    )
    offer_completion(parser)
    options = parser.parse_args(arguments)
    try:
        sets = [(label, load_theorems(label)) for label in options.sets or set_names()]
        backend = create_backend(options.backend)
    except (LeanGymError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    rows, failures = [], 0
    try:
        for label, theorems in sets:
            began = time.perf_counter()
            with confirm_with(options.backend) as confirm:
                passed, failed = _validate_set(backend, label, theorems, options.limit, confirm)
            rows.append((label, len(theorems[: options.limit]), passed, time.perf_counter() - began))
            failures += failed
            if backend.name == "minilean":
                every = 1 if options.automation else _FLAGS_CHECKED
                failures += _wrong_flags(label, theorems[: options.limit], every)
    except LeanGymError as error:
        print(f"{parser.prog}: backend {options.backend!r} failed: {error}", file=sys.stderr)
        return 1
    finally:
        backend.close()
    _print_table(rows)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
