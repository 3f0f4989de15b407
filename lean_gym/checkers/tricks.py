"""Cases of the benchmark for checkers: requests with the right answer, each in a class of tricks.

False theorems with every exploit of `lean_gym.verification.canaries`, false theorems with automation, true theorems
with scripts that do not prove them, forged exports (`export_tricks.py`), and honest proofs, since a checker that
refuses everything is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lean_gym.checkers.export_tricks import export_requests
from lean_gym.types import Theorem
from lean_gym.verification.canaries import EXPLOITS, canary_theorems

HONEST: Final = "honest proofs"
FALSE: Final = "false theorems and automation"
WRONG: Final = "true theorems and wrong scripts"
FORGED: Final = "forged exports"
_EXPLOIT_CLASSES: Final = (
    ("compiled evaluation", re.compile(r"native|ofReduceBool")),
    ("axioms", re.compile(r"axiom |lcProof|sorryAx|#print")),
    ("programs", re.compile(r"run_tac|by_elab|eval|IO\.|println|unsafe|«Lean»|simproc|skipKernelTC")),
    ("new syntax and instances", re.compile(r"macro|notation|elab|local instance")),
    ("sorry", re.compile(r"s[o\u043e]\u200b?rry|admit|\?\Z|hint|stop")),
    ("the theorem by itself", re.compile(r"\{name\}|rec loop|LeanGymJudge")),
    ("the end of the proof", re.compile(r"#|theorem|/-|\"|\bend\b|:= by|variable|\bin\b")),
)
_UNFINISHED: Final = "unfinished proofs"
"""Class of the exploits that none of the expressions finds."""
_AUTOMATION: Final = (("decide",), ("simp",), ("omega",), ("rfl",), ("intros", "simp_all"))
_TARGETS: Final = ("canary_false", "canary_anything")
"""The canaries that each exploit is tried on."""

_SWAP: Final = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
_ZERO_ADD: Final = "theorem t (n : Nat) : 0 + n = n"
_INDUCTION: Final = "induction n with\n| zero => rfl\n| succ k ih => rw [← Nat.add_assoc, ih]"
_HONEST_PROOFS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("", "theorem t (p : Prop) : p → p", ("intro h", "exact h")),
    ("", _SWAP, ("constructor", "exact h.2", "exact h.1")),
    ("", _SWAP, ("exact ⟨h.2, h.1⟩",)),
    ("", "theorem t (p : Prop) : p ∨ ¬p", ("exact Classical.em p",)),
    ("", "theorem t (a b : Nat) : a + b = b + a", ("exact Nat.add_comm a b",)),
    ("", "theorem t (a b : Nat) (h : a < b) : a + 1 ≤ b", ("omega",)),
    ("", _ZERO_ADD, (_INDUCTION,)),
    ("", "theorem t (α : Type) (p : α → Prop) (a : α) (h : p a) : ∃ x, p x", ("exact ⟨a, h⟩",)),
    ("", "theorem t : 2 + 2 = 4", ("rfl",)),
    ("", "theorem t : 10 < 20", ("decide",)),
    ("def two : Nat := 2", "theorem t : two + two = 4", ("rfl",)),
    ("inductive T where\n  | a\n  | b", "theorem t (x : T) : x = T.a ∨ x = T.b", ("cases x <;> simp",)),
)  # fmt: skip
_WRONG_SCRIPTS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("", _SWAP, ("exact h",)),
    ("", _SWAP, ("constructor", "exact h.2")),
    ("", _SWAP, ("constructor",)),
    ("", _SWAP, ()),
    ("", _SWAP, ("exact ⟨h.1, h.2⟩",)),
    ("", _SWAP, ("skip",)),
    ("", "theorem t (a b : Nat) : a + b = b + a", ("exact Nat.add_comm a a",)),
    ("", "theorem t (p : Prop) : p → p", ("intro h",)),
    ("def two : Nat := 2", "theorem t : two + two = 4", ("exact Nat.zero_add two",)),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A request to a checker.

    Attributes:
        group: The class of tricks.
        request: The JSON object; `docs/lean_gym/benchmark.md` describes it.
        is_proof: The right answer.
    """

    group: str
    request: dict[str, Any]
    is_proof: bool


def exploit_class(tactics: Sequence[str]) -> str:
    """Return the class of an exploit's steps."""
    text = "\n".join(tactics)
    return next((name for name, pattern in _EXPLOIT_CLASSES if pattern.search(text)), _UNFINISHED)


def all_cases() -> list[Case]:
    """Return all cases, those of a class next to each other; each request has an `id` of its own."""
    cases = [*_honest(), *_wrong(), *_false(), *_exploited(), *_forged()]
    order = {group: number for number, group in enumerate(dict.fromkeys(case.group for case in cases))}
    cases.sort(key=lambda case: order[case.group])
    for number, case in enumerate(cases, 1):
        case.request["id"] = number
    return cases


def _honest() -> Iterator[Case]:
    for context, statement, tactics in _HONEST_PROOFS:
        yield Case(HONEST, _request("t", statement, tactics, context), True)


def _wrong() -> Iterator[Case]:
    for context, statement, tactics in _WRONG_SCRIPTS:
        yield Case(WRONG, _request("t", statement, tactics, context), False)


def _false() -> Iterator[Case]:
    for theorem in canary_theorems():
        for tactics in _AUTOMATION:
            yield Case(FALSE, _of(theorem, tactics), False)


def _exploited() -> Iterator[Case]:
    targets = [theorem for theorem in canary_theorems() if theorem.name in _TARGETS]
    for exploit in EXPLOITS:
        group = exploit_class(exploit.tactics)
        for theorem in targets:
            yield Case(group, _of(theorem, exploit.against(theorem)), False)


def _forged() -> Iterator[Case]:
    for request, is_proof in export_requests():
        yield Case(HONEST if is_proof else FORGED, request, is_proof)


def _of(theorem: Theorem, tactics: Sequence[str]) -> dict[str, Any]:
    return _request(theorem.name, theorem.statement, tactics, theorem.context)


def _request(name: str, statement: str, tactics: Sequence[str], context: str = "") -> dict[str, Any]:
    return {"name": name, "statement": statement, "context": context, "tactics": list(tactics)}
